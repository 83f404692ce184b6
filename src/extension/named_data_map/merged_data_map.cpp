#include <executorch/extension/named_data_map/merged_data_map.h>

#include <cinttypes>
#include <string_view>

#include <executorch/runtime/core/error_message.h>

namespace executorch::extension::ET_MERGED_DATA_MAP_NAMESPACE {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;
using runtime::TensorLayout;

namespace {

/// A key as an argument for "%.*s".
int printed_length(std::string_view key) {
  constexpr size_t kLongestPrinted = 200;
  return static_cast<int>(key.size() < kLongestPrinted ? key.size() : kLongestPrinted);
}

}  // namespace

Result<MergedDataMap> MergedDataMap::load(Span<const NamedDataMap*> named_data_maps) {
  std::vector<const Map*> maps;
  std::vector<const char*> keys;
  KeyOwners owners;
  for (const NamedDataMap* map : named_data_maps) {
    if (map == nullptr) {
      continue;
    }
    const Result<uint32_t> count = map->get_num_keys();
    if (!count.ok()) {
      return count.error();
    }
    if (*count == 0) {
      continue;
    }
    const uint32_t map_index = static_cast<uint32_t>(maps.size());
    maps.push_back(map);
    for (uint32_t i = 0; i < *count; ++i) {
      const Result<const char*> key = map->get_key(i);
      if (!key.ok()) {
        return key.error();
      }
      const auto [place, is_new] = owners.emplace(*key, map_index);
      ET_REQUIRE(is_new, InvalidArgument,
                 "key '%.200s' occurs twice, in data map %" PRIu32 " and in data map %" PRIu32,
                 *key, place->second, map_index);
      keys.push_back(*key);
    }
  }
  ET_REQUIRE(!maps.empty(), InvalidArgument, "none of the %zu data maps has a key",
             named_data_maps.size());
  return MergedDataMap(std::move(maps), std::move(keys), std::move(owners));
}

Result<const NamedDataMap*> MergedDataMap::find(std::string_view key) const {
  const auto found = owners_.find(key);
  ET_REQUIRE(found != owners_.end(), NotFound, "none of the %zu data maps has the key '%.*s'",
             maps_.size(), printed_length(key), key.data());
  return maps_[found->second];
}

Result<const TensorLayout> MergedDataMap::get_tensor_layout(std::string_view key) const {
  const Result<const Map*> map = find(key);
  if (!map.ok()) {
    return map.error();
  }
  return (*map)->get_tensor_layout(key);
}

Result<FreeableBuffer> MergedDataMap::get_data(std::string_view key) const {
  const Result<const Map*> map = find(key);
  if (!map.ok()) {
    return map.error();
  }
  return (*map)->get_data(key);
}

Error MergedDataMap::load_data_into(std::string_view key, void* buffer, size_t size) const {
  const Result<const Map*> map = find(key);
  if (!map.ok()) {
    return map.error();
  }
  return (*map)->load_data_into(key, buffer, size);
}

Result<uint32_t> MergedDataMap::get_num_keys() const {
  return static_cast<uint32_t>(keys_.size());
}

Result<const char*> MergedDataMap::get_key(uint32_t index) const {
  ET_REQUIRE(index < keys_.size(), InvalidArgument,
             "key %" PRIu32 " was asked for, the data maps have %zu", index, keys_.size());
  return keys_[index];
}

}  // namespace executorch::extension::ET_MERGED_DATA_MAP_NAMESPACE
