#include "backends/cuda/shims/memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include "backends/cuda/shims/current_stream.h"
#include "backends/cuda/shims/strided_copy.h"

namespace executorch::backends::cuda {
namespace {

using runtime::Span;

void release_on_host(void* data, size_t, const Device&) {
  std::free(data);
}

void release_on_device(void* data, size_t, const Device& device) {
  const DeviceScope scope(device.index);
  cudaStream_t stream = nullptr;
  if (current_stream(device.index, &stream) == Error::Ok &&
      cudaFreeAsync(data, stream) == cudaSuccess) {
    return;
  }
  cudaFree(data);
  // Neither failure is one of the next call.
  cudaGetLastError();
}

Error allocate_on_host(size_t nbytes, void** data) {
  *data = std::malloc(nbytes);
  ET_REQUIRE(*data != nullptr, MemoryAllocationFailed, "no memory for a tensor of %zu bytes",
             nbytes);
  return Error::Ok;
}

Error allocate_on_device(size_t nbytes, int device, void** data) {
  const DeviceScope scope(device);
  ET_TRY(scope.error());
  cudaStream_t stream = nullptr;
  ET_TRY(current_stream(device, &stream));
  return check_cuda(cudaMallocAsync(data, nbytes, stream), "device memory for a tensor");
}

bool same_strides(const ShimTensor& a, const ShimTensor& b) {
  return std::equal(a.strides(), a.strides() + a.rank(), b.strides());
}

/// Bytes from the first element to behind the last one.
size_t reached_by(const ShimTensor& tensor) {
  uint64_t nbytes = 0;
  // Known to fit, since the tensor was made.
  aoti::reached_bytes({tensor.sizes(), tensor.rank()}, {tensor.strides(), tensor.rank()}, 0,
                      tensor.element_size(), &nbytes);
  return static_cast<size_t>(nbytes);
}

/// Whether the elements fill the memory that they reach.
bool is_dense(const ShimTensor& tensor) {
  return reached_by(tensor) == static_cast<size_t>(tensor.numel()) * tensor.element_size();
}

bool on_device(const ShimTensor& tensor) {
  return tensor.device().type == DeviceType::cuda;
}

/// Copies bytes between any memories. Where the host takes part, they are there when it returns.
Error copy_bytes(void* to, const void* from, size_t nbytes, const ShimTensor* device_tensor,
                 bool wait) {
  if (device_tensor == nullptr) {
    std::memcpy(to, from, nbytes);
    return Error::Ok;
  }
  const DeviceScope scope(device_tensor->device().index);
  ET_TRY(scope.error());
  cudaStream_t stream = nullptr;
  ET_TRY(current_stream(device_tensor->device().index, &stream));
  ET_TRY(check_cuda(cudaMemcpyAsync(to, from, nbytes, cudaMemcpyDefault, stream), "a copy"));
  if (!wait) return Error::Ok;
  return check_cuda(cudaStreamSynchronize(stream), "waiting for a copy");
}

/// What a tensor reaches, in host memory.
Error to_host(const ShimTensor& tensor, std::vector<uint8_t>* bytes) {
  bytes->resize(reached_by(tensor));
  return copy_bytes(bytes->data(), tensor.data(), bytes->size(),
                    on_device(tensor) ? &tensor : nullptr, true);
}

static_assert(StridedCopy::kMaxRank == aoti::kMaxRank);

StridedCopy strided_copy(const ShimTensor& source, const ShimTensor& target, const void* from,
                         void* to) {
  StridedCopy copy{};
  copy.rank = static_cast<int>(source.rank());
  copy.element_size = static_cast<int>(source.element_size());
  copy.from = static_cast<const uint8_t*>(from);
  copy.to = static_cast<uint8_t*>(to);
  for (int d = 0; d < copy.rank; ++d) {
    copy.sizes[d] = source.sizes()[d];
    copy.from_strides[d] = source.strides()[d];
    copy.to_strides[d] = target.strides()[d];
  }
  return copy;
}

Error copy_strided_through_host(const ShimTensor& source, const ShimTensor& target) {
  std::vector<uint8_t> from, to;
  ET_TRY(to_host(source, &from));
  // Gaps between the target's elements keep their bytes.
  ET_TRY(to_host(target, &to));
  const StridedCopy copy = strided_copy(source, target, from.data(), to.data());
  for (int64_t i = 0; i < source.numel(); ++i) copy(i);
  return copy_bytes(target.data(), to.data(), to.size(), on_device(target) ? &target : nullptr,
                    true);
}

}  // namespace

Error make_tensor(Span<const int64_t> sizes, ScalarType dtype, const Device& device,
                  ShimTensor** tensor) {
  int64_t strides[aoti::kMaxRank];
  ET_REQUIRE(sizes.size() <= aoti::kMaxRank, InvalidArgument,
             "a tensor of %zu dimensions was asked for, at most %u are possible", sizes.size(),
             aoti::kMaxRank);
  aoti::contiguous_strides(sizes, strides);
  return aoti::make_empty({sizes, {strides, sizes.size()}, 0}, dtype, device, tensor);
}

Scratch::~Scratch() {
  if (data_ != nullptr) cudaFreeAsync(data_, stream_);
}

Error Scratch::allocate(size_t nbytes, cudaStream_t stream) {
  stream_ = stream;
  return check_cuda(cudaMallocAsync(&data_, std::max<size_t>(nbytes, 1), stream),
                    "scratch memory on the device");
}

}  // namespace executorch::backends::cuda

namespace executorch::backends::aoti {

using namespace cuda;

Error allocate(uint64_t nbytes, const Device& device, Storage** storage) {
  const bool on_gpu = device.type == DeviceType::cuda;
  void* data = nullptr;
  if (nbytes > 0) {
    ET_TRY(on_gpu ? allocate_on_device(nbytes, device.index, &data)
                  : allocate_on_host(nbytes, &data));
  }
  const Storage::Release release = on_gpu ? release_on_device : release_on_host;
  *storage = Storage::make(data, nbytes, device, data == nullptr ? nullptr : release);
  if (*storage == nullptr) {
    if (data != nullptr) release(data, nbytes, device);
    return ET_ERROR(MemoryAllocationFailed, "no memory for a tensor");
  }
  return Error::Ok;
}

Error current_device(DeviceType type, int32_t* index) {
  *index = 0;
  return type == DeviceType::cpu ? Error::Ok : resolve_device(-1, index);
}

Error copy_elements(const ShimTensor& target, const ShimTensor& source) {
  ET_REQUIRE(source.dtype() == target.dtype() && source.has_sizes_of(target), InvalidArgument,
             "a copy needs two tensors of the same sizes and type");
  if (source.numel() == 0) return Error::Ok;
  const bool from_device = on_device(source), to_device = on_device(target);
  if (same_strides(source, target) && is_dense(source)) {
    return copy_bytes(target.data(), source.data(), reached_by(source),
                      to_device ? &target : (from_device ? &source : nullptr),
                      !(from_device && to_device));
  }
  if (!(from_device && to_device && source.device() == target.device())) {
    return copy_strided_through_host(source, target);
  }
  const DeviceScope scope(target.device().index);
  ET_TRY(scope.error());
  cudaStream_t stream = nullptr;
  ET_TRY(current_stream(target.device().index, &stream));
  return copy_on_device(stream, strided_copy(source, target, source.data(), target.data()),
                        source.numel());
}

}  // namespace executorch::backends::aoti
