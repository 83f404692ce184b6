/**
 * @file
 * Strided copies: every operator that only moves elements is one or more of these over views.
 */
#pragma once

#include <cstdint>

#include "compute/copy/tensor_view.h"
#include "compute/cpu/cpu.h"

namespace executorch::compute {

/**
 * Copies `from` to `to`: equal sizes and element sizes, any strides. The memory of the two must not
 * overlap, and `to` must not address an element twice. Runs of adjacent elements are copied at
 * once, transposes in tiles. Runs on the thread pool; allocates nothing.
 */
EXECUTORCH_COMPUTE_API void copy(const TensorView& to, const TensorView& from);

/// True when convert() can turn one type into the other.
EXECUTORCH_COMPUTE_API bool convertible(DType to, DType from);

/**
 * Copies with conversion to the element type of `to` (see elementwise/cast.h). Like types are
 * copied as bytes. Ranks up to kMaxRank; the caller has checked convertible().
 */
EXECUTORCH_COMPUTE_API void convert(const TensorView& to, const TensorView& from);

/// Copies lines of `from` into the longer lines of `to`, whose places before (`before` of them) and
/// behind take the element. Sizes agree but for the last dimension; `from` is not empty. Runs on
/// the calling thread. False, and nothing done, for views whose lines are not adjacent elements of
/// 1, 2, 4 or 8 bytes.
EXECUTORCH_COMPUTE_API bool copy_between_borders(const TensorView& to, const TensorView& from,
                                                 int64_t before, const void* element);

/// Writes one element, given by its bytes, to every place of `to`.
EXECUTORCH_COMPUTE_API void fill(const TensorView& to, const void* element);

/// Longest byte size of an element.
constexpr size_t kMaxElementSize = 16;

/// The bytes of a number as an element of `dtype`, as eager converts it: floats to integers by
/// truncation, anything but zero to true. False when the type has no arithmetic.
EXECUTORCH_COMPUTE_API bool number_to_element(double value, DType dtype, void* element);
EXECUTORCH_COMPUTE_API bool number_to_element(int64_t value, DType dtype, void* element);

}  // namespace executorch::compute
