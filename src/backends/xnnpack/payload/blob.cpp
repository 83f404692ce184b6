#include "backends/xnnpack/payload/blob.h"

#include <cinttypes>
#include <cstring>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch::backends::xnnpack {
namespace {

using runtime::Error;
using runtime::Span;

constexpr size_t kHeaderBytes = 30;
constexpr size_t kMarkOffset = 4;
constexpr char kMark[] = "XH00";
/// Offset of the root table and identifier.
constexpr uint32_t kSmallestTables = 8;

// The format is little-endian, as all machines that this is built for.
template <class T>
T read(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

Span<const uint8_t> part(Span<const uint8_t> blob, size_t offset, size_t size) {
  return {blob.data() + offset, size};
}

}  // namespace

Error find_regions(Span<const uint8_t> blob, BlobRegions* regions) {
  ET_REQUIRE(blob.size() >= kHeaderBytes, InvalidArgument,
             "the payload has %zu bytes, its header alone has %zu", blob.size(), kHeaderBytes);
  if (std::memcmp(blob.data() + kMarkOffset, kMark, sizeof(kMark) - 1) != 0) {
    *regions = {blob, {}};
    return Error::Ok;
  }
  const auto tables_offset = read<uint32_t>(blob.data() + 10);
  const auto tables_size = read<uint32_t>(blob.data() + 14);
  const auto constants_offset = read<uint32_t>(blob.data() + 18);
  const auto constants_size = read<uint64_t>(blob.data() + 22);
  const uint64_t size = blob.size();
  ET_REQUIRE(tables_size >= kSmallestTables, InvalidArgument,
             "the payload's tables have %" PRIu32 " bytes", tables_size);
  ET_REQUIRE(runtime::range_fits<uint64_t>(tables_offset, tables_size, size), InvalidArgument,
             "the payload's tables, %" PRIu32 " bytes at offset %" PRIu32
             ", leave the blob, which has %" PRIu64 " bytes",
             tables_size, tables_offset, size);
  ET_REQUIRE(runtime::range_fits<uint64_t>(constants_offset, constants_size, size), InvalidArgument,
             "the payload's constants, %" PRIu64 " bytes at offset %" PRIu32
             ", leave the blob, which has %" PRIu64 " bytes",
             constants_size, constants_offset, size);
  const uint64_t tables_end = uint64_t{tables_offset} + tables_size;
  ET_REQUIRE(constants_offset >= tables_end, InvalidArgument,
             "the payload's constants begin at %" PRIu32 ", before its tables end at %" PRIu64,
             constants_offset, tables_end);
  *regions = {part(blob, tables_offset, tables_size),
              part(blob, constants_offset, static_cast<size_t>(constants_size))};
  return Error::Ok;
}

}  // namespace executorch::backends::xnnpack
