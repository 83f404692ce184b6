// A payload from its bytes: container, verifier, values, nodes, and how they fit together.
#include "backends/xnnpack/payload/payload.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <utility>

#include "backends/xnnpack/payload/payload_reader.h"

namespace executorch::backends::xnnpack {
namespace {

namespace fb = fb_xnnpack;
using runtime::Span;

/// FlatBuffers reads numbers at their natural alignment.
constexpr uintptr_t kTableAlignment = 16;
constexpr uint32_t kMostExterns = 4096;
/// More than any program needs, few enough that tables which share bytes do not fill the memory.
constexpr uint32_t kMostValues = 1 << 18;

class PayloadReader {
 public:
  PayloadReader(const fb::XNNGraph& graph, Span<const uint8_t> inline_constants,
                const runtime::NamedDataMap* data, Payload* payload)
      : graph_(graph), payload_(*payload), constants_(graph, inline_constants, data, payload) {}

  Error read() {
    ET_REQUIRE(graph_.xvalues() != nullptr, InvalidProgram, "the payload has no values");
    ET_REQUIRE(graph_.xnodes() != nullptr, InvalidProgram, "the payload has no nodes");
    ET_REQUIRE(graph_.num_externs() <= kMostExterns, InvalidProgram,
               "the payload has %" PRIu32 " arguments, at most %" PRIu32 " are supported",
               graph_.num_externs(), kMostExterns);
    const uint32_t values = graph_.xvalues()->size(), nodes = graph_.xnodes()->size();
    ET_REQUIRE(values <= kMostValues && nodes <= kMostValues, InvalidProgram,
               "the payload has %" PRIu32 " values and %" PRIu32 " nodes, at most %" PRIu32
               " of each are supported",
               values, nodes, kMostValues);
    ET_TRY(read_values());
    ET_TRY(find_externals());
    ET_TRY(read_nodes());
    for (const ValueIndex output : payload_.outputs) {
      ET_REQUIRE(known_[static_cast<size_t>(output)], InvalidProgram,
                 "value %" PRId32 " is an output and no node computes it", output);
    }
    return Error::Ok;
  }

 private:
  Error read_values() {
    const auto& tables = *graph_.xvalues();
    const size_t count = tables.size();
    payload_.values.resize(count);
    std::vector<bool> named(count, false);
    known_.assign(count, false);
    for (uint32_t i = 0; i < count; ++i) {
      const fb::XValue* table = tables.Get(i);
      ET_REQUIRE(table != nullptr, InvalidProgram, "value %" PRIu32 " has no table", i);
      Value value;
      uint32_t id = 0;
      const Error error = read_value(*table, graph_.num_externs(), &constants_, &value, &id);
      if (error != Error::Ok) {
        runtime::add_error_context("value %" PRIu32, i);
        return error;
      }
      ET_REQUIRE(id < count && !named[id], InvalidProgram,
                 "value %" PRIu32 " has id %" PRIu32 ", which is taken or not below %zu", i, id,
                 count);
      named[id] = true;
      known_[id] = value.constant || value.input;
      payload_.values[id] = std::move(value);
    }
    return Error::Ok;
  }

  Error find_externals() {
    std::vector<bool> taken(graph_.num_externs(), false);
    for (size_t id = 0; id < payload_.values.size(); ++id) {
      const Value& value = payload_.values[id];
      if (value.external < 0) continue;
      ET_REQUIRE(!taken[static_cast<size_t>(value.external)], InvalidProgram,
                 "value %zu is argument %" PRId32 ", as another one is", id, value.external);
      taken[static_cast<size_t>(value.external)] = true;
      (value.input ? payload_.inputs : payload_.outputs).push_back(static_cast<ValueIndex>(id));
    }
    const auto by_place = [&](ValueIndex a, ValueIndex b) {
      return payload_.values[static_cast<size_t>(a)].external <
             payload_.values[static_cast<size_t>(b)].external;
    };
    std::sort(payload_.inputs.begin(), payload_.inputs.end(), by_place);
    std::sort(payload_.outputs.begin(), payload_.outputs.end(), by_place);
    return Error::Ok;
  }

  Error read_nodes() {
    const auto& tables = *graph_.xnodes();
    payload_.nodes.reserve(tables.size());
    for (uint32_t i = 0; i < tables.size(); ++i) {
      const fb::XNode* table = tables.Get(i);
      ET_REQUIRE(table != nullptr, InvalidProgram, "node %" PRIu32 " has no table", i);
      Node& node = payload_.nodes.emplace_back();
      Error error = read_node(*table, &node);
      if (error == Error::Ok) error = check_operands(node);
      if (error != Error::Ok) {
        runtime::add_error_context("node %" PRIu32 ", %s", i, node_name(node.kind));
        return error;
      }
    }
    return Error::Ok;
  }

  /// Operands are values that are known by then, results are not yet.
  Error check_operands(const Node& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueIndex id = node.inputs[i];
      if (id == kNone && is_optional(node, i)) continue;
      ET_REQUIRE(exists(id), Internal, "its operand %zu is no value of the payload", i);
      ET_REQUIRE(known_[static_cast<size_t>(id)], InvalidProgram,
                 "its operand %zu, value %" PRId32 ", is not computed before it", i, id);
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueIndex id = node.outputs[i];
      ET_REQUIRE(exists(id), Internal, "its result %zu is no value of the payload", i);
      ET_REQUIRE(!known_[static_cast<size_t>(id)], InvalidProgram,
                 "its result %zu, value %" PRId32 ", is a constant, an input or computed already",
                 i, id);
      known_[static_cast<size_t>(id)] = true;
    }
    return Error::Ok;
  }

  bool exists(ValueIndex id) const {
    return id >= 0 && static_cast<size_t>(id) < payload_.values.size();
  }

  /// A bias.
  static bool is_optional(const Node& node, size_t input) {
    switch (node.kind) {
      case NodeKind::FullyConnected:
      case NodeKind::Conv2d:
      case NodeKind::DepthwiseConv2d:
      case NodeKind::ConvTranspose2d:
        return input == 2;
      default:
        return false;
    }
  }

  const fb::XNNGraph& graph_;
  Payload& payload_;
  ConstantReader constants_;
  /// By id: the value is a constant, an input, or computed by a node that was read.
  std::vector<bool> known_;
};

Error verify_tables(Span<const uint8_t> tables) {
  ET_REQUIRE(tables.size() < FLATBUFFERS_MAX_BUFFER_SIZE, DelegateInvalidCompatibility,
             "the payload's tables have %zu bytes, the format allows less than %zu", tables.size(),
             static_cast<size_t>(FLATBUFFERS_MAX_BUFFER_SIZE));
  const bool older = flatbuffers::BufferHasIdentifier(tables.data(), "XN00");
  ET_REQUIRE(older || flatbuffers::BufferHasIdentifier(tables.data(), fb::XNNGraphIdentifier()),
             DelegateInvalidCompatibility,
             "the payload's identifier is '%.4s', XN00 and XN01 are supported",
             reinterpret_cast<const char*>(tables.data()) + sizeof(flatbuffers::uoffset_t));
  flatbuffers::Verifier::Options options;
  options.max_size = FLATBUFFERS_MAX_BUFFER_SIZE;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(tables.size());
  flatbuffers::Verifier verifier(tables.data(), tables.size(), options);
  ET_REQUIRE(verifier.VerifyBuffer<fb::XNNGraph>(nullptr), DelegateInvalidCompatibility,
             "the payload's tables are damaged: an offset, length or string leaves them");
  return Error::Ok;
}

}  // namespace

Error read_payload(Span<const uint8_t> blob, const runtime::NamedDataMap* data, Payload* payload) {
  BlobRegions regions;
  ET_TRY(find_regions(blob, &regions));
  engine::MemoryBlock aligned;
  if (reinterpret_cast<uintptr_t>(regions.tables.data()) % kTableAlignment != 0) {
    aligned = engine::MemoryBlock::allocate(regions.tables.size());
    ET_REQUIRE(aligned.holds(regions.tables.size()), MemoryAllocationFailed,
               "no memory for %zu bytes of a payload", regions.tables.size());
    std::memcpy(aligned.data(), regions.tables.data(), regions.tables.size());
    regions.tables = {reinterpret_cast<const uint8_t*>(aligned.data()), regions.tables.size()};
  }
  ET_TRY(verify_tables(regions.tables));
  const fb::XNNGraph* graph = flatbuffers::GetRoot<fb::XNNGraph>(regions.tables.data());
  return PayloadReader(*graph, regions.constants, data, payload).read();
}

}  // namespace executorch::backends::xnnpack
