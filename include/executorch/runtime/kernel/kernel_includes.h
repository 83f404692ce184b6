/**
 * @file
 * Everything that the file of a kernel needs.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>

// Operator names as template arguments. MSVC takes the address of a constexpr array there only in
// C++17 mode; from C++20 on the name is a structural type.
#if defined(_MSC_VER) && defined(_MSVC_LANG) && _MSVC_LANG >= 202002L
#define ET_USE_STRUCTURAL_OPERATOR_NAME 1

namespace executorch {
namespace runtime {

/// A string literal as a template argument.
template <std::size_t N>
struct OperatorName {
  char value[N];
  constexpr OperatorName(const char (&name)[N]) : value{} {
    for (std::size_t i = 0; i < N; ++i) value[i] = name[i];
  }
  constexpr operator const char*() const { return value; }
};

}  // namespace runtime
}  // namespace executorch

#define ET_OPERATOR_NAME_TYPE ::executorch::runtime::OperatorName
#define ET_DEFINE_OPERATOR_NAME(variable, name)                          \
  static constexpr auto variable = ::executorch::runtime::OperatorName { \
    name                                                                 \
  }
#else
#define ET_USE_STRUCTURAL_OPERATOR_NAME 0
#define ET_OPERATOR_NAME_TYPE const char*
#define ET_DEFINE_OPERATOR_NAME(variable, name) static constexpr const char variable[] = name
#endif
