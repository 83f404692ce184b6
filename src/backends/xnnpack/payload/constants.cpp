// Constants: named blobs, or bytes inside the payload.
#include <cinttypes>
#include <cstring>
#include <string_view>
#include <utility>

#include <executorch/runtime/core/checked_math.h>

#include "backends/xnnpack/payload/payload_reader.h"

namespace executorch::backends::xnnpack {
namespace {

int printed_length(std::string_view key) {
  constexpr size_t kLongestPrinted = 200;
  return static_cast<int>(key.size() < kLongestPrinted ? key.size() : kLongestPrinted);
}

}  // namespace

Error ConstantReader::room_for(const void* source, size_t size, void** room, bool* fresh) {
  void*& known = rooms_[{source, size}];
  *fresh = known == nullptr;
  if (*fresh) {
    engine::MemoryBlock block = engine::MemoryBlock::allocate(size == 0 ? 1 : size);
    known = block.data();
    ET_REQUIRE(known != nullptr, MemoryAllocationFailed, "no memory for %zu bytes of a constant",
               size);
    payload_.copies.push_back(std::move(block));
  }
  *room = known;
  return Error::Ok;
}

Error ConstantReader::load_named(const flatbuffers::String& key, Bytes* bytes) {
  const std::string_view name(key.c_str(), key.size());
  ET_REQUIRE(named_ != nullptr, NotFound,
             "constant '%.*s' is missing: the program comes without named data",
             printed_length(name), name.data());
  auto buffer = named_->get_data(name);
  if (!buffer.ok()) {
    runtime::add_error_context("constant '%.*s'", printed_length(name), name.data());
    return buffer.error();
  }
  *bytes = {static_cast<const uint8_t*>(buffer->data()), buffer->size(), true};
  payload_.buffers.push_back(std::move(buffer.get()));
  return Error::Ok;
}

Error ConstantReader::find(uint32_t index, Bytes* bytes) {
  if (const auto* table = graph_.constant_data()) {
    ET_REQUIRE(index < table->size(), InvalidProgram,
               "constant %" PRIu32 " is asked for, the payload has %" PRIu32, index, table->size());
    const fb_xnnpack::ConstantDataOffset* entry = table->Get(index);
    ET_REQUIRE(entry != nullptr, InvalidProgram, "constant %" PRIu32 " has no table", index);
    if (entry->named_key() != nullptr) return load_named(*entry->named_key(), bytes);
    ET_REQUIRE(runtime::range_fits<uint64_t>(entry->offset(), entry->size(), inline_.size()),
               InvalidProgram,
               "constant %" PRIu32 ", %" PRIu64 " bytes at offset %" PRIu64
               ", leaves the payload's constants, which have %zu bytes",
               index, entry->size(), entry->offset(), inline_.size());
    *bytes = {inline_.data() + entry->offset(), static_cast<size_t>(entry->size()), false};
    return Error::Ok;
  }
  const auto* buffers = graph_.constant_buffer();
  const uint32_t count = buffers == nullptr ? 0 : buffers->size();
  ET_REQUIRE(index < count, InvalidProgram,
             "constant %" PRIu32 " is asked for, the payload has %" PRIu32, index, count);
  const fb_xnnpack::Buffer* buffer = buffers->Get(index);
  ET_REQUIRE(buffer != nullptr && buffer->storage() != nullptr, InvalidProgram,
             "constant %" PRIu32 " has no bytes", index);
  *bytes = {buffer->storage()->data(), buffer->storage()->size(), false};
  return Error::Ok;
}

Error ConstantReader::read(uint32_t index, size_t size, size_t alignment, const void** data) {
  if (index >= found_.size()) {
    Bytes bytes;
    ET_TRY(find(index, &bytes));
    found_.resize(size_t{index} + 1);
    found_[index] = bytes;
  } else if (found_[index].data == nullptr) {
    ET_TRY(find(index, &found_[index]));
  }
  Bytes& bytes = found_[index];
  ET_REQUIRE(bytes.size >= size, InvalidProgram,
             "constant %" PRIu32 " has %zu bytes, %zu are expected", index, bytes.size, size);
  const bool aligned = reinterpret_cast<uintptr_t>(bytes.data) % alignment == 0;
  if (!bytes.lasting || !aligned) {
    void* copy;
    bool fresh;
    ET_TRY(room_for(bytes.data, bytes.size, &copy, &fresh));
    if (fresh && bytes.size > 0) std::memcpy(copy, bytes.data, bytes.size);
    bytes = {static_cast<const uint8_t*>(copy), bytes.size, true};
  }
  *data = bytes.data;
  return Error::Ok;
}

}  // namespace executorch::backends::xnnpack
