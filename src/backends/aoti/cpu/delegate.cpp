#include "backends/aoti/cpu/delegate.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <new>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "backends/aoti/shims/cpu/cpu_table.h"

namespace executorch::backends::aoti {
namespace {

using aten::ScalarType;
using aten::Tensor;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Span;

/// What vector loads of generated code expect of constants.
constexpr size_t kAlignment = 16;

ShimLibrary shim_library() {
  return {reinterpret_cast<const void*>(&AOTI_SHIM(delete_tensor_object)),
          AOTI_TEXT(AOTI_SHIM_PREFIX)};
}

/// Whether a digest is one of a list.
bool is_listed(const std::string& list, const std::string& digest) {
  for (size_t at = 0; at < list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    if (list.compare(at, comma - at, digest) == 0) return true;
    at = comma + 1;
  }
  return false;
}

Error check_policy(const CodePolicy& policy, const CpuManifest& manifest) {
  ET_REQUIRE(
      policy.allowed, NotSupported,
      "the program holds machine code (SHA-256 %s) and the application does not allow that: "
      "for programs that you trust, give backend AotiCpuBackend the option allow_native_code "
      "(on the command line --allow-native-code)",
      manifest.sha256.c_str());
  ET_REQUIRE(policy.sha256.empty() || is_listed(policy.sha256, manifest.sha256), NotSupported,
             "the program's machine code has the SHA-256 %s, the application allows %s",
             manifest.sha256.c_str(), policy.sha256.c_str());
  ET_REQUIRE(has_instruction_set(manifest.instruction_set), NotSupported,
             "the program's machine code is for '%s', which this machine does not have: compile it "
             "for another instruction set",
             manifest.instruction_set.c_str());
  return Error::Ok;
}

/// The tensor of an argument, or null.
const Tensor* tensor_of(const EValue& value) {
  return value.isTensor() ? &value.payload.as_tensor : nullptr;
}

const char* name_of(ScalarType dtype) {
  return runtime::toString(dtype);
}

/// Strides of sizes in a dim order.
void strides_of(const InputSpec& input, const int64_t* sizes, int64_t* strides) {
  int64_t stride = 1;
  for (size_t i = input.dim_order.size(); i-- > 0;) {
    const size_t d = input.dim_order[i];
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
}

/// Whether a tensor lies in memory as generated code expects it.
bool has_layout(const Tensor& tensor, const InputSpec& input) {
  int64_t sizes[kMaxRank], strides[kMaxRank];
  const size_t rank = input.dims.size();
  for (size_t d = 0; d < rank; ++d) sizes[d] = tensor.sizes()[d];
  strides_of(input, sizes, strides);
  for (size_t d = 0; d < rank; ++d) {
    // What is never stepped over has no meaning.
    if (sizes[d] > 1 && tensor.strides()[d] != strides[d]) return false;
  }
  return true;
}

bool same_layout(const ShimTensor& from, const Tensor& to) {
  for (size_t d = 0; d < from.rank(); ++d) {
    if (from.sizes()[d] > 1 && from.strides()[d] != to.strides()[d]) return false;
  }
  return true;
}

/// Copies through the shims, which know strides.
Error copy_strided(const ShimTensor& from, const Tensor& to) {
  int64_t strides[kMaxRank];
  std::copy(to.strides().begin(), to.strides().end(), strides);
  ShimTensor* raw = nullptr;
  Status status = AOTI_SHIM(create_tensor_from_blob)(
      to.mutable_data_ptr(), static_cast<int64_t>(from.rank()), from.sizes(), strides, 0,
      static_cast<int32_t>(from.dtype()), 0, 0, &raw);
  if (status == 0) {
    const TensorHandle target(raw);
    status = AOTI_SHIM(copy_)(raw, const_cast<ShimTensor*>(&from), 0);
  }
  return static_cast<Error>(status);
}

}  // namespace

void DeleteRunMemory::operator()(RunMemory* memory) const {
  AOTI_SHIM(delete_run_memory)(memory);
}

void DeleteTensor::operator()(ShimTensor* tensor) const {
  AOTI_SHIM(delete_tensor_object)(tensor);
}

Error Delegate::create(Span<const uint8_t> payload, const NamedDataMap* data,
                       const CodePolicy& policy, std::unique_ptr<Delegate>* delegate) {
  std::unique_ptr<Delegate> made(new (std::nothrow) Delegate);
  ET_REQUIRE(made != nullptr, MemoryAllocationFailed, "no memory for a delegate");
  ET_TRY(read_cpu_manifest(payload, &made->manifest_));
  ET_TRY(check_policy(policy, made->manifest_));
  made->pack_budget_ = policy.memory_limit;
  made->memory_.reset(AOTI_SHIM(make_run_memory)());
  ET_REQUIRE(made->memory_ != nullptr, MemoryAllocationFailed, "no memory for a delegate");
  ET_REQUIRE(data != nullptr, NotFound, "the program has no named data, where '%s' should be",
             made->manifest_.code_key.c_str());
  ET_TRY(made->load_code(*data, policy));
  ET_TRY(made->load_constants(*data));
  made->symbols_.resize(static_cast<size_t>(made->manifest_.symbols));
  made->inputs_.resize(made->manifest_.inputs.size());
  made->outputs_.resize(made->manifest_.outputs.size());
  *delegate = std::move(made);
  return Error::Ok;
}

Error Delegate::load_code(const NamedDataMap& data, const CodePolicy& policy) {
  auto bytes = data.get_data(manifest_.code_key);
  if (!bytes.ok()) return bytes.error();
  CodeOptions options;
  options.shims = shim_library();
  options.sha256 = manifest_.sha256;
  options.place = policy.place;
  std::unique_ptr<CodeObject> code;
  ET_TRY(CodeObject::load({static_cast<const uint8_t*>(bytes->data()), bytes->size()}, options,
                          &code));
  ET_TRY(Container::create(std::move(code), "cpu", &container_));
  ET_REQUIRE(container_->num_inputs() == manifest_.inputs.size() &&
                 container_->num_outputs() == manifest_.outputs.size(),
             InvalidProgram,
             "the payload lists %zu inputs and %zu outputs, its code has %zu and %zu",
             manifest_.inputs.size(), manifest_.outputs.size(), container_->num_inputs(),
             container_->num_outputs());
  return Error::Ok;
}

Error Delegate::load_constant(const NamedDataMap& data, size_t index, Held* held) {
  const Constant& constant = manifest_.constants[index];
  void* memory = nullptr;
  if (constant.nbytes > 0) {
    auto bytes = data.get_data(constant.key);
    if (!bytes.ok()) return bytes.error();
    ET_REQUIRE(bytes->size() >= constant.nbytes, InvalidProgram,
               "its data has %zu bytes, %" PRIu64 " are expected", bytes->size(), constant.nbytes);
    const size_t nbytes = static_cast<size_t>(constant.nbytes);
    memory = const_cast<void*>(bytes->data());
    const bool aligned = reinterpret_cast<uintptr_t>(memory) % kAlignment == 0;
    if (manifest_.written[index] || !aligned) {
      held->copy.reset(new (std::nothrow) uint8_t[nbytes]);
      ET_REQUIRE(held->copy != nullptr, MemoryAllocationFailed, "no memory for %zu bytes", nbytes);
      std::memcpy(held->copy.get(), memory, nbytes);
      memory = held->copy.get();
    } else {
      held->bytes.reset(new (std::nothrow) FreeableBuffer(std::move(bytes.get())));
      ET_REQUIRE(held->bytes != nullptr, MemoryAllocationFailed, "no memory for a constant");
    }
  }
  ShimTensor* tensor = nullptr;
  const int64_t rank = static_cast<int64_t>(constant.sizes.size());
  const int32_t dtype = static_cast<int32_t>(constant.dtype);
  const Status status =
      manifest_.written[index]
          ? AOTI_SHIM(create_tensor_from_blob)(memory, rank, constant.sizes.data(),
                                               constant.strides.data(), constant.offset, dtype, 0,
                                               0, &tensor)
          : AOTI_SHIM(create_constant)(memory, rank, constant.sizes.data(), constant.strides.data(),
                                       constant.offset, dtype, &pack_budget_, &tensor);
  held->tensor.reset(tensor);
  return static_cast<Error>(status);
}

Error Delegate::load_constants(const NamedDataMap& data) {
  const auto expected = container_->constants();
  ET_REQUIRE(expected.size() == manifest_.constants.size(), InvalidProgram,
             "the payload lists %zu constants, its code has %zu", manifest_.constants.size(),
             expected.size());
  constants_.resize(expected.size());
  std::vector<ConstantPair> pairs;
  for (size_t i = 0; i < constants_.size(); ++i) {
    const Constant& constant = manifest_.constants[i];
    ET_REQUIRE(expected[i].fqn == constant.fqn, InvalidProgram,
               "constant %zu of the payload is '%s', that of the code is '%s'", i,
               constant.fqn.c_str(), expected[i].fqn.c_str());
    const Error error = load_constant(data, i, &constants_[i]);
    if (error != Error::Ok) {
      runtime::add_error_context("constant '%s'", constant.fqn.c_str());
      return error;
    }
    pairs.push_back({expected[i].name.c_str(), constants_[i].tensor.get()});
  }
  if (pairs.empty()) return Error::Ok;
  // The container makes a handle for each and deletes none.
  AOTI_SHIM(enter_run)(memory_.get());
  const Error error = container_->set_constants({pairs.data(), pairs.size()});
  AOTI_SHIM(leave_run)();
  return error;
}

Error Delegate::check_input(size_t index, const Tensor& tensor) {
  const InputSpec& input = manifest_.inputs[index];
  ET_REQUIRE(tensor.scalar_type() == input.dtype, InvalidArgument,
             "input %zu of the delegate is of type %s, %s is expected", index,
             name_of(tensor.scalar_type()), name_of(input.dtype));
  ET_REQUIRE(static_cast<size_t>(tensor.dim()) == input.dims.size(), InvalidArgument,
             "input %zu of the delegate has %zd dimensions, %zu are expected", index,
             static_cast<ssize_t>(tensor.dim()), input.dims.size());
  for (size_t d = 0; d < input.dims.size(); ++d) {
    const InputDim& dim = input.dims[d];
    const int64_t size = tensor.sizes()[d];
    ET_REQUIRE(dim.least <= size && size <= dim.most, InvalidArgument,
               "input %zu of the delegate has %" PRId64 " elements along dimension %zu, %" PRId64
               " to %" PRId64 " are expected",
               index, size, d, dim.least, dim.most);
    if (dim.symbol < 0) continue;
    int64_t& symbol = symbols_[static_cast<size_t>(dim.symbol)];
    const int64_t multiple = size - dim.summand;
    if (symbol < 0 && multiple >= 0 && multiple % dim.factor == 0) symbol = multiple / dim.factor;
    ET_REQUIRE(symbol >= 0 && symbol <= kMaxSize && symbol * dim.factor == multiple,
               InvalidArgument,
               "input %zu of the delegate has %" PRId64
               " elements along dimension %zu, which does "
               "not go with the sizes before it: %" PRId64 " times %" PRId64 " and %" PRId64
               " are expected",
               index, size, d, dim.factor, symbol, dim.summand);
  }
  ET_REQUIRE(has_layout(tensor, input), InvalidArgument,
             "input %zu of the delegate has another dim order than the program was compiled for",
             index);
  ET_REQUIRE(tensor.const_data_ptr() != nullptr || tensor.numel() == 0, InvalidState,
             "input %zu of the delegate has no memory", index);
  return Error::Ok;
}

Error Delegate::check_arguments(Span<EValue*> arguments) {
  const size_t inputs = manifest_.inputs.size(), outputs = manifest_.outputs.size();
  ET_REQUIRE(arguments.size() == inputs + outputs, InvalidArgument,
             "the delegate takes %zu inputs and %zu outputs, %zu arguments are given", inputs,
             outputs, arguments.size());
  std::fill(symbols_.begin(), symbols_.end(), -1);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor* tensor = tensor_of(*arguments[i]);
    ET_REQUIRE(tensor != nullptr, InvalidArgument, "argument %zu of the delegate is no tensor", i);
    if (i < inputs) {
      ET_TRY(check_input(i, *tensor));
      continue;
    }
    const OutputSpec& output = manifest_.outputs[i - inputs];
    ET_REQUIRE(
        tensor->scalar_type() == output.dtype && static_cast<size_t>(tensor->dim()) == output.rank,
        InvalidArgument,
        "output %zu of the delegate is of type %s with %zd dimensions, %s with %zu are "
        "expected",
        i - inputs, name_of(tensor->scalar_type()), static_cast<ssize_t>(tensor->dim()),
        name_of(output.dtype), output.rank);
  }
  return Error::Ok;
}

Error Delegate::wrap_inputs(Span<EValue*> arguments) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& tensor = arguments[i]->payload.as_tensor;
    const InputSpec& input = manifest_.inputs[i];
    int64_t sizes[kMaxRank], strides[kMaxRank];
    std::copy(tensor.sizes().begin(), tensor.sizes().end(), sizes);
    strides_of(input, sizes, strides);
    const Status status = AOTI_SHIM(create_tensor_from_blob)(
        tensor.mutable_data_ptr(), static_cast<int64_t>(input.dims.size()), sizes, strides, 0,
        static_cast<int32_t>(input.dtype), 0, 0, &inputs_[i]);
    if (status == 0) continue;
    for (size_t made = 0; made < i; ++made) AOTI_SHIM(delete_tensor_object)(inputs_[made]);
    return static_cast<Error>(status);
  }
  return Error::Ok;
}

Error Delegate::take_output(const ShimTensor* result, size_t index, const Tensor& tensor) const {
  ET_REQUIRE(result != nullptr, Internal, "the generated code made no output %zu", index);
  ET_REQUIRE(result->dtype() == manifest_.outputs[index].dtype &&
                 result->rank() == manifest_.outputs[index].rank,
             InvalidProgram, "output %zu of the generated code is of type %s with %zu dimensions",
             index, name_of(result->dtype()), result->rank());
  aten::SizesType sizes[kMaxRank];
  for (size_t d = 0; d < result->rank(); ++d) {
    sizes[d] = static_cast<aten::SizesType>(result->sizes()[d]);
  }
  ET_TRY(runtime::resize_tensor(tensor, {sizes, result->rank()}));
  if (result->numel() == 0) return Error::Ok;
  ET_REQUIRE(tensor.const_data_ptr() != nullptr, InvalidState,
             "output %zu of the delegate has no memory", index);
  if (result->is_contiguous() && same_layout(*result, tensor)) {
    std::memcpy(tensor.mutable_data_ptr(), result->data(), tensor.nbytes());
    return Error::Ok;
  }
  return copy_strided(*result, tensor);
}

Error Delegate::execute(Span<EValue*> arguments) {
  ET_TRY(check_arguments(arguments));
  AOTI_SHIM(enter_run)(memory_.get());
  const Error error = run(arguments);
  AOTI_SHIM(leave_run)();
  return error;
}

Error Delegate::run(Span<EValue*> arguments) {
  ET_TRY(wrap_inputs(arguments));
  ET_TRY(container_->run({inputs_.data(), inputs_.size()}, {outputs_.data(), outputs_.size()}));
  Error error = Error::Ok;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Tensor& tensor = arguments[inputs_.size() + i]->payload.as_tensor;
    if (error == Error::Ok) error = take_output(outputs_[i], i, tensor);
    if (outputs_[i] != nullptr) AOTI_SHIM(delete_tensor_object)(outputs_[i]);
  }
  return error;
}

}  // namespace executorch::backends::aoti
