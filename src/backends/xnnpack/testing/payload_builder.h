// Builds payloads for tests: every table by hand, so that a test can also build what no exporter
// writes.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <schema/xnnpack_generated.h>

namespace executorch::backends::xnnpack::testing {

namespace fb = fb_xnnpack;

constexpr uint32_t kNoId = UINT32_MAX;

class PayloadBuilder {
 public:
  using Sizes = std::vector<uint32_t>;
  flatbuffers::FlatBufferBuilder fbb;

  // ---- values; each returns its id
  uint32_t input(const Sizes& sizes, fb::XNNDatatype type = fb::XNNDatatype::xnn_datatype_fp32) {
    return value(sizes, type, 0, num_externs++, 1);
  }
  uint32_t output(const Sizes& sizes, fb::XNNDatatype type = fb::XNNDatatype::xnn_datatype_fp32) {
    return value(sizes, type, 0, num_externs++, 2);
  }
  uint32_t internal(const Sizes& sizes, fb::XNNDatatype type = fb::XNNDatatype::xnn_datatype_fp32) {
    return value(sizes, type, 0, kNoId, 0);
  }
  template <class T = float>
  uint32_t constant(const Sizes& sizes, const std::vector<T>& data,
                    fb::XNNDatatype type = fb::XNNDatatype::xnn_datatype_fp32) {
    return value(sizes, type, add_bytes(data), kNoId, 0);
  }
  uint32_t value(const Sizes& sizes, fb::XNNDatatype type, uint32_t buffer, uint32_t external,
                 uint32_t flags) {
    const auto id = static_cast<uint32_t>(values.size());
    const auto tensor = tensor_value(sizes, type, buffer, external, flags, id);
    return add_value(fb::XValueUnion::XNNTensorValue, tensor.Union());
  }
  template <class Quant>
  uint32_t quantized(const Sizes& sizes, fb::XNNDatatype type, uint32_t buffer,
                     fb::XNNQuantParams kind, flatbuffers::Offset<Quant> quant,
                     uint32_t external = kNoId, uint32_t flags = 0) {
    const auto id = static_cast<uint32_t>(values.size());
    const auto tensor = tensor_value(sizes, type, buffer, external, flags, id);
    return add_value(fb::XValueUnion::XNNQuantizedTensorValue,
                     fb::CreateXNNQuantizedTensorValue(fbb, tensor, kind, quant.Union()).Union());
  }
  flatbuffers::Offset<fb::XNNTensorValue> tensor_value(const Sizes& sizes, fb::XNNDatatype type,
                                                       uint32_t buffer, uint32_t external,
                                                       uint32_t flags, uint32_t id) {
    return fb::CreateXNNTensorValue(fbb, type, static_cast<uint32_t>(sizes.size()),
                                    fbb.CreateVector(sizes), buffer, external, flags, id);
  }
  uint32_t add_value(fb::XValueUnion kind, flatbuffers::Offset<void> table) {
    values.push_back(fb::CreateXValue(fbb, kind, table));
    return static_cast<uint32_t>(values.size()) - 1;
  }
  /// Index of a constant among the payload's.
  template <class T>
  uint32_t add_bytes(const std::vector<T>& data) {
    const size_t offset = (constants.size() + 15) / 16 * 16;
    constants.resize(offset + data.size() * sizeof(T));
    if (!data.empty()) std::memcpy(constants.data() + offset, data.data(), data.size() * sizeof(T));
    offsets.push_back(fb::CreateConstantDataOffset(fbb, offset, data.size() * sizeof(T)));
    return static_cast<uint32_t>(offsets.size());
  }
  uint32_t named_constant(const std::string& key) {
    offsets.push_back(fb::CreateConstantDataOffset(fbb, UINT64_MAX, 0, fbb.CreateString(key)));
    return static_cast<uint32_t>(offsets.size());
  }

  // ---- nodes
  void node(fb::XNodeUnion kind, flatbuffers::Offset<void> table, const float* bounds = nullptr) {
    flatbuffers::Offset<fb::OutputMinMax> limits;
    if (bounds != nullptr) limits = fb::CreateOutputMinMax(fbb, bounds[0], bounds[1]);
    nodes.push_back(fb::CreateXNode(fbb, kind, table, 0, limits));
  }
  void unary(fb::XNodeUnion kind, uint32_t in, uint32_t out, uint32_t flags = 0) {
    node(kind, fb::Create_XNNNode1x1(fbb, in, out, flags).Union());
  }
  void binary(fb::XNodeUnion kind, uint32_t a, uint32_t b, uint32_t out, uint32_t flags = 0) {
    node(kind, fb::Create_XNNNode2x1(fbb, a, b, out, flags).Union());
  }
  void transpose(const Sizes& order, uint32_t in, uint32_t out) {
    const auto table = fb::CreateXNNStaticTranspose(fbb, static_cast<uint32_t>(order.size()),
                                                    fbb.CreateVector(order), in, out);
    node(fb::XNodeUnion::XNNStaticTranspose, table.Union());
  }

  /// The payload: header, tables, constants.
  std::vector<uint8_t> build(const char* identifier = "XN01") {
    std::vector<flatbuffers::Offset<fb::ConstantDataOffset>> all{fb::CreateConstantDataOffset(fbb)};
    all.insert(all.end(), offsets.begin(), offsets.end());
    const auto graph = fb::CreateXNNGraph(fbb, fbb.CreateString("0"), fbb.CreateVector(nodes),
                                          fbb.CreateVector(values), num_externs, 0, 0, 0, 0,
                                          fbb.CreateVector(all));
    fbb.Finish(graph, identifier);
    const uint32_t tables = fbb.GetSize();
    const uint32_t constants_offset = 32 + (tables + 15) / 16 * 16;
    std::vector<uint8_t> blob(constants_offset + constants.size());
    const uint16_t header_size = 30;
    const uint32_t tables_offset = 32;
    const uint64_t constants_size = constants.size();
    std::memcpy(blob.data() + 4, "XH00", 4);
    std::memcpy(blob.data() + 8, &header_size, sizeof(header_size));
    std::memcpy(blob.data() + 10, &tables_offset, sizeof(tables_offset));
    std::memcpy(blob.data() + 14, &tables, sizeof(tables));
    std::memcpy(blob.data() + 18, &constants_offset, sizeof(constants_offset));
    std::memcpy(blob.data() + 22, &constants_size, sizeof(constants_size));
    std::memcpy(blob.data() + 32, fbb.GetBufferPointer(), tables);
    if (!constants.empty())
      std::memcpy(blob.data() + constants_offset, constants.data(), constants.size());
    return blob;
  }

  std::vector<flatbuffers::Offset<fb::XValue>> values;
  std::vector<flatbuffers::Offset<fb::XNode>> nodes;
  std::vector<flatbuffers::Offset<fb::ConstantDataOffset>> offsets;
  std::vector<uint8_t> constants;
  uint32_t num_externs = 0;
};

}  // namespace executorch::backends::xnnpack::testing
