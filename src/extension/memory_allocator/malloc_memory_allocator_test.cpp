#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace executorch {
namespace extension {
namespace {

TEST(MallocMemoryAllocatorTest, AlignsEachAllocation) {
  MallocMemoryAllocator allocator;
  for (size_t alignment = 1; alignment <= 8192; alignment *= 2) {
    void* memory = allocator.allocate(100, alignment);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
    std::memset(memory, 1, 100);
  }
  EXPECT_GE(allocator.used_size(), 1400u);
  allocator.reset();
  EXPECT_EQ(allocator.used_size(), 0u);
  EXPECT_NE(allocator.allocate(1), nullptr);
}

TEST(MallocMemoryAllocatorTest, RefusesImpossibleRequests) {
  MallocMemoryAllocator allocator;
  EXPECT_EQ(allocator.allocate(8, 3), nullptr);
  EXPECT_THAT(runtime::last_error_message(), ::testing::HasSubstr("power of two"));
  EXPECT_EQ(allocator.allocate(8, 0), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX, 64), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX - 63, 64), nullptr);
  EXPECT_EQ(allocator.allocateList<double>(SIZE_MAX / 4), nullptr);
}

TEST(MallocMemoryAllocatorTest, AlignedSizeIsChecked) {
  EXPECT_EQ(utils::get_aligned_size(100, 8).get(), 100u);
  EXPECT_EQ(utils::get_aligned_size(100, 64).get(), 163u);
  EXPECT_EQ(utils::get_aligned_size(SIZE_MAX - 10, 64).error(), runtime::Error::InvalidArgument);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
