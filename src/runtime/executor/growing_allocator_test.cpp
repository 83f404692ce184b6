#include "runtime/executor/growing_allocator.h"

#include <gtest/gtest.h>

#include <cstring>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

TEST(GrowingAllocatorTest, HandsOutAlignedMemory) {
  GrowingAllocator allocator;
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    auto* memory = static_cast<uint8_t*>(allocator.allocate(100, alignment));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
    std::memset(memory, 1, 100);
  }
}

TEST(GrowingAllocatorTest, KeepsItsMemory) {
  GrowingAllocator allocator;
  for (int i = 0; i < 5; ++i) ASSERT_NE(allocator.allocate(5000), nullptr);
  allocator.reset();
  void* first = allocator.allocate(20000);
  ASSERT_NE(first, nullptr);
  for (int i = 0; i < 3; ++i) {
    allocator.reset();
    EXPECT_EQ(allocator.used_size(), 0u);
    EXPECT_EQ(allocator.allocate(20000), first);
  }
}

TEST(GrowingAllocatorTest, RefusesWhatCannotBe) {
  GrowingAllocator allocator;
  EXPECT_EQ(allocator.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(allocator.allocate(8, 3), nullptr);
  EXPECT_NE(allocator.allocate(0), nullptr);
}

}  // namespace
}  // namespace internal
}  // namespace runtime
}  // namespace executorch
