// Convolution over one to three spatial dimensions, also transposed and grouped.
#include "compute/conv/conv.h"
#include "compute/conv/plain_conv.h"

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {
namespace {

/// The spatial arguments of a call, one entry per spatial dimension of the input.
struct Geometry {
  int dims = 0;
  int64_t stride[compute::kSpatial] = {1, 1, 1};
  int64_t padding[compute::kSpatial] = {0, 0, 0};
  int64_t dilation[compute::kSpatial] = {1, 1, 1};
  int64_t output_padding[compute::kSpatial] = {0, 0, 0};
  int64_t groups = 1;
  bool transposed = false;
};

Error read_geometry(const Tensor& input, IntList stride, IntList padding, IntList dilation,
                    bool transposed, IntList output_padding, int64_t groups, Geometry* geometry) {
  ET_TRY(check_rank(input, "input", 3, 2 + compute::kSpatial));
  geometry->dims = static_cast<int>(input.dim()) - 2;
  geometry->transposed = transposed;
  geometry->groups = groups;
  ET_REQUIRE(groups > 0 && groups <= kMaxSpatialArgument, InvalidArgument,
             "argument 'groups': %lld is out of range", static_cast<long long>(groups));
  ET_TRY(read_spatial(stride, geometry->dims, 1, "stride", geometry->stride));
  ET_TRY(read_spatial(padding, geometry->dims, 0, "padding", geometry->padding));
  ET_TRY(read_spatial(dilation, geometry->dims, 1, "dilation", geometry->dilation));
  if (!transposed) return Error::Ok;
  ET_TRY(
      read_spatial(output_padding, geometry->dims, 0, "output_padding", geometry->output_padding));
  for (int d = 0; d < geometry->dims; ++d) {
    ET_REQUIRE(geometry->output_padding[d] < geometry->stride[d] ||
                   geometry->output_padding[d] < geometry->dilation[d],
               InvalidArgument,
               "argument 'output_padding': %lld must be less than stride or dilation",
               static_cast<long long>(geometry->output_padding[d]));
  }
  return Error::Ok;
}

/// Checks weight and bias against the input and yields the number of output channels.
Error check_weight(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   const Geometry& geometry, int64_t* out_channels) {
  ET_TRY(check_rank(weight, "weight", input.dim(), input.dim()));
  ET_TRY(check_same_dtype(input, "input", weight, "weight"));
  const int64_t channels = input.sizes()[1];
  const int64_t first = weight.sizes()[0];
  const int64_t second = weight.sizes()[1];
  const int64_t expected = geometry.transposed ? first : second * geometry.groups;
  ET_REQUIRE(channels == expected && first % geometry.groups == 0, InvalidArgument,
             "arguments 'input' and 'weight': %s and %s do not go together in %lld groups",
             describe(input).text, describe(weight).text, static_cast<long long>(geometry.groups));
  *out_channels = geometry.transposed ? second * geometry.groups : first;
  if (!bias.has_value()) return Error::Ok;
  ET_REQUIRE(
      is_arithmetic(bias->scalar_type()) && bias->dim() == 1 && bias->numel() == *out_channels,
      InvalidArgument, "argument 'bias': expected %lld elements, found %s",
      static_cast<long long>(*out_channels), describe(*bias).text);
  return Error::Ok;
}

Error output_sizes(const Tensor& input, const Tensor& weight, const Geometry& geometry,
                   int64_t out_channels, Sizes* sizes) {
  sizes->push(input.sizes()[0]);
  sizes->push(out_channels);
  for (int d = 0; d < geometry.dims; ++d) {
    const int64_t size = input.sizes()[d + 2];
    const int64_t kernel = weight.sizes()[d + 2];
    ET_REQUIRE(kernel > 0, InvalidArgument, "argument 'weight': %s has an empty kernel",
               describe(weight).text);
    const int64_t reach = geometry.dilation[d] * (kernel - 1);
    const int64_t result = geometry.transposed
                               ? (size - 1) * geometry.stride[d] - 2 * geometry.padding[d] + reach +
                                     geometry.output_padding[d] + 1
                               : window_positions(size, kernel, geometry.stride[d],
                                                  geometry.padding[d], geometry.dilation[d], false);
    ET_REQUIRE(result > 0, InvalidArgument,
               "arguments 'input' and 'weight': the kernel of %s does not fit into %s",
               describe(weight).text, describe(input).text);
    sizes->push(result);
  }
  return Error::Ok;
}

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
  if (geometry.dims == 2) {
    shape.in_height = input.sizes()[2];
    shape.kernel_height = weight.sizes()[2];
    shape.stride_height = geometry.stride[0];
    shape.dilation_height = geometry.dilation[0];
    shape.pad_top = shape.pad_bottom = geometry.padding[0];
    shape.output_padding_height = geometry.output_padding[0];
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
  compute::conv_pack(plan, kernel.data<float>(), nullptr, packed.as<float>());
  compute::conv_run(plan, packed.as<float>(), in.data(), to.data(), epilogue, scratch.data(),
                    scratch_bytes);
  to.finish();
  return Error::Ok;
}

/// Half types are computed in float, small integers in int32.
ScalarType plain_type(ScalarType dtype) {
  if (is_floating(dtype)) return accumulation_type(dtype);
  return dtype == ScalarType::Long ? ScalarType::Long : ScalarType::Int;
}

Error convolve_plain(Context& context, const Tensor& input, const Tensor& weight,
                     const std::optional<Tensor>& bias, const Geometry& geometry,
                     const Tensor& out) {
  compute::PlainConv conv;
  conv.batch = input.sizes()[0];
  conv.in_channels = input.sizes()[1];
  conv.out_channels = out.sizes()[1];
  conv.groups = geometry.groups;
  conv.transposed = geometry.transposed;
  for (int i = 0; i < geometry.dims; ++i) {
    const int d = compute::kSpatial - geometry.dims + i;
    conv.in[d] = input.sizes()[i + 2];
    conv.out[d] = out.sizes()[i + 2];
    conv.kernel[d] = weight.sizes()[i + 2];
    conv.stride[d] = geometry.stride[i];
    conv.padding[d] = geometry.padding[i];
    conv.dilation[d] = geometry.dilation[i];
  }
  const ScalarType dtype = plain_type(input.scalar_type());
  ContiguousInput in(context);
  ContiguousInput kernel(context);
  ContiguousInput shift(context);
  ContiguousOutput to(context);
  ET_TRY(in.prepare(input, dtype));
  ET_TRY(kernel.prepare(weight, dtype));
  if (bias.has_value()) ET_TRY(shift.prepare(*bias, dtype));
  ET_TRY(to.prepare(out, dtype));
  compute::plain_conv(compute_dtype(dtype), conv, in.view().data, kernel.view().data,
                      bias.has_value() ? shift.view().data : nullptr, to.view().data);
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
  const bool image = geometry.dims <= 2 &&
                     accumulation_type(input.scalar_type()) == ScalarType::Float &&
                     is_floating(input.scalar_type()) && input.numel() > 0;
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
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
