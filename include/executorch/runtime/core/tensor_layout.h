/**
 * @file
 * What is known of a tensor without its data.
 */
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace ET_RUNTIME_NAMESPACE {

/// Sizes, dimension order and element type of a tensor. Refers to sizes and order, which must
/// outlive it.
class TensorLayout final {
 public:
  TensorLayout() = delete;

  /**
   * @param[in] sizes Elements per dimension, none negative.
   * @param[in] dim_order A permutation of the dimensions, outermost first; as long as `sizes`.
   * @retval Error::InvalidArgument A size is negative, the order is none, the type is unknown, or
   * the byte count exceeds what size_t can hold.
   */
  EXECUTORCH_API static executorch::runtime::Result<const TensorLayout> create(
      Span<const int32_t> sizes, Span<const uint8_t> dim_order,
      executorch::aten::ScalarType scalar_type);

  Span<const int32_t> sizes() const { return sizes_; }
  Span<const uint8_t> dim_order() const { return dim_order_; }
  executorch::aten::ScalarType scalar_type() const { return scalar_type_; }
  /// Bytes of all elements.
  size_t nbytes() const { return nbytes_; }

 private:
  TensorLayout(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
               executorch::aten::ScalarType scalar_type, size_t nbytes)
      : sizes_(sizes), dim_order_(dim_order), scalar_type_(scalar_type), nbytes_(nbytes) {}

  const Span<const int32_t> sizes_;
  const Span<const uint8_t> dim_order_;
  const executorch::aten::ScalarType scalar_type_;
  const size_t nbytes_;
};

}  // namespace ET_RUNTIME_NAMESPACE
}  // namespace executorch
