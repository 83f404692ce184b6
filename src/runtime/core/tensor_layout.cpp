#include <executorch/runtime/core/tensor_layout.h>

#include <c10/util/safe_numerics.h>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>

namespace executorch {
namespace ET_RUNTIME_NAMESPACE {

namespace {

Result<size_t> count_bytes(Span<const int32_t> sizes, executorch::aten::ScalarType scalar_type) {
  // A zero among the sizes does not excuse an overflow of the others.
  size_t bytes = executorch::runtime::elementSize(scalar_type);
  bool empty = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    ET_REQUIRE(sizes[i] >= 0, InvalidArgument, "the size of dimension %zu is negative: %d", i,
               static_cast<int>(sizes[i]));
    if (sizes[i] == 0) {
      empty = true;
      continue;
    }
    ET_REQUIRE(!c10::mul_overflows(bytes, static_cast<size_t>(sizes[i]), &bytes), InvalidArgument,
               "the byte count overflows at dimension %zu", i);
  }
  return empty ? size_t{0} : bytes;
}

}  // namespace

Result<const TensorLayout> TensorLayout::create(Span<const int32_t> sizes,
                                                Span<const uint8_t> dim_order,
                                                executorch::aten::ScalarType scalar_type) {
  ET_REQUIRE(executorch::runtime::isValid(scalar_type), InvalidArgument, "%d is no element type",
             static_cast<int>(scalar_type));
  ET_REQUIRE(dim_order.size() == sizes.size(), InvalidArgument,
             "the dim order has %zu entries for %zu dimensions", dim_order.size(), sizes.size());
  ET_REQUIRE(validate_dim_order(dim_order.data(), dim_order.size()), InvalidArgument,
             "the dim order is not a permutation of the numbers below %zu, or that is over %zu",
             dim_order.size(), kTensorDimensionLimit);
  Result<size_t> nbytes = count_bytes(sizes, scalar_type);
  if (!nbytes.ok()) {
    return nbytes.error();
  }
  return TensorLayout(sizes, dim_order, scalar_type, nbytes.get());
}

}  // namespace ET_RUNTIME_NAMESPACE
}  // namespace executorch
