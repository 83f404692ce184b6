#include "kernels/quantized/parameters.h"

#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {

using compute::DType;

Error quantized_dtype(const Tensor& tensor, const char* name, DType* dtype) {
  switch (tensor.scalar_type()) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
      *dtype = compute_dtype(tensor.scalar_type());
      return Error::Ok;
    case ScalarType::UInt16:
    case ScalarType::Bits16:
      *dtype = DType::u16;
      return Error::Ok;
    default:
      return ET_ERROR(
          InvalidArgument,
          "argument '%s': dtype %s is not one of uint8, int8, int16, int32, uint16, bits16", name,
          dtype_name(tensor.scalar_type()));
  }
}

Error check_stated_dtype(ScalarType dtype, const Tensor& tensor, const char* name) {
  ET_REQUIRE(dtype == tensor.scalar_type(), InvalidArgument,
             "argument '%s': the program says %s, found %s", name, dtype_name(dtype),
             dtype_name(tensor.scalar_type()));
  return Error::Ok;
}

Error check_bounds(int64_t quant_min, int64_t quant_max, DType dtype) {
  const bool is_signed = dtype != DType::u8 && dtype != DType::u16;
  const int bits = static_cast<int>(compute::element_size(dtype)) * 8 - (is_signed ? 1 : 0);
  const int64_t highest = (int64_t{1} << bits) - 1;
  const int64_t lowest = is_signed ? -highest - 1 : 0;
  ET_REQUIRE(quant_min <= quant_max && quant_min >= lowest && quant_max <= highest, InvalidArgument,
             "arguments 'quant_min' and 'quant_max': [%lld, %lld] is no range within [%lld, %lld]",
             static_cast<long long>(quant_min), static_cast<long long>(quant_max),
             static_cast<long long>(lowest), static_cast<long long>(highest));
  return Error::Ok;
}

namespace {

Error check_single(const Tensor& tensor, const char* name) {
  ET_TRY(check_arithmetic(tensor, name));
  ET_REQUIRE(tensor.numel() == 1, InvalidArgument, "argument '%s': expected one element, found %s",
             name, describe(tensor).text);
  return Error::Ok;
}

/// The one element of a tensor converted to `dtype`.
void read_single(const Tensor& tensor, DType dtype, void* value) {
  TensorView to = compute::contiguous_view(value, dtype, compute::element_size(dtype), 0, nullptr);
  TensorView from = view_of(tensor);
  from.rank = 0;
  compute::convert(to, from);
}

}  // namespace

Error single_number(const Tensor& tensor, const char* name, double* number) {
  ET_TRY(check_single(tensor, name));
  read_single(tensor, DType::f64, number);
  return Error::Ok;
}

Error single_integer(const Tensor& tensor, const char* name, int64_t* integer) {
  ET_TRY(check_single(tensor, name));
  read_single(tensor, DType::i64, integer);
  return Error::Ok;
}

template <class T>
constexpr ScalarType kScalarType =
    sizeof(T) == sizeof(float) ? ScalarType::Float : ScalarType::Double;

template <class T>
Error ParameterLists<T>::prepare(const Tensor& scales, const std::optional<Tensor>& zero_points,
                                 int64_t count) {
  ET_TRY(check_floating(scales, "scales"));
  ET_REQUIRE(scales.numel() == count, InvalidArgument,
             "argument 'scales': expected %lld of them, found %s", static_cast<long long>(count),
             describe(scales).text);
  ET_TRY(scales_.prepare(scales, kScalarType<T>));
  scale_values_ = scales_.data<T>();
  if (!zero_points.has_value()) {
    ET_TRY(changed_.allocate(static_cast<size_t>(count), sizeof(T)));
    for (int64_t i = 0; i < count; ++i) changed_.as<T>()[i] = 0;
    zero_point_values_ = changed_.as<T>();
    return Error::Ok;
  }
  ET_TRY(check_arithmetic(*zero_points, "zero_points"));
  ET_REQUIRE(zero_points->numel() == count, InvalidArgument,
             "argument 'zero_points': expected %lld of them, found %s",
             static_cast<long long>(count), describe(*zero_points).text);
  ET_TRY(zero_points_.prepare(*zero_points, kScalarType<T>));
  zero_point_values_ = zero_points_.data<T>();
  return Error::Ok;
}

template <class T>
Error ParameterLists<T>::invert(int64_t count) {
  ET_TRY(changed_.allocate(static_cast<size_t>(count), sizeof(T)));
  for (int64_t i = 0; i < count; ++i) changed_.as<T>()[i] = 1 / scale_values_[i];
  scale_values_ = changed_.as<T>();
  return Error::Ok;
}

template class ParameterLists<float>;
template class ParameterLists<double>;

Error check_apart_from_parameters(const Tensor& out, const Tensor& scales, const char* scales_name,
                                  const std::optional<Tensor>& zero_points,
                                  const char* zero_points_name) {
  ET_TRY(check_no_overlap(out, scales, scales_name));
  return zero_points.has_value() ? check_no_overlap(out, *zero_points, zero_points_name)
                                 : Error::Ok;
}

compute::DenseAxis channel_axis(const Tensor& tensor, int d) {
  compute::DenseAxis axis{1, 1, 1};
  for (int i = 0; i < tensor.dim(); ++i) {
    const int64_t size = tensor.sizes()[static_cast<size_t>(i)];
    (i < d ? axis.outer : i > d ? axis.inner : axis.count) *= size;
  }
  return axis;
}

compute::DenseAxis row_axis(const Tensor& tensor) {
  if (tensor.dim() == 0) return {1, 1, 1};
  const compute::DenseAxis axis = channel_axis(tensor, static_cast<int>(tensor.dim()) - 1);
  return {1, axis.outer, axis.count};
}

Error check_row_parameters(const Tensor& parameters, const char* name, const Tensor& input) {
  Sizes expected = sizes_of(input);
  if (expected.rank > 0) expected[expected.rank - 1] = 1;
  bool fits = parameters.dim() == expected.rank;
  for (int d = 0; fits && d < expected.rank; ++d)
    fits = parameters.sizes()[static_cast<size_t>(d)] == expected[d];
  ET_REQUIRE(fits, InvalidArgument, "argument '%s': expected %s, one for each row, found %s", name,
             describe(expected).text, describe(parameters).text);
  return Error::Ok;
}

}  // namespace kernels
}  // namespace executorch
