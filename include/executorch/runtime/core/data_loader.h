/**
 * @file
 * Where the bytes of a program or data file come from.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Reads ranges of a data source. Implementations that programs share must be thread-safe.
class DataLoader {
 public:
  /// What a range is read for; loaders may use it to choose a place or to prefetch.
  struct SegmentInfo {
    enum class Type {
      Program,   ///< the program itself
      Constant,  ///< constant tensors
      Backend,   ///< a delegate's payload
      Mutable,   ///< initial values of mutable tensors
      External,  ///< tensors of a data file
    };

    Type segment_type;
    /// Index of the segment; the program has none.
    size_t segment_index;
    /// Id of the backend for Type::Backend, otherwise null. Valid during the call only.
    const char* descriptor;

    SegmentInfo() = default;

    explicit SegmentInfo(Type segment_type_, size_t segment_index_ = 0,
                         const char* descriptor_ = nullptr)
        : segment_type(segment_type_), segment_index(segment_index_), descriptor(descriptor_) {}
  };

  virtual ~DataLoader() = default;

  /// Reads [offset, offset + size). The buffer may outlive the loader only where the implementation
  /// says so.
  ET_NODISCARD virtual Result<FreeableBuffer> load(size_t offset, size_t size,
                                                   const SegmentInfo& segment_info) const = 0;

  /// Reads [offset, offset + size) into `buffer`, which has room for `size` bytes. NotImplemented
  /// by default.
  ET_NODISCARD virtual Error load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                       void* buffer) const {
    (void)offset;
    (void)size;
    (void)segment_info;
    (void)buffer;
    return ET_ERROR(NotImplemented, "this data loader cannot read into a buffer of the caller");
  }

  /// Bytes of the whole source.
  ET_NODISCARD virtual Result<size_t> size() const = 0;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::DataLoader;
}  // namespace executor
}  // namespace torch
