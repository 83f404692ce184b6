// Nodes: one reader for each shape of table, one row for each kind.
#include <cinttypes>
#include <cmath>

#include "backends/xnnpack/payload/payload_reader.h"

namespace executorch::backends::xnnpack {
namespace {

namespace fb = fb_xnnpack;
using List = flatbuffers::Vector<uint32_t>;

constexpr uint32_t kAbsent = UINT32_MAX;

// Ids are checked against the payload's values later.
ValueIndex id_of(uint32_t id) {
  return id == kAbsent || id > INT32_MAX ? kNone : static_cast<ValueIndex>(id);
}

Error read_list(const List* list, const char* what, Dims* dims) {
  ET_REQUIRE(list != nullptr, InvalidProgram, "its %s are missing", what);
  ET_REQUIRE(list->size() <= engine::kMaxRank, InvalidProgram,
             "it has %" PRIu32 " %s, at most %d are supported", list->size(), what,
             engine::kMaxRank);
  for (uint32_t i = 0; i < list->size(); ++i) dims->push(list->Get(i));
  return Error::Ok;
}

template <class Table>
Padding padding_of(const Table& table) {
  return {table.padding_top(), table.padding_right(), table.padding_bottom(), table.padding_left()};
}

template <class Table>
void read_ends(const Table& table, Node* node) {
  node->inputs = {id_of(table.input_id())};
  node->outputs = {id_of(table.output_id())};
  node->flags = table.flags();
}

Error read(const fb::_XNNNode1x1& table, Node* node) {
  read_ends(table, node);
  return Error::Ok;
}

Error read(const fb::_XNNNode2x1& table, Node* node) {
  node->inputs = {id_of(table.input1_id()), id_of(table.input2_id())};
  node->outputs = {id_of(table.output_id())};
  node->flags = table.flags();
  return Error::Ok;
}

Error read(const fb::XNNFullyConnected& table, Node* node) {
  node->inputs = {id_of(table.input1_id()), id_of(table.filter_id()), id_of(table.bias_id())};
  node->outputs = {id_of(table.output_id())};
  node->flags = table.flags();
  return Error::Ok;
}

Error read(const fb::XNNStaticTranspose& table, Node* node) {
  read_ends(table, node);
  DimList list;
  ET_TRY(read_list(table.perm(), "permutation", &list.dims));
  uint32_t seen = 0;
  for (int d = 0; d < list.dims.rank; ++d) {
    const bool fits = list.dims[d] < list.dims.rank && (seen >> list.dims[d] & 1) == 0;
    ET_REQUIRE(fits, InvalidProgram, "its list of dimensions is no permutation");
    seen |= 1u << list.dims[d];
  }
  node->attributes = list;
  return Error::Ok;
}

Error read(const fb::XNNStaticReshape& table, Node* node) {
  read_ends(table, node);
  DimList list;
  ET_TRY(read_list(table.new_shape(), "sizes", &list.dims));
  int inferred = 0;
  for (int d = 0; d < list.dims.rank; ++d) inferred += list.dims[d] == 0 ? 1 : 0;
  ET_REQUIRE(inferred <= 1, InvalidProgram, "%d of its sizes are to be inferred, at most 1 can be",
             inferred);
  node->attributes = list;
  return Error::Ok;
}

Error read(const fb::XNNStaticSlice& table, Node* node) {
  read_ends(table, node);
  SliceShape shape;
  ET_TRY(read_list(table.offsets(), "offsets", &shape.offsets));
  ET_TRY(read_list(table.sizes(), "sizes", &shape.sizes));
  ET_REQUIRE(shape.offsets.rank == shape.sizes.rank, InvalidProgram,
             "it has %d offsets and %d sizes", shape.offsets.rank, shape.sizes.rank);
  node->attributes = shape;
  return Error::Ok;
}

Error read(const fb::XNNStaticConstantPad& table, Node* node) {
  read_ends(table, node);
  PadShape shape;
  ET_TRY(read_list(table.pre_paddings(), "paddings before", &shape.before));
  ET_TRY(read_list(table.post_paddings(), "paddings behind", &shape.after));
  ET_REQUIRE(shape.before.rank == shape.after.rank, InvalidProgram,
             "it has %d paddings before and %d behind", shape.before.rank, shape.after.rank);
  shape.value = table.padding_value();
  node->attributes = shape;
  return Error::Ok;
}

Error read(const fb::XNNStaticResizeBilinear2D& table, Node* node) {
  read_ends(table, node);
  node->attributes = ResizeShape{table.new_height(), table.new_width()};
  return Error::Ok;
}

Error read(const fb::XNNLeakyReLU& table, Node* node) {
  read_ends(table, node);
  node->attributes = Parameter{table.negative_slope()};
  return Error::Ok;
}

Error read(const fb::XNNELU& table, Node* node) {
  read_ends(table, node);
  node->attributes = Parameter{table.alpha()};
  return Error::Ok;
}

Error read(const fb::_XNNCat& table, Node* node) {
  const uint32_t ids[] = {table.input1_id(), table.input2_id(), table.input3_id(),
                          table.input4_id(), table.input5_id()};
  // The kind tells how many of them count.
  const int count =
      node->kind == NodeKind::Concatenate5
          ? 5
          : 2 + static_cast<int>(node->kind) - static_cast<int>(NodeKind::Concatenate2);
  for (int i = 0; i < count; ++i) node->inputs.push_back(id_of(ids[i]));
  node->outputs = {id_of(table.output_id())};
  node->flags = table.flags();
  node->attributes = Axis{table.axis()};
  return Error::Ok;
}

Error read(const fb::_XNNNodeConv& table, Node* node) {
  ConvolutionShape shape{padding_of(table),
                         {table.kernel_height(), table.kernel_width()},
                         {table.subsampling_height(), table.subsampling_width()},
                         {table.dilation_height(), table.dilation_width()},
                         {table.adjustment_height(), table.adjustment_width()},
                         table.groups(),
                         table.group_input_channels(),
                         table.group_output_channels()};
  node->inputs = {id_of(table.input1_id()), id_of(table.filter_id()), id_of(table.bias_id())};
  node->outputs = {id_of(table.output_id())};
  node->flags = table.flags();
  node->attributes = shape;
  return Error::Ok;
}

Error read(const fb::_XNNPooling2D& table, Node* node) {
  read_ends(table, node);
  node->attributes = PoolingShape{padding_of(table),
                                  {table.pooling_height(), table.pooling_width()},
                                  {table.stride_height(), table.stride_width()},
                                  {table.dilation_height(), table.dilation_width()}};
  return Error::Ok;
}

Error read(const fb::XNNArgMaxPooling2d& table, Node* node) {
  node->inputs = {id_of(table.input_id())};
  node->outputs = {id_of(table.output_value_id()), id_of(table.output_index_id())};
  node->flags = table.flags();
  const int64_t height = table.pooling_height(), width = table.pooling_width();
  node->attributes = PoolingShape{padding_of(table), {height, width}, {height, width}, {1, 1}};
  return Error::Ok;
}

Error read(const fb::XNNScaledDotProductAttention& table, Node* node) {
  node->inputs = {id_of(table.query_id()), id_of(table.key_id()), id_of(table.value_id()),
                  id_of(table.scale_id()), id_of(table.mask_id())};
  node->outputs = {id_of(table.output_id())};
  node->flags = table.flags();
  return Error::Ok;
}

template <class Table>
Error read_as(const void* table, Node* node) {
  return read(*static_cast<const Table*>(table), node);
}

struct Row {
  const char* name;
  Error (*read)(const void* table, Node* node);
};

// By the number of the kind.
constexpr Row kRows[kNodeKinds] = {
    {"NONE", nullptr},
    {"Add", read_as<fb::_XNNNode2x1>},
    {"FullyConnected", read_as<fb::XNNFullyConnected>},
    {"Softmax", read_as<fb::_XNNNode1x1>},
    {"Sigmoid", read_as<fb::_XNNNode1x1>},
    {"StaticTranspose", read_as<fb::XNNStaticTranspose>},
    {"Clamp", read_as<fb::_XNNNode1x1>},
    {"Conv2d", read_as<fb::_XNNNodeConv>},
    {"Div", read_as<fb::_XNNNode2x1>},
    {"StaticResizeBilinear2D", read_as<fb::XNNStaticResizeBilinear2D>},
    {"StaticConstantPad", read_as<fb::XNNStaticConstantPad>},
    {"AvgPooling2d", read_as<fb::_XNNPooling2D>},
    {"Minimum", read_as<fb::_XNNNode2x1>},
    {"DepthwiseConv2d", read_as<fb::_XNNNodeConv>},
    {"MaxPooling2d", read_as<fb::_XNNPooling2D>},
    {"Multiply", read_as<fb::_XNNNode2x1>},
    {"Subtract", read_as<fb::_XNNNode2x1>},
    {"Floor", read_as<fb::_XNNNode1x1>},
    {"Convert", read_as<fb::_XNNNode1x1>},
    {"GlobalAvgPooling2d", read_as<fb::_XNNNode1x1>},
    {"StaticReshape", read_as<fb::XNNStaticReshape>},
    {"ArgMaxPooling2d", read_as<fb::XNNArgMaxPooling2d>},
    {"SquareRoot", read_as<fb::_XNNNode1x1>},
    {"Ceiling", read_as<fb::_XNNNode1x1>},
    {"Hardswish", read_as<fb::_XNNNode1x1>},
    {"LeakyReLU", read_as<fb::XNNLeakyReLU>},
    {"Maximum", read_as<fb::_XNNNode2x1>},
    {"Negate", read_as<fb::_XNNNode1x1>},
    {"Square", read_as<fb::_XNNNode1x1>},
    {"ELU", read_as<fb::XNNELU>},
    {"Abs", read_as<fb::_XNNNode1x1>},
    {"PReLU", read_as<fb::_XNNNode2x1>},
    {"Concatenate2", read_as<fb::_XNNCat>},
    {"Concatenate3", read_as<fb::_XNNCat>},
    {"Concatenate4", read_as<fb::_XNNCat>},
    {"StaticSlice", read_as<fb::XNNStaticSlice>},
    {"ScaledDotProductAttention", read_as<fb::XNNScaledDotProductAttention>},
    {"BatchMatrixMultiply", read_as<fb::_XNNNode2x1>},
    {"Concatenate5", read_as<fb::_XNNCat>},
    {"ConvTranspose2d", read_as<fb::_XNNNodeConv>},
    {"ReciprocalSquareRoot", read_as<fb::_XNNNode1x1>},
    {"Log", read_as<fb::_XNNNode1x1>},
    {"Gelu", read_as<fb::_XNNNode1x1>},
    {"Tanh", read_as<fb::_XNNNode1x1>},
    {"Exp", read_as<fb::_XNNNode1x1>},
    {"Sin", read_as<fb::_XNNNode1x1>},
    {"Copy", read_as<fb::_XNNNode1x1>},
    {"Cos", read_as<fb::_XNNNode1x1>},
};
static_assert(static_cast<int>(fb::XNodeUnion::MAX) == kNodeKinds - 1);

}  // namespace

const char* node_name(NodeKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kNodeKinds ? kRows[index].name : "unknown";
}

Error read_node(const fb::XNode& table, Node* node) {
  const auto kind = static_cast<size_t>(table.xnode_union_type());
  ET_REQUIRE(kind > 0 && kind < kNodeKinds, NotImplemented, "its kind, number %zu, is not known",
             kind);
  ET_REQUIRE(table.xnode_union() != nullptr, InvalidProgram, "its table is missing");
  node->kind = static_cast<NodeKind>(kind);
  if (const fb::OutputMinMax* bounds = table.output_min_max()) {
    node->low = bounds->output_min();
    node->high = bounds->output_max();
    // Also false for NaN.
    ET_REQUIRE(node->low <= node->high, InvalidProgram, "its results lie between %g and %g",
               static_cast<double>(node->low), static_cast<double>(node->high));
  }
  return kRows[kind].read(table.xnode_union(), node);
}

}  // namespace executorch::backends::xnnpack
