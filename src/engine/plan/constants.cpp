#include "engine/plan/constants.h"

#include "compute/copy/copy.h"

namespace executorch::engine {
namespace {

compute::TensorView view_of(const Value& value, const Dims& strides, const void* data) {
  compute::TensorView view;
  view.data = static_cast<char*>(const_cast<void*>(data));
  view.dtype = value.dtype;
  view.element_size = compute::element_size(value.dtype);
  view.rank = value.sizes.rank;
  for (int d = 0; d < view.rank; ++d) {
    view.sizes[d] = value.sizes[d];
    view.strides[d] = strides[d];
  }
  return view;
}

}  // namespace

void copy_constant(const Value& constant, void* to) {
  compute::copy(view_of(constant, contiguous_strides(constant.sizes), to),
                view_of(constant, constant.strides, constant.data));
}

}  // namespace executorch::engine
