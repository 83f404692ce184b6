/**
 * @file
 * Registers an ordinary C++ function as a kernel:
 *
 *   Tensor& my_op_out(KernelRuntimeContext& ctx, const Tensor& in, double factor, Tensor& out);
 *   EXECUTORCH_LIBRARY(my_ops, "my_op.out", my_op_out);
 *
 * The first parameter may be the context or be left out; the others correspond to the operator's
 * schema, with the outs, `Tensor&`, last. The wrapper checks a call's count and kinds of values and
 * fails the context when they do not fit, and the kernel's signature is registered with it, so that
 * a program is refused when it is loaded.
 */
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <executorch/extension/kernel_util/kernel_arguments.h>
#include <executorch/extension/kernel_util/meta_programming.h>
#include <executorch/extension/kernel_util/type_list.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/profiler.h>

namespace executorch {
namespace extension {
namespace kernel_util_internal {

/// Reads one argument; false, with the context failed and a text, when it does not fit.
template <class Holder>
bool load_argument(executorch::runtime::KernelRuntimeContext& ctx, const char* operator_name,
                   size_t index, executorch::runtime::EValue* value, Holder& holder) {
  executorch::runtime::Error error = executorch::runtime::Error::InvalidArgument;
  if (value == nullptr) {
    executorch::runtime::set_error_message("the value is missing");
  } else {
    error = holder.load(*value);
  }
  if (error != executorch::runtime::Error::Ok) {
    executorch::runtime::add_error_context("argument %zu of %s", index, operator_name);
    ctx.fail(error);
    return false;
  }
  return true;
}

template <class Functor, bool with_context, size_t nonconst_tensors_to_log, size_t... indices,
          typename... ArgTypes>
void call_functor_with_args_from_stack(
    executorch::runtime::KernelRuntimeContext& ctx,
    executorch::runtime::Span<executorch::runtime::EValue*> stack, std::index_sequence<indices...>,
    typelist<ArgTypes...>*) {
  constexpr size_t num_arguments = sizeof...(ArgTypes);
  // The return value may follow the arguments.
  if (stack.size() < num_arguments) {
    executorch::runtime::set_error_message("%s takes %zu arguments, the call has %zu",
                                           Functor::func_name_, num_arguments, stack.size());
    ctx.fail(executorch::runtime::Error::InvalidArgument);
    return;
  }
  std::tuple<ArgumentHolder<typename decay_if_not_tensor<ArgTypes>::type>...> holders;
  const bool loaded = (load_argument(ctx, Functor::func_name_, indices, stack[indices],
                                     std::get<indices>(holders)) &&
                       ...);
  if (!loaded) {
    return;
  }
  executorch::runtime::internal::EventTracerProfileOpScope event_tracer_op_scope(
      ctx.internal_event_tracer(), Functor::func_name_);
  EXECUTORCH_SCOPE_PROF(Functor::func_name_);
  if constexpr (with_context) {
    (*Functor::func_ptr())(ctx, std::get<indices>(holders).get()...);
  } else {
    (*Functor::func_ptr())(std::get<indices>(holders).get()...);
  }
  for (size_t i = num_arguments - nonconst_tensors_to_log; i < num_arguments; ++i) {
    executorch::runtime::internal::event_tracer_log_evalue(ctx.internal_event_tracer(), *stack[i]);
  }
}

}  // namespace kernel_util_internal

/// Wraps EXECUTORCH_FN(function, name): call() takes the arguments from a stack of values.
template <class FuncType>
struct WrapUnboxedIntoFunctor {
  static_assert(kernel_util_internal::is_compile_time_function_pointer<FuncType>::value,
                "Only what EXECUTORCH_FN gives can be wrapped.");

  using TrueType = typename FuncType::FuncType;
  using ReturnType = typename kernel_util_internal::infer_function_traits_t<TrueType>::return_type;
  using ArgsType =
      typename kernel_util_internal::infer_function_traits_t<TrueType>::parameter_types;

  static constexpr bool first_arg_is_context = std::is_same<
      ::executorch::runtime::KernelRuntimeContext,
      std::remove_reference_t<kernel_util_internal::head_with_default_t<void, ArgsType>>>::value;
  using ContextRemovedArgsType =
      std::conditional_t<first_arg_is_context,
                         kernel_util_internal::drop_if_nonempty_t<ArgsType, 1>, ArgsType>;

  /// What the function's arguments are.
  static constexpr const ::executorch::runtime::KernelSignature& signature =
      kernel_util_internal::kernel_signature<ContextRemovedArgsType>::value;

  /// Calls the function. Values that do not fit fail the context.
  static void call(::executorch::runtime::KernelRuntimeContext& ctx,
                   executorch::runtime::Span<executorch::runtime::EValue*> stack) {
    constexpr size_t num_arguments = kernel_util_internal::size<ContextRemovedArgsType>::value;
    constexpr size_t num_outs =
        kernel_util_internal::count_nonconst_tensors<ContextRemovedArgsType>::value;
    static_assert(num_outs >= 1, "The last parameter of a kernel is a Tensor&, its out.");
    kernel_util_internal::call_functor_with_args_from_stack<FuncType, first_arg_is_context,
                                                            num_outs>(
        ctx, stack, std::make_index_sequence<num_arguments>(),
        static_cast<ContextRemovedArgsType*>(nullptr));
  }
};

/// A kernel, ready for register_kernel(), that calls a function wrapped by EXECUTORCH_FN.
template <typename FuncType>
static executorch::runtime::Kernel make_boxed_kernel(const char* name, FuncType) {
  return executorch::runtime::Kernel(name, WrapUnboxedIntoFunctor<FuncType>::call,
                                     &WrapUnboxedIntoFunctor<FuncType>::signature);
}

}  // namespace extension
}  // namespace executorch

#define ET_CONCATENATE_IMPL(s1, s2) s1##s2
#define ET_CONCATENATE(s1, s2) ET_CONCATENATE_IMPL(s1, s2)
#define ET_UID __LINE__

/// Registers `func` as the kernel of "ns::op_name" when the library loads. At namespace scope.
#define EXECUTORCH_LIBRARY(ns, op_name, func) _EXECUTORCH_LIBRARY_IMPL(ns, op_name, func, ET_UID)

#define _EXECUTORCH_LIBRARY_IMPL(ns, op_name, func, uid)                                 \
  static constexpr const char ET_CONCATENATE(name_of_op_, uid)[] = #ns "::" op_name;     \
  static auto ET_CONCATENATE(res_##ns##_, uid) =                                         \
      ::executorch::runtime::register_kernel(::executorch::extension::make_boxed_kernel( \
          ET_CONCATENATE(name_of_op_, uid),                                              \
          EXECUTORCH_FN(func, ET_CONCATENATE(name_of_op_, uid))))

namespace torch {
namespace executor {
using ::executorch::extension::make_boxed_kernel;
using ::executorch::extension::WrapUnboxedIntoFunctor;
}  // namespace executor
}  // namespace torch
