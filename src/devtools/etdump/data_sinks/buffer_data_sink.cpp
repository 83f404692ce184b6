#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>

#include <cstring>

#include <executorch/devtools/etdump/utils.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace etdump {

using ::executorch::runtime::Error;
using ::executorch::runtime::Result;
using ::executorch::runtime::Span;

Result<BufferDataSink> BufferDataSink::create(Span<uint8_t> buffer, size_t alignment) noexcept {
  ET_REQUIRE(alignment != 0 && (alignment & (alignment - 1)) == 0, InvalidArgument,
             "debug buffer: the alignment %zu is not a power of two", alignment);
  return BufferDataSink(buffer, alignment);
}

Result<BufferDataSink> BufferDataSink::create(void* ptr, size_t size, size_t alignment) noexcept {
  return create(Span<uint8_t>(static_cast<uint8_t*>(ptr), size), alignment);
}

BufferDataSink::~BufferDataSink() = default;

Result<size_t> BufferDataSink::write(const void* ptr, size_t size) {
  if (size == 0) {
    return SIZE_MAX;
  }
  ET_REQUIRE(ptr != nullptr, InvalidArgument, "debug buffer: %zu bytes at a null pointer", size);
  uint8_t* const next = buffer_.data() + used_;
  const size_t gap = static_cast<size_t>(internal::align_pointer(next, alignment_) - next);
  const size_t available = buffer_.size() - used_;
  ET_REQUIRE(gap <= available && size <= available - gap, OutOfResources,
             "debug buffer: no room for %zu bytes: %zu of %zu are in use", size, used_,
             buffer_.size());
  std::memset(next, 0, gap);
  std::memcpy(next + gap, ptr, size);
  const size_t offset = used_ + gap;
  used_ = offset + size;
  return offset;
}

Result<size_t> BufferDataSink::get_storage_size() const {
  return buffer_.size();
}

size_t BufferDataSink::get_used_bytes() const {
  return used_;
}

}  // namespace etdump
}  // namespace executorch
