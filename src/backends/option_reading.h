/**
 * @file
 * How backends read the options that applications give them.
 */
#pragma once

#include <array>
#include <cstring>
#include <variant>

#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch::backends {

using OptionText = std::array<char, runtime::kMaxOptionValueLength>;

inline bool is_option(const runtime::BackendOption& option, const char* key) {
  return std::strncmp(option.key, key, sizeof(option.key)) == 0;
}

/// T: bool, int, OptionText. InvalidArgument when the option holds another; `type` says what it
/// takes.
template <class T>
runtime::Error read_option(const runtime::BackendOption& option, const char* type, T* value) {
  const T* held = std::get_if<T>(&option.value);
  ET_REQUIRE(held != nullptr, InvalidArgument, "backend option '%s' takes %s", option.key, type);
  *value = *held;
  return runtime::Error::Ok;
}

}  // namespace executorch::backends
