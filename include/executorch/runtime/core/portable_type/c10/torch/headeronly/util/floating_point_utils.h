/**
 * @file
 * The bits of a float.
 */
#pragma once

#include <cstdint>

#include <torch/headeronly/macros/Macros.h>
#include <torch/headeronly/util/bit_cast.h>

namespace torch {
namespace headeronly {
namespace detail {

C10_ALWAYS_INLINE C10_HOST_DEVICE float fp32_from_bits(uint32_t bits) {
  return ::torch::headeronly::bit_cast<float>(bits);
}

C10_ALWAYS_INLINE C10_HOST_DEVICE uint32_t fp32_to_bits(float value) {
  return ::torch::headeronly::bit_cast<uint32_t>(value);
}

}  // namespace detail
}  // namespace headeronly
}  // namespace torch

namespace c10::detail {
using torch::headeronly::detail::fp32_from_bits;
using torch::headeronly::detail::fp32_to_bits;
}  // namespace c10::detail
