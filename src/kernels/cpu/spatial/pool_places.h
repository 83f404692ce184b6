/**
 * @file
 * Values that move to the positions that a maximum was found at: gradients and unpooling.
 */
#pragma once

#include "kernels/cpu/spatial/pool_call.h"

namespace executorch {
namespace kernels {

/// Values and their positions among the `to_cells` cells of each of `planes` planes of `out`, which
/// has been resized. `add`: values of the same position are added up, else the last one stays.
struct Places {
  const Tensor& values;
  const char* values_name;
  const Tensor& indices;
  const Tensor& out;
  int64_t planes;
  int64_t to_cells;
  bool add;
};

/// Fills `out`, of the dtype of the values, which is arithmetic. Checks the indices.
Error move_to_places(Context& context, const Places& places);

/// Hands the gradients of maxima to the positions that they came from. `shape` is that of the
/// pooling of `self`.
Error max_pool_gradient(Context& context, const Tensor& grad_output, const Tensor& self, int dims,
                        const compute::PoolShape& shape, const Tensor& indices,
                        const Tensor& grad_input);

}  // namespace kernels
}  // namespace executorch
