#include "registry.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/kernel/operator_table.h>
#include <executorch/runtime/kernel/random_generator.h>

#include "errors.h"
#include "tensors.h"

namespace nb = nanobind;
using executorch::runtime::ArgumentKind;
using executorch::runtime::Error;
using executorch::runtime::EValue;

namespace executorch::python {

namespace {

/// The arguments of one call as the kernel sees them, and all that they point at. Does not move.
class Call {
 public:
  Call(const std::string& name, const runtime::OperatorSchema& schema, const nb::list& arguments,
       nb::handle result);

  runtime::Span<EValue*> stack() { return {stack_.data(), stack_.size()}; }
  /// Final sizes of every tensor that the operator wrote, lists flattened; the returned value when
  /// it wrote none.
  nb::object outcome() const;

 private:
  struct List {
    std::vector<EValue*> wrapped;
    std::vector<int64_t> integers;
    std::vector<aten::Tensor> tensors;
    std::vector<std::optional<aten::Tensor>> optional_tensors;
    std::unique_ptr<runtime::BoxedEvalueList<int64_t>> int_list;
    std::unique_ptr<runtime::BoxedEvalueList<aten::Tensor>> tensor_list;
    std::unique_ptr<runtime::BoxedEvalueList<std::optional<aten::Tensor>>> optional_list;
    std::vector<double> doubles;
    std::unique_ptr<bool[]> booleans;
    aten::ArrayRef<double> double_list;
    aten::ArrayRef<bool> bool_list;
  };

  EValue* keep(EValue value) {
    values_.push_back(std::make_unique<EValue>(std::move(value)));
    return values_.back().get();
  }
  EValue* convert(nb::handle item, const runtime::SchemaArgument& argument);
  EValue* convert_plain(nb::handle item);
  EValue* convert_tensor(nb::handle item, bool written);
  EValue* convert_list(nb::handle item, const runtime::SchemaArgument& argument);
  void append_tensor(List& list, nb::handle element, const runtime::SchemaArgument& argument);
  EValue* convert_result(const std::vector<EValue*>& outs, nb::handle result);
  std::string describe(const runtime::SchemaArgument& argument) const {
    return "argument '" + std::string(argument.name, argument.name_length) + "' of " + name_;
  }

  std::string name_;
  std::string current_;
  std::vector<std::unique_ptr<EValue>> values_;
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<std::unique_ptr<TensorStorage>> outs_;
  std::vector<std::unique_ptr<List>> lists_;
  std::vector<EValue*> stack_;
  std::vector<EValue*> written_;
};

Call::Call(const std::string& name, const runtime::OperatorSchema& schema,
           const nb::list& arguments, nb::handle result)
    : name_(name) {
  if (arguments.size() != schema.num_arguments) {
    runtime::set_error_message("%s takes %zu arguments, %zu were given", name.c_str(),
                               schema.num_arguments, arguments.size());
    raise(Error::InvalidArgument, ExceptionKind::Runtime, "error: 0x12");
  }
  std::vector<EValue*> outs;
  for (size_t i = 0; i < schema.num_arguments; ++i) {
    const runtime::SchemaArgument& argument = schema.arguments[i];
    current_ = describe(argument);
    stack_.push_back(convert(arguments[i], argument));
    if (argument.written) outs.push_back(stack_.back());
  }
  if (schema.num_returns > 0) stack_.push_back(convert_result(outs, result));
}

/// A program repeats the out as the return value; several outs come as one list.
EValue* Call::convert_result(const std::vector<EValue*>& outs, nb::handle result) {
  if (!result.is_none()) {
    current_ = "the result of " + name_;
    return convert_tensor(result, true);
  }
  if (outs.empty()) return keep(EValue());
  if (outs.size() == 1) return outs[0];
  auto list = std::make_unique<List>();
  list->wrapped = outs;
  for (EValue* out : outs) {
    if (out->isTensor()) list->tensors.push_back(out->toTensor());
  }
  if (list->tensors.size() != outs.size()) return keep(EValue());
  list->tensor_list = std::make_unique<runtime::BoxedEvalueList<aten::Tensor>>(
      list->wrapped.data(), list->tensors.data(), static_cast<int>(list->tensors.size()));
  lists_.push_back(std::move(list));
  return keep(EValue(lists_.back()->tensor_list.get()));
}

EValue* Call::convert(nb::handle item, const runtime::SchemaArgument& argument) {
  if (item.is_none()) return keep(EValue());
  switch (argument.kind) {
    case ArgumentKind::Tensor:
      return convert_tensor(item, argument.written);
    case ArgumentKind::TensorList:
    case ArgumentKind::OptionalTensorList:
    case ArgumentKind::IntList:
    case ArgumentKind::DoubleList:
    case ArgumentKind::BoolList:
      if (nb::isinstance<nb::list>(item) || nb::isinstance<nb::tuple>(item))
        return convert_list(item, argument);
      return convert_plain(item);
    case ArgumentKind::Double:
      if (PyFloat_Check(item.ptr()) || PyLong_Check(item.ptr()))
        return keep(EValue(nb::cast<double>(nb::float_(item))));
      return convert_plain(item);
    default:
      return convert_plain(item);
  }
}

/// Whatever kind the value has: the operator must refuse a wrong one.
EValue* Call::convert_plain(nb::handle item) {
  inputs_.push_back(std::make_unique<Input>(convert_input(item, {}, current_)));
  return &inputs_.back()->value;
}

EValue* Call::convert_tensor(nb::handle item, bool written) {
  inputs_.push_back(std::make_unique<Input>(convert_input(item, natural_layout(item), current_)));
  Input& input = *inputs_.back();
  if (!written) return &input.value;
  if (!input.value.isTensor() || input.copy) {
    runtime::set_error_message("%s must be a writable tensor that lies densely in memory",
                               current_.c_str());
    raise(Error::InvalidArgument, ExceptionKind::Runtime, "error: 0x12");
  }
  // The kernel may shrink an out: its memory is the bound.
  const aten::Tensor tensor = input.value.toTensor();
  outs_.push_back(std::make_unique<TensorStorage>(
      tensor.scalar_type(),
      std::vector<aten::SizesType>(tensor.sizes().begin(), tensor.sizes().end()),
      std::vector<aten::DimOrderType>(tensor.dim_order().begin(), tensor.dim_order().end()),
      tensor.mutable_data_ptr(), aten::TensorShapeDynamism::DYNAMIC_BOUND));
  written_.push_back(keep(EValue(outs_.back()->tensor())));
  return written_.back();
}

void Call::append_tensor(List& list, nb::handle element, const runtime::SchemaArgument& argument) {
  if (element.is_none() && argument.kind == ArgumentKind::OptionalTensorList) {
    list.wrapped.push_back(nullptr);
    list.optional_tensors.emplace_back(std::nullopt);
    return;
  }
  EValue* value = element.is_none() ? nullptr : convert_tensor(element, argument.written);
  if (value == nullptr || !value->isTensor()) {
    runtime::set_error_message("%s must hold tensors only", current_.c_str());
    raise(Error::InvalidArgument, ExceptionKind::Runtime, "error: 0x12");
  }
  list.wrapped.push_back(value);
  list.tensors.push_back(value->toTensor());
  list.optional_tensors.emplace_back(list.tensors.back());
}

EValue* Call::convert_list(nb::handle item, const runtime::SchemaArgument& argument) {
  auto owned = std::make_unique<List>();
  List& list = *owned;
  lists_.push_back(std::move(owned));
  const auto count = static_cast<int>(nb::len(item));
  // Lists need an address, also empty ones.
  list.integers.reserve(nb::len(item) + 1);
  list.tensors.reserve(nb::len(item) + 1);
  list.optional_tensors.reserve(nb::len(item) + 1);
  for (nb::handle element : item) {
    switch (argument.kind) {
      case ArgumentKind::IntList:
        list.integers.push_back(nb::cast<int64_t>(element));
        list.wrapped.push_back(keep(EValue(list.integers.back())));
        break;
      case ArgumentKind::DoubleList:
        list.doubles.push_back(nb::cast<double>(nb::float_(element)));
        break;
      case ArgumentKind::BoolList:
        break;
      default:
        append_tensor(list, element, argument);
    }
  }
  switch (argument.kind) {
    case ArgumentKind::IntList:
      list.int_list = std::make_unique<runtime::BoxedEvalueList<int64_t>>(
          list.wrapped.data(), list.integers.data(), count);
      return keep(EValue(list.int_list.get()));
    case ArgumentKind::DoubleList:
      list.double_list = {list.doubles.data(), list.doubles.size()};
      return keep(EValue(&list.double_list));
    case ArgumentKind::BoolList: {
      list.booleans = std::make_unique<bool[]>(static_cast<size_t>(count) + 1);
      size_t i = 0;
      for (nb::handle element : item) list.booleans[i++] = nb::cast<bool>(element);
      list.bool_list = {list.booleans.get(), static_cast<size_t>(count)};
      return keep(EValue(&list.bool_list));
    }
    case ArgumentKind::OptionalTensorList:
      list.optional_list = std::make_unique<runtime::BoxedEvalueList<std::optional<aten::Tensor>>>(
          list.wrapped.data(), list.optional_tensors.data(), count);
      return keep(EValue(list.optional_list.get()));
    default:
      list.tensor_list = std::make_unique<runtime::BoxedEvalueList<aten::Tensor>>(
          list.wrapped.data(), list.tensors.data(), count);
      return keep(EValue(list.tensor_list.get()));
  }
}

nb::object Call::outcome() const {
  if (written_.empty() && !stack_.empty()) {
    const EValue& result = *stack_.back();
    if (result.isInt()) return nb::int_(result.payload.copyable_union.as_int);
    if (result.isDouble()) return nb::float_(result.payload.copyable_union.as_double);
    if (result.isBool()) return nb::bool_(result.payload.copyable_union.as_bool);
  }
  nb::list result;
  for (const EValue* value : written_) {
    nb::list sizes;
    for (const auto size : value->toTensor().sizes()) sizes.append(static_cast<int64_t>(size));
    result.append(nb::tuple(sizes));
  }
  return result;
}

nb::object call_operator(const std::string& name, const nb::list& arguments, nb::handle result,
                         std::optional<uint64_t> seed) {
  const char* text = runtime::find_operator_schema(name.c_str());
  if (text == nullptr) {
    runtime::set_error_message("operator %s is not registered, or has no schema", name.c_str());
    raise(Error::OperatorMissing, ExceptionKind::Key, "error: 0x14");
  }
  runtime::OperatorSchema schema;
  ET_RAISE_UNLESS_OK(runtime::parse_operator_schema(text, &schema), "malformed schema of %s",
                     name.c_str());
  const auto function = runtime::get_op_function_from_registry(name.c_str());
  ET_RAISE_UNLESS_OK(function.error(), "error: 0x14");

  Call call(name, schema, arguments, result);
  extension::MallocMemoryAllocator scratch;
  runtime::KernelRuntimeContext context(nullptr, &scratch);
  runtime::RandomGenerator generator;
  if (seed) generator.set_seed(*seed);
  context.set_random_generator(&generator);
  {
    const nb::gil_scoped_release unlocked;
    (*function)(context, call.stack());
  }
  ET_RAISE_UNLESS_OK(context.failure_state(), "operator %s failed, error: 0x%x", name.c_str(),
                     static_cast<unsigned>(context.failure_state()));
  return call.outcome();
}

nb::list operator_names() {
  nb::list names;
  std::set<std::string> seen;
  for (const runtime::Kernel& kernel : runtime::get_registered_kernels())
    if (seen.insert(kernel.name_).second) names.append(nb::str(kernel.name_));
  return names;
}

nb::list backend_names() {
  nb::list names;
  for (size_t i = 0; i < runtime::get_num_registered_backends(); ++i) {
    const auto name = runtime::get_backend_name(i);
    if (name.ok()) names.append(nb::str(*name));
  }
  return names;
}

}  // namespace

void bind_registry(nb::module_& m) {
  m.def("_get_operator_names", &operator_names,
        "Names of all registered operators, in order of registration.");
  m.def(
      "_get_operator_schema",
      [](const std::string& name) -> nb::object {
        const char* schema = runtime::find_operator_schema(name.c_str());
        return schema ? nb::object(nb::str(schema)) : nb::none();
      },
      nb::arg("name"), "The schema of a registered operator, or None.");
  m.def(
      "_get_operator_library",
      [](const std::string& name) -> nb::object {
        const char* library = runtime::find_operator_library(name.c_str());
        return library ? nb::object(nb::str(library)) : nb::none();
      },
      nb::arg("name"), "The operator library that registered an operator, or None.");
  m.def(
      "_operator_component_hint",
      [](const std::string& name) -> nb::object {
        const char* hint = runtime::operator_component_hint(name.c_str());
        return hint ? nb::object(nb::str(hint)) : nb::none();
      },
      nb::arg("name"), "What provides an operator that is not registered, or None.");
  m.def("_call_operator", &call_operator, nb::arg("name"), nb::arg("arguments"),
        nb::arg("result") = nb::none(), nb::arg("seed") = nb::none(),
        "Calls a registered operator once. `arguments` follow the schema, outs included (dense "
        "writable arrays as large "
        "as the result may become); `result` is the tensor that an operator without outs returns "
        "into. Returns the final "
        "sizes of all written tensors, or the returned value when none is written.");
  m.def("_get_registered_backend_names", &backend_names);
  m.def(
      "_is_available",
      [](const std::string& name) {
        const runtime::BackendInterface* backend = runtime::get_backend_class(name.c_str());
        return backend != nullptr && backend->is_available();
      },
      nb::arg("backend_name"));
  m.def(
      "_threadpool_get_thread_count",
      [] { return extension::threadpool::get_threadpool()->get_thread_count(); },
      "Threads that a run may use.");
  m.def(
      "_unsafe_reset_threadpool",
      [](uint32_t num_threads) {
        if (num_threads == 0) {
          runtime::set_error_message("the number of threads must be at least 1, not 0");
          raise(Error::InvalidArgument, ExceptionKind::Runtime, "error: 0x12");
        }
        const nb::gil_scoped_release unlocked;
        extension::threadpool::get_threadpool()->_unsafe_reset_threadpool(num_threads);
      },
      nb::arg("num_threads"), "Changes the number of threads. Not while a method runs.");
  m.def("_last_error_message", [] { return std::string(runtime::last_error_message()); });
}

}  // namespace executorch::python
