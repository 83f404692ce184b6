#include <executorch/runtime/executor/pte_data_map.h>

#include <cstring>
#include <functional>
#include <memory>
#include <new>

#include <executorch/runtime/core/checked_math.h>
#include <schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace {

std::string_view key_of(const executorch_flatbuffer::NamedData& entry) {
  return {entry.key()->c_str(), entry.key()->size()};
}

/// Each key once: a lookup must not depend on which entry comes first.
Error check_keys(const flatbuffers::FlatbufferNamedData& named_data) {
  const uint32_t count = named_data.size();
  size_t slots = 4;
  while (slots < size_t{count} * 2) slots *= 2;
  std::unique_ptr<uint32_t[]> table(new (std::nothrow) uint32_t[slots]());
  ET_REQUIRE(table != nullptr, MemoryAllocationFailed, "no memory for %u keys", count);
  for (uint32_t i = 0; i < count; ++i) {
    const auto* entry = named_data.Get(i);
    ET_REQUIRE(entry != nullptr && entry->key() != nullptr, InvalidProgram,
               "named_data[%u] has no key", i);
    const std::string_view key = key_of(*entry);
    size_t slot = std::hash<std::string_view>()(key) & (slots - 1);
    for (; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
      ET_REQUIRE(key_of(*named_data.Get(table[slot] - 1)) != key, InvalidProgram,
                 "named_data[%u] and [%u] have the same key '%.200s'", table[slot] - 1, i,
                 entry->key()->c_str());
    }
    table[slot] = i + 1;
  }
  return Error::Ok;
}

}  // namespace

Result<PteDataMap> PteDataMap::create(DataLoader* loader, size_t segment_base_offset,
                                      const flatbuffers::FlatbufferNamedData* named_data,
                                      const flatbuffers::FlatbufferDataSegment* segments) {
  if (loader == nullptr || named_data == nullptr || segments == nullptr) {
    return ET_ERROR(InvalidArgument, "named data need a loader, keys and segments");
  }
  const Error error = check_keys(*named_data);
  if (error != Error::Ok) return error;
  return PteDataMap(loader, segment_base_offset, named_data, segments);
}

int64_t PteDataMap::find(std::string_view key) const {
  for (uint32_t i = 0; i < named_data_->size(); ++i) {
    if (key_of(*named_data_->Get(i)) == key) return i;
  }
  return -1;
}

Result<FreeableBuffer> PteDataMap::load_blob(std::string_view key) const {
  const int64_t found = find(key);
  if (found < 0) {
    return ET_ERROR(NotFound, "the program has no named data '%.*s'",
                    static_cast<int>(key.size() < 200 ? key.size() : 200), key.data());
  }
  const uint32_t index = named_data_->Get(static_cast<uint32_t>(found))->segment_index();
  if (index >= segments_->size()) {
    return ET_ERROR(InvalidArgument, "named_data[%u] lies in segment %u, the program has %u",
                    static_cast<uint32_t>(found), index, segments_->size());
  }
  const auto& segment = *segments_->Get(index);
  size_t offset = 0;
  if (segment.offset() > SIZE_MAX || segment.size() > SIZE_MAX ||
      !checked_add(segment_base_offset_, static_cast<size_t>(segment.offset()), &offset)) {
    return ET_ERROR(InvalidProgram, "segments[%u] lies beyond the address space", index);
  }
  return loader_->load(offset, static_cast<size_t>(segment.size()),
                       DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Constant, index));
}

Error PteDataMap::copy_blob(std::string_view key, void* buffer, size_t size) const {
  auto blob = load_blob(key);
  if (!blob.ok()) return blob.error();
  ET_REQUIRE(buffer != nullptr && blob->size() >= size, InvalidArgument,
             "%zu bytes were asked for, the named data have %zu", size, blob->size());
  std::memcpy(buffer, blob->data(), size);
  return Error::Ok;
}

uint32_t PteDataMap::num_keys() const {
  return named_data_->size();
}

Result<const char*> PteDataMap::key_at(uint32_t index) const {
  if (index >= named_data_->size()) {
    return ET_ERROR(InvalidArgument, "key %u does not exist, the program has %u", index,
                    named_data_->size());
  }
  return named_data_->Get(index)->key()->c_str();
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
