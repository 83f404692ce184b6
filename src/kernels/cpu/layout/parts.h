/**
 * @file
 * Views of parts of a tensor that both copies and scatters need.
 */
#pragma once

#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {

/// The elements of `whole`, in the order of its dense memory, seen with these sizes and strides
/// from `offset` on. InvalidArgument where they pass its end.
Error strided_view(const TensorView& whole, IntList size, IntList stride,
                   std::optional<int64_t> offset, TensorView* view);

/// The diagonal of dimensions `dim1` and `dim2`, as the last dimension behind all others.
Error diagonal_view(const Tensor& tensor, int64_t offset, int64_t dim1, int64_t dim2,
                    TensorView* view);

}  // namespace kernels
}  // namespace executorch
