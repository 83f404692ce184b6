/**
 * @file
 * Named data that several delegates of a method ask for are loaded once: they share memory, and
 * what is made from the same bytes is found by their address.
 */
#pragma once

#include <executorch/runtime/core/named_data_map.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Another map, each of whose blobs is loaded while nobody holds it, else given again. Blobs may
/// outlive the map. Thread-safe.
class SharedDataMap final : public NamedDataMap {
 public:
  /// `source` must outlive the map and all blobs.
  explicit SharedDataMap(const NamedDataMap& source) : source_(source) {}
  SharedDataMap(const SharedDataMap&) = delete;
  SharedDataMap& operator=(const SharedDataMap&) = delete;
  ~SharedDataMap() override;

  Result<const TensorLayout> get_tensor_layout(std::string_view key) const override {
    return source_.get_tensor_layout(key);
  }
  Result<FreeableBuffer> get_data(std::string_view key) const override;
  Error load_data_into(std::string_view key, void* buffer, size_t size) const override {
    return source_.load_data_into(key, buffer, size);
  }
  Result<uint32_t> get_num_keys() const override { return source_.get_num_keys(); }
  Result<const char*> get_key(uint32_t index) const override { return source_.get_key(index); }

  /// False when memory is refused. To be called once, before anything else.
  [[nodiscard]] bool prepare();

  class Blobs;

 private:
  const NamedDataMap& source_;
  Blobs* blobs_ = nullptr;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
