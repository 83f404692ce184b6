/**
 * @file
 * The data behind the operator registry.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/kernel/operator_table.h>

#include "runtime/core/growing_array.h"

namespace executorch {
namespace runtime {
namespace internal {

/// Kernels in the order of registration, with an index by operator name. Constant-initialised, so
/// that static initialisers of other libraries may register. Callers hold the registry's lock.
class KernelTable {
 public:
  constexpr KernelTable() = default;

  /// End of an iteration over the kernels of a name.
  static constexpr int32_t kNone = -1;

  /// First kernel of an operator: `for (int32_t i = first(name); i != kNone; i = next(i, name))`.
  int32_t first(const char* name) const;
  int32_t next(int32_t index, const char* name) const;

  /// The kernel of exactly this name and key, or kNone.
  int32_t find(const char* name, const KernelKey& key) const;

  size_t size() const { return kernels_.size(); }
  const Kernel& kernel(int32_t index) const { return kernels_[static_cast<size_t>(index)]; }
  Span<const Kernel> kernels() const { return kernels_.span(); }

  /// The row of the operator library that describes the kernel; null when it was registered alone.
  const OperatorRow* row(int32_t index) const { return entries_[static_cast<size_t>(index)].row; }
  void set_row(int32_t index, const OperatorRow* row) {
    entries_[static_cast<size_t>(index)].row = row;
  }

  /// The kernel stands there by override_kernel().
  bool is_override(int32_t index) const { return entries_[static_cast<size_t>(index)].is_override; }
  /// Puts a kernel of the same name and key in the place of another, for good.
  void replace(int32_t index, const Kernel& kernel) {
    kernels_[static_cast<size_t>(index)] = kernel;
    entries_[static_cast<size_t>(index)].is_override = true;
  }

  /// Makes room for `extra` kernels, after which append() cannot fail.
  ET_NODISCARD Error reserve(size_t extra);
  void append(const Kernel& kernel, const OperatorRow* row);

  /// Removes the kernels from `size` on, the latest first.
  void truncate(size_t size);

 private:
  /// What the index needs to know of a kernel; parallel to kernels_.
  struct Entry {
    uint32_t hash;
    int32_t next;  ///< next kernel in the same bucket
    const OperatorRow* row;
    bool is_override;
  };

  int32_t match(int32_t index, uint32_t hash, const char* name) const;
  ET_NODISCARD Error resize_buckets(size_t count);
  int32_t& bucket(uint32_t hash) { return buckets_[hash & (bucket_count_ - 1)]; }

  GrowingArray<Kernel> kernels_;
  GrowingArray<Entry> entries_;
  int32_t* buckets_ = nullptr;
  size_t bucket_count_ = 0;  ///< a power of two, or 0 before the first kernel
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
