/**
 * @file
 * Lists whose elements are values of a program. Part of evalue.h: include that to read them.
 */
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

struct EValue;

namespace internal {

/// Sets the error text for a list whose element `index` cannot be had. Returns `error`.
EXECUTORCH_API Error evalue_list_error(size_t index, const char* problem, Error error);

}  // namespace internal

/**
 * A list whose elements are values of the program, so that they may change from run to run. The
 * elements are fetched at each access, into memory that the creator provides.
 *
 * Refers to both arrays without owning them. As each access writes, one list must not be read by
 * two threads at a time.
 */
template <typename T>
class BoxedEvalueList {
 public:
  /// An empty list.
  BoxedEvalueList() = default;

  /**
   * @param[in] wrapped_vals `size` pointers to the elements. Null as a whole only if `size` is 0. A
   * null element of a list of optional tensors stands for None.
   * @param[in] unwrapped_vals Room for `size` fetched elements, not constructed yet.
   * @param[in] size Number of elements. Aborts when negative.
   */
  BoxedEvalueList(EValue** wrapped_vals, T* unwrapped_vals, int size)
      : wrapped_vals_(wrapped_vals),
        unwrapped_vals_(unwrapped_vals),
        size_(static_cast<size_t>(size)) {
    ET_CHECK_MSG(size >= 0, "A list cannot have %d elements.", size);
    ET_CHECK_MSG(size == 0 || wrapped_vals != nullptr, "wrapped_vals of a list must not be null.");
    ET_CHECK_MSG(size == 0 || unwrapped_vals != nullptr,
                 "unwrapped_vals of a list must not be null.");
  }

  /// The elements, valid until the next access. Aborts when one is missing or of another kind.
  executorch::aten::ArrayRef<T> get() const;

  /**
   * The elements, valid until the next access.
   *
   * @retval Error::InvalidState An element is missing.
   * @retval Error::InvalidType An element is of another kind.
   */
  Result<executorch::aten::ArrayRef<T>> tryGet() const;

  /// Destroys the fetched elements; they must have been fetched.
  void destroy_elements() {
    if constexpr (!std::is_trivially_destructible<T>::value) {
      for (size_t i = 0; i < size_; ++i) {
        unwrapped_vals_[i].~T();
      }
    }
  }

  /// Number of elements.
  size_t size() const { return size_; }

 private:
  EValue** wrapped_vals_ = nullptr;
  T* unwrapped_vals_ = nullptr;
  size_t size_ = 0;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BoxedEvalueList;
}  // namespace executor
}  // namespace torch
