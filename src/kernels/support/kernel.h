/**
 * @file
 * How an operator is written: a plain function with the arguments of the schema in their C++ types,
 * which returns an Error and leaves a text for it, and one table row that names it:
 *
 *   Error flip(Context& context, const Tensor& self, IntList dims, Tensor& out);
 *   row<"aten::flip.out", flip>("(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)")
 *
 * The row's entry checks every argument's kind, and that tensors with elements have memory, before
 * it calls the function, names operator and argument in the error text and fails the context.
 * Returned values need no care: programs give an operator's output as its return.
 *
 * Argument types: const Tensor&, Tensor& (written), std::optional<Tensor>, TensorList,
 * OptionalTensorList, int64_t, double, bool, Scalar, std::string_view, ScalarType, IntList,
 * DoubleList, BoolList, and std::optional of the last nine.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_table.h>

#include "kernels/support/selection.h"

namespace executorch {
namespace kernels {

using aten::Scalar;
using aten::ScalarType;
using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::OperatorRow;
using runtime::Result;
using runtime::Span;
using Context = runtime::KernelRuntimeContext;
using IntList = aten::ArrayRef<int64_t>;
using DoubleList = aten::ArrayRef<double>;
using BoolList = aten::ArrayRef<bool>;
using TensorList = aten::ArrayRef<Tensor>;
using OptionalTensorList = aten::ArrayRef<std::optional<Tensor>>;

namespace internal {

/// Whether a tensor has elements and no memory for them.
inline bool lacks_memory(const Tensor& tensor) {
  return tensor.const_data_ptr() == nullptr && tensor.numel() > 0;
}
bool lacks_memory(TensorList list);
bool lacks_memory(OptionalTensorList list);

/// Reads an argument of type T: `read` is false when the value has another kind; `pass` hands it to
/// the operator.
template <class T>
struct Unbox;

template <class T, Result<T> (EValue::*convert)() const>
struct UnboxValue {
  using Stored = std::optional<T>;
  static bool read(EValue& value, Stored& stored) {
    Result<T> result = (value.*convert)();
    if (result.ok()) stored.emplace(result.get());
    return result.ok();
  }
  static T pass(Stored& stored) { return *stored; }
};

template <>
struct Unbox<bool> : UnboxValue<bool, &EValue::tryToBool> {
  static constexpr const char* kind = "a boolean";
};
template <>
struct Unbox<int64_t> : UnboxValue<int64_t, &EValue::tryToInt> {
  static constexpr const char* kind = "an integer";
};
template <>
struct Unbox<Scalar> : UnboxValue<Scalar, &EValue::tryToScalar> {
  static constexpr const char* kind = "a number";
};
template <>
struct Unbox<std::string_view> : UnboxValue<std::string_view, &EValue::tryToString> {
  static constexpr const char* kind = "a string";
};
template <>
struct Unbox<IntList> : UnboxValue<IntList, &EValue::tryToIntList> {
  static constexpr const char* kind = "a list of integers";
};
template <>
struct Unbox<DoubleList> : UnboxValue<DoubleList, &EValue::tryToDoubleList> {
  static constexpr const char* kind = "a list of floats";
};
template <>
struct Unbox<BoolList> : UnboxValue<BoolList, &EValue::tryToBoolList> {
  static constexpr const char* kind = "a list of booleans";
};
template <class T, Result<T> (EValue::*convert)() const>
struct UnboxTensors : UnboxValue<T, convert> {
  using Base = UnboxValue<T, convert>;
  static bool read(EValue& value, typename Base::Stored& stored) {
    return Base::read(value, stored) && !lacks_memory(*stored);
  }
};
template <>
struct Unbox<TensorList> : UnboxTensors<TensorList, &EValue::tryToTensorList> {
  static constexpr const char* kind = "a list of tensors";
};
template <>
struct Unbox<OptionalTensorList>
    : UnboxTensors<OptionalTensorList, &EValue::tryToListOptionalTensor> {
  static constexpr const char* kind = "a list of optional tensors";
};

template <>
struct Unbox<double> {
  using Stored = double;
  static constexpr const char* kind = "a float";
  static bool read(EValue& value, Stored& stored) {
    if (value.isDouble()) {
      stored = value.payload.copyable_union.as_double;
    } else if (value.isInt()) {
      stored = static_cast<double>(value.payload.copyable_union.as_int);
    } else {
      return false;
    }
    return true;
  }
  static double pass(Stored stored) { return stored; }
};

template <>
struct Unbox<ScalarType> {
  using Stored = ScalarType;
  static constexpr const char* kind = "a dtype";
  static bool read(EValue& value, Stored& stored) {
    if (!value.isInt()) return false;
    const int64_t code = value.payload.copyable_union.as_int;
    if (code < 0 || code >= static_cast<int64_t>(ScalarType::Undefined)) return false;
    stored = static_cast<ScalarType>(code);
    return true;
  }
  static ScalarType pass(Stored stored) { return stored; }
};

template <class TensorReference>
struct UnboxTensor {
  using Stored = Tensor*;
  static constexpr const char* kind = "a tensor";
  static bool read(EValue& value, Stored& stored) {
    if (!value.isTensor() || lacks_memory(value.payload.as_tensor)) return false;
    stored = &value.payload.as_tensor;
    return true;
  }
  static TensorReference pass(Stored stored) { return *stored; }
};
template <>
struct Unbox<const Tensor&> : UnboxTensor<const Tensor&> {};
template <>
struct Unbox<Tensor&> : UnboxTensor<Tensor&> {};

template <>
struct Unbox<std::optional<Tensor>> {
  using Stored = std::optional<Tensor>;
  static constexpr const char* kind = "a tensor or None";
  static bool read(EValue& value, Stored& stored) {
    if (value.isNone()) return true;
    if (!value.isTensor() || lacks_memory(value.payload.as_tensor)) return false;
    stored.emplace(value.payload.as_tensor);
    return true;
  }
  static std::optional<Tensor> pass(const Stored& stored) { return stored; }
};

template <class T>
struct Unbox<std::optional<T>> {
  struct Stored {
    bool present = false;
    typename Unbox<T>::Stored value{};
  };
  static constexpr const char* kind = Unbox<T>::kind;
  static bool read(EValue& value, Stored& stored) {
    if (value.isNone()) return true;
    stored.present = Unbox<T>::read(value, stored.value);
    return stored.present;
  }
  static std::optional<T> pass(Stored& stored) {
    return stored.present ? std::optional<T>(Unbox<T>::pass(stored.value)) : std::nullopt;
  }
};

/// Fails the context: too few values for the operator.
void fail_count(Context& context, const char* name, size_t expected, size_t found);
/// Fails the context: argument `index` has another kind than `expected`.
void fail_kind(Context& context, const char* name, size_t index, const char* expected,
               const EValue* found);
/// Fails the context with the operator's error, naming it before this thread's text.
void fail_operator(Context& context, const char* name, Error error);

template <class... Args, size_t... I>
void call(const char* name, Error (*body)(Context&, Args...), Context& context,
          Span<EValue*> values, std::index_sequence<I...>) {
  if (values.size() < sizeof...(Args))
    return fail_count(context, name, sizeof...(Args), values.size());
  std::tuple<typename Unbox<Args>::Stored...> stored{};
  size_t wrong = 0;
  const char* kind = nullptr;
  const bool ok = ((values[I] != nullptr && Unbox<Args>::read(*values[I], std::get<I>(stored))
                        ? true
                        : (wrong = I, kind = Unbox<Args>::kind, false)) &&
                   ...);
  if (!ok) return fail_kind(context, name, wrong, kind, values[wrong]);
  const Error error = body(context, Unbox<Args>::pass(std::get<I>(stored))...);
  if (error != Error::Ok) fail_operator(context, name, error);
}

template <class... Args>
void call(const char* name, Error (*body)(Context&, Args...), Context& context,
          Span<EValue*> values) {
  call(name, body, context, values, std::index_sequence_for<Args...>{});
}

/// A string as a template argument; it lives as long as the process.
template <size_t size>
struct Name {
  char text[size];
  constexpr Name(const char (&literal)[size]) {
    for (size_t i = 0; i < size; ++i) text[i] = literal[i];
  }
};

template <Name name, auto body>
void entry(Context& context, Span<EValue*> values) {
  call(name.text, body, context, values);
}

}  // namespace internal

/// The table row of an operator: its full name, its function and its schema without the name. An
/// empty row where the build leaves the operator out.
template <internal::Name name, auto body>
constexpr OperatorRow row(const char* schema) {
  if constexpr (is_selected(name.text)) {
    return {name.text, schema, &internal::entry<name, body>};
  } else {
    return {};
  }
}

}  // namespace kernels
}  // namespace executorch
