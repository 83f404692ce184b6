#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cstring>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

// The only way to TensorImpl's resizing.
class TensorResizerFriend final {
 public:
  ET_NODISCARD static Error resize(
      executorch::aten::TensorImpl* impl,
      executorch::aten::ArrayRef<executorch::aten::SizesType> new_sizes) {
    return impl->internal_resize_contiguous(new_sizes);
  }
};

Error resize_tensor_impl(executorch::aten::TensorImpl* impl,
                         executorch::aten::ArrayRef<executorch::aten::SizesType> new_sizes) {
  return TensorResizerFriend::resize(impl, new_sizes);
}

Error unrepresentable_sizes(size_t rank) {
  ET_REQUIRE(rank <= kTensorDimensionLimit, NotSupported,
             "a tensor cannot have %zu dimensions, at most %zu are supported", rank,
             kTensorDimensionLimit);
  return ET_ERROR(InvalidArgument, "a tensor cannot have a negative size or one over 2^31 - 1");
}

Error share_tensor_data(const executorch::aten::Tensor& t_dst,
                        const executorch::aten::Tensor& t_src) {
  ET_REQUIRE(t_dst.nbytes() == t_src.nbytes(), InvalidArgument,
             "a tensor of %zu bytes cannot share the memory of one of %zu bytes", t_dst.nbytes(),
             t_src.nbytes());
  ET_REQUIRE(t_src.mutable_data_ptr() != nullptr || t_src.nbytes() == 0, InvalidArgument,
             "a tensor without memory cannot share it");
  t_dst.unsafeGetTensorImpl()->set_data(t_src.mutable_data_ptr());
  return Error::Ok;
}

Error copy_tensor_data(const executorch::aten::Tensor& t_dst,
                       const executorch::aten::Tensor& t_src) {
  ET_REQUIRE(t_dst.nbytes() == t_src.nbytes(), InvalidArgument,
             "%zu bytes cannot be copied to a tensor of %zu bytes", t_src.nbytes(), t_dst.nbytes());
  if (t_src.nbytes() == 0) {
    return Error::Ok;
  }
  ET_REQUIRE(t_dst.const_data_ptr() != nullptr, InvalidArgument,
             "the tensor to copy to has no memory");
  ET_REQUIRE(t_src.const_data_ptr() != nullptr, InvalidArgument,
             "the tensor to copy has no memory");
  // Both may be views of the same memory.
  std::memmove(t_dst.mutable_data_ptr(), t_src.const_data_ptr(), t_src.nbytes());
  return Error::Ok;
}

Error set_tensor_data(const executorch::aten::Tensor& t, void* buffer, size_t buffer_size) {
  ET_REQUIRE(buffer_size >= t.nbytes(), InvalidArgument,
             "a buffer of %zu bytes is too small for a tensor of %zu bytes", buffer_size,
             t.nbytes());
  t.unsafeGetTensorImpl()->set_data(buffer);
  return Error::Ok;
}

void reset_data_ptr(const executorch::aten::Tensor& tensor) {
  tensor.unsafeGetTensorImpl()->set_data(nullptr);
}

}  // namespace internal

Error get_dim_order(const executorch::aten::Tensor& tensor,
                    executorch::aten::DimOrderType* out_dim_order, size_t out_dim_order_size) {
  const auto dim_order = tensor.dim_order();
  ET_REQUIRE(out_dim_order_size == dim_order.size(), InvalidArgument,
             "the dim order of a tensor of %zu dimensions does not fill %zu places",
             dim_order.size(), out_dim_order_size);
  if (!dim_order.empty()) {
    std::memcpy(out_dim_order, dim_order.data(),
                dim_order.size() * sizeof(executorch::aten::DimOrderType));
  }
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch
