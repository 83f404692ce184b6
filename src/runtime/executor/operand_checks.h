// The checks on the operands of a call. Internal.
#pragma once

#include <executorch/runtime/core/error.h>

#include "runtime/executor/method_impl.h"

namespace executorch {
namespace runtime {
namespace internal {

/**
 * At load: number of arguments, and for all that stays as loaded: kinds, memory, const-ness and
 * overlap. Sets item.check_operands when an operand may be replaced later.
 */
Error check_operands_at_load(const MethodImpl& method, Item& item);

/// Before a call, when item.check_operands is set: the same rules on the present values.
Error check_operands_at_run(const MethodImpl& method, const Item& item);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
