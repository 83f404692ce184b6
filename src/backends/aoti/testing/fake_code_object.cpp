// Stands in for what AOTInductor generates: one input, one constant, output = input * constant. It
// calls shims by their plain names. Variants are chosen by macros.
#include <cstddef>
#include <cstdint>
#include <cstring>

// Compilers mark such a variable as unique in the process.
struct __attribute__((visibility("default"))) Counted {
  inline static int live = 0;
};
extern "C" __attribute__((visibility("default"))) int* fake_counter() {
  return &Counted::live;
}

struct Tensor;
struct Container {
  Tensor* weight = nullptr;
};
struct Pair {
  const char* name;
  Tensor* tensor;
};

extern "C" {
int32_t aoti_torch_delete_tensor_object(Tensor*);
int32_t aoti_torch_get_data_ptr(Tensor*, void**);
int32_t aoti_torch_new_tensor_handle(Tensor*, Tensor**);
int32_t aoti_torch_get_numel(Tensor*, int64_t*);
int32_t aoti_torch_get_sizes(Tensor*, int64_t**);
int32_t aoti_torch_get_strides(Tensor*, int64_t**);
int32_t aoti_torch_get_dim(Tensor*, int64_t*);
int32_t aoti_torch_empty_strided(int64_t, const int64_t*, const int64_t*, int32_t, int32_t, int32_t,
                                 Tensor**);
#if defined(FAKE_NEEDS_FUNCTION)
int32_t aoti_torch_cpu_not_there(Tensor*);
int32_t nobody_has_this(void);
#endif
#if defined(FAKE_NEEDS_LIBRARY)
int32_t function_of_a_gone_library(void);
#endif
}

#define ENTRY(name) \
  extern "C" __attribute__((visibility("default"))) int32_t AOTInductorModelContainer##name

namespace {

constexpr int32_t kFloat = 6;

int32_t multiply(Tensor* input, Tensor* weight, Tensor** output) {
  void *from, *by, *to;
  int64_t *sizes, *strides, rank, numel;
  if (aoti_torch_get_numel(input, &numel) != 0 || numel == 13) return 1;
  if (aoti_torch_get_dim(input, &rank) != 0 || aoti_torch_get_sizes(input, &sizes) != 0) return 1;
  if (aoti_torch_get_strides(input, &strides) != 0) return 1;
  if (aoti_torch_empty_strided(rank, sizes, strides, kFloat, 0, 0, output) != 0) return 1;
  if (aoti_torch_get_data_ptr(input, &from) != 0 || aoti_torch_get_data_ptr(weight, &by) != 0 ||
      aoti_torch_get_data_ptr(*output, &to) != 0) {
    return 1;
  }
  for (int64_t i = 0; i < numel; ++i) {
    static_cast<float*>(to)[i] = static_cast<float*>(from)[i] * *static_cast<float*>(by);
  }
  return 0;
}

}  // namespace

ENTRY(CreateWithDevice)(Container** container, size_t, const char* device, const char*) {
  if (std::strcmp(device, "cpu") != 0) return 1;
  *container = new Container;
  return 0;
}

ENTRY(Delete)(Container* container) {
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

#if !defined(FAKE_LACKS_RUN)
ENTRY(Run)(Container* container, Tensor** inputs, size_t, Tensor** outputs, size_t, void*, void*) {
#if defined(FAKE_NEEDS_FUNCTION)
  aoti_torch_cpu_not_there(inputs[0]);
  nobody_has_this();
#endif
#if defined(FAKE_NEEDS_LIBRARY)
  function_of_a_gone_library();
#endif
  const int32_t status = multiply(inputs[0], container->weight, &outputs[0]);
  aoti_torch_delete_tensor_object(inputs[0]);
  return status;
}
#endif

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

ENTRY(UpdateUserManagedConstantBufferPairs)(Container* container, const Pair* pairs, size_t count,
                                            bool, bool) {
  for (size_t i = 0; i < count; ++i) {
    if (std::strcmp(pairs[i].name, "layer_weight") != 0) return 1;
    // As generated code does: a handle of its own, which nobody deletes.
    if (aoti_torch_new_tensor_handle(pairs[i].tensor, &container->weight) != 0) return 1;
  }
  return 0;
}

extern "C" __attribute__((visibility("default"))) int32_t
AOTInductorGetLastError(const char** text) {
  *text = "the fake failed";
  return 0;
}
