// Convolution over one to three dimensions, also transposed and grouped.
#include "compute/conv/conv.h"

#include <algorithm>
#include <cinttypes>

#include "backends/aoti/shims/cpu/cpu_table.h"
#include "backends/aoti/shims/cpu/memory.h"
#include "backends/aoti/shims/cpu/packed_weight.h"
#include "compute/conv/plain_conv.h"

namespace executorch::backends::aoti {
namespace {

using compute::DType;
using compute::TensorView;

constexpr size_t kMaxDims = compute::kSpatial;
/// Far above what a convolution is made with, so that sums of products of them fit in 64 bits.
constexpr int64_t kMaxArgument = int64_t{1} << 31;

struct Numbers {
  const int64_t* data;
  int64_t count;
};

struct Call {
  const ShimTensor* input;
  const ShimTensor* weight;
  const ShimTensor* bias;  ///< may be null
  size_t dims;             ///< spatial ones
  bool transposed;
  int64_t groups;
  int64_t stride[kMaxDims], padding[kMaxDims], dilation[kMaxDims], output_padding[kMaxDims];
  int64_t sizes[kMaxDims + 2];  ///< of the result
};

/// One number for each dimension, or one for all.
Error read_numbers(const Numbers& numbers, size_t dims, int64_t least, const char* name,
                   int64_t* values) {
  ET_REQUIRE(numbers.count == 1 || numbers.count == static_cast<int64_t>(dims), InvalidArgument,
             "argument '%s': %" PRId64 " numbers are given for %zu dimensions", name, numbers.count,
             dims);
  for (size_t d = 0; d < dims; ++d) {
    values[d] = numbers.data[numbers.count == 1 ? 0 : d];
    ET_REQUIRE(least <= values[d] && values[d] < kMaxArgument, InvalidArgument,
               "argument '%s': %" PRId64 " is out of range", name, values[d]);
  }
  return Error::Ok;
}

Error check_operands(const Call& call, int64_t* out_channels) {
  const ShimTensor& input = *call.input;
  const ShimTensor& weight = *call.weight;
  ET_REQUIRE(weight.rank() == input.rank() && weight.dtype() == input.dtype(), InvalidArgument,
             "arguments 'input' and 'weight' have %zu and %zu dimensions, types %d and %d",
             input.rank(), weight.rank(), static_cast<int>(input.dtype()),
             static_cast<int>(weight.dtype()));
  ET_REQUIRE(0 < call.groups && call.groups < kMaxArgument, InvalidArgument,
             "argument 'groups': %" PRId64 " is out of range", call.groups);
  for (size_t d = 0; d < weight.rank(); ++d) {
    ET_REQUIRE(0 < weight.sizes()[d] && weight.sizes()[d] < kMaxArgument &&
                   input.sizes()[d] < kMaxArgument,
               InvalidArgument, "dimension %zu of 'weight' or 'input' is out of range", d);
  }
  const int64_t first = weight.sizes()[0], second = weight.sizes()[1];
  const int64_t expected = call.transposed ? first : second * call.groups;
  ET_REQUIRE(input.sizes()[1] == expected && first % call.groups == 0, InvalidArgument,
             "%" PRId64 " channels of 'input' do not go with a weight of %" PRId64 "x%" PRId64
             " in %" PRId64 " groups",
             input.sizes()[1], first, second, call.groups);
  *out_channels = call.transposed ? second * call.groups : first;
  ET_REQUIRE(
      call.bias == nullptr || (call.bias->rank() == 1 && call.bias->numel() == *out_channels),
      InvalidArgument, "argument 'bias': %" PRId64 " elements are expected", *out_channels);
  return Error::Ok;
}

Error find_sizes(Call* call, int64_t out_channels) {
  call->sizes[0] = call->input->sizes()[0];
  call->sizes[1] = out_channels;
  for (size_t d = 0; d < call->dims; ++d) {
    const int64_t size = call->input->sizes()[d + 2];
    const int64_t reach = call->dilation[d] * (call->weight->sizes()[d + 2] - 1) + 1;
    const int64_t padded = 2 * call->padding[d];
    int64_t result;
    if (call->transposed) {
      result = (size - 1) * call->stride[d] - padded + reach + call->output_padding[d];
      ET_REQUIRE(call->output_padding[d] < std::max(call->stride[d], call->dilation[d]),
                 InvalidArgument,
                 "argument 'output_padding': %" PRId64 " must be less than stride or dilation",
                 call->output_padding[d]);
    } else {
      result = size + padded < reach ? 0 : (size + padded - reach) / call->stride[d] + 1;
    }
    ET_REQUIRE(result > 0, InvalidArgument,
               "the kernel reaches over %" PRId64
               " elements, dimension %zu of 'input' has %" PRId64,
               reach, d + 2, size);
    call->sizes[d + 2] = result;
  }
  return Error::Ok;
}

/// Whether PyTorch takes a tensor for channels-last by its strides; where they leave it open, it is
/// not.
bool is_channels_last(const ShimTensor& tensor) {
  const size_t rank = tensor.rank();
  if (rank < 4 || tensor.strides()[1] == 0) return false;
  int64_t least = 0;
  for (size_t i = 0; i < rank; ++i) {
    const size_t d = i == 0 ? 1 : i + 1 == rank ? 0 : rank - i;
    const int64_t size = tensor.sizes()[d], stride = tensor.strides()[d];
    if (size == 0 || stride < least) return false;
    if (d == 0 && least == tensor.strides()[1]) return false;
    least = stride * std::max<int64_t>(size, 1);
  }
  return true;
}

void channels_last_strides(const int64_t* sizes, size_t rank, int64_t* strides) {
  int64_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    const size_t d = i == 0 ? 1 : i + 1 == rank ? 0 : rank - i;
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
}

Error make_result(const Call& call, ShimTensor** result) {
  const size_t rank = call.dims + 2;
  int64_t strides[kMaxDims + 2];
  if (is_channels_last(*call.input) || is_channels_last(*call.weight)) {
    channels_last_strides(call.sizes, rank, strides);
  } else {
    contiguous_strides({call.sizes, rank}, strides);
  }
  return make_empty({{call.sizes, rank}, {strides, rank}, 0}, call.input->dtype(),
                    call.input->device(), result);
}

compute::ConvShape image_shape(const Call& call) {
  compute::ConvShape shape;
  const int64_t* in = call.input->sizes();
  const int64_t* kernel = call.weight->sizes();
  const size_t width = call.dims - 1;
  shape.batch = in[0];
  shape.in_channels = in[1];
  shape.out_channels = call.sizes[1];
  shape.in_width = in[width + 2];
  shape.kernel_width = kernel[width + 2];
  shape.stride_width = call.stride[width];
  shape.dilation_width = call.dilation[width];
  shape.pad_left = shape.pad_right = call.padding[width];
  shape.output_padding_width = call.output_padding[width];
  if (call.dims >= 2) {
    const size_t height = width - 1;
    shape.in_height = in[height + 2];
    shape.kernel_height = kernel[height + 2];
    shape.stride_height = call.stride[height];
    shape.dilation_height = call.dilation[height];
    shape.pad_top = shape.pad_bottom = call.padding[height];
    shape.output_padding_height = call.output_padding[height];
  }
  if (call.dims == 3) {
    shape.in_depth = in[2];
    shape.kernel_depth = kernel[2];
    shape.stride_depth = call.stride[0];
    shape.dilation_depth = call.dilation[0];
    shape.pad_front = shape.pad_back = call.padding[0];
  }
  shape.groups = call.groups;
  shape.transposed = call.transposed;
  return shape;
}

/// The same memory with the channels as the last dimension.
TensorView channels_behind(TensorView view) {
  const int64_t size = view.sizes[1], stride = view.strides[1];
  view.remove(1);
  view.insert(view.rank, size, stride);
  return view;
}

/// Images as rows of floats with the channels last: where they lie, or a copy.
class Images {
 public:
  Error prepare(const ShimTensor& tensor, const char* name) {
    TensorView view;
    ET_TRY(view_of(tensor, name, &view));
    images_ = channels_behind(view);
    direct_ = images_.dtype == DType::f32 && compute::is_contiguous(images_);
    if (direct_) return Error::Ok;
    ET_TRY(memory_.allocate(static_cast<size_t>(tensor.numel()) * sizeof(float)));
    copy_ = compute::contiguous_view(memory_.data(), DType::f32, sizeof(float), images_.rank,
                                     images_.sizes);
    return Error::Ok;
  }
  void read() const {
    if (!direct_) compute::convert(copy_, images_);
  }
  void write() const {
    if (!direct_) compute::convert(images_, copy_);
  }
  float* data() const { return reinterpret_cast<float*>(direct_ ? images_.data : copy_.data); }

 private:
  TensorView images_, copy_;
  Scratch memory_;
  bool direct_ = false;
};

/// The bias as elements of a type; null data without one.
Error read_bias(const Call& call, DType dtype, Operand* operand, const void** data) {
  *data = nullptr;
  if (call.bias == nullptr) return Error::Ok;
  ET_TRY(operand->read_rows(*call.bias, "bias", dtype));
  *data = operand->view().data;
  return Error::Ok;
}

Error convolve_images(const Call& call, const ShimTensor& result) {
  compute::ConvPlan plan;
  ET_REQUIRE(compute::conv_plan(image_shape(call), compute::active_isa(), &plan), InvalidArgument,
             "the sizes of a convolution make no sense, or are too large");
  Images in, out;
  Operand shift;
  Scratch own, scratch;
  const float* packed = nullptr;
  const void* bias = nullptr;
  ET_TRY(in.prepare(*call.input, "input"));
  ET_TRY(out.prepare(result, "result"));
  ET_TRY(packed_kernel(*call.weight, plan, &own, &packed));
  ET_TRY(read_bias(call, DType::f32, &shift, &bias));
  ET_TRY(scratch.allocate(compute::conv_scratch_bytes(plan)));
  in.read();
  compute::Epilogue epilogue;
  epilogue.bias = static_cast<const float*>(bias);
  compute::conv_run(plan, packed, in.data(), out.data(), epilogue, scratch.data(), scratch.size());
  out.write();
  return Error::Ok;
}

compute::PlainConv plain_shape(const Call& call) {
  const int64_t* large = call.transposed ? call.sizes : call.input->sizes();
  const int64_t* small = call.transposed ? call.input->sizes() : call.sizes;
  compute::PlainConv conv;
  conv.batch = large[0];
  conv.large_channels = large[1];
  conv.small_channels = small[1];
  conv.groups = call.groups;
  for (size_t i = 0; i < call.dims; ++i) {
    const size_t d = kMaxDims - call.dims + i;
    conv.grid.large[d] = large[i + 2];
    conv.grid.small[d] = small[i + 2];
    conv.grid.kernel[d] = call.weight->sizes()[i + 2];
    conv.grid.stride[d] = call.stride[i];
    conv.grid.padding[d] = call.padding[i];
    conv.grid.dilation[d] = call.dilation[i];
  }
  return conv;
}

Error convolve_plain(const Call& call, DType dtype, const ShimTensor& result) {
  const compute::PlainConv conv = plain_shape(call);
  Operand in, kernel, shift;
  Scratch scratch, memory;
  const void* bias = nullptr;
  TensorView out;
  ET_TRY(in.read_rows(*call.input, "input", dtype));
  ET_TRY(kernel.read_rows(*call.weight, "weight", dtype));
  ET_TRY(read_bias(call, dtype, &shift, &bias));
  ET_TRY(view_of(result, "result", &out));
  const size_t unit = compute::element_size(dtype);
  ET_TRY(memory.allocate(static_cast<size_t>(out.numel()) * unit));
  ET_TRY(scratch.allocate(compute::plain_conv_scratch_bytes(dtype, conv)));
  const auto convolve =
      call.transposed ? compute::plain_conv_to_large : compute::plain_conv_to_small;
  convolve(dtype, conv, in.view().data, kernel.view().data, bias, memory.data(), scratch.data());
  compute::convert(out, compute::contiguous_view(memory.data(), dtype, unit, out.rank, out.sizes));
  return Error::Ok;
}

Error compute_result(const Call& call, const ShimTensor& result) {
  DType dtype;
  ET_REQUIRE(sum_type(static_cast<DType>(call.input->dtype()), &dtype) &&
                 compute::plain_conv_supported(dtype),
             NotSupported, "convolutions of elements of type %d are not supported",
             static_cast<int>(call.input->dtype()));
  if (result.numel() == 0) return Error::Ok;
  const bool images = dtype == DType::f32 && !(call.dims == 3 && call.transposed);
  return images ? convolve_images(call, result) : convolve_plain(call, dtype, result);
}

Error convolve(Call* call, const Numbers& stride, const Numbers& padding, const Numbers& dilation,
               const Numbers& output_padding, ShimTensor** result) {
  const size_t rank = call->input->rank();
  ET_REQUIRE(3 <= rank && rank <= kMaxDims + 2, InvalidArgument,
             "argument 'input' has %zu dimensions, 3 to %zu are possible", rank, kMaxDims + 2);
  call->dims = rank - 2;
  ET_TRY(read_numbers(stride, call->dims, 1, "stride", call->stride));
  ET_TRY(read_numbers(padding, call->dims, 0, "padding", call->padding));
  ET_TRY(read_numbers(dilation, call->dims, 1, "dilation", call->dilation));
  std::fill_n(call->output_padding, kMaxDims, 0);
  if (call->transposed) {
    ET_TRY(read_numbers(output_padding, call->dims, 0, "output_padding", call->output_padding));
  }
  int64_t out_channels = 0;
  ET_TRY(check_operands(*call, &out_channels));
  ET_TRY(find_sizes(call, out_channels));
  ShimTensor* made = nullptr;
  ET_TRY(make_result(*call, &made));
  const Error error = compute_result(*call, *made);
  if (error == Error::Ok) {
    *result = made;
  } else {
    delete made;
  }
  return error;
}

}  // namespace

extern "C" Status AOTI_SHIM(cpu_convolution)(
    ShimTensor* input, ShimTensor* weight, ShimTensor** bias, const int64_t* stride,
    int64_t stride_count, const int64_t* padding, int64_t padding_count, const int64_t* dilation,
    int64_t dilation_count, int32_t transposed, const int64_t* output_padding,
    int64_t output_padding_count, int64_t groups, ShimTensor** result) {
  AOTI_REQUIRE_NOT_NULL(input);
  AOTI_REQUIRE_NOT_NULL(weight);
  AOTI_REQUIRE_NOT_NULL(result);
  Call call{};
  call.input = input;
  call.weight = weight;
  call.bias = bias == nullptr ? nullptr : *bias;
  call.transposed = transposed != 0;
  call.groups = groups;
  return status_of(convolve(&call, {stride, stride_count}, {padding, padding_count},
                            {dilation, dilation_count}, {output_padding, output_padding_count},
                            result));
}

}  // namespace executorch::backends::aoti
