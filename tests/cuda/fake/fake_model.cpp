// Stands in for what AOTInductor generates for CUDA: one input, a constant of one float, output =
// input * constant, and the constant grows by one with each run, as a model's state does. Calls
// shims by their plain names. Variants are chosen by macros.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "fake_cudart.h"

struct Tensor;
struct Container {
  Tensor* constant = nullptr;
  float* copy = nullptr;
};
struct Pair {
  const char* name;
  Tensor* tensor;
};

extern "C" {
int32_t aoti_torch_delete_tensor_object(Tensor*);
int32_t aoti_torch_get_data_ptr(Tensor*, void**);
int32_t aoti_torch_get_numel(Tensor*, int64_t*);
int32_t aoti_torch_get_sizes(Tensor*, int64_t**);
int32_t aoti_torch_get_strides(Tensor*, int64_t**);
int32_t aoti_torch_get_dim(Tensor*, int64_t*);
int32_t aoti_torch_empty_strided(int64_t, const int64_t*, const int64_t*, int32_t, int32_t, int32_t,
                                 Tensor**);
int32_t aoti_torch_get_current_cuda_stream(int32_t, void**);
#if defined(FAKE_NEEDS_MORE)
int32_t aoti_torch_cuda_not_there(Tensor*);
#endif
}

#define ENTRY(name) \
  extern "C" __attribute__((visibility("default"))) int32_t AOTInductorModelContainer##name

namespace {

struct Kernel {
  const float* from;
  float* constant;
  float* to;
  int64_t numel;
};

void run_kernel(void* argument) {
  const Kernel& kernel = *static_cast<Kernel*>(argument);
  for (int64_t i = 0; i < kernel.numel; ++i) kernel.to[i] = kernel.from[i] * *kernel.constant;
  *kernel.constant += 1.0f;
}

template <class T>
T* data_of(Tensor* tensor) {
  void* data = nullptr;
  aoti_torch_get_data_ptr(tensor, &data);
  return static_cast<T*>(data);
}

int32_t multiply(Tensor* input, float* constant, cudaStream_t stream, Tensor** output) {
  int64_t *sizes, *strides, rank, numel;
  void* current = nullptr;
  if (aoti_torch_get_current_cuda_stream(0, &current) != 0 || current != stream) return 1;
  if (aoti_torch_get_numel(input, &numel) != 0 || aoti_torch_get_dim(input, &rank) != 0) return 1;
  if (aoti_torch_get_sizes(input, &sizes) != 0 || aoti_torch_get_strides(input, &strides) != 0)
    return 1;
#if defined(FAKE_WRONG_TYPE)
  constexpr int32_t kType = 4;
#else
  constexpr int32_t kType = 6;
#endif
  if (aoti_torch_empty_strided(rank, sizes, strides, kType, 1, 0, output) != 0) return 1;
  // Captured graphs refer to them as long as the model is loaded.
  static std::vector<std::unique_ptr<Kernel>> kernels;
  kernels.push_back(std::make_unique<Kernel>(
      Kernel{data_of<float>(input), constant, data_of<float>(*output), numel}));
  return fake_cuda_run(stream, run_kernel, kernels.back().get()) == cudaSuccess ? 0 : 1;
}

}  // namespace

ENTRY(CreateWithDevice)(Container** container, size_t, const char* device, const char*) {
#if defined(FAKE_MAKES_NONE)
  return 1;
#endif
  if (std::strcmp(device, "cuda") != 0) return 1;
  *container = new Container;
  return 0;
}

ENTRY(Delete)(Container* container) {
  if (container->copy != nullptr) cudaFree(container->copy);
  delete container;
  return 0;
}

ENTRY(GetNumInputs)(Container*, size_t* count) {
  *count = 1;
  return 0;
}

ENTRY(GetNumOutputs)(Container*, size_t* count) {
  *count = 1;
  return 0;
}

ENTRY(Run)(Container* container, Tensor** inputs, size_t, Tensor** outputs, size_t, void* stream,
           void*) {
#if defined(FAKE_NEEDS_MORE)
  aoti_torch_cuda_not_there(inputs[0]);
#endif
  float* constant =
      container->copy != nullptr ? container->copy : data_of<float>(container->constant);
  int32_t status = multiply(inputs[0], constant, static_cast<cudaStream_t>(stream), &outputs[0]);
  aoti_torch_delete_tensor_object(inputs[0]);
#if defined(FAKE_FAILS)
  aoti_torch_delete_tensor_object(outputs[0]);
  outputs[0] = nullptr;
  status = 1;
#endif
  return status;
}

ENTRY(GetNumConstants)(Container*, size_t* count) {
  *count = 1;
  return 0;
}

ENTRY(GetConstantName)(Container*, size_t, const char** name) {
  *name = "layer_weight";
  return 0;
}

ENTRY(GetConstantOriginalFQN)(Container*, size_t, const char** name) {
  *name = "layer.weight";
  return 0;
}

#if defined(FAKE_TAKES_BLOB)
ENTRY(GetConstantsBlobSize)(Container*, uint64_t* size) {
  *size = sizeof(float);
  return 0;
}

extern "C" __attribute__((visibility("default"))) int32_t
AOTInductorModelUpdateConstantsFromBlob(Container* container, const uint8_t* blob) {
  if (cudaMalloc(reinterpret_cast<void**>(&container->copy), sizeof(float)) != cudaSuccess)
    return 1;
  return cudaMemcpy(container->copy, blob, sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess
             ? 0
             : 1;
}
#else
ENTRY(UpdateUserManagedConstantBufferPairs)(Container* container, const Pair* pairs, size_t count,
                                            bool, bool) {
  for (size_t i = 0; i < count; ++i) {
    if (std::strcmp(pairs[i].name, "layer_weight") != 0) return 1;
    container->constant = pairs[i].tensor;
  }
  return 0;
}
#endif
