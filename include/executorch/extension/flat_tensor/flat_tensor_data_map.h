/**
 * @file
 * Named tensors and blobs in a `.ptd` data file.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace flat_tensor_flatbuffer {
struct FlatTensor;
struct NamedData;
}  // namespace flat_tensor_flatbuffer

namespace executorch {
namespace extension {

/**
 * The named data of one `.ptd` file. The whole table is checked when it is loaded: structure, keys,
 * layouts, and that every segment lies in the file and is as large as its tensor. Data is loaded
 * when asked for. Thread-safe.
 */
class EXECUTORCH_API FlatTensorDataMap final
    : public executorch::ET_RUNTIME_NAMESPACE::NamedDataMap {
 public:
  /// The newest version of the format that can be read.
  static constexpr uint32_t kMaxSupportedSchemaVersion = 0;

  /**
   * Reads and checks a data file.
   *
   * @param[in] loader Gives the bytes of the file. Must outlive the map.
   * @retval Error::InvalidExternalData The file is not a data file, is damaged, or is too new.
   * @retval Error::InvalidArgument The loader is null, or gives memory not aligned to 16 bytes.
   * @returns The loader's error when it cannot load the table.
   */
  static executorch::runtime::Result<FlatTensorDataMap> load(
      executorch::runtime::DataLoader* loader);

  /**
   * Type, sizes and dim order of a tensor; valid as long as the map.
   * @retval Error::NotFound There is no such key.
   * @retval Error::InvalidExternalData The key names a blob, which has no layout.
   */
  ET_NODISCARD executorch::runtime::Result<const executorch::ET_RUNTIME_NAMESPACE::TensorLayout>
  get_tensor_layout(std::string_view key) const override;

  /// Loads the bytes of a tensor or blob. NotFound when there is no such key, else the loader's
  /// errors.
  ET_NODISCARD executorch::runtime::Result<executorch::runtime::FreeableBuffer> get_data(
      std::string_view key) const override;

  /**
   * Loads the first `size` bytes of a tensor or blob into `buffer`, which must have room for them.
   * @retval Error::NotFound There is no such key.
   * @retval Error::InvalidArgument `buffer` is null, or the entry has fewer bytes.
   */
  ET_NODISCARD executorch::runtime::Error load_data_into(std::string_view key, void* buffer,
                                                         size_t size) const override;

  /// The number of keys.
  ET_NODISCARD executorch::runtime::Result<uint32_t> get_num_keys() const override;

  /// The key at `index`, in the order of the file; valid as long as the map. InvalidArgument past
  /// the end.
  ET_NODISCARD executorch::runtime::Result<const char*> get_key(uint32_t index) const override;

  FlatTensorDataMap(FlatTensorDataMap&&) noexcept = default;
  FlatTensorDataMap(const FlatTensorDataMap&) = delete;
  FlatTensorDataMap& operator=(FlatTensorDataMap&&) noexcept = delete;
  FlatTensorDataMap& operator=(const FlatTensorDataMap&) = delete;
  ~FlatTensorDataMap() override = default;

 private:
  using KeyIndex = std::unordered_map<std::string_view, const flat_tensor_flatbuffer::NamedData*>;

  FlatTensorDataMap(const FlatTensorHeader& header,
                    executorch::runtime::FreeableBuffer&& flat_tensor_data,
                    const flat_tensor_flatbuffer::FlatTensor* flat_tensor, KeyIndex&& entries,
                    executorch::runtime::DataLoader* loader);

  executorch::runtime::Result<const flat_tensor_flatbuffer::NamedData*> find(
      std::string_view key) const;

  FlatTensorHeader header_;
  executorch::runtime::FreeableBuffer flat_tensor_data_;
  const flat_tensor_flatbuffer::FlatTensor* flat_tensor_;
  KeyIndex entries_;
  executorch::runtime::DataLoader* loader_;
};

}  // namespace extension
}  // namespace executorch
