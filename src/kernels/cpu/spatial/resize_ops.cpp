// Resizing of images.
#include "compute/pool/upsample.h"

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {
namespace {

/// Output sizes from exactly one of a size list and a list of factors.
Error read_size(const Tensor& input, std::optional<IntList> output_size,
                std::optional<DoubleList> scale_factors, compute::UpsampleShape* shape) {
  ET_TRY(check_rank(input, "input", 4, 4));
  shape->batch = input.sizes()[0];
  shape->channels = input.sizes()[1];
  shape->in_height = input.sizes()[2];
  shape->in_width = input.sizes()[3];
  ET_REQUIRE(output_size.has_value() != scale_factors.has_value(), InvalidArgument,
             "arguments 'output_size' and 'scale_factors': expected exactly one of them");
  int64_t size[2];
  if (output_size.has_value()) {
    ET_TRY(read_spatial(*output_size, 2, 1, "output_size", size));
  } else {
    ET_REQUIRE(scale_factors->size() == 2, InvalidArgument,
               "argument 'scale_factors': expected 2 numbers, found %zu", scale_factors->size());
    for (int d = 0; d < 2; ++d) {
      const double scaled = static_cast<double>(input.sizes()[d + 2]) * (*scale_factors)[d];
      ET_REQUIRE((*scale_factors)[d] > 0 && scaled >= 1 &&
                     scaled <= static_cast<double>(kMaxSpatialArgument),
                 InvalidArgument, "argument 'scale_factors': %g is out of range",
                 (*scale_factors)[d]);
      size[d] = static_cast<int64_t>(scaled);
    }
    shape->scale_height = (*scale_factors)[0];
    shape->scale_width = (*scale_factors)[1];
  }
  shape->out_height = size[0];
  shape->out_width = size[1];
  ET_REQUIRE(shape->channels > 0 && shape->in_height > 0 && shape->in_width > 0, InvalidArgument,
             "argument 'input': %s has an empty dimension", describe(input).text);
  return Error::Ok;
}

Error prepare_output(const Tensor& input, const compute::UpsampleShape& shape, const Tensor& out) {
  ET_TRY(check_same_dtype(input, "input", out, "out"));
  Sizes sizes = sizes_of(input);
  sizes[2] = shape.out_height;
  sizes[3] = shape.out_width;
  ET_TRY(resize_output(out, sizes));
  return check_no_overlap(out, input, "input");
}

Error upsample_nearest2d(Context& context, const Tensor& input, std::optional<IntList> output_size,
                         std::optional<DoubleList> scale_factors, Tensor& out) {
  compute::UpsampleShape shape;
  ET_TRY(read_size(input, output_size, scale_factors, &shape));
  ET_TRY(prepare_output(input, shape, out));
  if (out.numel() == 0) return Error::Ok;
  shape.channels_last = is_channels_last(input) && is_channels_last(out);
  const auto element = static_cast<size_t>(input.element_size());
  if (shape.channels_last) {
    compute::upsample_nearest2d(shape, element, input.const_data_ptr(), out.mutable_data_ptr());
    return Error::Ok;
  }
  ContiguousInput in(context);
  ContiguousOutput to(context);
  ET_TRY(in.prepare(input));
  ET_TRY(to.prepare(out));
  compute::upsample_nearest2d(shape, element, in.view().data, to.view().data);
  to.finish();
  return Error::Ok;
}

template <class T>
Error bilinear(Context& context, const Tensor& input, compute::UpsampleShape shape,
               ScalarType dtype, const Tensor& out) {
  shape.channels_last =
      input.scalar_type() == dtype && is_channels_last(input) && is_channels_last(out);
  if (shape.channels_last) {
    compute::upsample_bilinear2d<T>(shape, input.const_data_ptr<T>(), out.mutable_data_ptr<T>());
    return Error::Ok;
  }
  ContiguousInput in(context);
  ContiguousOutput to(context);
  ET_TRY(in.prepare(input, dtype));
  ET_TRY(to.prepare(out, dtype));
  compute::upsample_bilinear2d<T>(shape, in.data<T>(), to.data<T>());
  to.finish();
  return Error::Ok;
}

Error upsample_bilinear2d(Context& context, const Tensor& input, std::optional<IntList> output_size,
                          bool align_corners, std::optional<DoubleList> scale_factors,
                          Tensor& out) {
  ET_TRY(check_floating(input, "input"));
  compute::UpsampleShape shape;
  shape.align_corners = align_corners;
  ET_TRY(read_size(input, output_size, scale_factors, &shape));
  ET_TRY(prepare_output(input, shape, out));
  if (out.numel() == 0) return Error::Ok;
  const ScalarType dtype = accumulation_type(input.scalar_type());
  if (dtype == ScalarType::Double) return bilinear<double>(context, input, shape, dtype, out);
  return bilinear<float>(context, input, shape, dtype, out);
}

constexpr OperatorRow kRows[] = {
    row<"aten::upsample_nearest2d.vec_out", upsample_nearest2d>(
        "(Tensor input, SymInt[]? output_size, float[]? scale_factors, *, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"aten::upsample_bilinear2d.vec_out", upsample_bilinear2d>(
        "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors, *, "
        "Tensor(a!) out) -> "
        "Tensor(a!)"),
};

}  // namespace

Table resize_rows() {
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
