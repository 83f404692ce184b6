#include "runtime/program/extended_header.h"

#include <cinttypes>
#include <cstring>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace {

constexpr size_t kMagicOffset = 8;
constexpr char kMagic[4] = {'e', 'h', '0', '0'};
constexpr size_t kLengthOffset = 12;
constexpr size_t kProgramSizeOffset = 16;
constexpr size_t kSegmentBaseOffset = 24;
constexpr size_t kSegmentDataSizeOffset = 32;
/// Without and with segment_data_size.
constexpr uint32_t kMinLength = 24;
constexpr uint32_t kLengthWithDataSize = 32;

template <class T>
T read_little_endian(const uint8_t* bytes) {
  T value = 0;
  for (size_t i = sizeof(T); i > 0; --i) value = static_cast<T>((value << 8) | bytes[i - 1]);
  return value;
}

}  // namespace

Result<FileLayout> read_file_layout(const uint8_t* head, size_t file_size) {
  if (std::memcmp(head + kMagicOffset, kMagic, sizeof(kMagic)) != 0)
    return FileLayout{file_size, 0, 0};
  const auto length = read_little_endian<uint32_t>(head + kLengthOffset);
  if (length < kMinLength) {
    return ET_ERROR(InvalidProgram, "the extended header states %u bytes, expected at least %u",
                    length, kMinLength);
  }
  const auto program_size = read_little_endian<uint64_t>(head + kProgramSizeOffset);
  const auto base = read_little_endian<uint64_t>(head + kSegmentBaseOffset);
  const auto data_size = length >= kLengthWithDataSize
                             ? read_little_endian<uint64_t>(head + kSegmentDataSizeOffset)
                             : uint64_t{0};
  const uint64_t size = file_size;
  if (program_size > size) {
    return ET_ERROR(InvalidProgram,
                    "the header states %" PRIu64 " bytes of tables, the file has %zu", program_size,
                    file_size);
  }
  if (!range_fits(base, data_size, size) || (base != 0 && base < program_size)) {
    return ET_ERROR(InvalidProgram,
                    "the header states %" PRIu64 " bytes of segments at offset %" PRIu64
                    " behind %" PRIu64 " bytes of tables, the file has %zu",
                    data_size, base, program_size, file_size);
  }
  return FileLayout{static_cast<size_t>(program_size), static_cast<size_t>(base),
                    static_cast<size_t>(data_size)};
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
