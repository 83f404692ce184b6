// Sampling images at given places.
#include "compute/resize/grid_sampler.h"

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {
namespace {

using compute::GridFilter;
using compute::GridPadding;
using compute::GridSampler;

template <class T>
Error sample(Context& context, const GridSampler& sampler, const Tensor& input, const Tensor& grid,
             const Tensor& out, ScalarType dtype) {
  ContiguousInput in(context);
  ContiguousInput places(context);
  ContiguousOutput to(context);
  ET_TRY(in.prepare(input, dtype));
  ET_TRY(places.prepare(grid, dtype));
  ET_TRY(to.prepare(out, dtype));
  compute::grid_sample<T>(sampler, in.data<T>(), places.data<T>(), to.data<T>());
  to.finish();
  return Error::Ok;
}

Error read_modes(int64_t filter, int64_t padding, int dims, GridSampler* sampler) {
  ET_REQUIRE(filter >= 0 && filter <= (dims == 2 ? 2 : 1), InvalidArgument,
             "argument 'interpolation_mode': %lld is none for %d dimensions",
             static_cast<long long>(filter), dims);
  ET_REQUIRE(padding >= 0 && padding <= 2, InvalidArgument,
             "argument 'padding_mode': expected 0, 1 or 2, found %lld",
             static_cast<long long>(padding));
  constexpr GridFilter kFilters[] = {GridFilter::linear, GridFilter::nearest, GridFilter::cubic};
  constexpr GridPadding kPaddings[] = {GridPadding::zeros, GridPadding::border,
                                       GridPadding::reflection};
  sampler->filter = kFilters[filter];
  sampler->padding = kPaddings[padding];
  return Error::Ok;
}

template <int dims>
Error grid_sampler(Context& context, const Tensor& input, const Tensor& grid,
                   int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
                   Tensor& out) {
  ET_TRY(check_rank(input, "input", dims + 2, dims + 2));
  ET_TRY(check_rank(grid, "grid", dims + 2, dims + 2));
  ET_TRY(check_floating(input, "input"));
  ET_TRY(check_same_dtype(input, "input", grid, "grid"));
  ET_TRY(check_same_dtype(input, "input", out, "out"));
  GridSampler sampler;
  ET_TRY(read_modes(interpolation_mode, padding_mode, dims, &sampler));
  ET_REQUIRE(grid.sizes()[0] == input.sizes()[0] && grid.sizes()[dims + 1] == dims, InvalidArgument,
             "argument 'grid': %s does not give %d coordinates for each image of %s",
             describe(grid).text, dims, describe(input).text);
  sampler.batch = input.sizes()[0];
  sampler.channels = input.sizes()[1];
  sampler.dims = dims;
  sampler.align_corners = align_corners;
  Sizes sizes = sizes_of(input);
  for (int d = 0; d < dims; ++d) {
    ET_REQUIRE(input.sizes()[d + 2] > 0, InvalidArgument,
               "argument 'input': %s has an empty dimension", describe(input).text);
    sampler.size[3 - dims + d] = input.sizes()[d + 2];
    sizes[d + 2] = grid.sizes()[d + 1];
    sampler.points *= sizes[d + 2];
  }
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, input, "input"));
  ET_TRY(check_no_overlap(out, grid, "grid"));
  if (out.numel() == 0) return Error::Ok;
  if (input.scalar_type() == ScalarType::Double) {
    return sample<double>(context, sampler, input, grid, out, ScalarType::Double);
  }
  return sample<float>(context, sampler, input, grid, out, ScalarType::Float);
}

/// Coordinate `i` of `count` evenly spread ones, ends or, without align_corners, edges at -1 and 1.
template <class T>
T spread_coordinate(int64_t i, int64_t count, bool align_corners) {
  if (count <= 1) return 0;
  const T step = T{2} / static_cast<T>(count - 1);
  const T position =
      i < count / 2 ? -1 + step * static_cast<T>(i) : 1 - step * static_cast<T>(count - 1 - i);
  return align_corners ? position : position * static_cast<T>(count - 1) / static_cast<T>(count);
}

/// [batch, points, dims] from theta [batch, dims, dims + 1]; `size` are the output's spatial sizes.
template <class T>
void fill_grid(int64_t batch, int dims, const int64_t* size, bool align_corners, const T* theta,
               T* out) {
  int64_t points = 1;
  for (int d = 0; d < dims; ++d) points *= size[d];
  for (int64_t i = 0; i < batch * points; ++i) {
    T place[4] = {1, 1, 1, 1};  // x, y, z and one for the translation
    int64_t rest = i % points;
    for (int d = dims - 1; d >= 0; --d) {
      place[dims - 1 - d] = spread_coordinate<T>(rest % size[d], size[d], align_corners);
      rest /= size[d];
    }
    const T* matrix = theta + i / points * dims * (dims + 1);
    for (int row = 0; row < dims; ++row) {
      T sum = 0;
      for (int k = 0; k <= dims; ++k) sum += matrix[row * (dims + 1) + k] * place[k];
      out[i * dims + row] = sum;
    }
  }
}

template <class T>
Error make_grid(Context& context, const Tensor& theta, int dims, const int64_t* size,
                bool align_corners, const Tensor& out, ScalarType dtype) {
  ContiguousInput in(context);
  ContiguousOutput to(context);
  ET_TRY(in.prepare(theta, dtype));
  ET_TRY(to.prepare(out, dtype));
  fill_grid<T>(theta.sizes()[0], dims, size, align_corners, in.data<T>(), to.data<T>());
  to.finish();
  return Error::Ok;
}

Error affine_grid_generator(Context& context, const Tensor& theta, IntList size, bool align_corners,
                            Tensor& out) {
  ET_TRY(check_floating(theta, "theta"));
  ET_TRY(check_same_dtype(theta, "theta", out, "out"));
  ET_REQUIRE(size.size() == 4 || size.size() == 5, InvalidArgument,
             "argument 'size': expected 4 or 5 numbers, found %s", describe(size).text);
  const int dims = static_cast<int>(size.size()) - 2;
  ET_REQUIRE(theta.dim() == 3 && theta.sizes()[0] == size[0] && theta.sizes()[1] == dims &&
                 theta.sizes()[2] == dims + 1,
             InvalidArgument, "argument 'theta': expected the sizes [%lld, %d, %d], found %s",
             static_cast<long long>(size[0]), dims, dims + 1, describe(theta).text);
  Sizes sizes;
  sizes.push(size[0]);
  for (int d = 0; d < dims; ++d) sizes.push(size[d + 2]);
  sizes.push(dims);
  int64_t numel = 0;
  ET_TRY(checked_numel(sizes, "size", &numel));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, theta, "theta"));
  if (numel == 0) return Error::Ok;
  const int64_t* spatial = sizes.values + 1;
  if (theta.scalar_type() == ScalarType::Double) {
    return make_grid<double>(context, theta, dims, spatial, align_corners, out, ScalarType::Double);
  }
  return make_grid<float>(context, theta, dims, spatial, align_corners, out, ScalarType::Float);
}

constexpr OperatorRow kRows[] = {
    row<"aten::grid_sampler_2d.out", grid_sampler<2>>(
        "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, "
        "*, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::grid_sampler_3d.out", grid_sampler<3>>(
        "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, "
        "*, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::affine_grid_generator.out", affine_grid_generator>(
        "(Tensor theta, SymInt[] size, bool align_corners, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table grid_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
