/**
 * @file
 * Where the profiler puts the elements of tensors that it logs.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace etdump {

/// A place for blobs, for applications to implement. The profiler calls it from the thread that
/// runs the method.
class DataSinkBase {
 public:
  virtual ~DataSinkBase() = default;

  /// Stores `length` bytes. Returns where they begin, in bytes from the start of the storage; the
  /// dump refers to that.
  virtual ::executorch::runtime::Result<size_t> write(const void* ptr, size_t length) = 0;

  /// Bytes in use.
  virtual size_t get_used_bytes() const = 0;
};

}  // namespace etdump
}  // namespace executorch
