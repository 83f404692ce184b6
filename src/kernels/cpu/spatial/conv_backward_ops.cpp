// Gradients of convolution.
#include "compute/norm/norm.h"

#include "kernels/cpu/spatial/conv_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

/// The operands of one call; results that are not asked for are left alone.
struct GradientCall {
  const Tensor& grad;
  const Tensor& input;
  const Tensor& weight;
  Geometry geometry;
  BoolList wanted;
  Tensor& grad_input;
  Tensor& grad_weight;
  Tensor& grad_bias;
};

Error check_call(const GradientCall& call) {
  ET_TRY(check_floating(call.input, "input"));
  ET_TRY(check_same_dtype(call.input, "input", call.grad, "grad_output"));
  int64_t channels = 0;
  ET_TRY(check_weight(call.input, call.weight, std::nullopt, call.geometry, &channels));
  Sizes expected;
  ET_TRY(output_sizes(call.input, call.weight, call.geometry, channels, &expected));
  ET_TRY(check_sizes(call.grad, expected, "grad_output"));
  ET_REQUIRE(call.wanted.size() == 3, InvalidArgument,
             "argument 'output_mask': expected 3 booleans, found %zu", call.wanted.size());
  return Error::Ok;
}

/// Gives a result its sizes.
Error prepare_result(const GradientCall& call, const Tensor& result, const Sizes& sizes,
                     const char* name) {
  ET_TRY(check_same_dtype(call.input, "input", result, name));
  ET_TRY(resize_output(result, sizes, name));
  ET_TRY(check_no_overlap(result, call.grad, "grad_output"));
  ET_TRY(check_no_overlap(result, call.input, "input"));
  return check_no_overlap(result, call.weight, "weight");
}

/// Sums of each channel of the output's gradient.
template <class T>
void sum_channels(const Tensor& grad, const T* values, T* sums) {
  const int64_t batch = grad.sizes()[0];
  const int64_t channels = grad.sizes()[1];
  const int64_t cells = batch * channels > 0 ? grad.numel() / (batch * channels) : 0;
  const auto& loops = compute::norm_row_loops<T>();
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0;
    for (int64_t image = 0; image < batch; ++image) {
      sum += static_cast<double>(loops.sum(values + (image * channels + c) * cells, cells));
    }
    sums[c] = static_cast<T>(sum);
  }
}

/// The operands in the type of the computation.
struct Operands {
  ContiguousInput grad;
  ContiguousInput input;
  ContiguousInput weight;
  Scratch scratch;
  ScalarType dtype;

  Operands(Context& context, ScalarType type)
      : grad(context), input(context), weight(context), scratch(context), dtype(type) {}
};

Error input_gradient(Context& context, const GradientCall& call, const compute::PlainConv& conv,
                     Operands& operands) {
  ET_TRY(prepare_result(call, call.grad_input, sizes_of(call.input), "out0"));
  ContiguousOutput to(context);
  ET_TRY(operands.weight.prepare(call.weight, operands.dtype));
  ET_TRY(to.prepare(call.grad_input, operands.dtype));
  // The gradient goes the other way than the convolution.
  const auto convolve =
      call.geometry.transposed ? compute::plain_conv_to_small : compute::plain_conv_to_large;
  convolve(compute_dtype(operands.dtype), conv, operands.grad.view().data,
           operands.weight.view().data, nullptr, to.view().data, operands.scratch.data());
  to.finish();
  return Error::Ok;
}

Error weight_gradient(Context& context, const GradientCall& call, const compute::PlainConv& conv,
                      Operands& operands) {
  ET_TRY(prepare_result(call, call.grad_weight, sizes_of(call.weight), "out1"));
  ContiguousOutput to(context);
  ET_TRY(operands.input.prepare(call.input, operands.dtype));
  ET_TRY(to.prepare(call.grad_weight, operands.dtype));
  const void* large =
      call.geometry.transposed ? operands.grad.view().data : operands.input.view().data;
  const void* small =
      call.geometry.transposed ? operands.input.view().data : operands.grad.view().data;
  compute::plain_conv_weight_gradient(compute_dtype(operands.dtype), conv, large, small,
                                      to.view().data, operands.scratch.data());
  to.finish();
  return Error::Ok;
}

Error bias_gradient(Context& context, const GradientCall& call, const Operands& operands) {
  Sizes sizes;
  sizes.push(call.grad.sizes()[1]);
  ET_TRY(prepare_result(call, call.grad_bias, sizes, "out2"));
  ContiguousOutput to(context);
  ET_TRY(to.prepare(call.grad_bias, operands.dtype));
  if (operands.dtype == ScalarType::Double) {
    sum_channels(call.grad, operands.grad.data<double>(), to.data<double>());
  } else {
    sum_channels(call.grad, operands.grad.data<float>(), to.data<float>());
  }
  to.finish();
  return Error::Ok;
}

Error convolution_backward(Context& context, const Tensor& grad_output, const Tensor& input,
                           const Tensor& weight, std::optional<IntList> bias_sizes, IntList stride,
                           IntList padding, IntList dilation, bool transposed,
                           IntList output_padding, int64_t groups, BoolList output_mask,
                           Tensor& grad_input, Tensor& grad_weight, Tensor& grad_bias) {
  GradientCall call = {grad_output, input,      weight,      {},
                       output_mask, grad_input, grad_weight, grad_bias};
  ET_TRY(read_geometry(input, stride, padding, dilation, transposed, output_padding, groups,
                       &call.geometry));
  ET_TRY(check_call(call));
  ET_REQUIRE(!bias_sizes.has_value() ||
                 (bias_sizes->size() == 1 && (*bias_sizes)[0] == grad_output.sizes()[1]),
             InvalidArgument, "argument 'bias_sizes': expected one bias per channel of %s",
             describe(grad_output).text);
  Operands operands(context, plain_conv_type(input.scalar_type()));
  const compute::PlainConv conv =
      plain_conv_of(sizes_of(input), sizes_of(weight), sizes_of(grad_output), call.geometry);
  ET_TRY(operands.grad.prepare(grad_output, operands.dtype));
  ET_TRY(operands.scratch.allocate(
      compute::plain_conv_scratch_bytes(compute_dtype(operands.dtype), conv), 1));
  if (output_mask[0]) ET_TRY(input_gradient(context, call, conv, operands));
  if (output_mask[1]) ET_TRY(weight_gradient(context, call, conv, operands));
  if (output_mask[2]) ET_TRY(bias_gradient(context, call, operands));
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::convolution_backward.out", convolution_backward>(
        "(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, "
        "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt "
        "groups, bool[3] output_mask, *, Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2) -> "
        "(Tensor(a!), Tensor(b!), Tensor(c!))"),
};

}  // namespace

Table conv_backward_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
