/**
 * @file
 * What operators over quantised tensors check and prepare: integer types and their bounds, scales
 * and zero points as the compute layer takes them.
 */
#pragma once

#include "compute/affine/affine.h"
#include "kernels/support/copying.h"
#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {

/// The element type of a quantised tensor in memory; InvalidArgument naming the argument when its
/// dtype is none of uint8, int8, int16, int32, uint16 and bits16.
Error quantized_dtype(const Tensor& tensor, const char* name, compute::DType* dtype);

/// InvalidArgument unless `dtype`, as a program states it, is that of the tensor.
Error check_stated_dtype(ScalarType dtype, const Tensor& tensor, const char* name);

/// Bounds in order and within the range of the integer type.
Error check_bounds(int64_t quant_min, int64_t quant_max, compute::DType dtype);

/// The one element of a tensor.
Error single_number(const Tensor& tensor, const char* name, double* number);
Error single_integer(const Tensor& tensor, const char* name, int64_t* integer);

/// InvalidArgument when `out` lies on scales or zero points, which are read while it is written.
Error check_apart_from_parameters(const Tensor& out, const Tensor& scales, const char* scales_name,
                                  const std::optional<Tensor>& zero_points,
                                  const char* zero_points_name);

/// Scales and zero points of a dimension with `count` indices, as T.
template <class T>
class ParameterLists {
 public:
  explicit ParameterLists(Context& context)
      : scales_(context), zero_points_(context), changed_(context) {}

  /// InvalidArgument unless there are `count` of both. No zero points mean zeros.
  Error prepare(const Tensor& scales, const std::optional<Tensor>& zero_points, int64_t count);
  /// Replaces the scales by their reciprocals.
  Error invert(int64_t count);

  compute::AffineParameters<T> along(const compute::DenseAxis& axis) const {
    return {axis, scale_values_, zero_point_values_};
  }

 private:
  ContiguousInput scales_;
  ContiguousInput zero_points_;
  Scratch changed_;
  const T* scale_values_ = nullptr;
  const T* zero_point_values_ = nullptr;
};

extern template class ParameterLists<float>;
extern template class ParameterLists<double>;

/// The memory of a row-major tensor around dimension `d`, or around rows of its last dimension.
compute::DenseAxis channel_axis(const Tensor& tensor, int d);
compute::DenseAxis row_axis(const Tensor& tensor);

/// InvalidArgument unless `parameters` has the input's sizes, but for 1 as the last one.
Error check_row_parameters(const Tensor& parameters, const char* name, const Tensor& input);

}  // namespace kernels
}  // namespace executorch
