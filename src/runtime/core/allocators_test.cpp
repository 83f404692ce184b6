#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/log.h>

#include "runtime/core/checked_array.h"
#include "runtime/core/growing_array.h"

namespace executorch::runtime {
namespace {

constexpr size_t kHuge = std::numeric_limits<size_t>::max();

TEST(CheckedMath, TellsOverflow) {
  size_t out = 0;
  EXPECT_TRUE(checked_add<size_t>(2, 3, &out));
  EXPECT_EQ(out, 5u);
  EXPECT_FALSE(checked_add<size_t>(kHuge, 1, &out));
  EXPECT_TRUE(checked_mul<size_t>(0, kHuge, &out));
  EXPECT_TRUE(checked_mul<size_t>(kHuge, 1, &out));
  EXPECT_FALSE(checked_mul<size_t>(kHuge / 2, 3, &out));
  EXPECT_TRUE(checked_align_up<size_t>(17, 16, &out));
  EXPECT_EQ(out, 32u);
  EXPECT_FALSE(checked_align_up<size_t>(kHuge - 3, 16, &out));
  EXPECT_TRUE(range_fits<size_t>(3, 5, 8));
  EXPECT_FALSE(range_fits<size_t>(3, 6, 8));
  EXPECT_FALSE(range_fits<size_t>(9, 0, 8));
  EXPECT_FALSE(range_fits<size_t>(1, kHuge, 8));
  int32_t narrow = 0;
  EXPECT_TRUE(checked_cast<int32_t>(int64_t{-5}, &narrow));
  EXPECT_FALSE(checked_cast<int32_t>(int64_t{1} << 31, &narrow));
  uint64_t wide = 0;
  EXPECT_FALSE(checked_cast<uint64_t>(int64_t{-1}, &wide));
}

TEST(MemoryAllocator, AlignsAndCounts) {
  alignas(64) uint8_t block[256];
  MemoryAllocator allocator(sizeof(block), block);
  EXPECT_EQ(allocator.allocate(3), block);
  void* const aligned = allocator.allocate(1, 64);
  EXPECT_EQ(aligned, block + 64);
  EXPECT_EQ(allocator.used_size(), 65u);
  EXPECT_EQ(allocator.free_size(), 191u);
  EXPECT_NE(allocator.allocateInstance<double>(), nullptr);
  allocator.reset();
  EXPECT_EQ(allocator.used_size(), 0u);
  EXPECT_EQ(allocator.allocate(256, 1), block);
  EXPECT_EQ(allocator.allocate(1, 1), nullptr);
  EXPECT_NE(allocator.allocate(0, 1), nullptr);
}

TEST(MemoryAllocator, RefusesWhatOverflows) {
  alignas(16) uint8_t block[64];
  MemoryAllocator allocator(sizeof(block), block);
  EXPECT_NE(allocator.allocate(1), nullptr);
  EXPECT_EQ(allocator.allocate(kHuge), nullptr);
  EXPECT_EQ(allocator.allocate(kHuge - 7, 16), nullptr);
  EXPECT_EQ(allocator.allocate(1, size_t{1} << 63), nullptr);
  EXPECT_EQ(allocator.allocate(8, 0), nullptr);
  EXPECT_EQ(allocator.allocate(8, 24), nullptr);
  EXPECT_EQ(allocator.allocateList<uint64_t>(kHuge / 8 + 2), nullptr);
  EXPECT_STRNE(last_error_message(), "");
  EXPECT_EQ(allocator.used_size(), 1u);
}

TEST(MemoryAllocator, WithoutMemoryNothingIsAllocated) {
  MemoryAllocator allocator(0, nullptr);
  EXPECT_EQ(allocator.allocate(1), nullptr);
  EXPECT_EQ(allocator.free_size(), 0u);
}

TEST(HierarchicalAllocator, ChecksArenaOffsetAndSize) {
  uint8_t first[16];
  uint8_t second[8];
  Span<uint8_t> buffers[] = {{first, sizeof(first)}, {second, sizeof(second)}};
  HierarchicalAllocator allocator({buffers, 2});
  EXPECT_EQ(allocator.get_offset_address(0, 4, 12).get(), first + 4);
  EXPECT_EQ(allocator.get_offset_address(1, 8, 0).get(), second + 8);
  EXPECT_EQ(allocator.get_offset_address(2, 0, 1).error(), Error::InvalidArgument);
  EXPECT_EQ(allocator.get_offset_address(1, 8, 1).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator.get_offset_address(0, kHuge, 2).error(), Error::InvalidArgument);
}

TEST(FreeableBuffer, ReleasesOnce) {
  int released = 0;
  const auto count = [](void* context, void*, size_t size) {
    *static_cast<int*>(context) += static_cast<int>(size);
  };
  char data[3];
  {
    FreeableBuffer buffer(data, sizeof(data), count, &released);
    FreeableBuffer moved(std::move(buffer));
    EXPECT_EQ(buffer.size(), 0u);
    EXPECT_EQ(moved.data(), data);
    moved.Free();
    EXPECT_EQ(moved.data(), nullptr);
  }
  EXPECT_EQ(released, 3);
}

TEST(FreeableBuffer, HoldsAddressesOfOtherProcessors) {
  set_log_level(LogLevel::NumLevels);
  uint64_t released = 0;
  {
    FreeableBuffer buffer(
        uint64_t{0x1234}, 4,
        [](void* context, uint64_t address, size_t) { *static_cast<uint64_t*>(context) = address; },
        &released);
    EXPECT_EQ(buffer.data_uint64_type().get(), 0x1234u);
    EXPECT_EQ(buffer.data_safe().error(), Error::InvalidType);
  }
  EXPECT_EQ(released, 0x1234u);
  EXPECT_EQ(FreeableBuffer().data_uint64_type().error(), Error::InvalidType);
  set_log_level(LogLevel::Debug);
}

TEST(CheckedArray, RefusesWhatDoesNotFit) {
  EXPECT_EQ(CheckedArray<uint64_t>::make(kHuge / 4).error(), Error::MemoryAllocationFailed);
  Result<CheckedArray<int>> made = CheckedArray<int>::make(3);
  ASSERT_TRUE(made.ok());
  CheckedArray<int> array = std::move(*made);
  EXPECT_EQ(array.size(), 3u);
  for (const int value : array) EXPECT_EQ(value, 0);
  EXPECT_TRUE(CheckedArray<int>::make(0)->empty());
}

TEST(CheckedArray, DestroysItsElements) {
  static int alive = 0;
  struct Counted {
    Counted() { ++alive; }
    ~Counted() { --alive; }
  };
  {
    Result<CheckedArray<Counted>> made = CheckedArray<Counted>::make(5);
    CheckedArray<Counted> array(std::move(*made));
    EXPECT_EQ(alive, 5);
  }
  EXPECT_EQ(alive, 0);
}

TEST(GrowingArray, FormerSpansStayReadable) {
  static GrowingArray<int> array;
  ASSERT_EQ(array.reserve(1), Error::Ok);
  array.append(42);
  const Span<const int> former = array.span();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(array.reserve(1), Error::Ok);
    array.append(i);
  }
  EXPECT_EQ(former.size(), 1u);
  EXPECT_EQ(former[0], 42);
  EXPECT_EQ(array[1000], 999);
  EXPECT_EQ(array.reserve(kHuge), Error::MemoryAllocationFailed);
  EXPECT_EQ(array.size(), 1001u);
}

/// A device whose memory is the host's.
class HostedDevice final : public DeviceAllocator {
 public:
  Result<void*> allocate(size_t nbytes, etensor::DeviceIndex, size_t) override {
    ++live_;
    return ::operator new(nbytes);
  }
  void deallocate(void* ptr, etensor::DeviceIndex) override {
    --live_;
    ::operator delete(ptr);
  }
  Error copy_host_to_device(void*, const void*, size_t, etensor::DeviceIndex) override {
    return Error::Ok;
  }
  Error copy_device_to_host(void*, const void*, size_t, etensor::DeviceIndex) override {
    return Error::Ok;
  }
  etensor::DeviceType device_type() const override { return etensor::DeviceType::CUDA; }

  int live_ = 0;
};

TEST(DeviceMemoryBuffer, ReturnsItsMemory) {
  const auto cuda = etensor::DeviceType::CUDA;
  EXPECT_EQ(DeviceMemoryBuffer::create(16, cuda).error(), Error::NotFound);
  EXPECT_STRNE(last_error_message(), "");

  static HostedDevice device;
  register_device_allocator(&device);
  EXPECT_EQ(get_device_allocator(cuda), &device);
  EXPECT_EQ(get_device_allocator(static_cast<etensor::DeviceType>(77)), nullptr);
  {
    Result<DeviceMemoryBuffer> made = DeviceMemoryBuffer::create(16, cuda);
    ASSERT_TRUE(made.ok());
    DeviceMemoryBuffer buffer(std::move(*made));
    EXPECT_EQ(buffer.size(), 16u);
    DeviceMemoryBuffer other;
    other = std::move(buffer);
    EXPECT_EQ(buffer.data(), nullptr);
    EXPECT_EQ(device.live_, 1);
  }
  EXPECT_EQ(device.live_, 0);
}

TEST(DeviceAllocatorRegistry, RefusesWhatItCannotKeep) {
  set_log_level(LogLevel::NumLevels);
  static HostedDevice first;
  static HostedDevice second;
  register_device_allocator(&first);
  DeviceAllocator* const kept = get_device_allocator(etensor::DeviceType::CUDA);
  register_device_allocator(&second);
  register_device_allocator(nullptr);
  EXPECT_EQ(get_device_allocator(etensor::DeviceType::CUDA), kept);
  set_log_level(LogLevel::Debug);
}

}  // namespace
}  // namespace executorch::runtime
