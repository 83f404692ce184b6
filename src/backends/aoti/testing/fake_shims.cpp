// A small shim library for the tests, under names with the prefix et_aoti_t1_.
#include "backends/aoti/tensor/shim_tensor.h"

#include <cstdlib>
#include <vector>

using executorch::backends::aoti::ShimTensor;
using executorch::backends::aoti::Storage;
using executorch::runtime::Error;

#define FAKE_SHIM(name) extern "C" __attribute__((visibility("default"))) int32_t et_aoti_t1_##name

FAKE_SHIM(delete_tensor_object)(ShimTensor* tensor) {
  delete tensor;
  return 0;
}

FAKE_SHIM(new_tensor_handle)(ShimTensor* tensor, ShimTensor** handle) {
  *handle = tensor;
  return 0;
}

FAKE_SHIM(get_data_ptr)(ShimTensor* tensor, void** data) {
  *data = tensor->data();
  return 0;
}

FAKE_SHIM(get_numel)(ShimTensor* tensor, int64_t* numel) {
  *numel = tensor->numel();
  return 0;
}

FAKE_SHIM(get_sizes)(ShimTensor* tensor, int64_t** sizes) {
  *sizes = const_cast<int64_t*>(tensor->sizes());
  return 0;
}

FAKE_SHIM(get_strides)(ShimTensor* tensor, int64_t** strides) {
  *strides = const_cast<int64_t*>(tensor->strides());
  return 0;
}

FAKE_SHIM(get_dim)(ShimTensor* tensor, int64_t* rank) {
  *rank = static_cast<int64_t>(tensor->rank());
  return 0;
}

FAKE_SHIM(empty_strided)(int64_t rank, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                         int32_t, int32_t, ShimTensor** tensor) {
  size_t nbytes = 64;
  for (int64_t d = 0; d < rank; ++d) nbytes += static_cast<size_t>(sizes[d] * strides[d]) * 4;
  Storage* storage = Storage::make(std::malloc(nbytes), nbytes, {},
                                   [](void* data, size_t, const auto&) { std::free(data); });
  const size_t count = static_cast<size_t>(rank);
  const Error error = ShimTensor::make(storage, static_cast<executorch::aten::ScalarType>(dtype),
                                       {{sizes, count}, {strides, count}, 0}, tensor);
  storage->drop();
  return static_cast<int32_t>(error);
}

FAKE_SHIM(live_tensors)() {
  return static_cast<int32_t>(executorch::backends::aoti::live_tensors());
}
