/**
 * @file
 * What operators share that write or combine elements at places over a copy of their input.
 */
#pragma once

#include "compute/copy/indexed.h"
#include "kernels/support/copying.h"
#include "kernels/support/indexing.h"

namespace executorch {
namespace kernels {

/// Makes `out` a copy of `self`, unless it is the same memory.
Error start_from(const Tensor& self, const Tensor& out);

/// A view of the sizes of `like` in which every element is the one at `element`, of `dtype`.
TensorView repeated_element(void* element, ScalarType dtype, const TensorView& like);

/// InvalidArgument unless `index` has an index dtype and fits `self` in all dimensions but `d`. An
/// empty index fits everything.
Error check_places(const Tensor& self, const Tensor& index, int d);

/// Checks that `src` covers the index and views it with the index's sizes.
Error source_view(const Tensor& self, const Tensor& index, const Tensor& src, const Tensor& out,
                  TensorView* view);

/// compute::scatter() with an error for a bad index.
Error scatter_at(const TensorView& to, const TensorView& from, const TensorView& places, int d,
                 compute::ScatterMode mode);

/// Makes `out` a copy of `self` and scatters `from`, which has the value of each index at the same
/// coordinate.
Error scatter_into(const Tensor& self, int64_t dim, const Tensor& index, const TensorView& from,
                   compute::ScatterMode mode, const Tensor& out);

/// Writes `src` into a part of `out`, or of what becomes `out`, that `part` views.
Error write_part(const Tensor& self, const Tensor& src, const TensorView& part, const Tensor& out);

}  // namespace kernels
}  // namespace executorch
