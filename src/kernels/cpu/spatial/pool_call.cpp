#include "kernels/cpu/spatial/pool_call.h"

namespace executorch {
namespace kernels {

Error read_image(const Tensor& self, int dims, bool adaptive, compute::PoolShape* shape) {
  ET_TRY(check_rank(self, "self", dims + 1, dims + 2));
  const int first = static_cast<int>(self.dim()) - dims;
  shape->batch = first == 2 ? self.sizes()[0] : 1;
  shape->channels = self.sizes()[first - 1];
  bool empty = shape->channels == 0 && !(adaptive && first == 1);
  for (int d = 0; d < dims; ++d) {
    pool_axis(*shape, dims, d).in = self.sizes()[first + d];
    empty = empty || self.sizes()[first + d] == 0;
  }
  ET_REQUIRE(!empty, InvalidArgument, "argument 'self': %s has an empty dimension",
             describe(self).text);
  return Error::Ok;
}

Error read_windows(const Tensor& self, int dims, const WindowArguments& arguments,
                   compute::PoolShape* shape) {
  ET_TRY(read_image(self, dims, false, shape));
  const IntList strides = arguments.stride.empty() ? arguments.kernel_size : arguments.stride;
  int64_t kernel[3];
  int64_t stride[3];
  int64_t padding[3];
  int64_t dilation[3];
  ET_TRY(read_spatial(arguments.kernel_size, dims, 1, "kernel_size", kernel));
  ET_TRY(read_spatial(strides, dims, 1, "stride", stride));
  ET_TRY(read_spatial(arguments.padding, dims, 0, "padding", padding));
  ET_TRY(read_spatial(arguments.dilation, dims, 1, "dilation", dilation));
  for (int d = 0; d < dims; ++d) {
    ET_REQUIRE(padding[d] <= (dilation[d] * (kernel[d] - 1) + 1) / 2, InvalidArgument,
               "argument 'padding': %lld is over half of the kernel size",
               static_cast<long long>(padding[d]));
    compute::PoolAxis& axis = pool_axis(*shape, dims, d);
    axis.kernel = kernel[d];
    axis.stride = stride[d];
    axis.pad = padding[d];
    axis.dilation = dilation[d];
    axis.out = window_positions(axis.in, kernel[d], stride[d], padding[d], dilation[d],
                                arguments.ceil_mode);
    ET_REQUIRE(axis.out > 0, InvalidArgument, "argument 'kernel_size': %s does not fit %s",
               describe(arguments.kernel_size).text, describe(self).text);
  }
  return Error::Ok;
}

Error read_adaptive(const Tensor& self, int dims, IntList output_size, compute::PoolShape* shape) {
  ET_TRY(read_image(self, dims, true, shape));
  int64_t size[3];
  ET_TRY(read_spatial(output_size, dims, 0, "output_size", size));
  for (int d = 0; d < dims; ++d) pool_axis(*shape, dims, d).out = size[d];
  shape->adaptive = true;
  return Error::Ok;
}

Sizes pooled_sizes(const Tensor& self, int dims, const compute::PoolShape& shape) {
  const int64_t out[] = {shape.z.out, shape.y.out, shape.x.out};
  Sizes sizes = sizes_of(self);
  for (int d = 0; d < dims; ++d) sizes[sizes.rank - dims + d] = out[3 - dims + d];
  return sizes;
}

Error resize_pooled(const Tensor& self, int dims, const compute::PoolShape& shape,
                    const Tensor& out, const char* name) {
  ET_TRY(resize_output(out, pooled_sizes(self, dims, shape), name));
  return check_no_overlap(out, self, "self");
}

Error check_indices(const Tensor& indices) {
  ET_REQUIRE(indices.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument 'indices': expected int64, found %s", dtype_name(indices.scalar_type()));
  return Error::Ok;
}

Error PoolTensors::prepare(const Tensor& input, const Tensor& out, const Tensor* indices, int dims,
                           ScalarType dtype) {
  channels_last_ = input.dim() == dims + 2 && input.scalar_type() == dtype &&
                   out.scalar_type() == dtype && is_channels_last(input) && is_channels_last(out) &&
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

void PoolTensors::finish() {
  if (channels_last_) return;
  out_.finish();
  if (indices_data_ != nullptr) indices_.finish();
}

}  // namespace kernels
}  // namespace executorch
