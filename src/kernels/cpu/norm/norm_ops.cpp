// Layer, group and batch normalisation.
#include "compute/norm/norm.h"

#include <cmath>

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

/// Weight, bias or a statistic of `count` elements, contiguous in the type of the computation; null
/// when absent.
class Parameter {
 public:
  explicit Parameter(Context& context) : input_(context) {}

  Error prepare(const std::optional<Tensor>& tensor, int64_t count, ScalarType dtype,
                const char* name) {
    if (!tensor.has_value()) return Error::Ok;
    ET_TRY(check_floating(*tensor, name));
    ET_REQUIRE(tensor->numel() == count, InvalidArgument,
               "argument '%s': expected %lld elements, found %s", name,
               static_cast<long long>(count), describe(*tensor).text);
    present_ = true;
    return input_.prepare(*tensor, dtype);
  }

  template <class T>
  const T* data() const {
    return present_ ? input_.data<T>() : nullptr;
  }

 private:
  ContiguousInput input_;
  bool present_ = false;
};

/// Runs `body` with a value of the type that `dtype` is computed in.
template <class Body>
Error with_float_type(ScalarType dtype, Body&& body) {
  return dtype == ScalarType::Double ? body(double{}) : body(float{});
}

/// The trailing dimensions of `input` must be the normalised shape.
Error check_normalized_shape(const Tensor& input, IntList shape) {
  const int64_t rank = input.dim();
  const auto count = static_cast<int64_t>(shape.size());
  bool fits = count >= 1 && count <= rank;
  for (int64_t i = 0; fits && i < count; ++i) fits = input.sizes()[rank - count + i] == shape[i];
  ET_REQUIRE(fits, InvalidArgument,
             "argument 'normalized_shape': %s is not the end of the shape of input, %s",
             describe(shape).text, describe(input).text);
  return Error::Ok;
}

Error native_layer_norm(Context& context, const Tensor& input, IntList normalized_shape,
                        std::optional<Tensor> weight, std::optional<Tensor> bias, double eps,
                        Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  ET_TRY(check_floating(input, "input"));
  ET_TRY(check_same_dtype(input, "input", out, "out0"));
  ET_TRY(check_floating(mean_out, "out1"));
  ET_TRY(check_floating(rstd_out, "out2"));
  ET_TRY(check_normalized_shape(input, normalized_shape));
  Sizes statistics = sizes_of(input);
  int64_t n = 1;
  int64_t rows = 1;
  for (int d = 0; d < statistics.rank; ++d) {
    const bool normalized = d >= statistics.rank - static_cast<int>(normalized_shape.size());
    (normalized ? n : rows) *= statistics[d];
    if (normalized) statistics[d] = 1;
  }
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
  ET_TRY(scale.prepare(weight, n, dtype, "weight"));
  ET_TRY(shift.prepare(bias, n, dtype, "bias"));
  ET_TRY(to.prepare(out, dtype));
  ET_TRY(mean.prepare(mean_out, dtype));
  ET_TRY(rstd.prepare(rstd_out, dtype));
  ET_TRY(with_float_type(dtype, [&](auto type) {
    using T = decltype(type);
    compute::layer_norm<T>(rows, n, in.data<T>(), scale.data<T>(), shift.data<T>(), eps,
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
  Sizes shape;
  shape.push(n);
  shape.push(channels);
  shape.push(pixels);
  int64_t numel = 0;
  ET_TRY(checked_numel(shape, "N, C, HxW", &numel));
  ET_REQUIRE(numel == input.numel() && input.dim() >= 2 && input.sizes()[0] == n &&
                 input.sizes()[1] == channels,
             InvalidArgument, "arguments 'N', 'C' and 'HxW', %s, do not describe input, %s",
             describe(shape).text, describe(input).text);
  ET_REQUIRE(groups > 0 && channels % groups == 0, InvalidArgument,
             "argument 'group': %lld does not divide %lld channels", static_cast<long long>(groups),
             static_cast<long long>(channels));
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

/// The tensors of one batch norm call.
struct BatchNorm {
  const Tensor& input;
  const std::optional<Tensor>& weight;
  const std::optional<Tensor>& bias;
  const Tensor* running_mean;  ///< null: statistics of the batch
  const Tensor* running_var;
  double eps;
  const Tensor& out;
};

/// Per-channel factors in scratch: [mean, 1/deviation, scale, shift] of `channels` values each.
template <class T>
void channel_factors(int64_t channels, const T* mean, const T* variance, const T* weight,
                     const T* bias, double eps, T* rstd, T* scale, T* shift) {
  for (int64_t c = 0; c < channels; ++c) {
    rstd[c] = static_cast<T>(1) / std::sqrt(variance[c] + static_cast<T>(eps));
    scale[c] = weight != nullptr ? rstd[c] * weight[c] : rstd[c];
    shift[c] = (bias != nullptr ? bias[c] : static_cast<T>(0)) - mean[c] * scale[c];
  }
}

Error check_batch_norm(const BatchNorm& call) {
  ET_TRY(check_floating(call.input, "input"));
  ET_TRY(check_same_dtype(call.input, "input", call.out, "out"));
  ET_REQUIRE(call.input.dim() >= 2, InvalidArgument,
             "argument 'input': expected at least 2 dimensions, found %s",
             describe(call.input).text);
  return resize_output_like(call.out, call.input);
}

/// Normalises; mean and 1/deviation that were used go to `save_mean` and `save_rstd` when given.
template <class T>
Error run_batch_norm(Context& context, const BatchNorm& call, T*, const Tensor* save_mean,
                     const Tensor* save_rstd) {
  const ScalarType dtype = accumulation_type(call.input.scalar_type());
  const int64_t channels = call.input.sizes()[1];
  Parameter weight(context);
  Parameter bias(context);
  Parameter mean(context);
  Parameter variance(context);
  ET_TRY(weight.prepare(call.weight, channels, dtype, "weight"));
  ET_TRY(bias.prepare(call.bias, channels, dtype, "bias"));
  DenseMap map(context);
  ET_TRY(map.prepare(call.input, call.out));
  Scratch scratch(context);
  ET_TRY(scratch.allocate(static_cast<size_t>(channels), 5 * sizeof(T)));
  T* factors = scratch.as<T>();
  T* rstd = factors;
  T* scale = factors + channels;
  T* shift = factors + 2 * channels;
  const T* means = factors + 3 * channels;
  const T* variances = factors + 4 * channels;
  if (call.running_mean != nullptr) {
    ET_TRY(mean.prepare(*call.running_mean, channels, dtype, "running_mean"));
    ET_TRY(variance.prepare(*call.running_var, channels, dtype, "running_var"));
    means = mean.data<T>();
    variances = variance.data<T>();
  } else {
    compute::channel_moments(map.axis(1), map.in<T>(), factors + 3 * channels,
                             factors + 4 * channels);
  }
  channel_factors(channels, means, variances, weight.data<T>(), bias.data<T>(), call.eps, rstd,
                  scale, shift);
  compute::scale_shift(map.axis(1), map.in<T>(), scale, shift, map.out<T>());
  map.finish();
  if (save_mean == nullptr) return Error::Ok;
  const TensorView from = compute::contiguous_view(const_cast<T*>(means), compute_dtype(dtype),
                                                   sizeof(T), 1, &channels);
  TensorView deviations = from;
  deviations.data = reinterpret_cast<char*>(rstd);
  compute::convert(view_of(*save_mean), from);
  compute::convert(view_of(*save_rstd), deviations);
  return Error::Ok;
}

Error batch_norm(Context& context, const BatchNorm& call, const Tensor* save_mean,
                 const Tensor* save_rstd) {
  return with_float_type(call.input.scalar_type(), [&](auto type) {
    return run_batch_norm(context, call, static_cast<decltype(type)*>(nullptr), save_mean,
                          save_rstd);
  });
}

Error empty_statistics(Tensor& save_mean, Tensor& save_invstd, const char* mean_name,
                       const char* invstd_name) {
  Sizes none;
  none.push(0);
  ET_TRY(resize_output(save_mean, none, mean_name));
  return resize_output(save_invstd, none, invstd_name);
}

Error batch_norm_no_training(Context& context, const Tensor& input, std::optional<Tensor> weight,
                             std::optional<Tensor> bias, const Tensor& running_mean,
                             const Tensor& running_var, double, double eps, Tensor& out,
                             Tensor& save_mean, Tensor& save_invstd) {
  const BatchNorm call = {input, weight, bias, &running_mean, &running_var, eps, out};
  ET_TRY(check_batch_norm(call));
  ET_TRY(empty_statistics(save_mean, save_invstd, "out1", "out2"));
  return batch_norm(context, call, nullptr, nullptr);
}

Error batch_norm_legit(Context& context, const Tensor& input, std::optional<Tensor> weight,
                       std::optional<Tensor> bias, Tensor& running_mean, Tensor& running_var,
                       bool training, double momentum, double eps, Tensor& out, Tensor& save_mean,
                       Tensor& save_invstd) {
  ET_REQUIRE(!training, NotSupported, "argument 'training': True is not supported");
  return batch_norm_no_training(context, input, weight, bias, running_mean, running_var, momentum,
                                eps, out, save_mean, save_invstd);
}

Error batch_norm_no_stats(Context& context, const Tensor& input, std::optional<Tensor> weight,
                          std::optional<Tensor> bias, bool training, double, double eps,
                          Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  ET_REQUIRE(training, InvalidArgument,
             "argument 'training': there are no statistics to use but the batch's");
  const BatchNorm call = {input, weight, bias, nullptr, nullptr, eps, out};
  ET_TRY(check_batch_norm(call));
  ET_TRY(check_floating(save_mean, "save_mean"));
  ET_TRY(check_floating(save_invstd, "save_invstd"));
  Sizes statistics;
  statistics.push(input.sizes()[1]);
  ET_TRY(resize_output(save_mean, statistics, "save_mean"));
  ET_TRY(resize_output(save_invstd, statistics, "save_invstd"));
  return batch_norm(context, call, &save_mean, &save_invstd);
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
    row<"aten::_native_batch_norm_legit_no_training.out", batch_norm_no_training>(
        "(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, "
        "float momentum, float "
        "eps, *, Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2) -> (Tensor(a!), Tensor(b!), "
        "Tensor(c!))"),
    row<"aten::_native_batch_norm_legit.out", batch_norm_legit>(
        "(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
        "running_var, bool training, "
        "float momentum, float eps, *, Tensor(d!) out, Tensor(e!) save_mean, Tensor(f!) "
        "save_invstd) -> (Tensor(d!), "
        "Tensor(e!), Tensor(f!))"),
    row<"aten::_native_batch_norm_legit.no_stats_out", batch_norm_no_stats>(
        "(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps, *, "
        "Tensor(a!) out, "
        "Tensor(b!) save_mean, Tensor(c!) save_invstd) -> (Tensor(a!), Tensor(b!), Tensor(c!))"),
};

}  // namespace

Table norm_rows() {
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
