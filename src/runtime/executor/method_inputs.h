// What an application hands to a method before it runs. Internal.
#pragma once

#include "runtime/executor/method_impl.h"

namespace executorch {
namespace runtime {
namespace internal {

/// See Method::set_input().
Error set_method_input(MethodImpl& method, const EValue& value, size_t input);

/// See Method::set_output_data_ptr().
Error set_method_output_memory(MethodImpl& method, void* buffer, size_t size, size_t output);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
