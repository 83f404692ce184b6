// The header between a program file's identifier and its root table. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Where the parts of a file are. Absolute offsets in bytes.
struct FileLayout {
  /// The tables: [0, program_size).
  size_t program_size;
  /// 0 when there are no segments.
  size_t segment_base_offset;
  /// Bytes of all segments with their padding; 0 when the header does not say.
  size_t segment_data_size;
};

/// Reads the layout from the first Program::kMinHeadBytes bytes of a file of `file_size` bytes. A
/// file without the header is all tables. InvalidProgram if the header is too short or its sizes do
/// not fit the file.
Result<FileLayout> read_file_layout(const uint8_t* head, size_t file_size);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
