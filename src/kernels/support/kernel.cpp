#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {
namespace internal {
namespace {

const char* kind_of(const EValue* value) {
  if (value == nullptr) return "nothing";
  switch (value->tag) {
    case runtime::Tag::None:
      return "None";
    case runtime::Tag::Tensor:
      return lacks_memory(value->payload.as_tensor) ? "one without memory" : "a tensor";
    case runtime::Tag::String:
      return "a string";
    case runtime::Tag::Double:
      return "a float";
    case runtime::Tag::Int:
      return "an integer";
    case runtime::Tag::Bool:
      return "a boolean";
    case runtime::Tag::ListBool:
      return "a list of booleans";
    case runtime::Tag::ListDouble:
      return "a list of floats";
    case runtime::Tag::ListInt:
      return "a list of integers";
    case runtime::Tag::ListTensor: {
      const Result<TensorList> list = value->tryToTensorList();
      return list.ok() && lacks_memory(*list) ? "one without memory" : "a list of tensors";
    }
    case runtime::Tag::ListOptionalTensor: {
      const Result<OptionalTensorList> list = value->tryToListOptionalTensor();
      return list.ok() && lacks_memory(*list) ? "one without memory" : "a list of optional tensors";
    }
    default:
      return "a value of another kind";
  }
}

}  // namespace

bool lacks_memory(TensorList list) {
  for (const Tensor& tensor : list) {
    if (lacks_memory(tensor)) return true;
  }
  return false;
}

bool lacks_memory(OptionalTensorList list) {
  for (const std::optional<Tensor>& tensor : list) {
    if (tensor && lacks_memory(*tensor)) return true;
  }
  return false;
}

void fail_count(Context& context, const char* name, size_t expected, size_t found) {
  runtime::set_error_message("%s: expected %zu arguments, found %zu", name, expected, found);
  context.fail(Error::InvalidArgument);
}

void fail_kind(Context& context, const char* name, size_t index, const char* expected,
               const EValue* found) {
  context.fail(Error::InvalidArgument);
  runtime::OperatorSchema schema;
  const char* text = runtime::find_operator_schema(name);
  if (text != nullptr && runtime::parse_operator_schema(text, &schema) == Error::Ok &&
      index < schema.num_arguments) {
    const runtime::SchemaArgument& argument = schema.arguments[index];
    runtime::set_error_message("%s: argument '%.*s': expected %s, found %s", name,
                               static_cast<int>(argument.name_length), argument.name, expected,
                               kind_of(found));
    return;
  }
  runtime::set_error_message("%s: argument %zu: expected %s, found %s", name, index, expected,
                             kind_of(found));
}

void fail_operator(Context& context, const char* name, Error error) {
  runtime::add_error_context("%s", name);
  context.fail(error);
}

}  // namespace internal
}  // namespace kernels
}  // namespace executorch
