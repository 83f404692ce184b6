/**
 * @file
 * Copies at places that index tensors name, and searches for places that masks name. Indices are
 * i64 or i32 and are checked as they are read: the first bad one is reported and nothing past it is
 * done.
 */
#pragma once

#include <cstdint>

#include "compute/copy/tensor_view.h"
#include "compute/cpu/cpu.h"

namespace executorch::compute {

/**
 * Copies `count` slices of equal shape: slice i goes from `from` moved by from_offsets[i] elements
 * to `to` moved by to_offsets[i]. The destinations must not overlap. Runs on the thread pool.
 */
EXECUTORCH_COMPUTE_API void copy_slices(const TensorView& to, const int64_t* to_offsets,
                                        const TensorView& from, const int64_t* from_offsets,
                                        int64_t count);

/// The same one after another, so that the last of several slices for one place stays.
EXECUTORCH_COMPUTE_API void copy_slices_in_order(const TensorView& to, const int64_t* to_offsets,
                                                 const TensorView& from,
                                                 const int64_t* from_offsets, int64_t count);

/// Adds slices to `to` in order, in the element type of the two; half types are rounded after each
/// addition, integers wrap. False when the type has no addition.
EXECUTORCH_COMPUTE_API bool add_slices_in_order(const TensorView& to, const int64_t* to_offsets,
                                                const TensorView& from, const int64_t* from_offsets,
                                                int64_t count);

/// Index tensors: i64 or i32 elements.
constexpr bool is_index_type(DType type) {
  return type == DType::i64 || type == DType::i32;
}

/// An index outside [0, limit).
struct BadIndex {
  int64_t value;
  bool found = false;
};

/// to[c] = from[c with c[dim] replaced by index[c]]; `to` and `index` have the same sizes, `from`
/// at least theirs in all other dimensions.
EXECUTORCH_COMPUTE_API BadIndex gather(const TensorView& to, const TensorView& from,
                                       const TensorView& index, int dim);

/// What becomes of an element that a value is scattered to. Maximum and Minimum prefer NaN.
enum class ScatterMode { Write, Add, Multiply, Maximum, Minimum };

/// to[c with c[dim] replaced by index[c]] takes from[c], in row-major order of the index. All modes
/// but Write need an arithmetic type, half types are rounded after each step.
EXECUTORCH_COMPUTE_API BadIndex scatter(const TensorView& to, const TensorView& from,
                                        const TensorView& index, int dim, ScatterMode mode);

/// Adds index * step to offsets[i] for the i-th element of an index tensor, in row-major order.
/// With `wrap`, negative indices count from `limit`.
EXECUTORCH_COMPUTE_API BadIndex add_index_offsets(const TensorView& index, int64_t limit,
                                                  int64_t step, int64_t* offsets, bool wrap = true);

/// The number of elements that are not zero.
EXECUTORCH_COMPUTE_API int64_t count_nonzero(const TensorView& view);

/**
 * The coordinates of the elements that are not zero, in row-major order: coordinate d of the i-th
 * goes to out[i * item_stride + d * dim_stride].
 */
EXECUTORCH_COMPUTE_API void find_nonzero(const TensorView& view, int64_t* out, int64_t item_stride,
                                         int64_t dim_stride);

/// Copies the elements of `from` whose mask byte is set to successive places. Both views have the
/// same sizes. Returns the number copied.
EXECUTORCH_COMPUTE_API int64_t select_masked(char* to, const TensorView& from,
                                             const TensorView& mask);

/// Writes successive elements of `from` to the places of `to` whose mask byte is set.
EXECUTORCH_COMPUTE_API void scatter_masked(const TensorView& to, const TensorView& mask,
                                           const char* from);

/// Copies row index[i] of a table of `rows` rows, `bytes` each and adjacent, to place i of `to`.
/// The index is contiguous, of i32 or i64. A bad index is found before anything is copied.
EXECUTORCH_COMPUTE_API BadIndex copy_rows(char* to, const char* table, int64_t rows, int64_t bytes,
                                          const TensorView& index);

}  // namespace executorch::compute
