// Scales and zero points from the range of numbers, as torch.ao chooses them.
#include <algorithm>
#include <limits>

#include "compute/reduce/reduce.h"
#include "kernels/quantized/parameters.h"
#include "kernels/quantized/tables.h"
#include "kernels/support/promotion.h"
#include "kernels/support/reduction.h"

namespace executorch {
namespace kernels {
namespace {

/// The least and the greatest number of a range that contains 0.
struct Range {
  float low;
  float high;
};

/// Half to even.
float rounded(float x) {
  constexpr float kShift = 0x1p23f;
  const float magnitude = x < 0 ? -x : x;
  if (!(magnitude < kShift)) return x;
  const float whole = (magnitude + kShift) - kShift;
  return x < 0 ? -whole : whole;
}

/// Least and greatest numbers of what a reduction leaves, in scratch.
class Extremes {
 public:
  explicit Extremes(Context& context) : values_(context) {}

  Error compute(const Tensor& input, Reduction& reduction, int64_t count) {
    ET_TRY(values_.allocate(2 * static_cast<size_t>(count), sizeof(float)));
    compute::ReduceCall call;
    call.in = reduction.source(input);
    call.dims = reduction.dims();
    call.compute = compute::ComputeType::f32;
    int64_t strides[compute::kMaxRank] = {};
    int64_t stride = 1;
    for (int d = static_cast<int>(input.dim()) - 1; d >= 0; --d) {
      if ((call.dims >> d & 1) != 0) continue;
      strides[d] = stride;
      stride *= input.sizes()[static_cast<size_t>(d)];
    }
    for (const auto op : {compute::ReduceOp::Min, compute::ReduceOp::Max}) {
      call.op = op;
      float* values = values_.as<float>() + (op == compute::ReduceOp::Max ? count : 0);
      call.out = {values, compute::DType::f32, strides};
      compute::reduce(call);
    }
    count_ = count;
    return Error::Ok;
  }

  Range operator[](int64_t i) const {
    const float low = values_.as<float>()[i], high = values_.as<float>()[count_ + i];
    return {low > 0 ? 0 : low, high < 0 ? 0 : high};
  }

 private:
  Scratch values_;
  int64_t count_ = 0;
};

Error check_parameter_outs(const Tensor& scale_out, const Tensor& zero_point_out) {
  ET_REQUIRE(scale_out.scalar_type() == ScalarType::Double, InvalidArgument,
             "argument 'scale_out': expected float64, found %s",
             dtype_name(scale_out.scalar_type()));
  ET_REQUIRE(zero_point_out.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument 'zero_point_out': expected int64, found %s",
             dtype_name(zero_point_out.scalar_type()));
  return Error::Ok;
}

/// A number without a range, such as one among which there is NaN, gets scale 1.
bool is_range(const Range& range) {
  return range.low <= range.high && range.high - range.low <= std::numeric_limits<float>::max();
}

Error choose_qparams(Context& context, const Tensor& input, int64_t quant_min, int64_t quant_max,
                     double eps, ScalarType, Tensor& scale_out, Tensor& zero_point_out) {
  ET_TRY(check_floating(input, "input"));
  ET_TRY(check_parameter_outs(scale_out, zero_point_out));
  ET_TRY(check_bounds(quant_min, quant_max, compute::DType::i32));
  ET_REQUIRE(quant_min < quant_max, InvalidArgument,
             "arguments 'quant_min' and 'quant_max': expected a range, found [%lld, %lld]",
             static_cast<long long>(quant_min), static_cast<long long>(quant_max));
  ET_REQUIRE(input.numel() > 0, InvalidArgument, "argument 'input': has no elements");
  Sizes one;
  one.push(1);
  ET_TRY(resize_output(scale_out, one, "scale_out"));
  ET_TRY(resize_output(zero_point_out, one, "zero_point_out"));
  Reduction reduction;
  reduction.prepare_all(input, false);
  Extremes extremes(context);
  ET_TRY(extremes.compute(input, reduction, 1));
  const Range range = extremes[0];
  float scale = 1;
  double zero = 0;
  if (is_range(range)) {
    scale = std::max((range.high - range.low) / static_cast<float>(quant_max - quant_min),
                     static_cast<float>(eps));
    zero = static_cast<double>(quant_min) - rounded(range.low / scale);
  }
  // Zeros only, with an eps of 0, have no ratio.
  if (zero != zero) zero = static_cast<double>(quant_min);
  *scale_out.mutable_data_ptr<double>() = scale;
  *zero_point_out.mutable_data_ptr<int64_t>() = static_cast<int64_t>(
      std::clamp(zero, static_cast<double>(quant_min), static_cast<double>(quant_max)));
  return Error::Ok;
}

/// The zero point whose end of the range is met with the smaller error, for -128 to 127.
int64_t asymmetric_zero_point(const Range& range, float scale) {
  constexpr float kLow = -128, kHigh = 127;
  const float from_low = kLow - range.low / scale;
  const float from_high = kHigh - range.high / scale;
  const float low_error = kLow + range.low / scale;
  const float high_error = kHigh + range.high / scale;
  const float zero = low_error + high_error > 0 ? from_low : from_high;
  return static_cast<int64_t>(rounded(std::clamp(zero, kLow, kHigh)));
}

Error choose_qparams_per_token_asymmetric(Context& context, const Tensor& input, ScalarType,
                                          Tensor& scale_out, Tensor& zero_point_out) {
  ET_TRY(check_floating(input, "input"));
  ET_TRY(check_rank(input, "input", 1, kMaxRank));
  ET_TRY(check_parameter_outs(scale_out, zero_point_out));
  Reduction reduction;
  ET_TRY(reduction.prepare(input, int64_t{-1}, true));
  ET_TRY(reduction.check_not_empty(input));
  ET_TRY(resize_output(scale_out, reduction.out_sizes(), "scale_out"));
  ET_TRY(resize_output(zero_point_out, reduction.out_sizes(), "zero_point_out"));
  const int64_t count = scale_out.numel();
  Extremes extremes(context);
  ET_TRY(extremes.compute(input, reduction, count));
  ContiguousOutput scales(context), zero_points(context);
  ET_TRY(scales.prepare(scale_out));
  ET_TRY(zero_points.prepare(zero_point_out));
  for (int64_t i = 0; i < count; ++i) {
    const Range range = extremes[i];
    const bool valid = is_range(range);
    const float scale =
        valid ? std::max((range.high - range.low) / 255.0f, std::numeric_limits<float>::epsilon())
              : 1.0f;
    scales.data<double>()[i] = scale;
    zero_points.data<int64_t>()[i] = valid ? asymmetric_zero_point(range, scale) : 0;
  }
  scales.finish();
  zero_points.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"quantized_decomposed::choose_qparams.Tensor_out", choose_qparams>(
        "(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype, *, Tensor(a!) "
        "scale_out, Tensor(b!) zero_point_out) -> (Tensor(a!), Tensor(b!))"),
    row<"quantized_decomposed::choose_qparams_per_token_asymmetric.out",
        choose_qparams_per_token_asymmetric>(
        "(Tensor input, ScalarType dtype, *, Tensor(a!) scale_out, Tensor(b!) zero_point_out) -> "
        "(Tensor(a!), Tensor(b!))"),
};

}  // namespace

Table choose_parameters_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
