// Convolution over one to three spatial dimensions, also transposed and grouped.
#include "compute/conv/conv.h"

#include "kernels/cpu/spatial/conv_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

compute::ConvShape image_shape(const Tensor& input, const Tensor& weight, const Geometry& geometry,
                               int64_t out_channels) {
  // One-dimensional convolution has height 1.
  const int width = geometry.dims - 1;
  compute::ConvShape shape;
  shape.batch = input.sizes()[0];
  shape.in_channels = input.sizes()[1];
  shape.out_channels = out_channels;
  shape.in_width = input.sizes()[width + 2];
  shape.kernel_width = weight.sizes()[width + 2];
  shape.stride_width = geometry.stride[width];
  shape.dilation_width = geometry.dilation[width];
  shape.pad_left = shape.pad_right = geometry.padding[width];
  shape.output_padding_width = geometry.output_padding[width];
  if (geometry.dims >= 2) {
    const int height = width - 1;
    shape.in_height = input.sizes()[height + 2];
    shape.kernel_height = weight.sizes()[height + 2];
    shape.stride_height = geometry.stride[height];
    shape.dilation_height = geometry.dilation[height];
    shape.pad_top = shape.pad_bottom = geometry.padding[height];
    shape.output_padding_height = geometry.output_padding[height];
  }
  if (geometry.dims == 3) {
    shape.in_depth = input.sizes()[2];
    shape.kernel_depth = weight.sizes()[2];
    shape.stride_depth = geometry.stride[0];
    shape.dilation_depth = geometry.dilation[0];
    shape.pad_front = shape.pad_back = geometry.padding[0];
  }
  shape.groups = geometry.groups;
  shape.transposed = geometry.transposed;
  return shape;
}

/// The input as NHWC floats: the tensor itself where it is laid out so, else a copy.
class ImageInput {
 public:
  explicit ImageInput(Context& context) : rows_(context), scratch_(context) {}

  Error prepare(const Tensor& tensor) {
    if (tensor.scalar_type() == ScalarType::Float && is_channels_last(tensor)) {
      data_ = tensor.const_data_ptr<float>();
      return Error::Ok;
    }
    const int64_t numel = tensor.numel();
    ET_TRY(scratch_.allocate(static_cast<size_t>(numel), sizeof(float)));
    data_ = scratch_.as<float>();
    ET_TRY(rows_.prepare(tensor, ScalarType::Float));
    const int64_t images = tensor.sizes()[0] * tensor.sizes()[1];
    if (numel > 0) {
      compute::nchw_to_nhwc(rows_.data<float>(), scratch_.as<float>(), tensor.sizes()[0],
                            tensor.sizes()[1], numel / images);
    }
    return Error::Ok;
  }
  const float* data() const { return data_; }

 private:
  ContiguousInput rows_;
  Scratch scratch_;
  const float* data_ = nullptr;
};

/// The output as NHWC floats, copied to the tensor by finish() unless it is laid out so.
class ImageOutput {
 public:
  explicit ImageOutput(Context& context) : rows_(context), scratch_(context) {}

  Error prepare(const Tensor& tensor) {
    direct_ = tensor.scalar_type() == ScalarType::Float && is_channels_last(tensor);
    if (direct_) {
      data_ = tensor.mutable_data_ptr<float>();
      return Error::Ok;
    }
    batch_ = tensor.sizes()[0];
    channels_ = tensor.sizes()[1];
    numel_ = tensor.numel();
    ET_TRY(scratch_.allocate(static_cast<size_t>(numel_), sizeof(float)));
    data_ = scratch_.as<float>();
    return rows_.prepare(tensor, ScalarType::Float);
  }
  float* data() const { return data_; }
  void finish() {
    if (direct_) return;
    compute::nhwc_to_nchw(data_, rows_.data<float>(), batch_, channels_,
                          numel_ / (batch_ * channels_));
    rows_.finish();
  }

 private:
  ContiguousOutput rows_;
  Scratch scratch_;
  float* data_ = nullptr;
  int64_t batch_ = 0;
  int64_t channels_ = 0;
  int64_t numel_ = 0;
  bool direct_ = false;
};

Error convolve_images(Context& context, const Tensor& input, const Tensor& weight,
                      const std::optional<Tensor>& bias, const Geometry& geometry,
                      const Tensor& out) {
  compute::ConvPlan plan;
  const compute::ConvShape shape = image_shape(input, weight, geometry, out.sizes()[1]);
  ET_REQUIRE(compute::conv_plan(shape, compute::active_isa(), &plan), InvalidArgument,
             "arguments 'input' and 'weight': %s and %s cannot be convolved", describe(input).text,
             describe(weight).text);
  ContiguousInput kernel(context);
  ContiguousInput shift(context);
  ImageInput in(context);
  ImageOutput to(context);
  Scratch packed(context);
  Scratch scratch(context);
  ET_TRY(kernel.prepare(weight, ScalarType::Float));
  ET_TRY(in.prepare(input));
  ET_TRY(to.prepare(out));
  compute::Epilogue epilogue;
  if (bias.has_value()) {
    ET_TRY(shift.prepare(*bias, ScalarType::Float));
    epilogue.bias = shift.data<float>();
  }
  ET_TRY(packed.allocate(plan.packed_bytes, 1));
  const size_t scratch_bytes = compute::conv_scratch_bytes(plan);
  ET_TRY(scratch.allocate(scratch_bytes, 1));
  compute::conv_pack(plan, compute::contiguous_weight(plan.shape, kernel.data<float>()), nullptr,
                     packed.as<float>());
  compute::conv_run(plan, packed.as<float>(), in.data(), to.data(), epilogue, scratch.data(),
                    scratch_bytes);
  to.finish();
  return Error::Ok;
}

Error convolve_plain(Context& context, const Tensor& input, const Tensor& weight,
                     const std::optional<Tensor>& bias, const Geometry& geometry,
                     const Tensor& out) {
  const ScalarType dtype = plain_conv_type(input.scalar_type());
  const compute::PlainConv conv =
      plain_conv_of(sizes_of(input), sizes_of(weight), sizes_of(out), geometry);
  ContiguousInput in(context);
  ContiguousInput kernel(context);
  ContiguousInput shift(context);
  ContiguousOutput to(context);
  Scratch scratch(context);
  ET_TRY(in.prepare(input, dtype));
  ET_TRY(kernel.prepare(weight, dtype));
  if (bias.has_value()) ET_TRY(shift.prepare(*bias, dtype));
  ET_TRY(to.prepare(out, dtype));
  ET_TRY(scratch.allocate(compute::plain_conv_scratch_bytes(compute_dtype(dtype), conv), 1));
  const auto convolve =
      geometry.transposed ? compute::plain_conv_to_large : compute::plain_conv_to_small;
  convolve(compute_dtype(dtype), conv, in.view().data, kernel.view().data,
           bias.has_value() ? shift.view().data : nullptr, to.view().data, scratch.data());
  to.finish();
  return Error::Ok;
}

Error convolution(Context& context, const Tensor& input, const Tensor& weight,
                  std::optional<Tensor> bias, IntList stride, IntList padding, IntList dilation,
                  bool transposed, IntList output_padding, int64_t groups, Tensor& out) {
  ET_TRY(check_arithmetic(input, "input"));
  ET_REQUIRE(input.scalar_type() != ScalarType::Bool, InvalidArgument,
             "argument 'input': dtype bool is not supported");
  ET_TRY(check_same_dtype(input, "input", out, "out"));
  Geometry geometry;
  ET_TRY(read_geometry(input, stride, padding, dilation, transposed, output_padding, groups,
                       &geometry));
  int64_t out_channels = 0;
  ET_TRY(check_weight(input, weight, bias, geometry, &out_channels));
  Sizes sizes;
  ET_TRY(output_sizes(input, weight, geometry, out_channels, &sizes));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, input, "input"));
  ET_TRY(check_no_overlap(out, weight, "weight"));
  if (out.numel() == 0) return Error::Ok;
  const bool image = plain_conv_type(input.scalar_type()) == ScalarType::Float &&
                     !(geometry.dims == 3 && transposed) && input.numel() > 0;
  if (image) return convolve_images(context, input, weight, bias, geometry, out);
  return convolve_plain(context, input, weight, bias, geometry, out);
}

constexpr OperatorRow kRows[] = {
    row<"aten::convolution.out", convolution>(
        "(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] "
        "dilation, bool "
        "transposed, SymInt[] output_padding, SymInt groups, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table conv_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
