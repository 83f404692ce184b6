// Windows of images as columns of a matrix, and back.
#include "compute/conv/columns.h"

#include <initializer_list>

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {
namespace {

using compute::WindowGrid;

struct WindowArguments {
  IntList kernel_size;
  IntList dilation;
  IntList padding;
  IntList stride;
};

/// The windows over images of a size.
Error read_grid(const int64_t* size, const WindowArguments& arguments, WindowGrid* grid) {
  int64_t kernel[2];
  int64_t dilation[2];
  int64_t padding[2];
  int64_t stride[2];
  ET_TRY(read_spatial(arguments.kernel_size, 2, 1, "kernel_size", kernel));
  ET_TRY(read_spatial(arguments.dilation, 2, 1, "dilation", dilation));
  ET_TRY(read_spatial(arguments.padding, 2, 0, "padding", padding));
  ET_TRY(read_spatial(arguments.stride, 2, 1, "stride", stride));
  for (int i = 0; i < 2; ++i) {
    const int d = i + 1;
    grid->large[d] = size[i];
    grid->kernel[d] = kernel[i];
    grid->dilation[d] = dilation[i];
    grid->padding[d] = padding[i];
    grid->stride[d] = stride[i];
    grid->small[d] =
        window_positions(size[i], kernel[i], stride[i], padding[i], dilation[i], false);
    ET_REQUIRE(grid->small[d] > 0, InvalidArgument,
               "argument 'kernel_size': %s does not fit images of %lld x %lld",
               describe(arguments.kernel_size).text, static_cast<long long>(size[0]),
               static_cast<long long>(size[1]));
  }
  Sizes positions;
  positions.push(grid->small[1]);
  positions.push(grid->small[2]);
  int64_t count = 0;
  return checked_numel(positions, "padding", &count);
}

/// Sizes [batch, ] rows, columns: the batch only where the input has one.
Error make_sizes(bool batched, int64_t batch, std::initializer_list<int64_t> rest, Sizes* sizes) {
  if (batched) sizes->push(batch);
  for (int64_t size : rest) sizes->push(size);
  int64_t numel = 0;
  return checked_numel(*sizes, "out", &numel);
}

Error check_not_empty(const Tensor& self, bool batched) {
  for (int d = batched ? 1 : 0; d < self.dim(); ++d) {
    ET_REQUIRE(self.sizes()[d] > 0, InvalidArgument, "argument 'self': %s has an empty dimension",
               describe(self).text);
  }
  return Error::Ok;
}

Error im2col(Context& context, const Tensor& self, IntList kernel_size, IntList dilation,
             IntList padding, IntList stride, Tensor& out) {
  ET_TRY(check_rank(self, "self", 3, 4));
  const bool batched = self.dim() == 4;
  ET_TRY(check_not_empty(self, batched));
  const Sizes input = sizes_of(self);
  const int64_t batch = batched ? input[0] : 1;
  const int64_t channels = input[input.rank - 3];
  WindowGrid grid;
  ET_TRY(read_grid(input.end() - 2, {kernel_size, dilation, padding, stride}, &grid));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  Sizes sizes;
  Sizes rows;
  for (int64_t factor : {channels, grid.kernel[1], grid.kernel[2]}) rows.push(factor);
  int64_t row_count = 0;
  ET_TRY(checked_numel(rows, "kernel_size", &row_count));
  ET_TRY(make_sizes(batched, batch, {row_count, grid.small_cells()}, &sizes));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  if (out.numel() == 0) return Error::Ok;
  ContiguousInput in(context);
  ContiguousOutput to(context);
  ET_TRY(in.prepare(self));
  ET_TRY(to.prepare(out));
  const auto element = static_cast<size_t>(self.element_size());
  const size_t image_bytes = static_cast<size_t>(channels * grid.large_cells()) * element;
  const size_t matrix_bytes = static_cast<size_t>(row_count * grid.small_cells()) * element;
  for (int64_t i = 0; i < batch; ++i) {
    compute::image_to_columns(
        grid, channels, element, in.view().data + static_cast<size_t>(i) * image_bytes, 0,
        grid.small_cells(), to.view().data + static_cast<size_t>(i) * matrix_bytes);
  }
  to.finish();
  return Error::Ok;
}

template <class T>
Error add_columns(Context& context, const WindowGrid& grid, int64_t batch, int64_t channels,
                  const Tensor& self, const Tensor& out, ScalarType dtype) {
  ContiguousInput in(context);
  ContiguousOutput to(context);
  ET_TRY(in.prepare(self, dtype));
  ET_TRY(to.prepare(out, dtype));
  const int64_t image = channels * grid.large_cells();
  const int64_t matrix = channels * grid.taps() * grid.small_cells();
  for (int64_t i = 0; i < batch * image; ++i) to.data<T>()[i] = T{};
  for (int64_t i = 0; i < batch; ++i) {
    compute::add_columns_to_image(grid, channels, in.data<T>() + i * matrix, 0, grid.small_cells(),
                                  to.data<T>() + i * image);
  }
  to.finish();
  return Error::Ok;
}

Error col2im(Context& context, const Tensor& self, IntList output_size, IntList kernel_size,
             IntList dilation, IntList padding, IntList stride, Tensor& out) {
  ET_TRY(check_rank(self, "self", 2, 3));
  ET_TRY(check_floating(self, "self"));
  const bool batched = self.dim() == 3;
  ET_TRY(check_not_empty(self, batched));
  const Sizes input = sizes_of(self);
  int64_t size[2];
  ET_TRY(read_spatial(output_size, 2, 1, "output_size", size));
  WindowGrid grid;
  ET_TRY(read_grid(size, {kernel_size, dilation, padding, stride}, &grid));
  const int64_t rows = input[input.rank - 2];
  ET_REQUIRE(rows % grid.taps() == 0 && input[input.rank - 1] == grid.small_cells(),
             InvalidArgument, "argument 'self': %s does not hold %lld windows of %lld cells each",
             describe(self).text, static_cast<long long>(grid.small_cells()),
             static_cast<long long>(grid.taps()));
  const int64_t batch = batched ? input[0] : 1;
  const int64_t channels = rows / grid.taps();
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  Sizes sizes;
  ET_TRY(make_sizes(batched, batch, {channels, size[0], size[1]}, &sizes));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  if (out.numel() == 0) return Error::Ok;
  if (self.scalar_type() == ScalarType::Double) {
    return add_columns<double>(context, grid, batch, channels, self, out, ScalarType::Double);
  }
  return add_columns<float>(context, grid, batch, channels, self, out, ScalarType::Float);
}

constexpr OperatorRow kRows[] = {
    row<"aten::im2col.out", im2col>(
        "(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride, *, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::col2im.out", col2im>(
        "(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, "
        "int[2] stride, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table column_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
