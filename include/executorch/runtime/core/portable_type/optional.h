/**
 * @file
 * Former names of std::optional.
 */
#pragma once

#include <optional>

#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace etensor {

/// Use std::optional.
template <typename T>
using optional ET_DEPRECATED = std::optional<T>;

/// Use std::nullopt_t.
using nullopt_t ET_DEPRECATED = std::nullopt_t;

/// Use std::nullopt.
ET_DEPRECATED inline constexpr std::nullopt_t nullopt{std::nullopt};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {

/// Use std::optional.
template <typename T>
using optional ET_DEPRECATED = std::optional<T>;

/// Use std::nullopt_t.
using nullopt_t ET_DEPRECATED = std::nullopt_t;

/// Use std::nullopt.
ET_DEPRECATED inline constexpr std::nullopt_t nullopt{std::nullopt};

}  // namespace executor
}  // namespace torch
