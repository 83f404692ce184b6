/**
 * @file
 * std::bit_cast for C++17.
 */
#pragma once

#include <cstring>
#include <type_traits>

#include <torch/headeronly/macros/Macros.h>

namespace torch {
namespace headeronly {

/// The object of type To with the bytes of `source`. Both types are trivially copyable and of one
/// size.
template <class To, class From>
C10_ALWAYS_INLINE C10_HOST_DEVICE
    std::enable_if_t<sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<From> &&
                         std::is_trivially_copyable_v<To>,
                     To>
    bit_cast(const From& source) noexcept {
  static_assert(std::is_trivially_constructible_v<To>,
                "The result is made before its bytes are set.");
  To result;
  std::memcpy(&result, &source, sizeof(To));
  return result;
}

}  // namespace headeronly
}  // namespace torch

namespace c10 {
using torch::headeronly::bit_cast;
}  // namespace c10
