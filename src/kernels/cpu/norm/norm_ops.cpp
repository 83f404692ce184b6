// Layer and group normalisation.
#include <cmath>

#include "kernels/cpu/norm/norm_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

Error native_layer_norm(Context& context, const Tensor& input, IntList normalized_shape,
                        std::optional<Tensor> weight, std::optional<Tensor> bias, double eps,
                        Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  ET_TRY(check_floating(input, "input"));
  ET_TRY(check_same_dtype(input, "input", out, "out0"));
  ET_TRY(check_floating(mean_out, "out1"));
  ET_TRY(check_floating(rstd_out, "out2"));
  NormRows shape;
  ET_TRY(read_norm_rows(input, normalized_shape, &shape));
  const int64_t n = shape.n;
  ET_TRY(resize_output_like(out, input, "out0"));
  ET_TRY(resize_output(mean_out, shape.statistics, "out1"));
  ET_TRY(resize_output(rstd_out, shape.statistics, "out2"));
  ET_TRY(check_no_partial_overlap(out, input, "input"));
  const ScalarType dtype = accumulation_type(input.scalar_type());
  ContiguousInput in(context);
  Parameter scale(context);
  Parameter shift(context);
  ContiguousOutput to(context);
  ContiguousOutput mean(context);
  ContiguousOutput rstd(context);
  ET_TRY(in.prepare(input, dtype));
  ET_TRY(scale.prepare(weight, n, dtype, "weight"));
  ET_TRY(shift.prepare(bias, n, dtype, "bias"));
  ET_TRY(to.prepare(out, dtype));
  ET_TRY(mean.prepare(mean_out, dtype));
  ET_TRY(rstd.prepare(rstd_out, dtype));
  ET_TRY(with_float_type(dtype, [&](auto type) {
    using T = decltype(type);
    compute::layer_norm<T>(shape.rows, n, in.data<T>(), scale.data<T>(), shift.data<T>(), eps,
                           to.data<T>(), mean.data<T>(), rstd.data<T>());
    return Error::Ok;
  }));
  to.finish();
  mean.finish();
  rstd.finish();
  return Error::Ok;
}

/// Normalises each group of adjacent channels of one image, then scales and shifts per channel.
template <class T>
void group_norm(int64_t n, int64_t channels, int64_t pixels, int64_t groups, const T* in,
                const T* weight, const T* bias, double eps, T* out, T* mean, T* rstd) {
  const int64_t per_group = channels / groups;
  const compute::NormRowLoops<T>& loops = compute::norm_row_loops<T>();
  for (int64_t i = 0; i < n * groups; ++i) {
    const T* group = in + i * per_group * pixels;
    const compute::Moments<T> moments = compute::moments(group, per_group * pixels);
    mean[i] = moments.mean;
    rstd[i] = static_cast<T>(1) / std::sqrt(moments.variance + static_cast<T>(eps));
    for (int64_t k = 0; k < per_group; ++k) {
      const int64_t c = i % groups * per_group + k;
      const T scale = weight != nullptr ? rstd[i] * weight[c] : rstd[i];
      const T shift = (bias != nullptr ? bias[c] : static_cast<T>(0)) - mean[i] * scale;
      loops.scale_shift(group + k * pixels, out + (i * per_group + k) * pixels, pixels, scale,
                        shift);
    }
  }
}

Error native_group_norm(Context& context, const Tensor& input, std::optional<Tensor> weight,
                        std::optional<Tensor> bias, int64_t n, int64_t channels, int64_t pixels,
                        int64_t groups, double eps, Tensor& out, Tensor& mean_out,
                        Tensor& rstd_out) {
  ET_TRY(check_floating(input, "input"));
  ET_TRY(check_same_dtype(input, "input", out, "out0"));
  ET_TRY(check_floating(mean_out, "out1"));
  ET_TRY(check_floating(rstd_out, "out2"));
  ET_TRY(check_groups(input, n, channels, pixels, groups));
  Sizes statistics;
  statistics.push(n);
  statistics.push(groups);
  ET_TRY(resize_output_like(out, input, "out0"));
  ET_TRY(resize_output(mean_out, statistics, "out1"));
  ET_TRY(resize_output(rstd_out, statistics, "out2"));
  ET_TRY(check_no_partial_overlap(out, input, "input"));
  const ScalarType dtype = accumulation_type(input.scalar_type());
  ContiguousInput in(context);
  Parameter scale(context);
  Parameter shift(context);
  ContiguousOutput to(context);
  ContiguousOutput mean(context);
  ContiguousOutput rstd(context);
  ET_TRY(in.prepare(input, dtype));
  ET_TRY(scale.prepare(weight, channels, dtype, "weight"));
  ET_TRY(shift.prepare(bias, channels, dtype, "bias"));
  ET_TRY(to.prepare(out, dtype));
  ET_TRY(mean.prepare(mean_out, dtype));
  ET_TRY(rstd.prepare(rstd_out, dtype));
  ET_TRY(with_float_type(dtype, [&](auto type) {
    using T = decltype(type);
    group_norm<T>(n, channels, pixels, groups, in.data<T>(), scale.data<T>(), shift.data<T>(), eps,
                  to.data<T>(), mean.data<T>(), rstd.data<T>());
    return Error::Ok;
  }));
  to.finish();
  mean.finish();
  rstd.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::native_layer_norm.out", native_layer_norm>(
        "(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps, *, "
        "Tensor(a!) out0, "
        "Tensor(b!) out1, Tensor(c!) out2) -> (Tensor(a!), Tensor(b!), Tensor(c!))"),
    row<"aten::native_group_norm.out", native_group_norm>(
        "(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, "
        "float eps, *, "
        "Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2) -> (Tensor(a!), Tensor(b!), "
        "Tensor(c!))"),
};

}  // namespace

Table norm_rows() {
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
