/**
 * @file
 * Several named data maps seen as one.
 */
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>

#define ET_MERGED_DATA_MAP_NAMESPACE merged_data_map

namespace executorch::extension {
namespace ET_MERGED_DATA_MAP_NAMESPACE {

/// A view over other maps with distinct keys, in their order. Thread-safe where those are.
class EXECUTORCH_API MergedDataMap final : public executorch::ET_RUNTIME_NAMESPACE::NamedDataMap {
 public:
  /**
   * Merges maps. Null maps and maps without keys are left out.
   *
   * @param[in] named_data_maps The maps, which must outlive the result; the span itself need not.
   * @retval Error::InvalidArgument No map has a key, or a key occurs in two of them.
   */
  static executorch::runtime::Result<MergedDataMap> load(
      executorch::runtime::Span<const executorch::ET_RUNTIME_NAMESPACE::NamedDataMap*>
          named_data_maps);

  /// The layout that the map with this key gives. NotFound when there is no such key.
  ET_NODISCARD executorch::runtime::Result<const executorch::ET_RUNTIME_NAMESPACE::TensorLayout>
  get_tensor_layout(std::string_view key) const override;

  /// The data that the map with this key gives. NotFound when there is no such key.
  ET_NODISCARD executorch::runtime::Result<executorch::runtime::FreeableBuffer> get_data(
      std::string_view key) const override;

  /// Lets the map with this key load into `buffer`. NotFound when there is no such key.
  ET_NODISCARD executorch::runtime::Error load_data_into(std::string_view key, void* buffer,
                                                         size_t size) const override;

  /// The number of keys of all maps.
  ET_NODISCARD executorch::runtime::Result<uint32_t> get_num_keys() const override;

  /// The key at `index`, first map first. InvalidArgument past the end.
  ET_NODISCARD executorch::runtime::Result<const char*> get_key(uint32_t index) const override;

  MergedDataMap(MergedDataMap&&) noexcept = default;
  MergedDataMap(const MergedDataMap&) = delete;
  MergedDataMap& operator=(MergedDataMap&&) noexcept = delete;
  MergedDataMap& operator=(const MergedDataMap&) = delete;
  ~MergedDataMap() override = default;

 private:
  using Map = executorch::ET_RUNTIME_NAMESPACE::NamedDataMap;
  using KeyOwners = std::unordered_map<std::string_view, uint32_t>;

  MergedDataMap(std::vector<const Map*>&& maps, std::vector<const char*>&& keys, KeyOwners&& owners)
      : maps_(std::move(maps)), keys_(std::move(keys)), owners_(std::move(owners)) {}

  executorch::runtime::Result<const Map*> find(std::string_view key) const;

  std::vector<const Map*> maps_;
  /// All keys, in order; the strings belong to the maps.
  std::vector<const char*> keys_;
  /// Which of maps_ has a key.
  KeyOwners owners_;
};

}  // namespace ET_MERGED_DATA_MAP_NAMESPACE
}  // namespace executorch::extension
