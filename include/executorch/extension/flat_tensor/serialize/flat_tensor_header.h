/**
 * @file
 * The fixed header at the start of a `.ptd` data file.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace extension {

/// Where the parts of a `.ptd` file lie. All numbers are bytes from the start of the file.
struct EXECUTORCH_API FlatTensorHeader {
  /// Parse() needs this many bytes from the start of the file.
  static constexpr size_t kNumHeadBytes = 64;

  /// The header lies behind FlatBuffers' root offset and file identifier.
  static constexpr size_t kHeaderOffset = 8;

  /// What a header begins with. Its digits change only when old readers could not read the new
  /// layout.
  static constexpr size_t kMagicSize = 4;
  static constexpr char kMagic[kMagicSize] = {'F', 'H', '0', '1'};

  /// Bytes of a header: magic, own length, and the four numbers below. Longer ones are accepted.
  static constexpr uint32_t kHeaderExpectedLength =
      kMagicSize + sizeof(uint32_t) + 4 * sizeof(uint64_t);

  /**
   * Reads the header from the first `size` bytes of a file.
   *
   * @retval Error::InvalidArgument Fewer than kNumHeadBytes were given.
   * @retval Error::InvalidExternalData There is no header, or a number in it overflows.
   */
  static runtime::Result<FlatTensorHeader> Parse(const void* data, size_t size);

  /// Size of the header with its padding. The flatbuffer itself begins at byte 0 and surrounds the
  /// header.
  uint64_t flatbuffer_offset;

  /// Size of the flatbuffer without the header.
  uint64_t flatbuffer_size;

  /// Start of the first segment.
  uint64_t segment_base_offset;

  /// Bytes of all segments, padding between them included.
  uint64_t segment_data_size;
};

}  // namespace extension
}  // namespace executorch
