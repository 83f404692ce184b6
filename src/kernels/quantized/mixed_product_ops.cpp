// Products of floats with int8 weights. Half types are computed in float.
#include "compute/affine/mixed_product.h"

#include "kernels/quantized/tables.h"
#include "kernels/quantized/weight_table.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

Error check_operands(const Tensor& input, const Tensor& weight, const Tensor& scales,
                     const std::optional<Tensor>& zero_points, const Tensor& out) {
  ET_TRY(check_rank(input, "input", 2, 2));
  ET_TRY(check_floating(input, "input"));
  ET_REQUIRE(input.scalar_type() != ScalarType::Double, InvalidArgument,
             "argument 'input': float64 is not supported");
  ET_TRY(check_same_dtype(input, "input", scales, "weight_scales"));
  ET_REQUIRE(!zero_points.has_value(), InvalidArgument,
             "argument 'weight_zero_points': only None is supported");
  ET_TRY(check_no_overlap(out, input, "input"));
  ET_TRY(check_no_overlap(out, weight, "weight"));
  return check_no_overlap(out, scales, "weight_scales");
}

/// input [m, k] times a weight [k, n], or [n, k] when transposed.
Error multiply(Context& context, const Tensor& input, const Tensor& weight, const Tensor& scales,
               bool transposed, const Tensor& out) {
  WeightTable table(context);
  ET_TRY(table.prepare(weight, compute::TableFormat::i8, scales, std::nullopt));
  compute::MixedProduct product;
  product.weight = table.table();
  product.transposed = transposed;
  product.m = input.sizes()[0];
  product.k = input.sizes()[1];
  product.n = weight.sizes()[transposed ? 0 : 1];
  ET_REQUIRE(product.k == weight.sizes()[transposed ? 1 : 0], InvalidArgument,
             "arguments 'input' and 'weight': %s cannot be multiplied with %s%s",
             describe(input).text, describe(weight).text, transposed ? " transposed" : "");
  Sizes sizes;
  sizes.push(product.m);
  sizes.push(product.n);
  ET_TRY(resize_output(out, sizes));
  ContiguousInput a(context);
  ContiguousOutput c(context);
  ET_TRY(a.prepare(input, ScalarType::Float));
  ET_TRY(c.prepare(out, ScalarType::Float));
  product.a = a.data<float>();
  product.c = c.data<float>();
  Scratch scratch(context);
  const size_t bytes = compute::mixed_product_scratch_bytes(product);
  ET_TRY(scratch.allocate(bytes, 1));
  compute::mixed_product(product, scratch.data(), bytes);
  c.finish();
  return Error::Ok;
}

Error mixed_mm(Context& context, const Tensor& input, const Tensor& weight, const Tensor& scales,
               std::optional<Tensor> zero_points, Tensor& out) {
  ET_TRY(check_operands(input, weight, scales, zero_points, out));
  ET_TRY(check_same_dtype(input, "input", out, "out"));
  ET_TRY(check_rank(scales, "weight_scales", 1, 1));
  return multiply(context, input, weight, scales, false, out);
}

Error mixed_linear(Context& context, const Tensor& input, const Tensor& weight,
                   const Tensor& scales, std::optional<Tensor> zero_points,
                   std::optional<ScalarType> dtype, Tensor& out) {
  ET_TRY(check_operands(input, weight, scales, zero_points, out));
  const ScalarType result = dtype.value_or(input.scalar_type());
  ET_REQUIRE(out.scalar_type() == result && is_floating(result), InvalidArgument,
             "argument 'out': expected %s, found %s", dtype_name(result),
             dtype_name(out.scalar_type()));
  return multiply(context, input, weight, scales, true, out);
}

constexpr OperatorRow kRows[] = {
    row<"quantized_decomposed::mixed_mm.out", mixed_mm>(
        "(Tensor input, Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, *, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::mixed_linear.out", mixed_linear>(
        "(Tensor input, Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, "
        "ScalarType? dtype=None, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table mixed_product_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
