#include "backends/aoti/container/container.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace executorch::backends::aoti {
namespace {

using runtime::Span;

template <class F>
void find(const CodeObject& code, const char* name, F** function) {
  *function = reinterpret_cast<F*>(code.symbol(name));
}

template <class F>
void require(const CodeObject& code, const char* name, F** function, std::string* missing) {
  find(code, name, function);
  if (*function != nullptr) return;
  if (!missing->empty()) *missing += ", ";
  *missing += name;
}

/// Most constants that are plausible; the number comes from generated code.
constexpr size_t kMostConstants = size_t{1} << 20;

}  // namespace

Error find_functions(const CodeObject& code, ContainerFunctions* functions) {
  ContainerFunctions& f = *functions;
  std::string missing;
  require(code, "AOTInductorModelContainerCreateWithDevice", &f.create_with_device, &missing);
  require(code, "AOTInductorModelContainerDelete", &f.destroy, &missing);
  require(code, "AOTInductorModelContainerGetNumInputs", &f.num_inputs, &missing);
  require(code, "AOTInductorModelContainerGetNumOutputs", &f.num_outputs, &missing);
  require(code, "AOTInductorModelContainerRun", &f.run, &missing);
  ET_REQUIRE(missing.empty(), NotSupported,
             "the code object is no model container of AOTInductor: it lacks %s", missing.c_str());
  find(code, "AOTInductorModelUpdateConstantsFromBlob", &f.update_from_blob);
  find(code, "AOTInductorModelContainerGetNumConstants", &f.num_constants);
  find(code, "AOTInductorModelContainerGetConstantName", &f.constant_name);
  find(code, "AOTInductorModelContainerGetConstantOriginalFQN", &f.constant_fqn);
  find(code, "AOTInductorModelContainerUpdateUserManagedConstantBufferPairs", &f.set_pairs);
  find(code, "AOTInductorGetLastError", &f.last_error);
  return Error::Ok;
}

Error Container::create(std::shared_ptr<CodeObject> code, const char* device,
                        std::unique_ptr<Container>* container) {
  std::unique_ptr<Container> made(new (std::nothrow) Container);
  ET_REQUIRE(made != nullptr, MemoryAllocationFailed, "no memory for a model container");
  made->code_ = std::move(code);
  ET_TRY(find_functions(*made->code_, &made->functions_));
  runtime::clear_error_message();
  ET_TRY(made->check(made->functions_.create_with_device(&made->handle_, 1, device, nullptr),
                     "the creation of the model container"));
  ET_REQUIRE(made->handle_ != nullptr, Internal, "the code object made no model container");
  ET_TRY(made->read_shape());
  *container = std::move(made);
  return Error::Ok;
}

Container::~Container() {
  if (handle_ != nullptr) functions_.destroy(handle_);
}

// The shim that failed has left its text on this thread.
Error Container::check(int32_t status, const char* function) const {
  if (status == 0) return Error::Ok;
  const std::string shim = runtime::last_error_message();
  const char* text = nullptr;
  if (functions_.last_error != nullptr) functions_.last_error(&text);
  const char* join = shim.empty() || text == nullptr ? "" : ": ";
  return ET_ERROR(Internal, "%s failed%s%s%s%s", function,
                  shim.empty() && text == nullptr ? "" : ": ", shim.c_str(), join,
                  text == nullptr ? "" : text);
}

Error Container::read_shape() {
  ET_TRY(check(functions_.num_inputs(handle_, &num_inputs_), "the number of inputs"));
  ET_TRY(check(functions_.num_outputs(handle_, &num_outputs_), "the number of outputs"));
  return read_constants();
}

Error Container::read_constants() {
  if (functions_.num_constants == nullptr) return Error::Ok;
  size_t count = 0;
  ET_TRY(check(functions_.num_constants(handle_, &count), "the number of constants"));
  ET_REQUIRE(count <= kMostConstants, NotSupported, "the code object announces %zu constants",
             count);
  constants_.resize(count);
  set_.resize(count, false);
  for (size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    if (functions_.constant_name != nullptr) {
      ET_TRY(check(functions_.constant_name(handle_, i, &name), "the name of a constant"));
      if (name != nullptr) constants_[i].name = name;
    }
    name = nullptr;
    if (functions_.constant_fqn != nullptr) {
      ET_TRY(check(functions_.constant_fqn(handle_, i, &name), "the name of a constant"));
      if (name != nullptr) constants_[i].fqn = name;
    }
  }
  return Error::Ok;
}

Error Container::set_constants(Span<const ConstantPair> pairs) {
  ET_REQUIRE(takes_pairs(), NotSupported,
             "the code object cannot be given constants: it lacks "
             "AOTInductorModelContainerUpdateUserManagedConstantBufferPairs");
  runtime::clear_error_message();
  ET_TRY(check(functions_.set_pairs(handle_, pairs.data(), pairs.size(), false, false),
               "the setting of constants"));
  for (const ConstantPair& pair : pairs) {
    for (size_t i = 0; i < constants_.size(); ++i) {
      if (constants_[i].name == pair.name) set_[i] = true;
    }
  }
  return Error::Ok;
}

Error Container::copy_constants(const uint8_t* blob) {
  ET_REQUIRE(functions_.update_from_blob != nullptr, NotSupported,
             "the code object cannot copy constants: it lacks "
             "AOTInductorModelUpdateConstantsFromBlob");
  runtime::clear_error_message();
  ET_TRY(check(functions_.update_from_blob(handle_, blob), "the copying of constants"));
  set_.assign(set_.size(), true);
  return Error::Ok;
}

Error Container::run(Span<ShimTensor*> inputs, Span<ShimTensor*> outputs, StreamHandle stream) {
  const auto missing = std::find(set_.begin(), set_.end(), false);
  ET_REQUIRE(missing == set_.end(), InvalidState, "constant '%s' of the code object was not set",
             constants_[static_cast<size_t>(missing - set_.begin())].fqn.c_str());
  ET_REQUIRE(inputs.size() == num_inputs_ && outputs.size() == num_outputs_, InvalidArgument,
             "the code object takes %zu inputs and %zu outputs, %zu and %zu are given", num_inputs_,
             num_outputs_, inputs.size(), outputs.size());
  for (ShimTensor*& output : outputs) output = nullptr;
  runtime::clear_error_message();
  return check(functions_.run(handle_, inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                              stream, nullptr),
               "the generated code");
}

}  // namespace executorch::backends::aoti
