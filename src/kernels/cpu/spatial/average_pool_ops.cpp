// Averages of windows and their gradients. Half types are computed in float.
#include "kernels/cpu/spatial/pool_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

Error check_average_types(const Tensor& self, const Tensor& out, const char* out_name) {
  const ScalarType type = self.scalar_type();
  ET_REQUIRE(is_floating(type) || type == ScalarType::Long, InvalidArgument,
             "argument 'self': dtype %s is not supported", dtype_name(type));
  return check_same_dtype(self, "self", out, out_name);
}

Error average_pool(Context& context, const Tensor& self, int dims, compute::PoolShape& shape,
                   const compute::AverageDivisor& divisor, Tensor& out) {
  ET_TRY(check_average_types(self, out, "out"));
  ET_TRY(resize_pooled(self, dims, shape, out, "out"));
  if (out.numel() == 0) return Error::Ok;
  const ScalarType type = self.scalar_type();
  const ScalarType dtype = type == ScalarType::Long ? type : accumulation_type(type);
  PoolTensors tensors(context);
  ET_TRY(tensors.prepare(self, out, nullptr, dims, dtype));
  shape.channels_last = tensors.channels_last();
  if (dtype == ScalarType::Long) {
    compute::avg_pool_integers(shape, divisor, tensors.in<int64_t>(), tensors.out<int64_t>());
  } else if (dtype == ScalarType::Double) {
    compute::avg_pool<double>(shape, divisor, tensors.in<double>(), tensors.out<double>());
  } else {
    compute::avg_pool<float>(shape, divisor, tensors.in<float>(), tensors.out<float>());
  }
  tensors.finish();
  return Error::Ok;
}

constexpr int64_t kOne = 1;

Error read_divisor(bool count_include_pad, std::optional<int64_t> divisor_override,
                   compute::AverageDivisor* divisor) {
  ET_REQUIRE(divisor_override.value_or(1) != 0, InvalidArgument,
             "argument 'divisor_override': must not be zero");
  divisor->count_include_pad = count_include_pad;
  divisor->override_value = divisor_override.value_or(0);
  return Error::Ok;
}

template <int dims>
Error avg_pool(Context& context, const Tensor& self, IntList kernel_size, IntList stride,
               IntList padding, bool ceil_mode, bool count_include_pad,
               std::optional<int64_t> divisor_override, Tensor& out) {
  compute::PoolShape shape;
  compute::AverageDivisor divisor;
  ET_TRY(read_windows(self, dims, {kernel_size, stride, padding, {&kOne, 1}, ceil_mode}, &shape));
  ET_TRY(read_divisor(count_include_pad, divisor_override, &divisor));
  return average_pool(context, self, dims, shape, divisor, out);
}

Error avg_pool1d(Context& context, const Tensor& self, IntList kernel_size, IntList stride,
                 IntList padding, bool ceil_mode, bool count_include_pad, Tensor& out) {
  return avg_pool<1>(context, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                     std::nullopt, out);
}

template <int dims>
Error adaptive_avg_pool(Context& context, const Tensor& self, IntList output_size, Tensor& out) {
  compute::PoolShape shape;
  ET_TRY(read_adaptive(self, dims, output_size, &shape));
  return average_pool(context, self, dims, shape, {}, out);
}

template <class T>
Error spread_gradient(Context& context, const compute::PoolShape& shape,
                      const compute::AverageDivisor& divisor, const Tensor& grad_output,
                      const Tensor& grad_input, ScalarType dtype) {
  ContiguousInput from(context);
  ContiguousOutput to(context);
  ET_TRY(from.prepare(grad_output, dtype));
  ET_TRY(to.prepare(grad_input, dtype));
  compute::avg_pool_backward<T>(shape, divisor, from.data<T>(), to.data<T>());
  to.finish();
  return Error::Ok;
}

Error average_gradient(Context& context, const Tensor& grad_output, const Tensor& self, int dims,
                       const compute::PoolShape& shape, const compute::AverageDivisor& divisor,
                       Tensor& grad_input) {
  ET_TRY(check_average_types(self, grad_output, "grad_output"));
  ET_TRY(check_same_dtype(self, "self", grad_input, "grad_input"));
  ET_TRY(check_sizes(grad_output, pooled_sizes(self, dims, shape), "grad_output"));
  ET_TRY(resize_output_like(grad_input, self, "grad_input"));
  ET_TRY(check_no_overlap(grad_input, grad_output, "grad_output"));
  if (grad_input.numel() == 0) return Error::Ok;
  const ScalarType type = self.scalar_type();
  const ScalarType dtype = type == ScalarType::Long ? type : accumulation_type(type);
  switch (dtype) {
    case ScalarType::Long:
      return spread_gradient<int64_t>(context, shape, divisor, grad_output, grad_input, dtype);
    case ScalarType::Double:
      return spread_gradient<double>(context, shape, divisor, grad_output, grad_input, dtype);
    default:
      return spread_gradient<float>(context, shape, divisor, grad_output, grad_input, dtype);
  }
}

template <int dims>
Error avg_pool_backward(Context& context, const Tensor& grad_output, const Tensor& self,
                        IntList kernel_size, IntList stride, IntList padding, bool ceil_mode,
                        bool count_include_pad, std::optional<int64_t> divisor_override,
                        Tensor& grad_input) {
  compute::PoolShape shape;
  compute::AverageDivisor divisor;
  ET_TRY(read_windows(self, dims, {kernel_size, stride, padding, {&kOne, 1}, ceil_mode}, &shape));
  ET_TRY(read_divisor(count_include_pad, divisor_override, &divisor));
  return average_gradient(context, grad_output, self, dims, shape, divisor, grad_input);
}

template <int dims>
Error adaptive_avg_pool_backward(Context& context, const Tensor& grad_output, const Tensor& self,
                                 Tensor& grad_input) {
  ET_TRY(check_rank(self, "self", dims + 1, dims + 2));
  ET_TRY(check_rank(grad_output, "grad_output", self.dim(), self.dim()));
  int64_t size[dims];
  for (int d = 0; d < dims; ++d) size[d] = grad_output.sizes()[self.dim() - dims + d];
  compute::PoolShape shape;
  ET_TRY(read_adaptive(self, dims, {size, dims}, &shape));
  return average_gradient(context, grad_output, self, dims, shape, {}, grad_input);
}

constexpr OperatorRow kRows[] = {
    row<"aten::avg_pool1d.out", avg_pool1d>(
        "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool "
        "ceil_mode=False, bool count_include_pad=True, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::avg_pool2d.out", avg_pool<2>>(
        "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool "
        "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None, *, Tensor(a!) "
        "out) -> Tensor(a!)"),
    row<"aten::avg_pool3d.out", avg_pool<3>>(
        "(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool "
        "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None, *, Tensor(a!) "
        "out) -> Tensor(a!)"),
    row<"aten::adaptive_avg_pool1d.out", adaptive_avg_pool<1>>(
        "(Tensor self, int[1] output_size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::adaptive_avg_pool2d.out", adaptive_avg_pool<2>>(
        "(Tensor self, SymInt[2] output_size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::_adaptive_avg_pool2d.out", adaptive_avg_pool<2>>(
        "(Tensor self, SymInt[2] output_size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::adaptive_avg_pool3d.out", adaptive_avg_pool<3>>(
        "(Tensor self, SymInt[3] output_size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::_adaptive_avg_pool3d.out", adaptive_avg_pool<3>>(
        "(Tensor self, SymInt[3] output_size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::avg_pool2d_backward.grad_input", avg_pool_backward<2>>(
        "(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, "
        "bool ceil_mode, bool count_include_pad, int? divisor_override, *, Tensor(a!) grad_input) "
        "-> Tensor(a!)"),
    row<"aten::avg_pool3d_backward.grad_input", avg_pool_backward<3>>(
        "(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, "
        "bool ceil_mode, bool count_include_pad, int? divisor_override, *, Tensor(a!) grad_input) "
        "-> Tensor(a!)"),
    row<"aten::_adaptive_avg_pool2d_backward.out", adaptive_avg_pool_backward<2>>(
        "(Tensor grad_output, Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::_adaptive_avg_pool3d_backward.out", adaptive_avg_pool_backward<3>>(
        "(Tensor grad_output, Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::adaptive_avg_pool3d_backward.grad_input", adaptive_avg_pool_backward<3>>(
        "(Tensor grad_output, Tensor self, *, Tensor(a!) grad_input) -> Tensor(a!)"),
};

}  // namespace

Table average_pool_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
