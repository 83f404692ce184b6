#include "kernels/quantized/parameters.h"
#include "kernels/quantized/tables.h"

namespace executorch {
namespace kernels {
namespace {

Error add(Context& context, const Tensor& a, double a_scale, int64_t a_zero_point, int64_t, int64_t,
          const Tensor& b, double b_scale, int64_t b_zero_point, int64_t, int64_t, double out_scale,
          int64_t out_zero_point, int64_t out_quant_min, int64_t out_quant_max, Tensor& out) {
  compute::DType stored;
  ET_TRY(quantized_dtype(a, "a", &stored));
  ET_TRY(check_same_dtype(a, "a", b, "b"));
  ET_TRY(check_same_dtype(a, "a", out, "out"));
  ET_REQUIRE(same_sizes(a, b), InvalidArgument,
             "arguments 'a' and 'b': the sizes of %s and %s differ", describe(a).text,
             describe(b).text);
  ET_TRY(check_bounds(out_quant_min, out_quant_max, stored));
  ET_REQUIRE(out_scale != 0, InvalidArgument,
             "argument 'out_scale': numbers cannot be divided by 0");
  ET_TRY(resize_output_like(out, a));
  ET_TRY(check_no_partial_overlap(out, a, "a"));
  ET_TRY(check_no_partial_overlap(out, b, "b"));
  InputLike left(context), right(context);
  ET_TRY(left.prepare(a, out));
  ET_TRY(right.prepare(b, out));
  compute::add_quantized(out.numel(), {left.data(), stored},
                         {static_cast<float>(a_scale), static_cast<float>(a_zero_point)},
                         {right.data(), stored},
                         {static_cast<float>(b_scale), static_cast<float>(b_zero_point)},
                         {out.mutable_data_ptr(), stored},
                         {static_cast<float>(1.0 / out_scale), static_cast<float>(out_zero_point)},
                         {out_quant_min, out_quant_max});
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"quantized_decomposed::add.out", add>(
        "(Tensor a, float a_scale, int a_zero_point, int a_quant_min, int a_quant_max, Tensor b, "
        "float b_scale, int b_zero_point, int b_quant_min, int b_quant_max, float out_scale, int "
        "out_zero_point, int out_quant_min, int out_quant_max, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table quantized_add_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
