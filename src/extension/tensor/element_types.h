// Calling a function template with the C++ type of a scalar type.
#pragma once

#include <cstdint>
#include <utility>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {
namespace internal {

/// Calls `function(T{})` with the C++ type of `type`; false when it is not a real number, an
/// integer or a bool.
template <typename Function>
bool visit_element_type(executorch::aten::ScalarType type, Function&& function) {
  using executorch::aten::ScalarType;
  switch (type) {
    case ScalarType::Byte:
      function(uint8_t{});
      return true;
    case ScalarType::Char:
      function(int8_t{});
      return true;
    case ScalarType::Short:
      function(int16_t{});
      return true;
    case ScalarType::Int:
      function(int32_t{});
      return true;
    case ScalarType::Long:
      function(int64_t{});
      return true;
    case ScalarType::UInt16:
      function(uint16_t{});
      return true;
    case ScalarType::UInt32:
      function(uint32_t{});
      return true;
    case ScalarType::UInt64:
      function(uint64_t{});
      return true;
    case ScalarType::Half:
      function(executorch::aten::Half{});
      return true;
    case ScalarType::BFloat16:
      function(executorch::aten::BFloat16{});
      return true;
    case ScalarType::Float:
      function(float{});
      return true;
    case ScalarType::Double:
      function(double{});
      return true;
    case ScalarType::Bool:
      function(bool{});
      return true;
    default:
      return false;
  }
}

}  // namespace internal
}  // namespace extension
}  // namespace executorch
