#include "backends/xnnpack/translate/graph_builder.h"

#include <algorithm>
#include <array>
#include <cinttypes>

#include "engine/steps/step.h"

namespace executorch::backends::xnnpack {
namespace {

using engine::broadcast_sizes;
using engine::numel;

bool same(const Order& a, const Order& b, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (a[d] != b[d]) return false;
  }
  return true;
}

struct Table {
  std::array<TranslateNode, kNodeKinds> functions{};
  Table() {
    for (const auto rows : {elementwise_translations(), image_translations(),
                            product_translations(), view_translations()}) {
      for (const TranslateRow& row : rows) functions[static_cast<size_t>(row.kind)] = row.translate;
    }
  }
};

TranslateNode translation_of(NodeKind kind) {
  static const Table table;
  return table.functions[static_cast<size_t>(kind)];
}

/// Graphs of many delegates become one: room is doubled at least.
template <class T>
void make_room(std::vector<T>* items, size_t more) {
  const size_t wanted = items->size() + more;
  if (wanted > items->capacity()) items->reserve(std::max(wanted, 2 * items->capacity()));
}

bool is_float(DType dtype) {
  return compute::is_floating(dtype);
}

}  // namespace

DType graph_dtype(Datatype datatype) {
  switch (datatype) {
    case Datatype::fp16:
      return DType::f16;
    case Datatype::bf16:
      return DType::bf16;
    case Datatype::qint8:
    case Datatype::qcint8:
      return DType::i8;
    case Datatype::quint8:
    case Datatype::qcint4:
    case Datatype::qbint4:
      return DType::u8;
    case Datatype::qint32:
    case Datatype::qcint32:
    case Datatype::int32:
      return DType::i32;
    default:
      return DType::f32;
  }
}

GraphBuilder::GraphBuilder(const Payload& payload, Graph* graph)
    : payload_(payload),
      graph_(*graph),
      shown_(payload.values.size()),
      producers_(payload.values.size()) {
  make_room(&graph_.values, payload.values.size() + payload.nodes.size());
  make_room(&graph_.nodes, 2 * payload.nodes.size());
  for (size_t id = 0; id < payload.values.size(); ++id) {
    const Value& value = payload.values[id];
    if (!value.constant) continue;
    Dims sizes = value.dims;
    if (value.datatype == Datatype::qcint4 || value.datatype == Datatype::qbint4) {
      if (sizes.rank > 0) sizes[sizes.rank - 1] = (sizes.back() + 1) / 2;
    }
    shown_[id].value = graph_.add_constant(graph_dtype(value.datatype), sizes,
                                           engine::contiguous_strides(sizes), value.data);
  }
}

Error GraphBuilder::build(const std::vector<ValueId>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) set(payload_.inputs[i], Shown{inputs[i]});
  for (size_t i = 0; i < payload_.nodes.size(); ++i) {
    const Error error = build_node(payload_.nodes[i]);
    if (error == Error::Ok) continue;
    runtime::add_error_context("node %zu, %s", i, node_name(payload_.nodes[i].kind));
    return error;
  }
  return Error::Ok;
}

Error GraphBuilder::build_node(const Node& node) {
  for (const ValueIndex output : node.outputs) producers_[static_cast<size_t>(output)] = &node;
  const TranslateNode translate = translation_of(node.kind);
  ET_REQUIRE(translate != nullptr, NotImplemented, "this kind of node is not supported");
  return translate(*this, node);
}

Dims GraphBuilder::sizes(const Shown& shown) const {
  const Dims& held = graph_.value(shown.value).sizes;
  Dims sizes;
  for (int d = 0; d < held.rank; ++d) sizes.push(held[shown.order[d]]);
  return sizes;
}

ValueId GraphBuilder::arranged(const Shown& shown, const Order& order) {
  const Dims held = graph_.value(shown.value).sizes;
  if (same(shown.order, order, held.rank)) return shown.value;
  engine::Permute permute{};
  for (int d = 0; d < held.rank; ++d) permute.dims[order[d]] = shown.order.dims[d];
  Dims sizes;
  for (int d = 0; d < held.rank; ++d) sizes.push(held[permute.dims[d]]);
  return graph_.add_node(permute, {shown.value}, graph_.value(shown.value).dtype, sizes);
}

Error GraphBuilder::image(ValueIndex id, ValueId* image) {
  Shown input;
  ET_TRY(floats(id, &input));
  const int rank = sizes(input).rank;
  ET_REQUIRE(rank == 4, InvalidProgram, "its input has %d dimensions, 4 are expected", rank);
  *image = cast(arranged(input, Order::image()), DType::f32);
  return Error::Ok;
}

ValueId GraphBuilder::reshape(ValueId value, const Dims& sizes) {
  if (graph_.value(value).sizes == sizes) return value;
  return graph_.add_node(engine::Reshape{}, {value}, graph_.value(value).dtype, sizes);
}

ValueId GraphBuilder::permute(ValueId value, std::initializer_list<int8_t> dims) {
  engine::Permute permute{};
  Dims sizes;
  for (const int8_t dim : dims) {
    permute.dims[sizes.rank] = dim;
    sizes.push(graph_.value(value).sizes[dim]);
  }
  return graph_.add_node(permute, {value}, graph_.value(value).dtype, sizes);
}

ValueId GraphBuilder::cast(ValueId value, DType dtype) {
  const engine::Value& from = graph_.value(value);
  if (from.dtype == dtype) return value;
  const Dims sizes = from.sizes;
  return graph_.add_node(engine::Elementwise{ElementwiseOp::Copy, from.dtype, 0}, {value}, dtype,
                         sizes);
}

Error GraphBuilder::add(engine::Operation operation, std::vector<ValueId> inputs, DType dtype,
                        const Dims& sizes, ValueId* result) {
  for (const ValueId input : inputs) {
    ET_REQUIRE(input != kNoValue, MemoryAllocationFailed, "no memory for a number");
  }
  size_t bytes;
  const Datatype widest = Datatype::fp32;
  ET_REQUIRE(value_bytes(widest, sizes, &bytes), InvalidProgram,
             "its result would have sizes of %s", engine::to_text(sizes).c_str());
  *result = graph_.add_node(std::move(operation), std::move(inputs), dtype, sizes);
  return Error::Ok;
}

ValueId GraphBuilder::empty(DType dtype, const Dims& sizes) {
  return graph_.add_constant(dtype, sizes, engine::contiguous_strides(sizes), nullptr);
}

Shown GraphBuilder::number(const Shown& like, double number) {
  return {graph_.add_scalar(dtype(like), number)};
}

Error GraphBuilder::elementwise(ElementwiseOp op, const Shown& a, double number, Shown* result) {
  return elementwise(op, {a, this->number(a, number)}, result);
}

Error GraphBuilder::arrange(const std::vector<Shown>& operands, std::vector<ValueId>* inputs,
                            Dims* held, Order* order) {
  Dims sizes;
  for (const Shown& operand : operands) {
    ET_REQUIRE(operand.value != kNoValue, MemoryAllocationFailed, "no memory for a number");
    const Dims own = this->sizes(operand);
    ET_REQUIRE(broadcast_sizes(sizes, own, &sizes), InvalidProgram,
               "operands of %s and %s do not broadcast", engine::to_text(sizes).c_str(),
               engine::to_text(own).c_str());
  }
  // The dims stay in the order of the first operand that is computed and has them all.
  *order = Order::plain();
  for (const Shown& operand : operands) {
    if (graph_.is_constant(operand.value) || !(this->sizes(operand) == sizes)) continue;
    *order = operand.order;
    break;
  }
  for (const Shown& operand : operands) {
    const Dims own = this->sizes(operand);
    if (own.rank == 0 || own.rank == sizes.rank) {
      inputs->push_back(own.rank == 0 ? operand.value : arranged(operand, *order));
      continue;
    }
    Dims widened;
    for (int d = 0; d < sizes.rank - own.rank; ++d) widened.push(1);
    for (int d = 0; d < own.rank; ++d) widened.push(own[d]);
    inputs->push_back(arranged({reshape(plain(operand), widened)}, *order));
  }
  *held = sizes;
  for (int d = 0; d < sizes.rank; ++d) (*held)[(*order)[d]] = sizes[d];
  return Error::Ok;
}

Error GraphBuilder::elementwise(ElementwiseOp op, std::vector<Shown> operands, Shown* result) {
  for (const Shown& operand : operands) {
    if (operand.value == kNoValue) break;
    ET_REQUIRE(dtype(operand) == dtype(operands[0]) && is_float(dtype(operand)), NotSupported,
               "its operands are %s and %s, floats of one type are expected",
               engine::dtype_text(dtype(operands[0])), engine::dtype_text(dtype(operand)));
  }
  std::vector<ValueId> inputs;
  Dims sizes;
  Order order;
  ET_TRY(arrange(operands, &inputs, &sizes, &order));
  const DType common = dtype(operands[0]);
  result->order = order;
  return add(engine::Elementwise{op, common, 0}, std::move(inputs), common, sizes, &result->value);
}

Error GraphBuilder::write(const Node& node, Shown result) {
  constexpr float kInfinity = __builtin_inff();
  const ValueIndex id = node.outputs[0];
  const Value& target = value(id);
  const auto* scale = target.quantized_as<PerTensor>();
  if (scale != nullptr && target.datatype == Datatype::qint8) {
    ET_TRY(quantize(node, *scale, &result));
    set(id, result);
    return Error::Ok;
  }
  if (node.low == 0 && node.high == kInfinity) {
    ET_TRY(elementwise(ElementwiseOp::Relu, {result}, &result));
  } else if (node.low > -kInfinity || node.high < kInfinity) {
    const Shown low = number(result, static_cast<double>(node.low));
    const Shown high = number(result, static_cast<double>(node.high));
    ET_TRY(elementwise(ElementwiseOp::Clamp, {result, low, high}, &result));
  }
  if (target.datatype == Datatype::quint8) {
    ET_TRY(quantize_unsigned(*scale, &result));
  } else {
    ET_REQUIRE(is_float(target.datatype), NotSupported, "its result is %s, a float is expected",
               datatype_name(target.datatype));
    result.value = cast(result.value, graph_dtype(target.datatype));
  }
  set(id, result);
  return Error::Ok;
}

Error GraphBuilder::write_moved(const Node& node, const Shown& result) {
  const Value& to = value(node.outputs[0]);
  const auto* after = to.quantized_as<PerTensor>();
  for (const ValueIndex input : node.inputs) {
    const Value& from = value(input);
    ET_REQUIRE(from.datatype == to.datatype, NotSupported,
               "it moves elements of type %s to a value of type %s", datatype_name(from.datatype),
               datatype_name(to.datatype));
    const auto* before = from.quantized_as<PerTensor>();
    const bool same_scale = before == nullptr || (before->scale == after->scale &&
                                                  before->zero_point == after->zero_point);
    ET_REQUIRE(same_scale, NotSupported, "it moves elements to a value of another scale");
  }
  set(node.outputs[0], result);
  return Error::Ok;
}

Error GraphBuilder::floats(ValueIndex id, Shown* floats) {
  *floats = shown(id);
  if (is_float(dtype(*floats))) return Error::Ok;
  return dequantize(id, floats);
}

// (q - zero point) * scale
Error GraphBuilder::dequantize(ValueIndex id, Shown* floats) {
  const Value& from = value(id);
  const auto* tensor = from.quantized_as<PerTensor>();
  const auto* channels = from.quantized_as<PerChannel>();
  const bool known =
      tensor != nullptr || (channels != nullptr && from.datatype != Datatype::qcint4);
  ET_REQUIRE(known, NotSupported, "an operand is %s, a float is expected",
             datatype_name(from.datatype));
  if (tensor != nullptr && from.datatype == Datatype::qint8) {
    const Dims sizes = graph_.value(floats->value).sizes;
    return add(engine::Dequantize{quant_params(*tensor)}, {floats->value}, DType::f32, sizes,
               &floats->value);
  }
  floats->value = cast(shown(id).value, DType::f32);
  if (tensor != nullptr) {
    if (tensor->zero_point != 0)
      ET_TRY(elementwise(ElementwiseOp::Sub, *floats, tensor->zero_point, floats));
    return elementwise(ElementwiseOp::Mul, *floats, static_cast<double>(tensor->scale), floats);
  }
  Dims sizes, strides;
  for (int d = 0; d < from.dims.rank; ++d) {
    sizes.push(d == channels->dim ? from.dims[d] : 1);
    strides.push(d == channels->dim ? 1 : 0);
  }
  const Shown scales{graph_.add_constant(DType::f32, sizes, strides, channels->scales.data())};
  return elementwise(ElementwiseOp::Mul, {*floats, scales}, floats);
}

Error GraphBuilder::quantize(const Node& node, const PerTensor& scale, Shown* shown) {
  const ValueId floats = cast(shown->value, DType::f32);
  const Dims sizes = graph_.value(floats).sizes;
  return add(engine::Quantize{quantized_output(node, scale)}, {floats}, DType::i8, sizes,
             &shown->value);
}

// clamp(rint(x / scale) + zero point)
Error GraphBuilder::quantize_unsigned(const PerTensor& scale, Shown* shown) {
  shown->value = cast(shown->value, DType::f32);
  const float reciprocal = 1.0f / scale.scale;
  ET_TRY(elementwise(ElementwiseOp::Mul, *shown, static_cast<double>(reciprocal), shown));
  ET_TRY(elementwise(ElementwiseOp::Round, {*shown}, shown));
  ET_TRY(elementwise(ElementwiseOp::Add, *shown, scale.zero_point, shown));
  const Shown low = number(*shown, 0), high = number(*shown, UINT8_MAX);
  ET_TRY(elementwise(ElementwiseOp::Clamp, {*shown, low, high}, shown));
  shown->value = cast(shown->value, DType::u8);
  return Error::Ok;
}

Error GraphBuilder::quantized_rows(ValueIndex id, int dims, const Order& order, ValueId* rows,
                                   ValueId* parameters) {
  Shown floats;
  ET_TRY(this->floats(id, &floats));
  const ValueId x = cast(arranged(floats, order), DType::f32);
  const auto known = std::find_if(quantized_rows_.begin(), quantized_rows_.end(),
                                  [&](const Rows& r) { return r.source == x && r.dims == dims; });
  if (known != quantized_rows_.end()) {
    *rows = known->rows;
    *parameters = known->parameters;
    return Error::Ok;
  }
  const Dims sizes = graph_.value(x).sizes;
  Dims pairs;
  pairs.push(1);
  for (int d = 0; d < sizes.rank - dims; ++d) pairs[0] *= sizes[d];
  pairs.push(2);
  ET_TRY(add(engine::QuantizeRows{dims}, {x}, DType::i8, sizes, rows));
  *parameters = graph_.add_computed(DType::f32, pairs);
  graph_.nodes.back().outputs.push_back(*parameters);
  quantized_rows_.push_back({x, dims, *rows, *parameters});
  return Error::Ok;
}

}  // namespace executorch::backends::xnnpack
