// Where consumers want values to lie: results in the caller's tensors, inputs of a concatenation in
// their part of its output, the source of a permutation such that the permuted value is dense.
// Found backwards, so that wishes pass through chains of views. A wish is a suggestion: a step that
// cannot write there uses other memory, and the consumer copies.
#include <algorithm>

#include "engine/plan/lowering.h"

namespace executorch::engine {
namespace {

// The strides of a view's input such that its output has the given strides; false when the view
// selects or repeats.
bool strides_before(const Node& node, const Dims& in_sizes, const Dims& out_sizes,
                    const Dims& out_strides, Dims* in_strides) {
  if (const Permute* permute = node.as<Permute>()) {
    in_strides->rank = in_sizes.rank;
    for (int d = 0; d < in_sizes.rank; ++d) (*in_strides)[permute->dims[d]] = out_strides[d];
    return true;
  }
  if (node.as<Reshape>() != nullptr)
    return reshaped_strides(out_sizes, out_strides, in_sizes, in_strides);
  return false;
}

bool ranges_meet(const External& a, const External& b) {
  return a.region >= 0 && a.region == b.region && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

bool is_view(const Node& node) {
  return node.as<Permute>() != nullptr || node.as<Reshape>() != nullptr ||
         node.as<Expand>() != nullptr || node.as<Slice>() != nullptr;
}

// Consumers that take any row-major input only.
bool wants_dense(const Node& node) {
  return node.as<MatMul>() != nullptr || node.as<Foreign>() != nullptr ||
         node.as<LayerNorm>() != nullptr || node.as<Elementwise>() != nullptr ||
         node.as<FusedElementwise>() != nullptr || node.as<Reshape>() != nullptr;
}

bool is_image_node(const Node& node) {
  return node.as<Convolution>() != nullptr || node.as<QuantizedConvolution>() != nullptr ||
         node.as<MaxPool>() != nullptr || node.as<AveragePool>() != nullptr ||
         node.as<ResizeBilinear>() != nullptr;
}

// Each element of the result stands where it stood.
bool keeps_places(const Node& node) {
  return node.as<Elementwise>() != nullptr || node.as<FusedElementwise>() != nullptr ||
         node.as<Quantize>() != nullptr || node.as<Dequantize>() != nullptr ||
         node.as<Requantize>() != nullptr || node.as<Lookup>() != nullptr ||
         node.as<QuantizedElementwise>() != nullptr || node.as<Concat>() != nullptr;
}

}  // namespace

// Values that are going to lie with channels innermost: what image nodes read and write, and what
// nodes that leave elements in their order make of those.
std::vector<bool> Lowering::find_images() const {
  std::vector<bool> image(graph_.values.size(), false);
  const auto joins = [&](const Node& node) {
    const Dims& sizes = graph_.value(node.outputs[0]).sizes;
    const auto shown = [&](ValueId value) {
      return image[static_cast<size_t>(value)] && graph_.value(value).sizes.rank == sizes.rank;
    };
    return std::any_of(node.inputs.begin(), node.inputs.end(), shown) || shown(node.outputs[0]);
  };
  const auto mark = [&](const Node& node) {
    if (is_image_node(node)) image[static_cast<size_t>(node.inputs[0])] = true;
    if (is_image_node(node) || (keeps_places(node) && joins(node)))
      image[static_cast<size_t>(node.outputs[0])] = true;
  };
  for (const Node& node : graph_.nodes) mark(node);
  return image;
}

// Values that live in a slot, or are views of one, with the last node that reads the slot's bytes.
bool Lowering::result_may_be_written_early(const Result& result) const {
  if (options_.stage_results) return false;
  std::vector<int32_t> root(graph_.values.size(),
                            -1);  // the external or computed value that a view shows
  for (size_t i = 0; i < graph_.values.size(); ++i) root[i] = static_cast<int32_t>(i);
  for (const Node& node : graph_.nodes) {
    if (is_view(node))
      root[static_cast<size_t>(node.outputs[0])] = root[static_cast<size_t>(node.inputs[0])];
  }
  const int32_t source = root[static_cast<size_t>(result.value)];
  if (graph_.values[static_cast<size_t>(source)].source != Source::Computed) return false;
  const External& target = graph_.externals[static_cast<size_t>(result.slot)];
  const auto reads_target = [&](ValueId value) {
    const Value& read = graph_.values[static_cast<size_t>(root[static_cast<size_t>(value)])];
    return read.source == Source::External &&
           (read.slot == result.slot ||
            ranges_meet(graph_.externals[static_cast<size_t>(read.slot)], target));
  };
  // Parts of a concatenation are written by their own producers.
  std::vector<bool> part(graph_.values.size(), false);
  part[static_cast<size_t>(source)] = true;
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    const Node& node = graph_.nodes[i];
    if (node.as<Concat>() == nullptr || !part[static_cast<size_t>(node.outputs[0])]) continue;
    for (const ValueId input : node.inputs)
      part[static_cast<size_t>(root[static_cast<size_t>(input)])] = true;
  }
  bool written = false;
  for (const Node& node : graph_.nodes) {
    bool producer = false;
    for (const ValueId output : node.outputs)
      producer = producer || part[static_cast<size_t>(output)];
    written = written || producer;
    if (!written || is_view(node)) continue;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool in_place = producer && i == 0 && node.as<IndexPut>() != nullptr;
      if (!in_place && reads_target(node.inputs[i])) return false;
    }
  }
  for (const Result& other : graph_.results) {
    if (reads_target(other.value)) return false;
  }
  return true;
}

void Lowering::wish_results() {
  for (const Result& result : graph_.results) {
    Placement& wish = wishes_[static_cast<size_t>(result.value)];
    if (wish.valid() || graph_.value(result.value).source != Source::Computed) continue;
    if (!result_may_be_written_early(result)) continue;
    Storage storage;
    storage.kind = Kind::Slot;
    storage.slot = result.slot;
    storages_.push_back(storage);
    wish.storage = static_cast<int32_t>(storages_.size() - 1);
    wish.strides = result.strides;
  }
}

void Lowering::wish_through_view(const Node& node) {
  const ValueId in = node.inputs[0];
  const ValueId out = node.outputs[0];
  if (graph_.value(in).source != Source::Computed || wishes_[static_cast<size_t>(in)].valid())
    return;
  Placement& wish = wishes_[static_cast<size_t>(out)];
  const Dims& out_sizes = graph_.value(out).sizes;
  const bool fresh = !wish.valid();
  Placement target = fresh ? Placement{} : wish;
  if (fresh) target.strides = contiguous_strides(out_sizes);
  Dims strides;
  if (!strides_before(node, graph_.value(in).sizes, out_sizes, target.strides, &strides)) return;
  if (fresh) {
    if (uses_[static_cast<size_t>(in)] != 1) return;
    target = new_placement(out, target.strides);
    wish = target;
  }
  wishes_[static_cast<size_t>(in)] = {target.storage, target.offset, strides};
}

void Lowering::wish_concat(const Node& node, bool image) {
  const ValueId out = node.outputs[0];
  const Dims& sizes = graph_.value(out).sizes;
  Placement& wish = wishes_[static_cast<size_t>(out)];
  if (!wish.valid())
    wish = new_placement(out, image ? channels_last_strides(sizes) : contiguous_strides(sizes));
  const int dim = node.as<Concat>()->dim;
  int64_t position = 0;
  for (const ValueId in : node.inputs) {
    Placement& part = wishes_[static_cast<size_t>(in)];
    if (graph_.value(in).source == Source::Computed && !part.valid()) {
      part = wish;
      part.offset += position * wish.strides[dim];
    }
    position += graph_.value(in).sizes[dim];
  }
}

void Lowering::find_wishes() {
  wish_results();
  std::vector<bool> dense(graph_.values.size(), false);
  for (const Node& node : graph_.nodes) {
    if (!wants_dense(node)) continue;
    for (const ValueId input : node.inputs) dense[static_cast<size_t>(input)] = true;
  }
  const std::vector<bool> images = find_images();
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    const Node& node = graph_.nodes[i];
    if (node.as<Concat>() != nullptr)
      wish_concat(node, images[static_cast<size_t>(node.outputs[0])]);
    if (node.as<Permute>() == nullptr && node.as<Reshape>() == nullptr) continue;
    const ValueId out = node.outputs[0];
    const bool wished = wishes_[static_cast<size_t>(out)].valid();
    if (wished || (node.as<Permute>() != nullptr && dense[static_cast<size_t>(out)]))
      wish_through_view(node);
  }
}

}  // namespace executorch::engine
