/**
 * @file
 * Which operators of the tables a build has: all of them. A build of selected operators puts a
 * generated header of this name before this one (cmake/SelectedOperators.cmake).
 */
#pragma once

#include <string_view>

namespace executorch {
namespace kernels {

constexpr bool is_selected(std::string_view) {
  return true;
}

}  // namespace kernels
}  // namespace executorch
