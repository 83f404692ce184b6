#include "engine/graph/graph.h"

#include <cstring>
#include <utility>

#include "compute/elementwise/cast.h"

namespace executorch::engine {

ValueId Graph::add_constant(DType dtype, const Dims& sizes, const Dims& strides, const void* data) {
  Value value;
  value.dtype = dtype;
  value.sizes = sizes;
  value.source = Source::Constant;
  value.strides = strides;
  value.data = data;
  values.push_back(value);
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_scalar(DType dtype, double number) {
  void* data = owned->allocate(compute::element_size(dtype));
  if (data == nullptr) return kNoValue;
  compute::store_loop(compute::ComputeType::f64, dtype)(data, 1, &number, 1);
  return add_constant(dtype, {}, {}, data);
}

ValueId Graph::add_scalar(DType dtype, int64_t number) {
  void* data = owned->allocate(compute::element_size(dtype));
  if (data == nullptr) return kNoValue;
  compute::store_loop(compute::ComputeType::i64, dtype)(data, 1, &number, 1);
  return add_constant(dtype, {}, {}, data);
}

ValueId Graph::add_external(DType dtype, const Dims& sizes, const Dims& strides, int32_t slot) {
  Value value;
  value.dtype = dtype;
  value.sizes = sizes;
  value.source = Source::External;
  value.strides = strides;
  value.slot = slot;
  values.push_back(value);
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_computed(DType dtype, const Dims& sizes) {
  Value value;
  value.dtype = dtype;
  value.sizes = sizes;
  values.push_back(value);
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_node(Operation operation, std::vector<ValueId> inputs, DType dtype,
                        const Dims& sizes) {
  const ValueId output = add_computed(dtype, sizes);
  nodes.push_back({std::move(operation), std::move(inputs), {output}});
  return output;
}

bool Graph::constant_number(ValueId id, double* number) const {
  const Value& constant = value(id);
  if (constant.source != Source::Constant || numel(constant.sizes) != 1) return false;
  const compute::LoadLoop load = compute::load_loop(constant.dtype, compute::ComputeType::f64);
  if (load == nullptr) return false;
  load(number, constant.data, 1, 1);
  return true;
}

}  // namespace executorch::engine
