// Values: types, sizes, places, quantisation.
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <limits>

#include <executorch/runtime/core/checked_math.h>

#include "backends/xnnpack/payload/payload_reader.h"

namespace executorch::backends::xnnpack {
namespace {

namespace fb = fb_xnnpack;
using runtime::Span;

constexpr uint32_t kInternal = UINT32_MAX;
constexpr uint32_t kInputFlag = 1;
constexpr uint32_t kOutputFlag = 2;

/// Bytes of an element; 0 for what is not read.
size_t element_bytes(Datatype datatype) {
  switch (datatype) {
    case Datatype::qint8:
    case Datatype::quint8:
    case Datatype::qcint8:
    case Datatype::qdint8:
      return 1;
    case Datatype::fp16:
    case Datatype::bf16:
      return 2;
    case Datatype::fp32:
    case Datatype::qint32:
    case Datatype::qcint32:
    case Datatype::int32:
      return 4;
    default:
      return 0;
  }
}

bool is_int4(Datatype datatype) {
  return datatype == Datatype::qcint4 || datatype == Datatype::qbint4;
}

Error read_dims(const fb::XNNTensorValue& table, Dims* dims) {
  const uint32_t count = table.dims() == nullptr ? 0 : table.dims()->size();
  ET_REQUIRE(count == table.num_dims(), InvalidProgram,
             "it has %" PRIu32 " sizes, %" PRIu32 " are announced", count, table.num_dims());
  ET_REQUIRE(count <= engine::kMaxRank, InvalidProgram,
             "it has %" PRIu32 " dimensions, at most %d are supported", count, engine::kMaxRank);
  for (uint32_t d = 0; d < count; ++d) dims->push(table.dims()->Get(d));
  return Error::Ok;
}

Error read_place(const fb::XNNTensorValue& table, uint32_t num_externs, Value* value) {
  const uint32_t flags = table.flags();
  ET_REQUIRE((flags & ~(kInputFlag | kOutputFlag)) == 0, InvalidProgram,
             "its flags are %" PRIu32 ", only 1 and 2 are known", flags);
  value->input = (flags & kInputFlag) != 0;
  value->output = (flags & kOutputFlag) != 0;
  if (!value->input && !value->output) return Error::Ok;
  ET_REQUIRE(!value->input || !value->output, InvalidProgram, "it is both an input and an output");
  ET_REQUIRE(table.external_id() != kInternal && table.external_id() < num_externs, InvalidProgram,
             "it is argument %" PRIu32 " of a call with %" PRIu32 " arguments", table.external_id(),
             num_externs);
  value->external = static_cast<int32_t>(table.external_id());
  return Error::Ok;
}

Error read_constant(const fb::XNNTensorValue& table, ConstantReader* constants, Value* value) {
  if (table.constant_buffer_idx() == 0) return Error::Ok;
  ET_REQUIRE(value->external < 0, InvalidProgram, "it is a constant and an argument of the call");
  size_t bytes;
  ET_REQUIRE(value_bytes(value->datatype, value->dims, &bytes), InvalidProgram,
             "its sizes are too large");
  const size_t alignment = is_int4(value->datatype) ? 1 : element_bytes(value->datatype);
  value->constant = true;
  return constants->read(table.constant_buffer_idx(), bytes, alignment, &value->data);
}

Error check_scale(float scale) {
  ET_REQUIRE(std::isnormal(scale) && scale > 0, InvalidProgram,
             "its scale is %g, a positive number is expected", static_cast<double>(scale));
  return Error::Ok;
}

Error read_per_tensor(const fb::PerTensorQuant& table, Value* value) {
  ET_TRY(check_scale(table.scale()));
  int32_t low = 0, high = 0;
  if (value->datatype == Datatype::qint8) low = INT8_MIN, high = INT8_MAX;
  if (value->datatype == Datatype::quint8) high = UINT8_MAX;
  ET_REQUIRE(low <= table.zero_point() && table.zero_point() <= high, InvalidProgram,
             "its zero point %" PRId32 " is not between %" PRId32 " and %" PRId32,
             table.zero_point(), low, high);
  value->quantization = PerTensor{table.scale(), table.zero_point()};
  return Error::Ok;
}

Error read_per_channel(const fb::PerChannelQuant& table, ConstantReader* constants, Value* value) {
  const int32_t dim = table.channel_dim();
  ET_REQUIRE(0 <= dim && dim < value->dims.rank, InvalidProgram,
             "its channels lie along dimension %" PRId32 " of %d", dim, value->dims.rank);
  const auto channels = static_cast<uint64_t>(value->dims[dim]);
  const auto* list = table.scale();
  const bool listed = list != nullptr && list->size() > 0;
  const uint64_t count = listed ? list->size() : table.num_scales();
  ET_REQUIRE(count == channels, InvalidProgram,
             "it has %" PRIu64 " scales for %" PRIu64 " channels", count, channels);
  const void* data;
  const size_t bytes = static_cast<size_t>(count) * sizeof(float);
  if (listed) {
    void* copy;
    bool fresh;
    ET_TRY(constants->room_for(list->data(), bytes, &copy, &fresh));
    if (fresh) std::memcpy(copy, list->data(), bytes);
    data = copy;
  } else {
    ET_TRY(constants->read(table.scale_buffer_idx(), bytes, sizeof(float), &data));
  }
  const PerChannel channel{dim, {static_cast<const float*>(data), static_cast<size_t>(count)}};
  for (const float scale : channel.scales) ET_TRY(check_scale(scale));
  value->quantization = channel;
  return Error::Ok;
}

Error read_per_token(const fb::PerTokenDynamicQuant& table, Value* value) {
  const int32_t dims = table.num_nonbatch_dims();
  ET_REQUIRE(1 <= dims && dims <= value->dims.rank, InvalidProgram,
             "each of its rows has %" PRId32 " of %d dimensions", dims, value->dims.rank);
  value->quantization = PerToken{dims};
  return Error::Ok;
}

// Rounded up a little, as scales were before the format kept them in half the bytes.
uint16_t bfloat16_scale(float scale) {
  constexpr float kHalfStep = 1.00389105f;
  const float raised = scale * kHalfStep;
  uint32_t bits;
  std::memcpy(&bits, &raised, sizeof(bits));
  return static_cast<uint16_t>(bits >> 16);
}

Error read_per_group(const fb::PerChannelGroupQuant& table, ConstantReader* constants,
                     Value* value) {
  const int32_t group = table.group_size();
  ET_REQUIRE(value->dims.rank == 2, InvalidProgram,
             "it is quantised in groups and has %d dimensions, 2 are expected", value->dims.rank);
  const int64_t columns = value->dims[1];
  ET_REQUIRE(group > 0 && group % 32 == 0 && columns % group == 0, InvalidProgram,
             "groups of %" PRId32 " do not divide its rows of %" PRId64, group, columns);
  const auto expected =
      static_cast<uint64_t>(value->dims[0]) * static_cast<uint64_t>(columns / group);
  const auto* list = table.scale();
  const bool listed = list != nullptr && list->size() > 0;
  const uint64_t count = listed ? list->size() : table.num_scales();
  ET_REQUIRE(count == expected, Internal, "it has %" PRIu64 " scales for %" PRIu64 " groups", count,
             expected);
  const size_t bytes = static_cast<size_t>(count) * sizeof(uint16_t);
  const void* data;
  if (listed) {
    void* room;
    bool fresh;
    ET_TRY(constants->room_for(list->data(), bytes, &room, &fresh));
    auto* scales = static_cast<uint16_t*>(room);
    for (uint32_t i = 0; fresh && i < list->size(); ++i) scales[i] = bfloat16_scale(list->Get(i));
    data = scales;
  } else {
    ET_TRY(constants->read(table.scale_buffer_idx(), bytes, sizeof(uint16_t), &data));
  }
  value->quantization =
      PerGroup{group, {static_cast<const uint16_t*>(data), static_cast<size_t>(count)}};
  return Error::Ok;
}

/// The quantisation that a type needs; NONE for plain types.
fb::XNNQuantParams expected_quantization(Datatype datatype) {
  switch (datatype) {
    case Datatype::qint8:
    case Datatype::quint8:
    case Datatype::qint32:
      return fb::XNNQuantParams::PerTensorQuant;
    case Datatype::qcint8:
    case Datatype::qcint32:
    case Datatype::qcint4:
      return fb::XNNQuantParams::PerChannelQuant;
    case Datatype::qdint8:
      return fb::XNNQuantParams::PerTokenDynamicQuant;
    case Datatype::qbint4:
      return fb::XNNQuantParams::PerChannelGroupQuant;
    default:
      return fb::XNNQuantParams::NONE;
  }
}

Error read_tensor(const fb::XNNTensorValue& table, uint32_t num_externs, ConstantReader* constants,
                  Value* value, uint32_t* id) {
  value->datatype = static_cast<Datatype>(table.datatype());
  *id = table.id_out();
  ET_REQUIRE(element_bytes(value->datatype) != 0 || is_int4(value->datatype), NotImplemented,
             "its type, number %d, is not supported", static_cast<int>(table.datatype()));
  ET_TRY(read_dims(table, &value->dims));
  size_t bytes;
  ET_REQUIRE(value_bytes(value->datatype, value->dims, &bytes), InvalidProgram,
             "its sizes are too large");
  ET_TRY(read_place(table, num_externs, value));
  ET_TRY(read_constant(table, constants, value));
  ET_REQUIRE(value->constant || !is_int4(value->datatype), InvalidProgram,
             "it has 4-bit elements and is no constant");
  if (table.dq_datatype() == fb::XNNDatatype::xnn_datatype_invalid) return Error::Ok;
  ET_REQUIRE(table.dq_datatype() == fb::XNNDatatype::xnn_datatype_qint8 && value->input &&
                 value->datatype == Datatype::fp32,
             InvalidProgram, "only inputs of single precision are quantised when they are read");
  // Older exporters leave the quantisation of each row to the runtime.
  value->datatype = Datatype::qdint8;
  value->quantization = PerToken{1};
  return Error::Ok;
}

}  // namespace

bool value_bytes(Datatype datatype, const Dims& dims, size_t* bytes) {
  // Every arithmetic on sizes of this many bytes stays within 64 bits.
  constexpr uint64_t kMost = uint64_t{1} << 46;
  const bool halves = is_int4(datatype);
  uint64_t product = halves ? 1 : element_bytes(datatype);
  bool empty = false, fits = true;
  for (int d = 0; d < dims.rank; ++d) {
    const bool last = d == dims.rank - 1;
    const auto size = static_cast<uint64_t>(halves && last ? (dims[d] + 1) / 2 : dims[d]);
    empty = empty || size == 0;
    // Sizes beside an empty one count as well: strides are made of them.
    if (size > 0) fits = fits && runtime::checked_mul(product, size, &product) && product <= kMost;
  }
  *bytes = empty ? 0 : static_cast<size_t>(product);
  return fits && (empty || product <= SIZE_MAX);
}

Error read_quantization(const fb::XNNQuantizedTensorValue& table, ConstantReader* constants,
                        Value* value) {
  const fb::XNNQuantParams expected = expected_quantization(value->datatype);
  const fb::XNNQuantParams found = table.quant_params_type();
  ET_REQUIRE(found <= fb::XNNQuantParams::MAX, NotImplemented,
             "its kind of quantisation, number %d, is not known", static_cast<int>(found));
  ET_REQUIRE(found == expected && table.quant_params() != nullptr, InvalidProgram,
             "its quantisation is %s, its type %s needs %s", fb::EnumNameXNNQuantParams(found),
             datatype_name(value->datatype), fb::EnumNameXNNQuantParams(expected));
  switch (found) {
    case fb::XNNQuantParams::PerTensorQuant:
      return read_per_tensor(*table.quant_params_as_PerTensorQuant(), value);
    case fb::XNNQuantParams::PerChannelQuant:
      return read_per_channel(*table.quant_params_as_PerChannelQuant(), constants, value);
    case fb::XNNQuantParams::PerTokenDynamicQuant:
      return read_per_token(*table.quant_params_as_PerTokenDynamicQuant(), value);
    case fb::XNNQuantParams::PerChannelGroupQuant:
      return read_per_group(*table.quant_params_as_PerChannelGroupQuant(), constants, value);
    default:
      return Error::Ok;
  }
}

Error read_value(const fb::XValue& table, uint32_t num_externs, ConstantReader* constants,
                 Value* value, uint32_t* id) {
  switch (table.xvalue_union_type()) {
    case fb::XValueUnion::XNNTensorValue: {
      const auto* tensor = table.xvalue_union_as_XNNTensorValue();
      ET_REQUIRE(tensor != nullptr, InvalidProgram, "its table is missing");
      ET_TRY(read_tensor(*tensor, num_externs, constants, value, id));
      const bool plain = expected_quantization(static_cast<Datatype>(tensor->datatype())) ==
                         fb::XNNQuantParams::NONE;
      ET_REQUIRE(plain, InvalidProgram, "its type is %s and its quantisation is missing",
                 datatype_name(value->datatype));
      return Error::Ok;
    }
    case fb::XValueUnion::XNNQuantizedTensorValue: {
      const auto* quantized = table.xvalue_union_as_XNNQuantizedTensorValue();
      ET_REQUIRE(quantized != nullptr && quantized->tensor_value() != nullptr, InvalidProgram,
                 "its table is missing");
      ET_TRY(read_tensor(*quantized->tensor_value(), num_externs, constants, value, id));
      return read_quantization(*quantized, constants, value);
    }
    default:
      return ET_ERROR(NotImplemented, "its kind, number %d, is not known",
                      static_cast<int>(table.xvalue_union_type()));
  }
}

const char* datatype_name(Datatype datatype) {
  static constexpr const char* kNames[] = {"invalid", "fp32",   "fp16",    "qint8",  "quint8",
                                           "qint32",  "qcint8", "qcint32", "qcint4", "qdint8",
                                           "qbint4",  "qpint8", "int32",   "pfp32",  "bf16"};
  const auto index = static_cast<size_t>(datatype);
  return index < sizeof(kNames) / sizeof(kNames[0]) ? kNames[index] : "unknown";
}

}  // namespace executorch::backends::xnnpack
