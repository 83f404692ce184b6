/**
 * @file
 * The parts of read_payload(). Errors carry a text; the callers name the value or node.
 */
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <schema/xnnpack_generated.h>

#include "backends/xnnpack/payload/blob.h"
#include "backends/xnnpack/payload/payload.h"

namespace executorch::backends::xnnpack {

/// Finds the bytes of constants by their index in the payload.
class ConstantReader {
 public:
  ConstantReader(const fb_xnnpack::XNNGraph& graph, runtime::Span<const uint8_t> inline_constants,
                 const runtime::NamedDataMap* named, Payload* payload)
      : graph_(graph), inline_(inline_constants), named_(named), payload_(*payload) {}

  /// At least `size` bytes, aligned to `alignment`, that live as long as the payload.
  Error read(uint32_t index, size_t size, size_t alignment, const void** data);
  /// Memory of the payload for `size` bytes made from what lies at `source`; the same again, and
  /// not `fresh`, when it was asked for before: a payload cannot make much memory of few bytes.
  Error room_for(const void* source, size_t size, void** room, bool* fresh);

 private:
  struct Bytes {
    const uint8_t* data = nullptr;
    size_t size = 0;
    bool lasting = false;  ///< not part of the blob
  };
  Error find(uint32_t index, Bytes* bytes);
  Error load_named(const flatbuffers::String& key, Bytes* bytes);

  const fb_xnnpack::XNNGraph& graph_;
  runtime::Span<const uint8_t> inline_;
  const runtime::NamedDataMap* named_;
  Payload& payload_;
  std::vector<Bytes> found_;
  std::map<std::pair<const void*, size_t>, void*> rooms_;
};

Error read_value(const fb_xnnpack::XValue& table, uint32_t num_externs, ConstantReader* constants,
                 Value* value, uint32_t* id);

/// The scales and zero points of a value whose type and sizes are known.
Error read_quantization(const fb_xnnpack::XNNQuantizedTensorValue& table, ConstantReader* constants,
                        Value* value);

Error read_node(const fb_xnnpack::XNode& table, Node* node);

}  // namespace executorch::backends::xnnpack
