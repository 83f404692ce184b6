// Pooling over images. Half types are computed in float.
#include "compute/pool/pool.h"

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {
namespace {

/// The type that a pooling operator computes in.
ScalarType pool_type(ScalarType dtype) {
  return is_floating(dtype) ? accumulation_type(dtype) : dtype;
}

/// Input, output and, for a maximum, indices: NHWC where all of them are, else row-major.
class PoolTensors {
 public:
  explicit PoolTensors(Context& context) : in_(context), out_(context), indices_(context) {}

  Error prepare(const Tensor& input, const Tensor& out, const Tensor* indices, ScalarType dtype) {
    channels_last_ = input.scalar_type() == dtype && out.scalar_type() == dtype &&
                     is_channels_last(input) && is_channels_last(out) &&
                     (indices == nullptr || is_channels_last(*indices));
    if (channels_last_) {
      in_data_ = input.const_data_ptr();
      out_data_ = out.mutable_data_ptr();
      indices_data_ = indices != nullptr ? indices->mutable_data_ptr<int64_t>() : nullptr;
      return Error::Ok;
    }
    ET_TRY(in_.prepare(input, dtype));
    ET_TRY(out_.prepare(out, dtype));
    in_data_ = in_.view().data;
    out_data_ = out_.view().data;
    if (indices == nullptr) return Error::Ok;
    ET_TRY(indices_.prepare(*indices));
    indices_data_ = indices_.data<int64_t>();
    return Error::Ok;
  }

  bool channels_last() const { return channels_last_; }
  template <class T>
  const T* in() const {
    return static_cast<const T*>(in_data_);
  }
  template <class T>
  T* out() const {
    return static_cast<T*>(out_data_);
  }
  int64_t* indices() const { return indices_data_; }

  void finish() {
    if (channels_last_) return;
    out_.finish();
    if (indices_data_ != nullptr) indices_.finish();
  }

 private:
  ContiguousInput in_;
  ContiguousOutput out_;
  ContiguousOutput indices_;
  const void* in_data_ = nullptr;
  void* out_data_ = nullptr;
  int64_t* indices_data_ = nullptr;
  bool channels_last_ = false;
};

/// Batch, channels and image sizes of a 3-d or 4-d input; other fields are left alone.
Error read_image(const Tensor& self, compute::PoolShape* shape) {
  ET_TRY(check_rank(self, "self", 3, 4));
  const int64_t rank = self.dim();
  shape->batch = rank == 4 ? self.sizes()[0] : 1;
  shape->channels = self.sizes()[rank - 3];
  shape->in_height = self.sizes()[rank - 2];
  shape->in_width = self.sizes()[rank - 1];
  ET_REQUIRE(shape->channels > 0 && shape->in_height > 0 && shape->in_width > 0, InvalidArgument,
             "argument 'self': %s has an empty dimension", describe(self).text);
  return Error::Ok;
}

Error read_windows(const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                   IntList dilation, bool ceil_mode, compute::PoolShape* shape) {
  ET_TRY(read_image(self, shape));
  int64_t kernel[2];
  int64_t step[2];
  int64_t pad[2];
  int64_t spread[2];
  ET_TRY(read_spatial(kernel_size, 2, 1, "kernel_size", kernel));
  ET_TRY(read_spatial(stride.empty() ? kernel_size : stride, 2, 1, "stride", step));
  ET_TRY(read_spatial(padding, 2, 0, "padding", pad));
  ET_TRY(read_spatial(dilation, 2, 1, "dilation", spread));
  const int64_t size[] = {shape->in_height, shape->in_width};
  int64_t positions[2];
  for (int d = 0; d < 2; ++d) {
    ET_REQUIRE(pad[d] <= (spread[d] * (kernel[d] - 1) + 1) / 2, InvalidArgument,
               "argument 'padding': %lld is over half of the kernel size",
               static_cast<long long>(pad[d]));
    positions[d] = window_positions(size[d], kernel[d], step[d], pad[d], spread[d], ceil_mode);
    ET_REQUIRE(positions[d] > 0, InvalidArgument, "argument 'kernel_size': %s does not fit %s",
               describe(kernel_size).text, describe(self).text);
  }
  shape->out_height = positions[0];
  shape->out_width = positions[1];
  shape->kernel_height = kernel[0];
  shape->kernel_width = kernel[1];
  shape->stride_height = step[0];
  shape->stride_width = step[1];
  shape->pad_height = pad[0];
  shape->pad_width = pad[1];
  shape->dilation_height = spread[0];
  shape->dilation_width = spread[1];
  return Error::Ok;
}

Error resize_images(const Tensor& self, const compute::PoolShape& shape, const Tensor& out,
                    const char* name) {
  Sizes sizes = sizes_of(self);
  sizes[sizes.rank - 2] = shape.out_height;
  sizes[sizes.rank - 1] = shape.out_width;
  ET_TRY(resize_output(out, sizes, name));
  return check_no_overlap(out, self, "self");
}

template <class T>
void max_pool(const compute::PoolShape& shape, const PoolTensors& tensors) {
  compute::max_pool2d<T>(shape, tensors.in<T>(), tensors.out<T>(), tensors.indices());
}

Error max_pool2d_with_indices(Context& context, const Tensor& self, IntList kernel_size,
                              IntList stride, IntList padding, IntList dilation, bool ceil_mode,
                              Tensor& out, Tensor& indices) {
  compute::PoolShape shape;
  ET_TRY(read_windows(self, kernel_size, stride, padding, dilation, ceil_mode, &shape));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_REQUIRE(indices.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument 'indices': expected int64, found %s", dtype_name(indices.scalar_type()));
  ET_TRY(resize_images(self, shape, out, "out"));
  ET_TRY(resize_images(self, shape, indices, "indices"));
  if (out.numel() == 0) return Error::Ok;
  const ScalarType dtype = pool_type(self.scalar_type());
  PoolTensors tensors(context);
  ET_TRY(tensors.prepare(self, out, &indices, dtype));
  shape.channels_last = tensors.channels_last();
  switch (dtype) {
    case ScalarType::Float:
      max_pool<float>(shape, tensors);
      break;
    case ScalarType::Double:
      max_pool<double>(shape, tensors);
      break;
    case ScalarType::Byte:
      max_pool<uint8_t>(shape, tensors);
      break;
    case ScalarType::Char:
      max_pool<int8_t>(shape, tensors);
      break;
    case ScalarType::Short:
      max_pool<int16_t>(shape, tensors);
      break;
    case ScalarType::Int:
      max_pool<int32_t>(shape, tensors);
      break;
    case ScalarType::Long:
      max_pool<int64_t>(shape, tensors);
      break;
    default:
      return ET_ERROR(InvalidArgument, "argument 'self': dtype %s is not supported",
                      dtype_name(dtype));
  }
  tensors.finish();
  return Error::Ok;
}

/// Averages are taken in float or double; int64 goes through double.
Error check_average_types(const Tensor& self, const Tensor& out, ScalarType* dtype) {
  const ScalarType type = self.scalar_type();
  ET_REQUIRE(is_floating(type) || type == ScalarType::Long, InvalidArgument,
             "argument 'self': dtype %s is not supported", dtype_name(type));
  *dtype = type == ScalarType::Long ? ScalarType::Double : accumulation_type(type);
  return check_same_dtype(self, "self", out, "out");
}

Error avg_pool2d(Context& context, const Tensor& self, IntList kernel_size, IntList stride,
                 IntList padding, bool ceil_mode, bool count_include_pad,
                 std::optional<int64_t> divisor_override, Tensor& out) {
  ScalarType dtype;
  ET_TRY(check_average_types(self, out, &dtype));
  compute::PoolShape shape;
  const int64_t one = 1;
  ET_TRY(read_windows(self, kernel_size, stride, padding, {&one, 1}, ceil_mode, &shape));
  ET_REQUIRE(divisor_override.value_or(1) != 0, InvalidArgument,
             "argument 'divisor_override': must not be zero");
  ET_TRY(resize_images(self, shape, out, "out"));
  if (out.numel() == 0) return Error::Ok;
  PoolTensors tensors(context);
  ET_TRY(tensors.prepare(self, out, nullptr, dtype));
  shape.channels_last = tensors.channels_last();
  compute::AverageDivisor divisor;
  divisor.count_include_pad = count_include_pad;
  divisor.override_value = divisor_override.value_or(0);
  if (dtype == ScalarType::Double) {
    compute::avg_pool2d<double>(shape, divisor, tensors.in<double>(), tensors.out<double>());
  } else {
    compute::avg_pool2d<float>(shape, divisor, tensors.in<float>(), tensors.out<float>());
  }
  tensors.finish();
  return Error::Ok;
}

Error adaptive_avg_pool2d(Context& context, const Tensor& self, IntList output_size, Tensor& out) {
  ScalarType dtype;
  ET_TRY(check_average_types(self, out, &dtype));
  compute::PoolShape shape;
  ET_TRY(read_image(self, &shape));
  int64_t size[2];
  ET_TRY(read_spatial(output_size, 2, 0, "output_size", size));
  shape.out_height = size[0];
  shape.out_width = size[1];
  ET_TRY(resize_images(self, shape, out, "out"));
  if (out.numel() == 0) return Error::Ok;
  PoolTensors tensors(context);
  ET_TRY(tensors.prepare(self, out, nullptr, dtype));
  shape.channels_last = tensors.channels_last();
  if (dtype == ScalarType::Double) {
    compute::adaptive_avg_pool2d<double>(shape, tensors.in<double>(), tensors.out<double>());
  } else {
    compute::adaptive_avg_pool2d<float>(shape, tensors.in<float>(), tensors.out<float>());
  }
  tensors.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::max_pool2d_with_indices.out", max_pool2d_with_indices>(
        "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
        "bool "
        "ceil_mode=False, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))"),
    row<"aten::avg_pool2d.out", avg_pool2d>(
        "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool "
        "ceil_mode=False, bool "
        "count_include_pad=True, int? divisor_override=None, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::_adaptive_avg_pool2d.out", adaptive_avg_pool2d>(
        "(Tensor self, SymInt[2] output_size, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table pool_rows() {
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
