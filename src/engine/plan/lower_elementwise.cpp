// Elementwise programs: operands are broadcast by strides, the result lies as its largest operand
// lies.
#include "engine/plan/lowering.h"
#include "engine/steps/elementwise_step.h"

namespace executorch::engine {

Error Lowering::lower(const Node& node, const Elementwise& op) {
  bool fits = fusable(op.op, op.common, graph_.value(node.outputs[0]).dtype, op.unrounded);
  for (const ValueId input : node.inputs) {
    fits = fits && (op.common != DType::boolean || graph_.value(input).dtype == DType::boolean);
  }
  FusedElementwise program;
  FusedElementwise::Instruction instruction{
      op.op, op.common, op.unrounded, graph_.value(node.outputs[0]).dtype, {}};
  for (int i = 0; i < compute::arity(op.op); ++i) instruction.operands[i] = static_cast<int16_t>(i);
  program.program.push_back(instruction);
  program.results.push_back(0);
  if (fits) return lower(node, program);

  const ValueId out = node.outputs[0];
  ElementwiseOperands operands;
  operands.sizes = graph_.value(out).sizes;
  std::vector<Placement> touched;
  for (const ValueId input : node.inputs) {
    TensorPlace operand = tensor(input, place(input));
    ET_REQUIRE(
        broadcast_strides(operand.sizes, place(input).strides, operands.sizes, &operand.strides),
        InvalidArgument, "cannot repeat %s to %s", to_text(operand.sizes).c_str(),
        to_text(operands.sizes).c_str());
    operands.inputs.push_back(operand);
    touched.push_back(place(input));
  }
  const Placement to =
      place_output(out, contiguous_strides(operands.sizes), [](const Dims&) { return true; });
  operands.outputs.push_back(tensor(out, to));
  touched.push_back(to);
  emit(make_elementwise_step(op, operands), touched);
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const FusedElementwise& op) {
  ElementwiseOperands operands;
  operands.sizes = graph_.value(node.outputs[0]).sizes;
  std::vector<Placement> touched;
  Dims preferred = contiguous_strides(operands.sizes);
  bool found = false;
  for (const ValueId input : node.inputs) {
    TensorPlace operand = tensor(input, place(input));
    ET_REQUIRE(
        broadcast_strides(operand.sizes, place(input).strides, operands.sizes, &operand.strides),
        InvalidArgument, "cannot repeat %s to %s", to_text(operand.sizes).c_str(),
        to_text(operands.sizes).c_str());
    if (!found && operand.sizes == operands.sizes &&
        graph_.value(input).source != Source::Constant) {
      preferred = dense_strides_like(operands.sizes, operand.strides);
      found = true;
    }
    operands.inputs.push_back(operand);
    touched.push_back(place(input));
  }
  for (const ValueId output : node.outputs) {
    const Placement to = place_output(output, preferred, [](const Dims&) { return true; });
    operands.outputs.push_back(tensor(output, to));
    touched.push_back(to);
  }
  std::unique_ptr<Step> step = make_fused_step(op, operands);
  ET_REQUIRE(step != nullptr, Internal,
             "a fused elementwise program of %zu operations cannot be run", op.program.size());
  emit(std::move(step), touched);
  return Error::Ok;
}

}  // namespace executorch::engine
