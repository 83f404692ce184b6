// Largest values of windows, their positions, and what is computed from positions: gradients and
// unpooling.
#include "kernels/cpu/spatial/pool_call.h"
#include "kernels/cpu/spatial/pool_places.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

template <class T>
void run_max_pool(const compute::PoolShape& shape, const PoolTensors& tensors) {
  compute::max_pool<T>(shape, tensors.in<T>(), tensors.out<T>(), tensors.indices());
}

Error max_pool(Context& context, const Tensor& self, int dims, compute::PoolShape& shape,
               Tensor& out, Tensor& indices) {
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(check_indices(indices));
  ET_TRY(resize_pooled(self, dims, shape, out, "out"));
  ET_TRY(resize_pooled(self, dims, shape, indices, "indices"));
  if (out.numel() == 0) return Error::Ok;
  const ScalarType dtype = pool_type(self.scalar_type());
  PoolTensors tensors(context);
  ET_TRY(tensors.prepare(self, out, &indices, dims, dtype));
  shape.channels_last = tensors.channels_last();
  switch (dtype) {
    case ScalarType::Float:
      run_max_pool<float>(shape, tensors);
      break;
    case ScalarType::Double:
      run_max_pool<double>(shape, tensors);
      break;
    case ScalarType::Byte:
      run_max_pool<uint8_t>(shape, tensors);
      break;
    case ScalarType::Char:
      run_max_pool<int8_t>(shape, tensors);
      break;
    case ScalarType::Short:
      run_max_pool<int16_t>(shape, tensors);
      break;
    case ScalarType::Int:
      run_max_pool<int32_t>(shape, tensors);
      break;
    case ScalarType::Long:
      run_max_pool<int64_t>(shape, tensors);
      break;
    default:
      return ET_ERROR(InvalidArgument, "argument 'self': dtype %s is not supported",
                      dtype_name(dtype));
  }
  tensors.finish();
  return Error::Ok;
}

template <int dims>
Error max_pool_with_indices(Context& context, const Tensor& self, IntList kernel_size,
                            IntList stride, IntList padding, IntList dilation, bool ceil_mode,
                            Tensor& out, Tensor& indices) {
  compute::PoolShape shape;
  ET_TRY(read_windows(self, dims, {kernel_size, stride, padding, dilation, ceil_mode}, &shape));
  return max_pool(context, self, dims, shape, out, indices);
}

template <int dims>
Error adaptive_max_pool(Context& context, const Tensor& self, IntList output_size, Tensor& out,
                        Tensor& indices) {
  ET_TRY(check_floating(self, "self"));
  compute::PoolShape shape;
  ET_TRY(read_adaptive(self, dims, output_size, &shape));
  return max_pool(context, self, dims, shape, out, indices);
}

template <int dims>
Error max_pool_backward(Context& context, const Tensor& grad_output, const Tensor& self,
                        IntList kernel_size, IntList stride, IntList padding, IntList dilation,
                        bool ceil_mode, const Tensor& indices, Tensor& grad_input) {
  compute::PoolShape shape;
  ET_TRY(read_windows(self, dims, {kernel_size, stride, padding, dilation, ceil_mode}, &shape));
  return max_pool_gradient(context, grad_output, self, dims, shape, indices, grad_input);
}

template <int dims>
Error adaptive_max_pool_backward(Context& context, const Tensor& grad_output, const Tensor& self,
                                 const Tensor& indices, Tensor& grad_input) {
  ET_TRY(check_rank(grad_output, "grad_output", self.dim(), self.dim()));
  ET_TRY(check_rank(self, "self", dims + 1, dims + 2));
  int64_t size[dims];
  for (int d = 0; d < dims; ++d) size[d] = grad_output.sizes()[self.dim() - dims + d];
  compute::PoolShape shape;
  ET_TRY(read_adaptive(self, dims, {size, dims}, &shape));
  return max_pool_gradient(context, grad_output, self, dims, shape, indices, grad_input);
}

Error unpool(Context& context, const Tensor& self, const Tensor& indices, int dims,
             IntList output_size, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(check_rank(self, "self", dims + 1, dims + 2));
  int64_t size[3];
  ET_TRY(read_spatial(output_size, dims, 0, "output_size", size));
  Sizes sizes = sizes_of(self);
  int64_t planes = 1;
  int64_t cells = 1;
  for (int d = 0; d < sizes.rank; ++d) {
    const int spatial = d - (sizes.rank - dims);
    ET_REQUIRE(sizes[d] > 0 || (d == 0 && spatial < -1), InvalidArgument,
               "argument 'self': %s has an empty dimension", describe(self).text);
    if (spatial < 0) {
      planes *= sizes[d];
    } else {
      sizes[d] = size[spatial];
      cells *= size[spatial];
    }
  }
  int64_t numel = 0;
  ET_TRY(checked_numel(sizes, "output_size", &numel));
  ET_TRY(resize_output(out, sizes));
  return move_to_places(context, {self, "self", indices, out, planes, cells, false});
}

Error max_unpool2d(Context& context, const Tensor& self, const Tensor& indices, IntList output_size,
                   Tensor& out) {
  return unpool(context, self, indices, 2, output_size, out);
}

/// Stride and padding only say how the output size came about.
Error max_unpool3d(Context& context, const Tensor& self, const Tensor& indices, IntList output_size,
                   IntList stride, IntList padding, Tensor& out) {
  int64_t values[3];
  ET_TRY(read_spatial(stride, 3, 1, "stride", values));
  ET_TRY(read_spatial(padding, 3, 0, "padding", values));
  return unpool(context, self, indices, 3, output_size, out);
}

constexpr OperatorRow kRows[] = {
    row<"aten::max_pool2d_with_indices.out", max_pool_with_indices<2>>(
        "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
        "bool ceil_mode=False, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))"),
    row<"aten::max_pool3d_with_indices.out", max_pool_with_indices<3>>(
        "(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, "
        "bool ceil_mode=False, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))"),
    row<"aten::adaptive_max_pool2d.out", adaptive_max_pool<2>>(
        "(Tensor self, int[2] output_size, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), "
        "Tensor(b!))"),
    row<"aten::adaptive_max_pool3d.out", adaptive_max_pool<3>>(
        "(Tensor self, int[3] output_size, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), "
        "Tensor(b!))"),
    row<"aten::max_pool2d_with_indices_backward.grad_input", max_pool_backward<2>>(
        "(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, "
        "int[2] dilation, bool ceil_mode, Tensor indices, *, Tensor(a!) grad_input) -> Tensor(a!)"),
    row<"aten::max_pool3d_with_indices_backward.grad_input", max_pool_backward<3>>(
        "(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, "
        "int[3] dilation, bool ceil_mode, Tensor indices, *, Tensor(a!) grad_input) -> Tensor(a!)"),
    row<"aten::adaptive_max_pool2d_backward.grad_input", adaptive_max_pool_backward<2>>(
        "(Tensor grad_output, Tensor self, Tensor indices, *, Tensor(a!) grad_input) -> "
        "Tensor(a!)"),
    row<"aten::adaptive_max_pool3d_backward.grad_input", adaptive_max_pool_backward<3>>(
        "(Tensor grad_output, Tensor self, Tensor indices, *, Tensor(a!) grad_input) -> "
        "Tensor(a!)"),
    row<"aten::max_unpool2d.out", max_unpool2d>(
        "(Tensor self, Tensor indices, SymInt[2] output_size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::max_unpool3d.out", max_unpool3d>(
        "(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding, *, "
        "Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table max_pool_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
