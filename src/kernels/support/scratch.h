/**
 * @file
 * Memory that an operator needs while it runs.
 */
#pragma once

#include <cstddef>

#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {

/// Bytes from the method's temporary allocator, or from the heap where there is none or it is
/// exhausted. Freed at the end of the scope at the latest; 64-byte aligned.
class Scratch {
 public:
  explicit Scratch(Context& context) : context_(context) {}
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Called once. MemoryAllocationFailed with a text when `count * size` bytes are not to be had.
  Error allocate(size_t count, size_t size);

  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  Context& context_;
  void* data_ = nullptr;
  void* heap_ = nullptr;
};

}  // namespace kernels
}  // namespace executorch
