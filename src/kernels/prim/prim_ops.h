// The primitive operators: arithmetic on the sizes that a program computes with, and the tensor
// operators that control flow and views need. They belong to the runtime, so that every program
// finds them. Internal.
#pragma once

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>

namespace executorch {
namespace runtime {
namespace prim {

/// Arguments of one call; the last one takes the result.
using Stack = Span<EValue*>;

/// InvalidProgram unless the call has `expected` values.
inline Error check_count(Stack stack, size_t expected) {
  ET_REQUIRE(stack.size() == expected, InvalidProgram, "it is called with %zu values, expected %zu",
             stack.size(), expected);
  return Error::Ok;
}

/// Wraps a function that returns its error, as kernels report theirs to the context.
template <Error (*function)(Stack), size_t kCount>
void call(KernelRuntimeContext& context, Stack stack) {
  Error error = check_count(stack, kCount);
  if (error == Error::Ok) error = function(stack);
  if (error != Error::Ok) context.fail(error);
}

constexpr const char* kView = "executorch_prim::et_view.default";
/// The loader's own operator, for views that a program does not spell out.
constexpr const char* kCopyElements = "executorch_prim::copy_elements.out";

// tensor_ops.cpp
Error sym_size(Stack stack);
Error sym_numel(Stack stack);
Error local_scalar_dense(Stack stack);
Error et_copy_index(Stack stack);
Error et_view(Stack stack);
Error copy_elements(Stack stack);

// number_ops.cpp
Error add(Stack stack);
Error sub(Stack stack);
Error mul(Stack stack);
Error floordiv(Stack stack);
Error truediv(Stack stack);
Error mod(Stack stack);
Error neg(Stack stack);
Error eq(Stack stack);
Error gt(Stack stack);
Error lt(Stack stack);
Error ge(Stack stack);
Error le(Stack stack);
Error sym_max(Stack stack);
Error sym_min(Stack stack);
Error sym_float(Stack stack);
Error sym_int(Stack stack);
Error sym_not(Stack stack);
Error sym_ite(Stack stack);
Error ceil(Stack stack);
Error round(Stack stack);
Error trunc(Stack stack);

}  // namespace prim
}  // namespace runtime
}  // namespace executorch
