// Tensors of one element as numbers, and the other way.
#include <cinttypes>
#include <cstring>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include "backends/aoti/shims/common/common_table.h"

namespace executorch::backends::aoti {
namespace {

using aten::ScalarType;

const char* name_of(ScalarType dtype) {
  return runtime::toString(dtype);
}

/// Copies the one element of a tensor to `value` on the host.
Error read_item(const ShimTensor& tensor, ScalarType dtype, void* value) {
  ET_REQUIRE(tensor.numel() == 1 && tensor.dtype() == dtype, InvalidArgument,
             "one element of %s is expected, a tensor has %" PRId64 " of %s", name_of(dtype),
             tensor.numel(), name_of(tensor.dtype()));
  ShimTensor* host = nullptr;
  ET_TRY(ShimTensor::borrow(value, Device{}, dtype, ViewSpec{}, &host));
  ViewSpec lone;
  lone.offset = tensor.offset();
  ShimTensor* element = nullptr;
  Error error = ShimTensor::make(tensor.storage(), dtype, lone, &element);
  if (error == Error::Ok) {
    error = copy_elements(*host, *element);
    delete element;
  }
  delete host;
  return error;
}

Error make_scalar(ScalarType dtype, const void* value, ShimTensor** tensor) {
  ShimTensor* made = nullptr;
  ET_TRY(make_empty(ViewSpec{}, dtype, Device{}, &made));
  std::memcpy(made->data(), value, made->element_size());
  *tensor = made;
  return Error::Ok;
}

// The numbers of the types, by name.
#define AOTI_NUMBER(name__, number__) [[maybe_unused]] constexpr int32_t k_##name__ = number__;
AOTI_DTYPES(AOTI_NUMBER)
#undef AOTI_NUMBER

}  // namespace

extern "C" {

#define AOTI_DEFINE_SCALAR(name__, type__)                                              \
  Status AOTI_SHIM(item_##name__)(ShimTensor * tensor, type__ * value) {                \
    AOTI_REQUIRE_NOT_NULL(tensor);                                                      \
    AOTI_REQUIRE_NOT_NULL(value);                                                       \
    return status_of(read_item(*tensor, static_cast<ScalarType>(k_##name__), value));   \
  }                                                                                     \
  Status AOTI_SHIM(scalar_to_tensor_##name__)(type__ value, ShimTensor * *tensor) {     \
    AOTI_REQUIRE_NOT_NULL(tensor);                                                      \
    return status_of(make_scalar(static_cast<ScalarType>(k_##name__), &value, tensor)); \
  }
AOTI_SCALARS(AOTI_DEFINE_SCALAR)
#undef AOTI_DEFINE_SCALAR

}  // extern "C"

}  // namespace executorch::backends::aoti
