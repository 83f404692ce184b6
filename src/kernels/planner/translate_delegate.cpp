// Delegates that share the engine: their graph becomes part of the run.
#include "engine/graph/graph_source.h"
#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

std::vector<int> order_of(const aten::Tensor& tensor) {
  std::vector<int> order;
  for (ssize_t d = 0; d < tensor.dim(); ++d) {
    order.push_back(tensor.dim_order().empty() ? static_cast<int>(d) : tensor.dim_order()[d]);
  }
  return order;
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> result(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    result[static_cast<size_t>(order[i])] = static_cast<int>(i);
  return result;
}

}  // namespace

bool translate_delegate(Translator& t, const PlanInstruction& instruction) {
  const engine::GraphSource* const source = engine::find_graph_source(instruction.delegate);
  if (source == nullptr) return false;
  const auto argument = [&](int32_t place) {
    const bool given = static_cast<size_t>(place) < instruction.values.size();
    const int32_t id = given ? instruction.values[static_cast<size_t>(place)] : -1;
    return given && t.is_tensor(id) ? id : -1;
  };
  const auto tensor = [&](int32_t id) { return t.table().value(id).payload.as_tensor; };
  std::vector<ValueId> inputs, outputs;
  for (const int32_t place : source->input_arguments()) {
    const int32_t id = argument(place);
    const ValueId value = t.read(id);
    if (value == kNoValue) return false;
    inputs.push_back(t.permute(value, order_of(tensor(id))));
  }
  if (source->add_to(&t.graph(), inputs, &outputs) != runtime::Error::Ok) return false;
  size_t next = 0;
  for (const int32_t place : source->output_arguments()) {
    const int32_t id = argument(place);
    DType dtype;
    if (!t.output_type(id, &dtype)) return false;
    const std::vector<int> order = order_of(tensor(id));
    ValueId value = t.cast(outputs[next++], dtype);
    if (order.empty()) value = t.reshape(value, {});
    if (value == kNoValue || t.sizes(value).rank != static_cast<int>(order.size())) return false;
    if (!t.write(id, t.permute(value, inverse(order)))) return false;
  }
  return true;
}

}  // namespace kernels
}  // namespace executorch
