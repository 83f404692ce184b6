/**
 * @file
 * A validated delegate payload: plain structs in which every id names a value, every constant has
 * the bytes that its sizes ask for, and every list the length that its node needs.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/span.h>

#include "engine/graph/dims.h"
#include "engine/graph/memory_block.h"

namespace executorch::backends::xnnpack {

using engine::Dims;
using runtime::Error;
using ValueIndex = int32_t;
constexpr ValueIndex kNone = -1;

/// Element types, with the numbers of the format.
enum class Datatype : int16_t {
  invalid = 0,
  fp32 = 1,
  fp16 = 2,
  qint8 = 3,
  quint8 = 4,
  qint32 = 5,
  qcint8 = 6,
  qcint32 = 7,
  qcint4 = 8,
  qdint8 = 9,
  qbint4 = 10,
  qpint8 = 11,
  int32 = 12,
  pfp32 = 13,
  bf16 = 14,
};

/// "fp32"
const char* datatype_name(Datatype datatype);
/// Bytes of so many elements. False when arithmetic on their sizes might overflow.
bool value_bytes(Datatype datatype, const Dims& dims, size_t* bytes);
inline bool is_float(Datatype datatype) {
  return datatype == Datatype::fp32 || datatype == Datatype::fp16 || datatype == Datatype::bf16;
}

// ---- How the numbers of a quantised value stand for real ones.

/// real = (q - zero_point) * scale
struct PerTensor {
  float scale;
  int32_t zero_point;
};
/// real = q * scales[position in `dim`]
struct PerChannel {
  int32_t dim;
  runtime::Span<const float> scales;
};
/// Quantised as it is computed, each row of the last `dims` dims by itself.
struct PerToken {
  int32_t dims;
};
/// Rows of groups along the last dim: real = q * scales[row, group]. The scales are bfloat16.
struct PerGroup {
  int32_t group_size;
  runtime::Span<const uint16_t> scales;
};
using Quantization = std::variant<std::monostate, PerTensor, PerChannel, PerToken, PerGroup>;

struct Value {
  Datatype datatype = Datatype::invalid;
  /// Upper bounds; a single number has [1].
  Dims dims;
  /// Constants: elements in row-major order, aligned to 16 bytes. Two int4 share a byte.
  const void* data = nullptr;
  bool constant = false;
  /// Place in the arguments of the call, -1: internal.
  int32_t external = -1;
  bool input = false;
  bool output = false;
  Quantization quantization;

  template <class T>
  const T* quantized_as() const {
    return std::get_if<T>(&quantization);
  }
};

// ---- Nodes. Kinds have the numbers of the format's union.

enum class NodeKind : uint8_t {
  Add = 1,
  FullyConnected,
  Softmax,
  Sigmoid,
  StaticTranspose,
  Clamp,
  Conv2d,
  Div,
  StaticResizeBilinear2D,
  StaticConstantPad,
  AvgPooling2d,
  Minimum,
  DepthwiseConv2d,
  MaxPooling2d,
  Multiply,
  Subtract,
  Floor,
  Convert,
  GlobalAvgPooling2d,
  StaticReshape,
  ArgMaxPooling2d,
  SquareRoot,
  Ceiling,
  Hardswish,
  LeakyReLU,
  Maximum,
  Negate,
  Square,
  ELU,
  Abs,
  PReLU,
  Concatenate2,
  Concatenate3,
  Concatenate4,
  StaticSlice,
  ScaledDotProductAttention,
  BatchMatrixMultiply,
  Concatenate5,
  ConvTranspose2d,
  ReciprocalSquareRoot,
  Log,
  Gelu,
  Tanh,
  Exp,
  Sin,
  Copy,
  Cos,
};
constexpr int kNodeKinds = 48;

/// "Conv2d"
const char* node_name(NodeKind kind);

/// Top, right, bottom, left.
struct Padding {
  int64_t top, right, bottom, left;
};
struct ConvolutionShape {
  Padding padding;
  int64_t kernel[2], stride[2], dilation[2], adjustment[2];
  int64_t groups, group_inputs, group_outputs;
};
struct PoolingShape {
  Padding padding;
  int64_t kernel[2], stride[2], dilation[2];
};
/// Permutation or new shape.
struct DimList {
  Dims dims;
};
struct SliceShape {
  Dims offsets, sizes;
};
struct PadShape {
  Dims before, after;
  float value;
};
struct ResizeShape {
  int64_t height, width;
};
/// Slope or alpha.
struct Parameter {
  float number;
};
struct Axis {
  int64_t dim;
};
using Attributes = std::variant<std::monostate, ConvolutionShape, PoolingShape, DimList, SliceShape,
                                PadShape, ResizeShape, Parameter, Axis>;

struct Node {
  NodeKind kind;
  uint32_t flags = 0;
  /// Absent optional inputs (a bias) are kNone.
  std::vector<ValueIndex> inputs;
  std::vector<ValueIndex> outputs;
  /// Bounds of the result; -inf and inf where there are none.
  float low = -__builtin_inff();
  float high = __builtin_inff();
  Attributes attributes;

  template <class T>
  const T& as() const {
    return *std::get_if<T>(&attributes);
  }
};

/// The first input or the filter of FullyConnected is transposed: [IC, OC].
constexpr uint32_t kTransposeWeights = 1;
constexpr uint32_t kAlignCorners = 8;
constexpr uint32_t kKeepDims = 64;

class Payload {
 public:
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  /// Indexed by id.
  std::vector<Value> values;
  /// In the order in which they run.
  std::vector<Node> nodes;
  /// Ids of external inputs and outputs.
  std::vector<ValueIndex> inputs, outputs;

  /// Memory of the constants.
  std::vector<runtime::FreeableBuffer> buffers;
  std::vector<engine::MemoryBlock> copies;
};

/**
 * Reads and validates a payload. Constants are read in place from `data`, or copied from the
 * blob: it may be freed afterwards.
 *
 * @param[in] data Named blobs, may be null.
 * @retval InvalidArgument, DelegateInvalidCompatibility The container is damaged.
 * @retval InvalidProgram A table is missing or disagrees with another.
 * @retval NotImplemented A node, value or quantisation that is not known.
 * @retval NotFound A named constant is missing.
 */
Error read_payload(runtime::Span<const uint8_t> blob, const runtime::NamedDataMap* data,
                   Payload* payload);

}  // namespace executorch::backends::xnnpack
