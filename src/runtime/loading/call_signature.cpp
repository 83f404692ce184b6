// What is known of how an operator is called.
#include <cstring>

#include <executorch/runtime/core/error_message.h>

#include "runtime/loading/method_loader.h"

namespace executorch {
namespace runtime {
namespace internal {

/// Null for an operator registered as a bare function: it sees what it is given. Operators of one
/// text share one.
Result<const CallSignature*> MethodLoader::find_signature(const char* operator_name) {
  const KernelSignature* types = nullptr;
  bool overridden = false;
  for (const Kernel& kernel : request_.kernels) {
    if (kernel.name_ == nullptr || std::strcmp(kernel.name_, operator_name) != 0) continue;
    overridden = true;
    if (types == nullptr) types = kernel.signature_;
  }
  const char* schema = overridden ? nullptr : find_operator_schema(operator_name);
  if (!overridden && schema == nullptr) types = find_kernel_signature(operator_name);
  const void* key = schema != nullptr ? static_cast<const void*>(schema) : types;
  if (key == nullptr) return static_cast<const CallSignature*>(nullptr);

  for (const KnownSignature* known = signatures_; known != nullptr; known = known->next) {
    if (known->key == key) return static_cast<const CallSignature*>(known->signature);
  }
  auto* signature = make_list<CallSignature>(method_.heap, 1);
  auto* known = make_list<KnownSignature>(method_.heap, 1);
  if (signature == nullptr || known == nullptr)
    return ET_ERROR(MemoryAllocationFailed, "no memory for a signature");
  const Error error = schema != nullptr ? make_signature_from_schema(schema, signature)
                                        : make_signature_from_types(*types, signature);
  if (error != Error::Ok) return error;
  *known = {key, signature, signatures_};
  signatures_ = known;
  return static_cast<const CallSignature*>(signature);
}

Error MethodLoader::make_signature_from_schema(const char* text, CallSignature* signature) {
  auto* schema = make_list<OperatorSchema>(method_.heap, 1);
  ET_REQUIRE(schema != nullptr, MemoryAllocationFailed, "no memory for a schema");
  ET_TRY(parse_operator_schema(text, schema));
  auto* rules = make_list<ArgumentRule>(method_.heap, schema->num_arguments);
  ET_REQUIRE(rules != nullptr, MemoryAllocationFailed, "no memory for a schema");
  bool writes = false;
  for (size_t i = 0; i < schema->num_arguments; ++i) {
    const SchemaArgument& argument = schema->arguments[i];
    rules[i] = {argument.name,     argument.name_length, argument.kind,
                argument.optional, argument.written,     argument.out};
    writes = writes || argument.out;
  }
  signature->arguments = {rules, schema->num_arguments};
  signature->has_return_slot = writes || schema->num_returns > 0;
  signature->return_slot_optional = false;
  // A result that is none of the arguments is put into the slot itself.
  bool written = false;
  for (size_t i = 0; i < schema->num_arguments; ++i) written = written || rules[i].written;
  signature->replaces_return_slot = !written && schema->num_returns > 0;
  signature->knows_writes = true;
  signature->schema = schema;
  return Error::Ok;
}

Error MethodLoader::make_signature_from_types(const KernelSignature& types,
                                              CallSignature* signature) {
  auto* rules = make_list<ArgumentRule>(method_.heap, types.count);
  ET_REQUIRE(rules != nullptr, MemoryAllocationFailed, "no memory for a signature");
  for (size_t i = 0; i < types.count; ++i) {
    rules[i] = {"", 0, types.arguments[i].kind, types.arguments[i].optional, false, false};
  }
  signature->arguments = {rules, types.count};
  signature->has_return_slot = true;
  signature->return_slot_optional = true;
  signature->replaces_return_slot = false;
  signature->knows_writes = false;
  signature->schema = nullptr;
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
