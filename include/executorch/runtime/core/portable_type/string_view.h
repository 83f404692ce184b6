/**
 * @file
 * Former name of std::string_view.
 */
#pragma once

#include <string_view>

#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace etensor {

/// Use std::string_view.
using string_view ET_DEPRECATED = std::string_view;

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {

/// Use std::string_view.
using string_view ET_DEPRECATED = std::string_view;

}  // namespace executor
}  // namespace torch
