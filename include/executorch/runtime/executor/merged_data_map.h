/**
 * @file
 * Two data maps seen as one.
 */
#pragma once

#include <cinttypes>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/named_data_map.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Looks a key up in the first map, then in the second. Owns neither; both must outlive it.
class MergedDataMap final : public NamedDataMap {
 public:
  /**
   * @retval InvalidArgument A map is null, or a key is in both: the text names it.
   * @returns Errors of the maps themselves.
   */
  static Result<MergedDataMap> load(const NamedDataMap* first, const NamedDataMap* second) {
    if (first == nullptr || second == nullptr)
      return ET_ERROR(InvalidArgument, "Cannot merge data maps: one is null");
    const Error error = check_disjoint(*first, *second);
    if (error != Error::Ok) return error;
    return MergedDataMap(first, second);
  }

  ET_NODISCARD Result<const TensorLayout> get_tensor_layout(std::string_view key) const override {
    auto layout = first_->get_tensor_layout(key);
    if (layout.ok()) return layout.get();
    if (layout.error() != Error::NotFound) return layout.error();
    return second_->get_tensor_layout(key);
  }

  ET_NODISCARD Result<FreeableBuffer> get_data(std::string_view key) const override {
    auto data = first_->get_data(key);
    if (data.error() != Error::NotFound) return data;
    return second_->get_data(key);
  }

  ET_NODISCARD Error load_data_into(std::string_view key, void* buffer,
                                    size_t size) const override {
    const Error error = first_->load_data_into(key, buffer, size);
    return error == Error::NotFound ? second_->load_data_into(key, buffer, size) : error;
  }

  /// Keys of the first map, then those of the second.
  ET_NODISCARD Result<uint32_t> get_num_keys() const override {
    auto first = first_->get_num_keys();
    if (!first.ok()) return first.error();
    auto second = second_->get_num_keys();
    if (!second.ok()) return second.error();
    if (second.get() > UINT32_MAX - first.get())
      return ET_ERROR(InvalidExternalData, "Too many keys in data maps");
    return first.get() + second.get();
  }

  ET_NODISCARD Result<const char*> get_key(uint32_t index) const override {
    auto first = first_->get_num_keys();
    if (!first.ok()) return first.error();
    return index < first.get() ? first_->get_key(index) : second_->get_key(index - first.get());
  }

  MergedDataMap(MergedDataMap&&) noexcept = default;
  ~MergedDataMap() override = default;

 private:
  MergedDataMap(const NamedDataMap* first, const NamedDataMap* second)
      : first_(first), second_(second) {}
  MergedDataMap(const MergedDataMap&) = delete;
  MergedDataMap& operator=(const MergedDataMap&) = delete;
  MergedDataMap& operator=(MergedDataMap&&) = delete;

  /// A map without layouts answers every layout with NotImplemented, so presence is asked through
  /// the data. The smaller map's keys are tried in the larger one.
  static Error check_disjoint(const NamedDataMap& first, const NamedDataMap& second) {
    auto first_count = first.get_num_keys();
    if (!first_count.ok()) return first_count.error();
    auto second_count = second.get_num_keys();
    if (!second_count.ok()) return second_count.error();
    const bool first_is_smaller = first_count.get() <= second_count.get();
    const NamedDataMap& smaller = first_is_smaller ? first : second;
    const NamedDataMap& larger = first_is_smaller ? second : first;
    const uint32_t count = first_is_smaller ? first_count.get() : second_count.get();
    for (uint32_t i = 0; i < count; ++i) {
      auto key = smaller.get_key(i);
      if (!key.ok()) return key.error();
      const Error presence = presence_of(larger, key.get());
      ET_REQUIRE(presence == Error::NotFound, InvalidArgument,
                 "Key '%s' is in two data maps at once (the program's named data or a data file)",
                 key.get());
    }
    return Error::Ok;
  }

  /// NotFound if the map lacks the key, anything else if it has it.
  static Error presence_of(const NamedDataMap& map, const char* key) {
    const Error layout = map.get_tensor_layout(key).error();
    return layout == Error::NotImplemented ? map.get_data(key).error() : layout;
  }

  const NamedDataMap* first_;
  const NamedDataMap* second_;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
