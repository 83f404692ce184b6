#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>

#include <cinttypes>
#include <cstring>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::Result;

namespace {

uint64_t read_little_endian(const uint8_t* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

}  // namespace

Result<FlatTensorHeader> FlatTensorHeader::Parse(const void* data, size_t size) {
  ET_REQUIRE(data != nullptr && size >= kNumHeadBytes, InvalidArgument,
             "data file: its header needs %zu bytes, %zu were given", kNumHeadBytes, size);
  const uint8_t* field = static_cast<const uint8_t*>(data) + kHeaderOffset;
  ET_REQUIRE(std::memcmp(field, kMagic, kMagicSize) == 0, InvalidExternalData,
             "data file: there is no header FH01 at offset %zu: this is not a .ptd file",
             kHeaderOffset);
  field += kMagicSize;
  const uint32_t length = static_cast<uint32_t>(read_little_endian(field, sizeof(uint32_t)));
  ET_REQUIRE(length >= kHeaderExpectedLength, InvalidExternalData,
             "data file: its header says that it has %" PRIu32 " bytes, at least %" PRIu32
             " are expected",
             length, kHeaderExpectedLength);
  field += sizeof(uint32_t);

  FlatTensorHeader header;
  for (uint64_t* number : {&header.flatbuffer_offset, &header.flatbuffer_size,
                           &header.segment_base_offset, &header.segment_data_size}) {
    *number = read_little_endian(field, sizeof(uint64_t));
    field += sizeof(uint64_t);
  }

  uint64_t end = 0;
  ET_REQUIRE(runtime::checked_add(header.flatbuffer_offset, header.flatbuffer_size, &end),
             InvalidExternalData,
             "data file: header fields flatbuffer_offset %" PRIu64 " and flatbuffer_size %" PRIu64
             " overflow",
             header.flatbuffer_offset, header.flatbuffer_size);
  ET_REQUIRE(runtime::checked_add(header.segment_base_offset, header.segment_data_size, &end),
             InvalidExternalData,
             "data file: header fields segment_base_offset %" PRIu64
             " and segment_data_size %" PRIu64 " overflow",
             header.segment_base_offset, header.segment_data_size);
  return header;
}

}  // namespace extension
}  // namespace executorch
