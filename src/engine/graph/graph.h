/**
 * @file
 * The engine's small graph: what front ends (methods without a delegate, the XNNPACK delegate) hand
 * over. Values are immutable and written once; nodes stand in the order in which they may run.
 * Shapes are concrete: a front end translates again when they change.
 *
 * Memory: constants are read in place and must outlive every plan made from the graph. External
 * values are the caller's tensors, numbered slots whose addresses are given at each run.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "compute/elementwise/operation.h"
#include "compute/pool/pool.h"
#include "compute/quantized/loops.h"
#include "compute/quantized/product.h"
#include "compute/reduce/reduce.h"
#include "engine/graph/constant_memory.h"
#include "engine/graph/dims.h"

namespace executorch::engine {

using compute::ElementwiseOp;
using ValueId = int32_t;
constexpr ValueId kNoValue = -1;

enum class Source : uint8_t {
  Computed,  ///< by a node
  Constant,  ///< bytes known when the graph is made
  External,  ///< read from a slot at each run
};

struct Value {
  DType dtype = DType::f32;
  Dims sizes;
  Source source = Source::Computed;
  /// Layout in memory of a Constant or External; unused for Computed.
  Dims strides;
  const void* data = nullptr;  ///< Constant: first element
  int32_t slot = -1;           ///< External
};

/// A tensor of the caller.
struct External {
  /// Place in the caller's planned memory, to find slots that share bytes: region -1 shares with
  /// none.
  int32_t region = -1;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// ---- What nodes do. Inputs and outputs are listed with each attribute struct.

/// x -> x with its dims reordered: out.sizes[d] = in.sizes[dims[d]].
struct Permute {
  int8_t dims[kMaxRank];
};
/// x -> the same elements under the output's sizes.
struct Reshape {};
/// x -> repeated to the output's sizes.
struct Expand {};
/// x -> every step-th element of dim from start on.
struct Slice {
  int dim;
  int64_t start;
  int64_t step;
};
/// Operands -> result, broadcast. Operands are converted to `common` first.
struct Elementwise {
  ElementwiseOp op;
  DType common;
  /// Operands (bit set) that are not rounded to `common`, as in compute::ElementwiseCall.
  uint32_t unrounded = 0;
};
/// Several elementwise operations in one pass, see engine/passes/fuse_elementwise.h.
struct FusedElementwise {
  struct Instruction {
    ElementwiseOp op;
    DType common;
    uint32_t unrounded;
    /// Results rounded to this type before they are used: the dtype of the value that was fused
    /// away.
    DType result;
    /// Operand i: >= 0 an input of the node, < 0 the result of instruction -1 - operand.
    int16_t operands[compute::kMaxOperands];
  };
  std::vector<Instruction> program;
  /// Per output of the node, the instruction that gives it.
  std::vector<int16_t> results;
};

/// What is applied to a result before it is stored.
enum class Activation : uint8_t { None, Relu, Clamp, Gelu, GeluTanh, Silu, Sigmoid, Tanh };

struct Epilogue {
  Activation activation = Activation::None;
  float low = 0;  ///< Clamp
  float high = 0;
};

/// a [.., M, K], b [.., K, N] (of two dims: f32 or of a half type), then as flagged bias (broadcasts to the result) and residual (of the
/// result's sizes)
/// -> activation(alpha * a b + beta * bias + residual).
struct MatMul {
  float alpha = 1;
  float beta = 1;
  bool bias = false;
  bool residual = false;
  Epilogue epilogue;
};

/// x [N, C, spatial..], weight [O, C/groups, spatial..] ([C, O/groups, spatial..] when transposed),
/// then as flagged bias [O], residual -> NC(spatial). One or two spatial dims.
struct Convolution {
  int64_t stride[2];
  int64_t padding[2];
  int64_t dilation[2];
  int64_t groups;
  bool bias = false;
  bool residual = false;
  Epilogue epilogue;
  /// One factor per output channel that goes into the weight when it is packed, null for none. Kept
  /// by the graph.
  const float* scale = nullptr;
  /// Padding behind the last row and column; -1: as in front.
  int64_t far_padding[2] = {-1, -1};
  bool transposed = false;
  int64_t output_padding[2] = {0, 0};  ///< transposed only
};

/// x [N, C, ..], weight or none, bias or none, mean, variance -> normalised with these statistics.
struct BatchNorm {
  double epsilon;
  bool weight;
  bool bias;
};

/// x -> softmax along dim.
struct Softmax {
  int dim;
  /// Rows that are -inf throughout give zeros instead of NaN.
  bool zero_masked_rows = false;
};

/// x, then as flagged weight, bias -> normalised over the last `dims` dims; further outputs: mean,
/// 1/deviation.
struct LayerNorm {
  int dims;
  double epsilon;
  bool weight;
  bool bias;
};

/// x, then weight as flagged -> x / sqrt(mean(x^2) + epsilon) over the last dim.
struct RmsNorm {
  double epsilon;
  bool weight;
};

/// x -> reduced over the dims whose bit is set; kept or removed as the output's sizes say.
struct Reduce {
  compute::ReduceOp op;
  uint32_t dims;
  double divisor = 1;
};

/// Inputs -> joined along dim.
struct Concat {
  int dim;
};

/// table [R, ..], indices -> rows of the table: sizes of indices + sizes of a row.
struct GatherRows {
  /// Negative indices count from the end.
  bool wrap;
};

/// x, indices [n], values -> x with x[.., indices, ..] = values at dim.
struct IndexPut {
  int dim;
};

/// x [N, C, H, W] -> largest of each window; a second output, i64, is its place in the window (y *
/// kernel width + x).
struct MaxPool {
  int64_t kernel[2];
  int64_t stride[2];
  int64_t padding[2];
  int64_t dilation[2];
};

/// x [N, C, H, W] -> average of each window.
struct AveragePool {
  int64_t kernel[2];
  int64_t stride[2];
  int64_t padding[2];
  compute::AverageDivisor divisor;
};

/// x [N, C, H, W] -> resized to the output's height and width, linear between four pixels.
struct ResizeBilinear {
  bool align_corners;
};

/// query [B.., M, D], key transposed [B.., D, L], value [B.., L, E], mask (broadcasts to [B.., M,
/// L]) as flagged
/// -> softmax(scale * query key + mask) value.
struct Attention {
  float scale;
  bool mask;
  bool zero_masked_rows;
};

// ---- Quantised values: i8 numbers q that stand for (q - zero_point) * scale. Nodes know the
// parameters, values do not: views, copies, Concat and MaxPool take i8 as it is.

using compute::QuantizedOutput;
using compute::QuantParams;
using compute::WeightBits;

/// x f32 -> i8: as QuantizedOutput, with x * (1 / scale) for the quotient.
struct Quantize {
  QuantizedOutput to;
};
/// x i8 -> f32: (q - zero_point) * scale.
struct Dequantize {
  QuantParams from;
};
/// x i8 -> i8 of other parameters or tighter bounds; equal parameters only clamp.
struct Requantize {
  QuantParams from;
  QuantizedOutput to;
};

/// x i8, table i8 [256] constant -> table[x + 128].
struct Lookup {};

/// x f32 -> i8 of x's sizes, f32 [rows, 2]: each row, the last `dims` dims, quantised by its own
/// range. The second output holds scale and zero point per row, for the nodes below.
struct QuantizeRows {
  int dims = 1;
};

/// What quantised products and convolutions have in common. The weight and its scales are
/// constants. x is i8: static with `input`, or dynamic, from a QuantizeRows whose second output
/// follows as the second input. The result is i8 as `output` says, or f32 with `epilogue`.
/// Sums are exact in i32, those of a group in f32 when there are several groups.
struct QuantizedProduct {
  bool dynamic = false;
  QuantParams input;
  WeightBits bits = WeightBits::Int8;
  /// Static: i32 [O] in units of the input's scale times the weight's. Dynamic: f32 [O].
  bool bias = false;
  QuantizedOutput output;
  Epilogue epilogue;
};

/// x [.., K], parameters of rows [M, 2] when dynamic, weight [O, K], scales, bias as flagged ->
/// x weight^T + bias [.., O]. Scales: f32 [1] or [O], or bf16 [O, K / group] with `group` dividing
/// K.
struct QuantizedLinear {
  QuantizedProduct product;
  int64_t group = 0;  ///< 0: none
};

/// x [N, C, spatial..], parameters of images [N, 2] when dynamic, weight [O, C / groups,
/// spatial..] (transposed: [C, O / groups, spatial..]) of Int8, scales f32 [1] or [O], bias as
/// flagged -> [N, O, spatial..]. Padding counts as zero. One or two spatial dims; one dim uses the
/// second entries.
struct QuantizedConvolution {
  QuantizedProduct product;
  int64_t stride[2] = {1, 1};
  int64_t padding[2] = {0, 0};
  int64_t dilation[2] = {1, 1};
  int64_t groups = 1;
  /// Padding behind the last row and column; -1: as in front.
  int64_t far_padding[2] = {-1, -1};
  bool transposed = false;
  int64_t output_padding[2] = {0, 0};  ///< transposed only
};

/// a i8, b i8, broadcast -> i8: Add, Sub or Mul of the real numbers.
struct QuantizedElementwise {
  ElementwiseOp op;
  QuantParams a;
  QuantParams b;
  QuantizedOutput to;
};

/// x i8 [N, C, H, W] -> i8 [N, C, 1, 1] or [N, C]: the mean of each plane.
struct QuantizedMean {
  QuantParams from;
  QuantizedOutput to;
};

/// Work the engine does not know, done by the front end on dense row-major operands.
class ForeignCall {
 public:
  virtual ~ForeignCall() = default;
  /// `operands`: addresses of the node's inputs, then outputs. `user` is what the run was given;
  /// null while constants are folded. Returns a runtime::Error code, 0 when all is well.
  virtual int run(void* const* operands, void* user) = 0;
  virtual const char* name() const = 0;
  /// The result depends on the inputs alone.
  virtual bool foldable() const = 0;
};
struct Foreign {
  std::shared_ptr<ForeignCall> call;
};

using Operation = std::variant<Permute, Reshape, Expand, Slice, Elementwise, FusedElementwise,
                               MatMul, Convolution, BatchNorm, Softmax, LayerNorm, RmsNorm, Reduce,
                               Concat, GatherRows, IndexPut, MaxPool, AveragePool, ResizeBilinear,
                               Attention, Quantize, Dequantize, Requantize, Lookup, QuantizeRows,
                               QuantizedLinear, QuantizedConvolution, QuantizedElementwise,
                               QuantizedMean, Foreign>;

struct Node {
  Operation operation;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;

  template <class T>
  T* as() {
    return std::get_if<T>(&operation);
  }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&operation);
  }
};

/// A value that the caller wants in one of its tensors after the run.
struct Result {
  ValueId value;
  int32_t slot;
  Dims strides;
};

class EXECUTORCH_COMPUTE_API Graph {
 public:
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<External> externals;
  std::vector<Result> results;

  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  Value& value(ValueId id) { return values[static_cast<size_t>(id)]; }

  ValueId add_constant(DType dtype, const Dims& sizes, const Dims& strides, const void* data);
  /// A single number, kept by the graph; kNoValue when memory is refused.
  ValueId add_scalar(DType dtype, double number);
  ValueId add_scalar(DType dtype, int64_t number);
  ValueId add_external(DType dtype, const Dims& sizes, const Dims& strides, int32_t slot);
  ValueId add_computed(DType dtype, const Dims& sizes);
  /// Appends a node with one new output.
  ValueId add_node(Operation operation, std::vector<ValueId> inputs, DType dtype,
                   const Dims& sizes);

  bool is_constant(ValueId id) const { return value(id).source == Source::Constant; }
  /// A rank-0 (or one-element) constant's value; false when it is none.
  bool constant_number(ValueId id, double* number) const;

  /// Memory of constants that were made with the graph or folded later; plans share it.
  std::shared_ptr<ConstantMemory> owned = std::make_shared<ConstantMemory>();
};

}  // namespace executorch::engine
