// Layer and group normalisation.
#include <cmath>

#include "kernels/cpu/norm/norm_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

struct Outputs {
  const Tensor& out;
  const Tensor& mean;
  const Tensor& rstd;
};

Error check_dtypes(const Tensor& input, const Outputs& outputs) {
  ET_TRY(check_floating(input, "input"));
  ET_TRY(check_same_dtype(input, "input", outputs.out, "out0"));
  ET_TRY(check_floating(outputs.mean, "out1"));
  return check_floating(outputs.rstd, "out2");
}

/// What a normalisation reads and writes, in the type that it computes in.
struct Operands {
  explicit Operands(Context& context)
      : in(context), scale(context), shift(context), out(context), mean(context), rstd(context) {}

  /// Resizes the outputs; `statistics`: the sizes of mean and rstd, `parameters`: how many numbers
  /// weight and bias hold.
  Error prepare(const Tensor& input, const std::optional<Tensor>& weight,
                const std::optional<Tensor>& bias, int64_t parameters, const Sizes& statistics,
                const Outputs& outputs) {
    ET_TRY(resize_output_like(outputs.out, input, "out0"));
    ET_TRY(resize_output(outputs.mean, statistics, "out1"));
    ET_TRY(resize_output(outputs.rstd, statistics, "out2"));
    ET_TRY(check_no_partial_overlap(outputs.out, input, "input"));
    const ScalarType dtype = accumulation_type(input.scalar_type());
    ET_TRY(in.prepare(input, dtype));
    ET_TRY(scale.prepare(weight, parameters, dtype, "weight"));
    ET_TRY(shift.prepare(bias, parameters, dtype, "bias"));
    ET_TRY(out.prepare(outputs.out, dtype));
    ET_TRY(mean.prepare(outputs.mean, dtype));
    return rstd.prepare(outputs.rstd, dtype);
  }

  void finish() {
    out.finish();
    mean.finish();
    rstd.finish();
  }

  ContiguousInput in;
  Parameter scale;
  Parameter shift;
  ContiguousOutput out;
  ContiguousOutput mean;
  ContiguousOutput rstd;
};

Error native_layer_norm(Context& context, const Tensor& input, IntList normalized_shape,
                        std::optional<Tensor> weight, std::optional<Tensor> bias, double eps,
                        Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  const Outputs outputs{out, mean_out, rstd_out};
  ET_TRY(check_dtypes(input, outputs));
  NormRows shape;
  ET_TRY(read_norm_rows(input, normalized_shape, &shape));
  Operands operands(context);
  ET_TRY(operands.prepare(input, weight, bias, shape.n, shape.statistics, outputs));
  ET_TRY(with_float_type(accumulation_type(input.scalar_type()), [&](auto type) {
    using T = decltype(type);
    compute::layer_norm<T>(shape.rows, shape.n, operands.in.data<T>(), operands.scale.data<T>(),
                           operands.shift.data<T>(), eps, operands.out.data<T>(),
                           operands.mean.data<T>(), operands.rstd.data<T>());
    return Error::Ok;
  }));
  operands.finish();
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
  const Outputs outputs{out, mean_out, rstd_out};
  ET_TRY(check_dtypes(input, outputs));
  ET_TRY(check_groups(input, n, channels, pixels, groups));
  Sizes statistics;
  statistics.push(n);
  statistics.push(groups);
  Operands operands(context);
  ET_TRY(operands.prepare(input, weight, bias, channels, statistics, outputs));
  ET_TRY(with_float_type(accumulation_type(input.scalar_type()), [&](auto type) {
    using T = decltype(type);
    group_norm<T>(n, channels, pixels, groups, operands.in.data<T>(), operands.scale.data<T>(),
                  operands.shift.data<T>(), eps, operands.out.data<T>(), operands.mean.data<T>(),
                  operands.rstd.data<T>());
    return Error::Ok;
  }));
  operands.finish();
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
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
