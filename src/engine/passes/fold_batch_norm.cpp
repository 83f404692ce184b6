// A batch norm with constant statistics is y = x * scale + shift per channel.
#include <cmath>
#include <vector>

#include <executorch/runtime/core/error_message.h>

#include "engine/passes/passes.h"

namespace executorch::engine {
namespace {

struct Affine {
  const float* scale;
  const float* shift;
};

float element(const Value& value, int64_t i) {
  return static_cast<const float*>(value.data)[i * (value.sizes.rank > 0 ? value.strides[0] : 0)];
}

Error affine_of(Graph* graph, const Node& node, Affine* affine) {
  const BatchNorm& op = *node.as<BatchNorm>();
  const int64_t channels = graph->value(node.inputs[0]).sizes[1];
  size_t next = 1;
  const Value* weight = op.weight ? &graph->value(node.inputs[next++]) : nullptr;
  const Value* bias = op.bias ? &graph->value(node.inputs[next++]) : nullptr;
  const Value& mean = graph->value(node.inputs[next]);
  const Value& variance = graph->value(node.inputs[next + 1]);
  auto* data = static_cast<float*>(
      graph->owned->allocate(static_cast<size_t>(channels) * 2 * sizeof(float)));
  ET_REQUIRE(data != nullptr, MemoryAllocationFailed, "no memory for a batch norm of %lld channels",
             static_cast<long long>(channels));
  for (int64_t c = 0; c < channels; ++c) {
    const double scale = (weight != nullptr ? static_cast<double>(element(*weight, c)) : 1.0) /
                         std::sqrt(static_cast<double>(element(variance, c)) + op.epsilon);
    const double shift = (bias != nullptr ? static_cast<double>(element(*bias, c)) : 0.0) -
                         static_cast<double>(element(mean, c)) * scale;
    data[c] = static_cast<float>(scale);
    data[channels + c] = static_cast<float>(shift);
  }
  *affine = {data, data + channels};
  return Error::Ok;
}

// The convolution scales its weight and has another bias; its output is then the batch norm's.
Error into_convolution(Graph* graph, Node* convolution, const Affine& affine, ValueId output) {
  Convolution& op = *convolution->as<Convolution>();
  const int64_t channels = graph->value(convolution->outputs[0]).sizes[1];
  const size_t bytes = static_cast<size_t>(channels) * sizeof(float);
  auto* scale = static_cast<float*>(graph->owned->allocate(bytes));
  auto* bias = static_cast<float*>(graph->owned->allocate(bytes));
  ET_REQUIRE(scale != nullptr && bias != nullptr, MemoryAllocationFailed,
             "no memory for a bias of %zu bytes", bytes);
  for (int64_t c = 0; c < channels; ++c) {
    scale[c] = (op.scale != nullptr ? op.scale[c] : 1.0f) * affine.scale[c];
    bias[c] = affine.shift[c];
    if (op.bias) bias[c] += element(graph->value(convolution->inputs[2]), c) * affine.scale[c];
  }
  Dims sizes;
  sizes.push(channels);
  op.scale = scale;
  const ValueId bias_value =
      graph->add_constant(DType::f32, sizes, contiguous_strides(sizes), bias);
  if (op.bias) {
    convolution->inputs[2] = bias_value;
  } else {
    convolution->inputs.insert(convolution->inputs.begin() + 2, bias_value);
    op.bias = true;
  }
  convolution->outputs[0] = output;
  return Error::Ok;
}

}  // namespace

Error fold_batch_norm(Graph* graph) {
  const Uses uses(*graph);
  std::vector<Node> nodes;
  std::vector<int32_t> place(graph->nodes.size(), -1);  // of old nodes among the new
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    Node node = std::move(graph->nodes[i]);
    if (node.as<BatchNorm>() == nullptr) {
      place[i] = static_cast<int32_t>(nodes.size());
      nodes.push_back(std::move(node));
      continue;
    }
    Affine affine;
    ET_TRY(affine_of(graph, node, &affine));
    const ValueId in = node.inputs[0], out = node.outputs[0];
    const int32_t before = uses.producer(in);
    Node* convolution = before >= 0 && place[static_cast<size_t>(before)] >= 0
                            ? &nodes[static_cast<size_t>(place[static_cast<size_t>(before)])]
                            : nullptr;
    const Convolution* op = convolution != nullptr ? convolution->as<Convolution>() : nullptr;
    if (op != nullptr && uses.count(in) == 1 && !op->residual &&
        op->epilogue.activation == Activation::None) {
      ET_TRY(into_convolution(graph, convolution, affine, out));
      continue;
    }
    const Dims sizes = graph->value(out).sizes;
    Dims channel_sizes, strides;
    for (int d = 0; d < sizes.rank; ++d) {
      channel_sizes.push(d == 1 ? sizes[1] : 1);
      strides.push(d == 1 ? 1 : 0);
    }
    const ValueId scale = graph->add_constant(DType::f32, channel_sizes, strides, affine.scale);
    const ValueId shift = graph->add_constant(DType::f32, channel_sizes, strides, affine.shift);
    nodes.push_back({Elementwise{ElementwiseOp::MulAdd, DType::f32, 0}, {in, scale, shift}, {out}});
  }
  graph->nodes = std::move(nodes);
  return Error::Ok;
}

}  // namespace executorch::engine
