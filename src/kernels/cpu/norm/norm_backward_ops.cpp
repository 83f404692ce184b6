// Gradients of layer, group and batch normalisation.
#include "compute/norm/norm_backward.h"

#include <cmath>

#include "kernels/cpu/norm/norm_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

/// What the three gradients have in common. A result that is not asked for is left alone.
struct GradientCall {
  const Tensor& grad;
  const Tensor& input;
  const std::optional<Tensor>& weight;
  int64_t weight_count;
  BoolList wanted;
  Tensor& grad_input;
  Tensor& grad_weight;
  Tensor& grad_bias;
};

/// The tensors of a call in the type of the computation.
template <class T>
class Gradient {
 public:
  explicit Gradient(Context& context)
      : grad_(context),
        in_(context),
        weight_(context),
        grad_in_(context),
        grad_weight_(context),
        grad_bias_(context) {}

  /// All but the statistics. `parameter_sizes`: of the gradients of weight and bias.
  Error prepare(const GradientCall& call, const Sizes& parameter_sizes, ScalarType dtype) {
    ET_TRY(grad_.prepare(call.grad, dtype));
    ET_TRY(in_.prepare(call.input, dtype));
    ET_TRY(weight_.prepare(call.weight, call.weight_count, dtype, "weight"));
    wanted_ = call.wanted;
    if (wanted_[0]) {
      ET_TRY(resize_output_like(call.grad_input, call.input, "out0"));
      ET_TRY(prepare_result(call, call.grad_input, "out0", dtype, &grad_in_));
    }
    if (wanted_[1]) {
      ET_TRY(resize_output(call.grad_weight, parameter_sizes, "out1"));
      ET_TRY(prepare_result(call, call.grad_weight, "out1", dtype, &grad_weight_));
    }
    if (wanted_[2]) {
      ET_TRY(resize_output(call.grad_bias, parameter_sizes, "out2"));
      ET_TRY(prepare_result(call, call.grad_bias, "out2", dtype, &grad_bias_));
    }
    return Error::Ok;
  }

  compute::NormGradient<T> operands(const T* mean, const T* rstd) const {
    return {grad_.data<T>(),
            in_.data<T>(),
            mean,
            rstd,
            weight_.template data<T>(),
            wanted_[0] ? grad_in_.data<T>() : nullptr,
            wanted_[1] ? grad_weight_.data<T>() : nullptr,
            wanted_[2] ? grad_bias_.data<T>() : nullptr};
  }

  void finish() {
    if (wanted_[0]) grad_in_.finish();
    if (wanted_[1]) grad_weight_.finish();
    if (wanted_[2]) grad_bias_.finish();
  }

 private:
  static Error prepare_result(const GradientCall& call, const Tensor& result, const char* name,
                              ScalarType dtype, ContiguousOutput* output) {
    ET_TRY(check_floating(result, name));
    ET_TRY(check_no_overlap(result, call.grad, "grad_out"));
    ET_TRY(check_no_overlap(result, call.input, "input"));
    return output->prepare(result, dtype);
  }

  ContiguousInput grad_;
  ContiguousInput in_;
  Parameter weight_;
  ContiguousOutput grad_in_;
  ContiguousOutput grad_weight_;
  ContiguousOutput grad_bias_;
  BoolList wanted_;
};

Error check_call(const GradientCall& call) {
  ET_TRY(check_floating(call.input, "input"));
  ET_TRY(check_floating(call.grad, "grad_out"));
  ET_REQUIRE(same_sizes(call.grad, call.input), InvalidArgument,
             "argument 'grad_out': expected the sizes of input, %s, found %s",
             describe(call.input).text, describe(call.grad).text);
  ET_REQUIRE(call.wanted.size() == 3, InvalidArgument,
             "argument 'output_mask': expected 3 booleans, found %zu", call.wanted.size());
  return Error::Ok;
}

Error layer_norm_backward(Context& context, const Tensor& grad_out, const Tensor& input,
                          IntList normalized_shape, const Tensor& mean, const Tensor& rstd,
                          std::optional<Tensor> weight, std::optional<Tensor>, BoolList output_mask,
                          Tensor& grad_input, Tensor& grad_weight, Tensor& grad_bias) {
  NormRows shape;
  ET_TRY(read_norm_rows(input, normalized_shape, &shape));
  const GradientCall call = {grad_out,    input,      weight,      shape.n,
                             output_mask, grad_input, grad_weight, grad_bias};
  ET_TRY(check_call(call));
  const ScalarType dtype = accumulation_type(input.scalar_type());
  return with_float_type(dtype, [&](auto type) -> Error {
    using T = decltype(type);
    Gradient<T> gradient(context);
    Parameter means(context);
    Parameter deviations(context);
    ET_TRY(gradient.prepare(call, to_sizes(normalized_shape), dtype));
    ET_TRY(means.prepare(mean, shape.rows, dtype, "mean"));
    ET_TRY(deviations.prepare(rstd, shape.rows, dtype, "rstd"));
    compute::layer_norm_backward<T>(shape.rows, shape.n,
                                    gradient.operands(means.data<T>(), deviations.data<T>()));
    gradient.finish();
    return Error::Ok;
  });
}

/// The sizes of a weight's gradient: the weight's own, where there is one.
Sizes channel_sizes(const std::optional<Tensor>& weight, int64_t channels) {
  if (weight.has_value()) return sizes_of(*weight);
  Sizes sizes;
  sizes.push(channels);
  return sizes;
}

Error group_norm_backward(Context& context, const Tensor& grad_out, const Tensor& input,
                          const Tensor& mean, const Tensor& rstd, std::optional<Tensor> weight,
                          int64_t n, int64_t channels, int64_t pixels, int64_t groups,
                          BoolList output_mask, Tensor& grad_input, Tensor& grad_weight,
                          Tensor& grad_bias) {
  const GradientCall call = {grad_out,    input,      weight,      channels,
                             output_mask, grad_input, grad_weight, grad_bias};
  ET_TRY(check_call(call));
  ET_TRY(check_groups(input, n, channels, pixels, groups));
  const Sizes parameters = channel_sizes(weight, channels);
  const ScalarType dtype = accumulation_type(input.scalar_type());
  return with_float_type(dtype, [&](auto type) -> Error {
    using T = decltype(type);
    Gradient<T> gradient(context);
    Parameter means(context);
    Parameter deviations(context);
    ET_TRY(gradient.prepare(call, parameters, dtype));
    ET_TRY(means.prepare(mean, n * groups, dtype, "mean"));
    ET_TRY(deviations.prepare(rstd, n * groups, dtype, "rstd"));
    compute::group_norm_backward<T>(n, channels, pixels, groups,
                                    gradient.operands(means.data<T>(), deviations.data<T>()));
    gradient.finish();
    return Error::Ok;
  });
}

/// Mean and 1/deviation that a batch norm used: of the batch in training, else the running ones.
template <class T>
class UsedStatistics {
 public:
  explicit UsedStatistics(Context& context) : mean_(context), spread_(context), rstd_(context) {}

  Error prepare(const std::optional<Tensor>& mean, const char* mean_name,
                const std::optional<Tensor>& spread, const char* spread_name, bool train,
                double eps, int64_t channels, ScalarType dtype) {
    ET_REQUIRE(mean.has_value() && spread.has_value(), InvalidArgument,
               "arguments '%s' and '%s': expected tensors", mean_name, spread_name);
    ET_TRY(mean_.prepare(mean, channels, dtype, mean_name));
    ET_TRY(spread_.prepare(spread, channels, dtype, spread_name));
    ET_TRY(rstd_.allocate(static_cast<size_t>(channels), sizeof(T)));
    for (int64_t c = 0; c < channels; ++c) {
      const T value = spread_.template data<T>()[c];
      rstd_.as<T>()[c] = train ? value : 1 / std::sqrt(value + static_cast<T>(eps));
    }
    return Error::Ok;
  }
  const T* mean() const { return mean_.template data<T>(); }
  const T* rstd() const { return rstd_.as<T>(); }

 private:
  Parameter mean_;
  Parameter spread_;
  Scratch rstd_;
};

Error batch_norm_backward(Context& context, const Tensor& grad_out, const Tensor& input,
                          std::optional<Tensor> weight, std::optional<Tensor> running_mean,
                          std::optional<Tensor> running_var, std::optional<Tensor> save_mean,
                          std::optional<Tensor> save_invstd, bool train, double eps,
                          BoolList output_mask, Tensor& grad_input, Tensor& grad_weight,
                          Tensor& grad_bias) {
  ET_REQUIRE(input.dim() >= 2, InvalidArgument,
             "argument 'input': expected at least 2 dimensions, found %s", describe(input).text);
  const int64_t channels = input.sizes()[1];
  const GradientCall call = {grad_out,    input,      weight,      channels,
                             output_mask, grad_input, grad_weight, grad_bias};
  ET_TRY(check_call(call));
  const Sizes parameters = channel_sizes(weight, channels);
  const ScalarType dtype = accumulation_type(input.scalar_type());
  return with_float_type(dtype, [&](auto type) -> Error {
    using T = decltype(type);
    Gradient<T> gradient(context);
    UsedStatistics<T> statistics(context);
    ET_TRY(gradient.prepare(call, parameters, dtype));
    ET_TRY(train ? statistics.prepare(save_mean, "save_mean", save_invstd, "save_invstd", train,
                                      eps, channels, dtype)
                 : statistics.prepare(running_mean, "running_mean", running_var, "running_var",
                                      train, eps, channels, dtype));
    compute::DenseAxis axis = {input.sizes()[0], channels, 1};
    for (int64_t d = 2; d < input.dim(); ++d) axis.inner *= input.sizes()[d];
    compute::batch_norm_backward<T>(axis, train,
                                    gradient.operands(statistics.mean(), statistics.rstd()));
    gradient.finish();
    return Error::Ok;
  });
}

constexpr OperatorRow kRows[] = {
    row<"aten::native_layer_norm_backward.out", layer_norm_backward>(
        "(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, "
        "Tensor? weight, Tensor? bias, bool[3] output_mask, *, Tensor(a!) out0, Tensor(b!) out1, "
        "Tensor(c!) out2) -> (Tensor(a!), Tensor(b!), Tensor(c!))"),
    row<"aten::native_group_norm_backward.out", group_norm_backward>(
        "(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, "
        "SymInt C, SymInt HxW, int group, bool[3] output_mask, *, Tensor(a!) out0, Tensor(b!) "
        "out1, Tensor(c!) out2) -> (Tensor(a!), Tensor(b!), Tensor(c!))"),
    row<"aten::native_batch_norm_backward.out", batch_norm_backward>(
        "(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? "
        "running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] "
        "output_mask, *, Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2) -> (Tensor(a!), "
        "Tensor(b!), Tensor(c!))"),
};

}  // namespace

Table norm_backward_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
