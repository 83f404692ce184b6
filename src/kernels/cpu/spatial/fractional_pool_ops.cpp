// Maxima of windows whose places come from random samples, and their gradients.
#include "kernels/cpu/spatial/pool_places.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/scratch.h"

namespace executorch {
namespace kernels {
namespace {

/// Rounds as eager does, which computes the places in the dtype of the samples.
float rounded(float value, ScalarType dtype) {
  if (dtype == ScalarType::Half) return static_cast<float>(aten::Half(value));
  if (dtype == ScalarType::BFloat16) return static_cast<float>(aten::BFloat16(value));
  return value;
}
double rounded(double value, ScalarType) {
  return value;
}

/// Where the windows of one dimension start: evenly spread, moved by the sample. Samples are meant
/// to be within [0, 1); eager takes others as long as they don't lead out of the input, where this
/// is false.
template <class T>
bool place_windows(const compute::PoolAxis& axis, T sample, ScalarType dtype, int64_t* corners) {
  const int64_t room = axis.in - axis.kernel;
  const T step =
      axis.out > 1 ? rounded(static_cast<T>(room) / static_cast<T>(axis.out - 1), dtype) : T{};
  const auto place = [&](T position) {
    return static_cast<int64_t>(rounded(position * step, dtype));
  };
  constexpr T kLargest = 1 << 20;  // places are whole numbers of 64 bits
  const bool usable = sample >= -kLargest && sample <= kLargest;
  for (int64_t i = 0; i < axis.out; ++i) {
    if (!usable) return false;
    corners[i] = i + 1 == axis.out
                     ? room
                     : place(rounded(static_cast<T>(i) + sample, dtype)) - place(sample);
    if (corners[i] < 0 || corners[i] > room) return false;
  }
  return true;
}

/// Samples come per plane; in two dimensions that of the width comes first.
template <class T>
bool place_windows(const compute::PoolShape& shape, int dims, const T* samples, ScalarType dtype,
                   int64_t* corners) {
  for (int64_t plane = 0; plane < shape.batch * shape.channels; ++plane, samples += dims) {
    const T z = dims == 3 ? samples[0] : T{};
    const T y = samples[1];
    const T x = dims == 3 ? samples[2] : samples[0];
    if (!place_windows(shape.z, z, dtype, corners) ||
        !place_windows(shape.y, y, dtype, corners + shape.z.out) ||
        !place_windows(shape.x, x, dtype, corners + shape.z.out + shape.y.out)) {
      return false;
    }
    corners += shape.z.out + shape.y.out + shape.x.out;
  }
  return true;
}

template <class T>
Error run(Context& context, const compute::PoolShape& shape, int dims, const Tensor& self,
          const Tensor& random_samples, const Tensor& output, const Tensor& indices) {
  const ScalarType dtype = accumulation_type(self.scalar_type());
  ContiguousInput in(context);
  ContiguousInput samples(context);
  ContiguousOutput out(context);
  ContiguousOutput places(context);
  Scratch corners(context);
  ET_TRY(in.prepare(self, dtype));
  ET_TRY(samples.prepare(random_samples, dtype));
  ET_TRY(out.prepare(output, dtype));
  ET_TRY(places.prepare(indices));
  const int64_t each = shape.z.out + shape.y.out + shape.x.out;
  ET_TRY(
      corners.allocate(static_cast<size_t>(shape.batch * shape.channels * each), sizeof(int64_t)));
  ET_REQUIRE(
      place_windows(shape, dims, samples.data<T>(), self.scalar_type(), corners.as<int64_t>()),
      InvalidArgument, "argument 'random_samples': a sample leads out of the input");
  compute::max_pool_at<T>(shape, corners.as<int64_t>(), in.data<T>(), out.data<T>(),
                          places.data<int64_t>());
  out.finish();
  places.finish();
  return Error::Ok;
}

Error read_shape(const Tensor& self, int dims, IntList kernel_size, IntList output_size,
                 compute::PoolShape* shape) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(read_image(self, dims, false, shape));
  int64_t kernel[3];
  int64_t size[3];
  ET_TRY(read_spatial(kernel_size, dims, 1, "kernel_size", kernel));
  ET_TRY(read_spatial(output_size, dims, 1, "output_size", size));
  for (int d = 0; d < dims; ++d) {
    compute::PoolAxis& axis = pool_axis(*shape, dims, d);
    axis.kernel = kernel[d];
    axis.out = size[d];
    ET_REQUIRE(size[d] + kernel[d] - 1 <= axis.in, InvalidArgument,
               "argument 'output_size': %s windows of %s do not fit into %s",
               describe(output_size).text, describe(kernel_size).text, describe(self).text);
  }
  return Error::Ok;
}

template <int dims>
Error fractional_max_pool(Context& context, const Tensor& self, IntList kernel_size,
                          IntList output_size, const Tensor& random_samples, Tensor& output,
                          Tensor& indices) {
  compute::PoolShape shape;
  ET_TRY(read_shape(self, dims, kernel_size, output_size, &shape));
  shape.channels_last = false;
  ET_TRY(check_same_dtype(self, "self", random_samples, "random_samples"));
  ET_TRY(check_same_dtype(self, "self", output, "output"));
  ET_TRY(check_indices(indices));
  ET_REQUIRE(random_samples.dim() == 3 && random_samples.sizes()[0] == shape.batch &&
                 random_samples.sizes()[1] == shape.channels && random_samples.sizes()[2] == dims,
             InvalidArgument,
             "argument 'random_samples': expected the sizes [%lld, %lld, %d], "
             "found %s",
             static_cast<long long>(shape.batch), static_cast<long long>(shape.channels), dims,
             describe(random_samples).text);
  ET_TRY(resize_pooled(self, dims, shape, output, "output"));
  ET_TRY(resize_pooled(self, dims, shape, indices, "indices"));
  if (output.numel() == 0) return Error::Ok;
  if (self.scalar_type() == ScalarType::Double) {
    return run<double>(context, shape, dims, self, random_samples, output, indices);
  }
  return run<float>(context, shape, dims, self, random_samples, output, indices);
}

template <int dims>
Error fractional_max_pool_backward(Context& context, const Tensor& grad_output, const Tensor& self,
                                   IntList kernel_size, IntList output_size, const Tensor& indices,
                                   Tensor& grad_input) {
  compute::PoolShape shape;
  ET_TRY(read_shape(self, dims, kernel_size, output_size, &shape));
  return max_pool_gradient(context, grad_output, self, dims, shape, indices, grad_input);
}

constexpr OperatorRow kRows[] = {
    row<"aten::fractional_max_pool2d.output", fractional_max_pool<2>>(
        "(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples, *, "
        "Tensor(a!) output, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))"),
    row<"aten::fractional_max_pool3d.output", fractional_max_pool<3>>(
        "(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples, *, "
        "Tensor(a!) output, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))"),
    row<"aten::fractional_max_pool2d_backward.grad_input", fractional_max_pool_backward<2>>(
        "(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices, "
        "*, Tensor(a!) grad_input) -> Tensor(a!)"),
    row<"aten::fractional_max_pool3d_backward.grad_input", fractional_max_pool_backward<3>>(
        "(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices, "
        "*, Tensor(a!) grad_input) -> Tensor(a!)"),
};

}  // namespace

Table fractional_pool_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
