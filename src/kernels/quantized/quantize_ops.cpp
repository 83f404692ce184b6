// From numbers to integers. Half types are computed in float; double, and double scales of
// channels, in double.
#include "kernels/quantized/parameters.h"
#include "kernels/quantized/tables.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

using compute::ZeroPointIsAdded;

/// Checks what all forms have in common, and gives `out` its sizes.
Error prepare_output(const Tensor& input, int64_t quant_min, int64_t quant_max, ScalarType dtype,
                     const Tensor& out, compute::DType* stored) {
  ET_TRY(check_floating(input, "input"));
  ET_TRY(check_stated_dtype(dtype, out, "out"));
  ET_TRY(quantized_dtype(out, "out", stored));
  ET_TRY(check_bounds(quant_min, quant_max, *stored));
  ET_TRY(resize_output_like(out, input));
  return check_no_overlap(out, input, "input");
}

template <class T>
Error quantize_all(Context& context, const Tensor& input, double scale, int64_t zero_point,
                   const compute::IntegerBounds& bounds, const Tensor& out, compute::DType stored) {
  InputLike in(context);
  ET_TRY(in.prepare(input, out));
  const T reciprocal = static_cast<T>(1.0 / scale);
  const T zero = static_cast<T>(zero_point);
  compute::quantize<T>({{1, 1, input.numel()}, &reciprocal, &zero}, ZeroPointIsAdded::AfterRounding,
                       bounds, {in.data(), compute_dtype(input.scalar_type())},
                       {out.mutable_data_ptr(), stored});
  return Error::Ok;
}

Error quantize_per_tensor(Context& context, const Tensor& input, double scale, int64_t zero_point,
                          int64_t quant_min, int64_t quant_max, ScalarType dtype, Tensor& out) {
  compute::DType stored;
  ET_TRY(prepare_output(input, quant_min, quant_max, dtype, out, &stored));
  ET_REQUIRE(scale != 0, InvalidArgument, "argument 'scale': numbers cannot be divided by 0");
  const compute::IntegerBounds bounds{quant_min, quant_max};
  return input.scalar_type() == ScalarType::Double
             ? quantize_all<double>(context, input, scale, zero_point, bounds, out, stored)
             : quantize_all<float>(context, input, scale, zero_point, bounds, out, stored);
}

Error quantize_per_tensor_tensor(Context& context, const Tensor& input, const Tensor& scale,
                                 const Tensor& zero_point, int64_t quant_min, int64_t quant_max,
                                 ScalarType dtype, Tensor& out) {
  double scale_value;
  int64_t zero_value;
  ET_TRY(single_number(scale, "scale", &scale_value));
  ET_TRY(single_integer(zero_point, "zero_point", &zero_value));
  return quantize_per_tensor(context, input, scale_value, zero_value, quant_min, quant_max, dtype,
                             out);
}

struct Along {
  const Tensor& input;
  const Tensor& scales;
  const Tensor& zero_points;
  compute::DenseAxis axis;
  ZeroPointIsAdded order;
  compute::IntegerBounds bounds;
};

template <class T>
Error quantize_typed(Context& context, const Along& call, const Tensor& out,
                     compute::DType stored) {
  ParameterLists<T> parameters(context);
  ET_TRY(parameters.prepare(call.scales, call.zero_points, call.axis.count));
  ET_TRY(parameters.invert(call.axis.count));
  ContiguousInput in(context);
  ContiguousOutput result(context);
  ET_TRY(in.prepare(call.input));
  ET_TRY(result.prepare(out));
  compute::quantize<T>(parameters.along(call.axis), call.order, call.bounds,
                       {in.view().data, in.view().dtype}, {result.view().data, stored});
  result.finish();
  return Error::Ok;
}

Error quantize_along(Context& context, const Along& call, const Tensor& out,
                     compute::DType stored) {
  ET_TRY(check_apart_from_parameters(out, call.scales, "scales", call.zero_points, "zero_points"));
  const bool wide = call.input.scalar_type() == ScalarType::Double ||
                    call.scales.scalar_type() == ScalarType::Double;
  return wide ? quantize_typed<double>(context, call, out, stored)
              : quantize_typed<float>(context, call, out, stored);
}

Error quantize_per_channel(Context& context, const Tensor& input, const Tensor& scales,
                           const Tensor& zero_points, int64_t axis, int64_t quant_min,
                           int64_t quant_max, ScalarType dtype, Tensor& out) {
  compute::DType stored;
  int d = 0;
  ET_TRY(normalize_dim(axis, input.dim(), "axis", &d));
  ET_TRY(prepare_output(input, quant_min, quant_max, dtype, out, &stored));
  return quantize_along(context,
                        {input,
                         scales,
                         zero_points,
                         channel_axis(input, d),
                         ZeroPointIsAdded::AfterRounding,
                         {quant_min, quant_max}},
                        out, stored);
}

Error quantize_per_token(Context& context, const Tensor& input, const Tensor& scales,
                         const Tensor& zero_points, int64_t quant_min, int64_t quant_max,
                         ScalarType dtype, Tensor& out) {
  compute::DType stored;
  ET_TRY(prepare_output(input, quant_min, quant_max, dtype, out, &stored));
  ET_TRY(check_row_parameters(scales, "scales", input));
  ET_TRY(check_row_parameters(zero_points, "zero_points", input));
  return quantize_along(context,
                        {input,
                         scales,
                         zero_points,
                         row_axis(input),
                         ZeroPointIsAdded::BeforeRounding,
                         {quant_min, quant_max}},
                        out, stored);
}

constexpr OperatorRow kRows[] = {
    row<"quantized_decomposed::quantize_per_tensor.out", quantize_per_tensor>(
        "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType "
        "dtype, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::quantize_per_tensor.Tensor_out", quantize_per_tensor_tensor>(
        "(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType "
        "dtype, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::quantize_per_channel.out", quantize_per_channel>(
        "(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, "
        "ScalarType dtype, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::quantize_per_token.out", quantize_per_token>(
        "(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, "
        "ScalarType dtype, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table quantize_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
