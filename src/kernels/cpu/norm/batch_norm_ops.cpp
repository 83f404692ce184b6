// Batch normalisation, with given statistics or those of the batch.
#include <cmath>

#include "kernels/cpu/norm/norm_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

/// The tensors of one call.
struct BatchNorm {
  const Tensor& input;
  const std::optional<Tensor>& weight;
  const std::optional<Tensor>& bias;
  const Tensor* running_mean;  ///< may be null in training
  const Tensor* running_var;
  bool training;  ///< normalises by the batch's statistics and moves the running ones towards them
  double momentum;
  double eps;
  const Tensor& out;
  const Tensor& save_mean;  ///< mean and 1/deviation that a training call used; else empty
  const Tensor& save_rstd;
};

/// Factors of `channels` values each.
template <class T>
struct Factors {
  T* mean;
  T* variance;
  T* rstd;
  T* scale;
  T* shift;

  Factors(T* memory, int64_t channels)
      : mean(memory),
        variance(memory + channels),
        rstd(memory + 2 * channels),
        scale(memory + 3 * channels),
        shift(memory + 4 * channels) {}
};
constexpr size_t kFactors = 5;

template <class T>
void fill_factors(int64_t channels, const T* mean, const T* variance, const T* weight,
                  const T* bias, double eps, const Factors<T>& to) {
  for (int64_t c = 0; c < channels; ++c) {
    to.rstd[c] = static_cast<T>(1) / std::sqrt(variance[c] + static_cast<T>(eps));
    to.scale[c] = weight != nullptr ? to.rstd[c] * weight[c] : to.rstd[c];
    to.shift[c] = (bias != nullptr ? bias[c] : static_cast<T>(0)) - mean[c] * to.scale[c];
  }
}

/// Writes a value per element to a tensor of any shape and floating dtype.
template <class T>
void write_values(const Tensor& tensor, T* values, ScalarType dtype) {
  const TensorView to = view_of(tensor);
  compute::convert(
      to, compute::contiguous_view(values, compute_dtype(dtype), sizeof(T), to.rank, to.sizes));
}

/// Moves running statistics towards the batch's. `values` is `running`, and is overwritten.
template <class T>
void move_towards(const Tensor& running, const T* old, const T* batch, double correction,
                  double momentum, int64_t channels, T* values, ScalarType dtype) {
  for (int64_t c = 0; c < channels; ++c) {
    values[c] = static_cast<T>(momentum * static_cast<double>(batch[c]) * correction +
                               (1 - momentum) * static_cast<double>(old[c]));
  }
  write_values(running, values, dtype);
}

template <class T>
Error run_batch_norm(Context& context, const BatchNorm& call, T*) {
  const ScalarType dtype = accumulation_type(call.input.scalar_type());
  const int64_t channels = call.input.sizes()[1];
  Parameter weight(context);
  Parameter bias(context);
  Parameter mean(context);
  Parameter variance(context);
  ET_TRY(weight.prepare(call.weight, channels, dtype, "weight"));
  ET_TRY(bias.prepare(call.bias, channels, dtype, "bias"));
  if (call.running_mean != nullptr) {
    ET_TRY(mean.prepare(*call.running_mean, channels, dtype, "running_mean"));
    ET_TRY(variance.prepare(*call.running_var, channels, dtype, "running_var"));
  }
  DenseMap map(context);
  ET_TRY(map.prepare(call.input, call.out));
  Scratch scratch(context);
  ET_TRY(scratch.allocate(static_cast<size_t>(channels), kFactors * sizeof(T)));
  const Factors<T> factors(scratch.as<T>(), channels);
  if (call.training) {
    compute::channel_moments(map.axis(1), map.in<T>(), factors.mean, factors.variance);
    fill_factors(channels, factors.mean, factors.variance, weight.data<T>(), bias.data<T>(),
                 call.eps, factors);
  } else {
    fill_factors(channels, mean.data<T>(), variance.data<T>(), weight.data<T>(), bias.data<T>(),
                 call.eps, factors);
  }
  compute::scale_shift(map.axis(1), map.in<T>(), factors.scale, factors.shift, map.out<T>());
  map.finish();
  if (!call.training) return Error::Ok;
  write_values(call.save_mean, factors.mean, dtype);
  write_values(call.save_rstd, factors.rstd, dtype);
  if (call.running_mean == nullptr) return Error::Ok;
  const double count = static_cast<double>(call.input.numel()) / static_cast<double>(channels);
  move_towards(*call.running_mean, mean.data<T>(), factors.mean, 1, call.momentum, channels,
               factors.scale, dtype);
  move_towards(*call.running_var, variance.data<T>(), factors.variance, count / (count - 1),
               call.momentum, channels, factors.scale, dtype);
  return Error::Ok;
}

Error check_written(const Tensor& tensor, const Tensor& input, const char* name) {
  ET_TRY(check_floating(tensor, name));
  return check_no_overlap(tensor, input, "input");
}

/// Names of the outputs, which differ between the operators.
struct OutputNames {
  const char* out;
  const char* mean;
  const char* rstd;
};

Error batch_norm(Context& context, const BatchNorm& call, const OutputNames& names) {
  ET_TRY(check_floating(call.input, "input"));
  ET_TRY(check_same_dtype(call.input, "input", call.out, names.out));
  ET_REQUIRE(call.input.dim() >= 2, InvalidArgument,
             "argument 'input': expected at least 2 dimensions, found %s",
             describe(call.input).text);
  ET_REQUIRE(call.training || (call.running_mean != nullptr && call.running_var != nullptr),
             InvalidArgument, "argument 'running_mean': there are no statistics to use");
  ET_REQUIRE((call.running_mean == nullptr) == (call.running_var == nullptr), InvalidArgument,
             "arguments 'running_mean' and 'running_var': expected both or none");
  ET_TRY(resize_output_like(call.out, call.input, names.out));
  ET_TRY(check_no_partial_overlap(call.out, call.input, "input"));
  Sizes statistics;
  statistics.push(call.training ? call.input.sizes()[1] : 0);
  ET_TRY(resize_output(call.save_mean, statistics, names.mean));
  ET_TRY(resize_output(call.save_rstd, statistics, names.rstd));
  if (call.training) {
    ET_TRY(check_written(call.save_mean, call.input, names.mean));
    ET_TRY(check_written(call.save_rstd, call.input, names.rstd));
  }
  return with_float_type(call.input.scalar_type(), [&](auto type) {
    return run_batch_norm(context, call, static_cast<decltype(type)*>(nullptr));
  });
}

constexpr OutputNames kNumbered = {"out0", "out1", "out2"};
constexpr OutputNames kNamed = {"out", "save_mean", "save_invstd"};

Error no_training(Context& context, const Tensor& input, std::optional<Tensor> weight,
                  std::optional<Tensor> bias, const Tensor& running_mean, const Tensor& running_var,
                  double momentum, double eps, Tensor& out, Tensor& save_mean,
                  Tensor& save_invstd) {
  return batch_norm(context,
                    {input, weight, bias, &running_mean, &running_var, false, momentum, eps, out,
                     save_mean, save_invstd},
                    kNumbered);
}

Error legit(Context& context, const Tensor& input, std::optional<Tensor> weight,
            std::optional<Tensor> bias, Tensor& running_mean, Tensor& running_var, bool training,
            double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  return batch_norm(context,
                    {input, weight, bias, &running_mean, &running_var, training, momentum, eps, out,
                     save_mean, save_invstd},
                    kNamed);
}

Error no_stats(Context& context, const Tensor& input, std::optional<Tensor> weight,
               std::optional<Tensor> bias, bool training, double momentum, double eps, Tensor& out,
               Tensor& save_mean, Tensor& save_invstd) {
  ET_REQUIRE(training, InvalidArgument,
             "argument 'training': there are no statistics to use but the batch's");
  return batch_norm(
      context,
      {input, weight, bias, nullptr, nullptr, true, momentum, eps, out, save_mean, save_invstd},
      kNamed);
}

const Tensor* address(const std::optional<Tensor>& tensor) {
  return tensor.has_value() ? &*tensor : nullptr;
}

/// Its schema says that the running statistics are not written.
Error native_batch_norm(Context& context, const Tensor& input, std::optional<Tensor> weight,
                        std::optional<Tensor> bias, std::optional<Tensor> running_mean,
                        std::optional<Tensor> running_var, bool training, double momentum,
                        double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  ET_REQUIRE(!training || (!running_mean.has_value() && !running_var.has_value()), NotSupported,
             "argument 'training': this operator cannot update running statistics, "
             "aten::_native_batch_norm_legit.out can");
  return batch_norm(context,
                    {input, weight, bias, address(running_mean), address(running_var), training,
                     momentum, eps, out, save_mean, save_invstd},
                    kNamed);
}

/// Workspace of other devices.
Error no_reserve(const Tensor& reserve, const char* name) {
  Sizes none;
  none.push(0);
  return resize_output(reserve, none, name);
}

Error with_update(Context& context, const Tensor& input, std::optional<Tensor> weight,
                  std::optional<Tensor> bias, Tensor& running_mean, Tensor& running_var,
                  double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd,
                  Tensor& reserve) {
  ET_TRY(no_reserve(reserve, "reserve"));
  return legit(context, input, weight, bias, running_mean, running_var, true, momentum, eps, out,
               save_mean, save_invstd);
}

Error no_update(Context& context, const Tensor& input, std::optional<Tensor> weight,
                std::optional<Tensor> bias, std::optional<Tensor> running_mean,
                std::optional<Tensor> running_var, double momentum, double eps, Tensor& out,
                Tensor& save_mean, Tensor& save_invstd, Tensor& reserve) {
  ET_TRY(no_reserve(reserve, "out3"));
  return batch_norm(context,
                    {input, weight, bias, address(running_mean), address(running_var), false,
                     momentum, eps, out, save_mean, save_invstd},
                    kNumbered);
}

constexpr OperatorRow kRows[] = {
    row<"aten::_native_batch_norm_legit_no_training.out", no_training>(
        "(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, "
        "float momentum, float eps, *, Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2) -> "
        "(Tensor(a!), Tensor(b!), Tensor(c!))"),
    row<"aten::_native_batch_norm_legit.out", legit>(
        "(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
        "running_var, bool training, float momentum, float eps, *, Tensor(d!) out, Tensor(e!) "
        "save_mean, Tensor(f!) save_invstd) -> (Tensor(d!), Tensor(e!), Tensor(f!))"),
    row<"aten::_native_batch_norm_legit.no_stats_out", no_stats>(
        "(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps, *, "
        "Tensor(a!) out, Tensor(b!) save_mean, Tensor(c!) save_invstd) -> (Tensor(a!), Tensor(b!), "
        "Tensor(c!))"),
    row<"aten::native_batch_norm.out", native_batch_norm>(
        "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
        "bool training, float momentum, float eps, *, Tensor(a!) out, Tensor(b!) save_mean, "
        "Tensor(c!) save_invstd) -> (Tensor(a!), Tensor(b!), Tensor(c!))"),
    row<"aten::_batch_norm_with_update.out", with_update>(
        "(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
        "running_var, float momentum, float eps, *, Tensor(d!) out, Tensor(e!) save_mean, "
        "Tensor(f!) save_invstd, Tensor(g!) reserve) -> (Tensor(d!), Tensor(e!), Tensor(f!), "
        "Tensor(g!))"),
    row<"aten::_batch_norm_no_update.out", no_update>(
        "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
        "float momentum, float eps, *, Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2, "
        "Tensor(d!) out3) -> (Tensor(a!), Tensor(b!), Tensor(c!), Tensor(d!))"),
};

}  // namespace

Table batch_norm_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
