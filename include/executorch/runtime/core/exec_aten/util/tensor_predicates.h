/**
 * @file
 * Checks of tensors. Each returns whether it holds; when not, the reason is logged and kept as this
 * thread's error text.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace ET_RUNTIME_NAMESPACE {

// -- Element types --

EXECUTORCH_API bool tensor_can_cast_to(executorch::aten::Tensor a,
                                       executorch::aten::ScalarType dtype);
EXECUTORCH_API bool tensor_is_type(executorch::aten::Tensor t, executorch::aten::ScalarType dtype);
EXECUTORCH_API bool tensor_is_type(executorch::aten::Tensor t, executorch::aten::ScalarType dtype,
                                   executorch::aten::ScalarType dtype2);
EXECUTORCH_API bool tensor_is_type(executorch::aten::Tensor t, executorch::aten::ScalarType dtype,
                                   executorch::aten::ScalarType dtype2,
                                   executorch::aten::ScalarType dtype3);
EXECUTORCH_API bool tensor_is_bool_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_integral_type(executorch::aten::Tensor t, bool includeBool = false);
EXECUTORCH_API bool tensor_is_floating_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_real_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_realh_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_realhbf16_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_realhb_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_realhbbf16_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_complex_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_bits_type(executorch::aten::Tensor t);
EXECUTORCH_API bool tensors_have_same_dtype(executorch::aten::Tensor a, executorch::aten::Tensor b);
EXECUTORCH_API bool tensors_have_same_dtype(executorch::aten::Tensor a, executorch::aten::Tensor b,
                                            executorch::aten::Tensor c);

// -- Dimensions and sizes --

/// Whether `dim` is in [-upper_bound, upper_bound).
EXECUTORCH_API bool dim_is_valid(int64_t dim, int64_t upper_bound);
/// Whether the tensor has dimension `d`, which may count from the end. A tensor without dimensions
/// has 0 and -1.
EXECUTORCH_API bool tensor_has_dim(executorch::aten::Tensor t, int64_t d);
/// Whether dimension `d` exists and has elements.
EXECUTORCH_API bool tensor_has_non_empty_dim(executorch::aten::Tensor t, int64_t d);
/// Whether `ix`, which may count from the end, is an index of dimension `d`.
EXECUTORCH_API bool tensor_dim_has_index(executorch::aten::Tensor t, int64_t d, int64_t ix);
EXECUTORCH_API bool tensor_is_rank(executorch::aten::Tensor t, size_t rank);
EXECUTORCH_API bool tensor_has_rank_greater_or_equal_to(executorch::aten::Tensor t, size_t rank);
EXECUTORCH_API bool tensor_has_rank_smaller_or_equal_to(executorch::aten::Tensor t, size_t rank);
EXECUTORCH_API bool tensors_have_same_rank(executorch::aten::Tensor a, executorch::aten::Tensor b);
/// Whether the tensor has one element and no dimensions. Logs nothing.
inline bool tensor_is_scalar(executorch::aten::Tensor t) {
  return t.dim() == 0 && t.numel() == 1;
}
EXECUTORCH_API bool tensors_have_same_size_at_dims(executorch::aten::Tensor a, size_t dim_a,
                                                   executorch::aten::Tensor b, size_t dim_b);
/// Whether the sizes are equal. Tensors of one element match whatever their dimensions are.
EXECUTORCH_API bool tensors_have_same_shape(executorch::aten::Tensor a, executorch::aten::Tensor b);
EXECUTORCH_API bool tensors_have_same_shape(executorch::aten::Tensor a, executorch::aten::Tensor b,
                                            executorch::aten::Tensor c);
EXECUTORCH_API bool tensors_have_same_shape_and_dtype(executorch::aten::Tensor a,
                                                      executorch::aten::Tensor b);
EXECUTORCH_API bool tensors_have_same_shape_and_dtype(executorch::aten::Tensor a,
                                                      executorch::aten::Tensor b,
                                                      executorch::aten::Tensor c);
EXECUTORCH_API bool tensor_has_expected_size(
    executorch::aten::Tensor a,
    executorch::aten::ArrayRef<executorch::aten::SizesType> expected_sizes);

// -- Order in memory --

EXECUTORCH_API bool tensors_have_same_strides(executorch::aten::Tensor a,
                                              executorch::aten::Tensor b);
EXECUTORCH_API bool tensors_have_same_strides(executorch::aten::Tensor a,
                                              executorch::aten::Tensor b,
                                              executorch::aten::Tensor c);
EXECUTORCH_API bool tensor_is_contiguous(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_has_valid_dim_order(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_default_or_channels_last_dim_order(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_default_dim_order(executorch::aten::Tensor t);
EXECUTORCH_API bool tensor_is_channels_last_dim_order(executorch::aten::Tensor t);

/// Whether all tensors are contiguous, or all are channels-last, or all have the same dim order.
EXECUTORCH_API bool tensors_have_same_dim_order(
    const executorch::aten::ArrayRef<executorch::aten::Tensor> tensor_list);

inline bool tensors_have_same_dim_order(const executorch::aten::Tensor& a,
                                        const executorch::aten::Tensor& b) {
  const executorch::aten::Tensor tensors[] = {a, b};
  return tensors_have_same_dim_order(tensors);
}

inline bool tensors_have_same_dim_order(const executorch::aten::Tensor& a,
                                        const executorch::aten::Tensor& b,
                                        const executorch::aten::Tensor& c) {
  const executorch::aten::Tensor tensors[] = {a, b, c};
  return tensors_have_same_dim_order(tensors);
}

inline bool tensors_have_same_dim_order(const executorch::aten::Tensor& a,
                                        const executorch::aten::Tensor& b,
                                        const executorch::aten::Tensor& c,
                                        const executorch::aten::Tensor& d) {
  const executorch::aten::Tensor tensors[] = {a, b, c, d};
  return tensors_have_same_dim_order(tensors);
}

}  // namespace ET_RUNTIME_NAMESPACE
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::ET_RUNTIME_NAMESPACE::dim_is_valid;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_can_cast_to;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_dim_has_index;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_has_dim;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_has_expected_size;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_has_non_empty_dim;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_has_rank_greater_or_equal_to;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_has_rank_smaller_or_equal_to;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_has_valid_dim_order;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_bits_type;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_bool_type;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_complex_type;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_contiguous;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_default_dim_order;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_default_or_channels_last_dim_order;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_floating_type;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_integral_type;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_rank;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_real_type;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_realh_type;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_realhb_type;
using ::executorch::ET_RUNTIME_NAMESPACE::tensor_is_scalar;
using ::executorch::ET_RUNTIME_NAMESPACE::tensors_have_same_dim_order;
using ::executorch::ET_RUNTIME_NAMESPACE::tensors_have_same_dtype;
using ::executorch::ET_RUNTIME_NAMESPACE::tensors_have_same_rank;
using ::executorch::ET_RUNTIME_NAMESPACE::tensors_have_same_shape;
using ::executorch::ET_RUNTIME_NAMESPACE::tensors_have_same_shape_and_dtype;
using ::executorch::ET_RUNTIME_NAMESPACE::tensors_have_same_size_at_dims;
using ::executorch::ET_RUNTIME_NAMESPACE::tensors_have_same_strides;
}  // namespace executor
}  // namespace torch
