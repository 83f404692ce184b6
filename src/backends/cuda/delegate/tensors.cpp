#include "backends/cuda/delegate/tensors.h"

#include <cinttypes>

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace executorch::backends::cuda {
namespace {

constexpr size_t kMaxRank = executorch::runtime::kTensorDimensionLimit;

Error shim(aoti::Status status) {
  return static_cast<Error>(status);
}

/// Whether device code can use the address.
Error check_pointer(const void* data, const char* role, size_t index) {
  cudaPointerAttributes attributes{};
  ET_TRY(check_cuda(cudaPointerGetAttributes(&attributes, data), "where memory lies"));
  ET_REQUIRE(
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged,
      InvalidArgument,
      "%s %zu of the CUDA delegate lies in memory of the host; copy it to the device, or export "
      "the program with the copies at the delegate's edge",
      role, index);
  return Error::Ok;
}

}  // namespace

Error check_device_tensor(const aten::Tensor& tensor, const char* role, size_t index) {
  ET_REQUIRE(tensor.device_type() == runtime::etensor::DeviceType::CUDA, InvalidArgument,
             "%s %zu of the CUDA delegate is a tensor of the CPU, one of CUDA is expected", role,
             index);
  ET_REQUIRE(static_cast<size_t>(tensor.dim()) <= kMaxRank, InvalidArgument,
             "%s %zu of the CUDA delegate has %zu dimensions, at most %zu are possible", role,
             index, static_cast<size_t>(tensor.dim()), kMaxRank);
  const void* data = tensor.const_data_ptr();
  ET_REQUIRE(data != nullptr || tensor.nbytes() == 0, InvalidArgument,
             "%s %zu of the CUDA delegate has no memory", role, index);
  return data == nullptr ? Error::Ok : check_pointer(data, role, index);
}

Error wrap(const aten::Tensor& tensor, void* data, TensorHandle* handle) {
  const size_t rank = static_cast<size_t>(tensor.dim());
  int64_t sizes[kMaxRank] = {}, strides[kMaxRank] = {};
  for (size_t d = 0; d < rank; ++d) {
    sizes[d] = tensor.sizes()[d];
    strides[d] = tensor.strides()[d];
  }
  aoti::ShimTensor* made = nullptr;
  ET_TRY(shim(aoti::AOTI_SHIM(create_tensor_from_blob_v2)(
      data, tensor.dim(), sizes, strides, 0, static_cast<int32_t>(tensor.scalar_type()),
      static_cast<int32_t>(aoti::DeviceType::cuda), tensor.device_index(), &made, 0, nullptr, 0)));
  handle->reset(made);
  return Error::Ok;
}

Error copy_result(aoti::ShimTensor* result, aten::Tensor& output, size_t index) {
  ET_REQUIRE(result->dtype() == output.scalar_type(), InvalidProgram,
             "output %zu of the CUDA delegate has element type %d, the generated code made %d",
             index, static_cast<int>(output.scalar_type()), static_cast<int>(result->dtype()));
  ET_REQUIRE(result->rank() == static_cast<size_t>(output.dim()), InvalidProgram,
             "output %zu of the CUDA delegate has %zu dimensions, the generated code made %zu",
             index, static_cast<size_t>(output.dim()), result->rank());
  aten::SizesType sizes[kMaxRank] = {};
  for (size_t d = 0; d < result->rank(); ++d) {
    ET_REQUIRE(result->sizes()[d] <= INT32_MAX, InvalidProgram,
               "output %zu of the CUDA delegate has %" PRId64 " elements in dimension %zu", index,
               result->sizes()[d], d);
    sizes[d] = static_cast<aten::SizesType>(result->sizes()[d]);
  }
  ET_TRY(runtime::resize_tensor(output, {sizes, result->rank()}));
  if (result->numel() == 0) return Error::Ok;
  ET_TRY(check_device_tensor(output, "output", index));
  // Generated code may have written to the place itself.
  if (result->data() == output.const_data_ptr()) return Error::Ok;
  TensorHandle target;
  ET_TRY(wrap(output, output.mutable_data_ptr(), &target));
  return shim(aoti::AOTI_SHIM(copy_)(target.get(), result, 1));
}

}  // namespace executorch::backends::cuda
