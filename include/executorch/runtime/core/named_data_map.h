/**
 * @file
 * Named blobs: external weights and what a program stores under a key.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Read-only access to blobs by key. Keys and data stay valid as long as the map. Reading is
/// thread-safe.
class NamedDataMap {
 public:
  virtual ~NamedDataMap() = default;

  /// Type, sizes and dim order of the tensor `key`. NotFound when there is no such key or it is no
  /// tensor.
  ET_NODISCARD virtual Result<const TensorLayout> get_tensor_layout(std::string_view key) const = 0;

  /// The bytes of `key`, or NotFound.
  ET_NODISCARD virtual Result<FreeableBuffer> get_data(std::string_view key) const = 0;

  /// Copies the bytes of `key` into `buffer`, which has `size` bytes.
  ET_NODISCARD virtual Error load_data_into(std::string_view key, void* buffer,
                                            size_t size) const = 0;

  /// How many keys there are.
  ET_NODISCARD virtual Result<uint32_t> get_num_keys() const = 0;

  /// Key number `index`, or InvalidArgument.
  ET_NODISCARD virtual Result<const char*> get_key(uint32_t index) const = 0;
};

}  // namespace runtime
}  // namespace executorch
