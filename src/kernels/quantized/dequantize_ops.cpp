// From integers to numbers.
#include "kernels/quantized/parameters.h"
#include "kernels/quantized/tables.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

/// Checks what all forms have in common, and gives `out` its sizes.
Error prepare_output(const Tensor& input, ScalarType dtype, std::optional<ScalarType> out_dtype,
                     const Tensor& out, compute::DType* stored) {
  ET_TRY(quantized_dtype(input, "input", stored));
  ET_TRY(check_stated_dtype(dtype, input, "input"));
  ET_TRY(check_floating(out, "out"));
  if (out_dtype.has_value()) ET_TRY(check_stated_dtype(*out_dtype, out, "out"));
  ET_TRY(resize_output_like(out, input));
  return check_no_overlap(out, input, "input");
}

template <class T>
Error dequantize_all(Context& context, const Tensor& input, compute::DType stored, double scale,
                     int64_t zero_point, const Tensor& out) {
  InputLike in(context);
  ET_TRY(in.prepare(input, out));
  const T factor = static_cast<T>(scale);
  const T zero = static_cast<T>(zero_point);
  compute::dequantize<T>({{1, 1, input.numel()}, &factor, &zero}, {in.data(), stored},
                         {out.mutable_data_ptr(), compute_dtype(out.scalar_type())});
  return Error::Ok;
}

Error dequantize_per_tensor(Context& context, const Tensor& input, double scale, int64_t zero_point,
                            int64_t, int64_t, ScalarType dtype, std::optional<ScalarType> out_dtype,
                            Tensor& out) {
  compute::DType stored;
  ET_TRY(prepare_output(input, dtype, out_dtype, out, &stored));
  return out.scalar_type() == ScalarType::Double
             ? dequantize_all<double>(context, input, stored, scale, zero_point, out)
             : dequantize_all<float>(context, input, stored, scale, zero_point, out);
}

Error dequantize_per_tensor_tensor(Context& context, const Tensor& input, const Tensor& scale,
                                   const Tensor& zero_point, int64_t quant_min, int64_t quant_max,
                                   ScalarType dtype, std::optional<ScalarType> out_dtype,
                                   Tensor& out) {
  double scale_value;
  int64_t zero_value;
  ET_TRY(single_number(scale, "scale", &scale_value));
  ET_TRY(single_integer(zero_point, "zero_point", &zero_value));
  return dequantize_per_tensor(context, input, scale_value, zero_value, quant_min, quant_max, dtype,
                               out_dtype, out);
}

struct Along {
  const Tensor& input;
  const Tensor& scales;
  const std::optional<Tensor>& zero_points;
  compute::DenseAxis axis;
};

template <class T>
Error dequantize_typed(Context& context, const Along& call, compute::DType stored,
                       const Tensor& out) {
  ParameterLists<T> parameters(context);
  ET_TRY(parameters.prepare(call.scales, call.zero_points, call.axis.count));
  ContiguousInput in(context);
  ContiguousOutput result(context);
  ET_TRY(in.prepare(call.input));
  ET_TRY(result.prepare(out));
  compute::dequantize<T>(parameters.along(call.axis), {in.view().data, stored},
                         {result.view().data, result.view().dtype});
  result.finish();
  return Error::Ok;
}

Error dequantize_along(Context& context, const Along& call, compute::DType stored,
                       const Tensor& out) {
  ET_TRY(check_apart_from_parameters(out, call.scales, "scales", call.zero_points, "zero_points"));
  return call.scales.scalar_type() == ScalarType::Double
             ? dequantize_typed<double>(context, call, stored, out)
             : dequantize_typed<float>(context, call, stored, out);
}

Error dequantize_per_channel(Context& context, const Tensor& input, const Tensor& scales,
                             std::optional<Tensor> zero_points, int64_t axis, int64_t, int64_t,
                             ScalarType dtype, std::optional<ScalarType> out_dtype, Tensor& out) {
  compute::DType stored;
  int d = 0;
  ET_TRY(normalize_dim(axis, input.dim(), "axis", &d));
  ET_TRY(prepare_output(input, dtype, out_dtype, out, &stored));
  return dequantize_along(context, {input, scales, zero_points, channel_axis(input, d)}, stored,
                          out);
}

Error dequantize_per_token(Context& context, const Tensor& input, const Tensor& scales,
                           const Tensor& zero_points, int64_t, int64_t, ScalarType dtype,
                           ScalarType output_dtype, Tensor& out) {
  compute::DType stored;
  ET_TRY(prepare_output(input, dtype, output_dtype, out, &stored));
  ET_TRY(check_row_parameters(scales, "scales", input));
  ET_TRY(check_row_parameters(zero_points, "zero_points", input));
  return dequantize_along(context, {input, scales, zero_points, row_axis(input)}, stored, out);
}

constexpr OperatorRow kRows[] = {
    row<"quantized_decomposed::dequantize_per_tensor.out", dequantize_per_tensor>(
        "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType "
        "dtype, *, ScalarType? out_dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::dequantize_per_tensor.Tensor_out", dequantize_per_tensor_tensor>(
        "(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType "
        "dtype, *, ScalarType? out_dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::dequantize_per_channel.out", dequantize_per_channel>(
        "(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int "
        "quant_max, ScalarType dtype, *, ScalarType? out_dtype=None, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"quantized_decomposed::dequantize_per_token.out", dequantize_per_token>(
        "(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, "
        "ScalarType dtype, ScalarType output_dtype, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table dequantize_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
