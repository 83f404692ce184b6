// Resizing of one to three spatial dimensions.
#include "compute/resize/resize.h"

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {
namespace {

using compute::Interpolation;
using compute::ResizeAxis;
using compute::ResizeShape;
using Scale = std::optional<double>;

/// How an operator resizes.
struct Method {
  int dims;
  Interpolation interpolation;
  bool antialias = false;
};

/// Sizes and scales of one call; the input has `dims` spatial dimensions.
struct ResizeCall {
  Method method;
  Sizes input;
  IntList output_size;
  bool align_corners = false;
  Scale scales[3] = {};
};

ResizeAxis& resize_axis(ResizeShape& shape, int dims, int d) {
  ResizeAxis* axes[] = {&shape.z, &shape.y, &shape.x};
  return *axes[3 - dims + d];
}

/// Reads a call for row-major memory: `outer` counts planes.
Error read_call(const ResizeCall& call, const char* input_name, ResizeShape* shape) {
  const int dims = call.method.dims;
  const Sizes& in = call.input;
  ET_REQUIRE(in.rank == dims + 2, InvalidArgument,
             "argument '%s': expected %d dimensions, found %s", input_name, dims + 2,
             describe(in).text);
  bool empty = in[1] == 0;
  int64_t size[3];
  ET_TRY(read_spatial(call.output_size, dims, 1, "output_size", size));
  for (int d = 0; d < dims; ++d) {
    empty = empty || in[d + 2] == 0;
    const double scale = call.scales[d].value_or(0);
    // An axis that keeps its size is not resampled, whatever its scale, where eager has a pass for
    // each axis.
    const bool kept = in[d + 2] == size[d] &&
                      (call.method.antialias || call.method.interpolation == Interpolation::linear);
    resize_axis(*shape, dims, d) = {in[d + 2], size[d], scale > 0 && !kept ? scale : 0};
  }
  ET_REQUIRE(!empty, InvalidArgument, "argument '%s': %s has an empty dimension", input_name,
             describe(in).text);
  shape->outer = in[0] * in[1];
  shape->interpolation = call.method.interpolation;
  shape->align_corners = call.align_corners;
  shape->antialias = call.method.antialias;
  return Error::Ok;
}

Sizes resized_sizes(const ResizeCall& call, const ResizeShape& shape) {
  const int64_t out[] = {shape.z.out, shape.y.out, shape.x.out};
  Sizes sizes = call.input;
  for (int d = 0; d < call.method.dims; ++d) sizes[d + 2] = out[3 - call.method.dims + d];
  return sizes;
}

/// Input and output in one type and layout, and scratch memory.
class ResizeTensors {
 public:
  explicit ResizeTensors(Context& context) : in_(context), out_(context), scratch_(context) {}

  /// Images stay channels last where both are.
  Error prepare(const Tensor& input, const Tensor& output, ScalarType dtype, ResizeShape* shape) {
    direct_ = input.scalar_type() == dtype && output.scalar_type() == dtype &&
              is_channels_last(input) && is_channels_last(output);
    if (direct_) {
      shape->outer = input.sizes()[0];
      shape->inner = input.sizes()[1];
      in_data_ = input.const_data_ptr();
      out_data_ = output.mutable_data_ptr();
    } else {
      ET_TRY(in_.prepare(input, dtype));
      ET_TRY(out_.prepare(output, dtype));
      in_data_ = in_.view().data;
      out_data_ = out_.view().data;
    }
    const bool bytes = dtype == ScalarType::Byte && !shape->is_nearest();
    scratch_bytes_ =
        bytes ? compute::resize_bytes_scratch_bytes(*shape) : compute::resize_scratch_bytes(*shape);
    return scratch_.allocate(scratch_bytes_, 1);
  }
  template <class T>
  const T* in() const {
    return static_cast<const T*>(in_data_);
  }
  template <class T>
  T* out() const {
    return static_cast<T*>(out_data_);
  }
  void* scratch() const { return scratch_.data(); }
  size_t scratch_bytes() const { return scratch_bytes_; }
  void finish() {
    if (!direct_) out_.finish();
  }

 private:
  ContiguousInput in_;
  ContiguousOutput out_;
  Scratch scratch_;
  const void* in_data_ = nullptr;
  void* out_data_ = nullptr;
  size_t scratch_bytes_ = 0;
  bool direct_ = false;
};

Error run(Context& context, const Tensor& input, const Method& method, ResizeShape& shape,
          const Tensor& out) {
  ResizeTensors tensors(context);
  const ScalarType type = input.scalar_type();
  const bool nearest = shape.is_nearest();
  const bool bytes = !nearest && type == ScalarType::Byte && method.dims == 2;
  const ScalarType dtype = nearest || bytes ? type : accumulation_type(type);
  if (!nearest && !bytes) ET_TRY(check_floating(input, "self"));
  ET_TRY(tensors.prepare(input, out, dtype, &shape));
  if (nearest) {
    compute::resize_nearest(shape, static_cast<size_t>(input.element_size()), tensors.in<void>(),
                            tensors.out<void>(), tensors.scratch());
  } else if (bytes) {
    compute::resize_bytes(shape, tensors.in<uint8_t>(), tensors.out<uint8_t>(), tensors.scratch());
  } else if (dtype == ScalarType::Double) {
    compute::resize<double>(shape, tensors.in<double>(), tensors.out<double>(), tensors.scratch(),
                            tensors.scratch_bytes());
  } else {
    compute::resize<float>(shape, tensors.in<float>(), tensors.out<float>(), tensors.scratch(),
                           tensors.scratch_bytes());
  }
  tensors.finish();
  return Error::Ok;
}

Error resize(Context& context, const Tensor& self, const ResizeCall& call, const Tensor& out) {
  ResizeShape shape;
  ET_TRY(read_call(call, "self", &shape));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(resize_output(out, resized_sizes(call, shape)));
  ET_TRY(check_no_overlap(out, self, "self"));
  if (out.numel() == 0) return Error::Ok;
  return run(context, self, call.method, shape, out);
}

template <class T>
Error run_backward(Context& context, const Tensor& grad_output, const ResizeShape& shape,
                   const Tensor& grad_input, ScalarType dtype) {
  ContiguousInput from(context);
  ContiguousOutput to(context);
  Scratch scratch(context);
  ET_TRY(from.prepare(grad_output, dtype));
  ET_TRY(to.prepare(grad_input, dtype));
  ET_TRY(scratch.allocate(compute::resize_scratch_bytes(shape), 1));
  compute::resize_backward<T>(shape, from.data<T>(), to.data<T>(), scratch.data());
  to.finish();
  return Error::Ok;
}

Error resize_backward(Context& context, const Tensor& grad_output, IntList input_size,
                      ResizeCall call, const Tensor& grad_input) {
  ET_REQUIRE(input_size.size() == static_cast<size_t>(call.method.dims) + 2, InvalidArgument,
             "argument 'input_size': expected %d numbers, found %s", call.method.dims + 2,
             describe(input_size).text);
  call.input = to_sizes(input_size);
  int64_t numel = 0;
  ET_TRY(checked_numel(call.input, "input_size", &numel));
  ResizeShape shape;
  ET_TRY(read_call(call, "input_size", &shape));
  ET_TRY(check_floating(grad_output, "grad_output"));
  ET_TRY(check_same_dtype(grad_output, "grad_output", grad_input, "grad_input"));
  ET_TRY(check_sizes(grad_output, resized_sizes(call, shape), "grad_output"));
  ET_TRY(resize_output(grad_input, call.input, "grad_input"));
  ET_TRY(check_no_overlap(grad_input, grad_output, "grad_output"));
  if (grad_input.numel() == 0) return Error::Ok;
  if (grad_output.scalar_type() == ScalarType::Double) {
    return run_backward<double>(context, grad_output, shape, grad_input, ScalarType::Double);
  }
  return run_backward<float>(context, grad_output, shape, grad_input, ScalarType::Float);
}

// The argument lists differ by the number of dimensions, and nearest ones have no align_corners.

template <Method method>
Error nearest1d(Context& context, const Tensor& self, IntList size, Scale w, Tensor& out) {
  return resize(context, self, {method, sizes_of(self), size, false, {w}}, out);
}
template <Method method>
Error nearest2d(Context& context, const Tensor& self, IntList size, Scale h, Scale w, Tensor& out) {
  return resize(context, self, {method, sizes_of(self), size, false, {h, w}}, out);
}
template <Method method>
Error nearest3d(Context& context, const Tensor& self, IntList size, Scale d, Scale h, Scale w,
                Tensor& out) {
  return resize(context, self, {method, sizes_of(self), size, false, {d, h, w}}, out);
}
template <Method method>
Error smooth1d(Context& context, const Tensor& self, IntList size, bool align, Scale w,
               Tensor& out) {
  return resize(context, self, {method, sizes_of(self), size, align, {w}}, out);
}
template <Method method>
Error smooth2d(Context& context, const Tensor& self, IntList size, bool align, Scale h, Scale w,
               Tensor& out) {
  return resize(context, self, {method, sizes_of(self), size, align, {h, w}}, out);
}
template <Method method>
Error smooth3d(Context& context, const Tensor& self, IntList size, bool align, Scale d, Scale h,
               Scale w, Tensor& out) {
  return resize(context, self, {method, sizes_of(self), size, align, {d, h, w}}, out);
}

template <Method method>
Error nearest1d_back(Context& context, const Tensor& grad, IntList size, IntList input_size,
                     Scale w, Tensor& grad_input) {
  return resize_backward(context, grad, input_size, {method, {}, size, false, {w}}, grad_input);
}
template <Method method>
Error nearest2d_back(Context& context, const Tensor& grad, IntList size, IntList input_size,
                     Scale h, Scale w, Tensor& grad_input) {
  return resize_backward(context, grad, input_size, {method, {}, size, false, {h, w}}, grad_input);
}
template <Method method>
Error nearest3d_back(Context& context, const Tensor& grad, IntList size, IntList input_size,
                     Scale d, Scale h, Scale w, Tensor& grad_input) {
  return resize_backward(context, grad, input_size, {method, {}, size, false, {d, h, w}},
                         grad_input);
}
template <Method method>
Error smooth1d_back(Context& context, const Tensor& grad, IntList size, IntList input_size,
                    bool align, Scale w, Tensor& grad_input) {
  return resize_backward(context, grad, input_size, {method, {}, size, align, {w}}, grad_input);
}
template <Method method>
Error smooth2d_back(Context& context, const Tensor& grad, IntList size, IntList input_size,
                    bool align, Scale h, Scale w, Tensor& grad_input) {
  return resize_backward(context, grad, input_size, {method, {}, size, align, {h, w}}, grad_input);
}
template <Method method>
Error smooth3d_back(Context& context, const Tensor& grad, IntList size, IntList input_size,
                    bool align, Scale d, Scale h, Scale w, Tensor& grad_input) {
  return resize_backward(context, grad, input_size, {method, {}, size, align, {d, h, w}},
                         grad_input);
}

/// Output sizes and scales from exactly one of a size list and a list of factors.
Error resize_by_list(Context& context, const Tensor& input, const Method& method,
                     std::optional<IntList> output_size, bool align_corners,
                     std::optional<DoubleList> scale_factors, Tensor& out) {
  ET_TRY(check_rank(input, "input", 4, 4));
  ET_REQUIRE(output_size.has_value() != scale_factors.has_value(), InvalidArgument,
             "arguments 'output_size' and 'scale_factors': expected exactly one of them");
  if (output_size.has_value()) {
    return resize(context, input, {method, sizes_of(input), *output_size, align_corners, {}}, out);
  }
  ET_REQUIRE(scale_factors->size() == 2, InvalidArgument,
             "argument 'scale_factors': expected 2 numbers, found %zu", scale_factors->size());
  int64_t size[2];
  for (int d = 0; d < 2; ++d) {
    const double scaled = static_cast<double>(input.sizes()[d + 2]) * (*scale_factors)[d];
    ET_REQUIRE((*scale_factors)[d] > 0 && scaled >= 1 &&
                   scaled <= static_cast<double>(kMaxSpatialArgument),
               InvalidArgument, "argument 'scale_factors': %g is out of range",
               (*scale_factors)[d]);
    size[d] = static_cast<int64_t>(scaled);
  }
  return resize(context, input,
                {method,
                 sizes_of(input),
                 {size, 2},
                 align_corners,
                 {(*scale_factors)[0], (*scale_factors)[1]}},
                out);
}

Error nearest2d_by_list(Context& context, const Tensor& input, std::optional<IntList> output_size,
                        std::optional<DoubleList> scale_factors, Tensor& out) {
  return resize_by_list(context, input, {2, Interpolation::nearest}, output_size, false,
                        scale_factors, out);
}

Error bilinear2d_by_list(Context& context, const Tensor& input, std::optional<IntList> output_size,
                         bool align_corners, std::optional<DoubleList> scale_factors, Tensor& out) {
  return resize_by_list(context, input, {2, Interpolation::linear}, output_size, align_corners,
                        scale_factors, out);
}

constexpr Method kNearest1d = {1, Interpolation::nearest};
constexpr Method kNearest2d = {2, Interpolation::nearest};
constexpr Method kNearest3d = {3, Interpolation::nearest};
constexpr Method kExact1d = {1, Interpolation::nearest_exact};
constexpr Method kExact2d = {2, Interpolation::nearest_exact};
constexpr Method kExact3d = {3, Interpolation::nearest_exact};
constexpr Method kLinear1d = {1, Interpolation::linear};
constexpr Method kLinear2d = {2, Interpolation::linear};
constexpr Method kLinear3d = {3, Interpolation::linear};
constexpr Method kCubic2d = {2, Interpolation::cubic};
constexpr Method kLinearSmooth = {2, Interpolation::linear, true};
constexpr Method kCubicSmooth = {2, Interpolation::cubic, true};
constexpr Method kLanczosSmooth = {2, Interpolation::lanczos, true};

#define EXECUTORCH_SIZES1_ "SymInt[1] output_size"
#define EXECUTORCH_SIZES2_ "SymInt[2] output_size"
#define EXECUTORCH_SIZES3_ "SymInt[3] output_size"
#define EXECUTORCH_SCALES1_ "float? scales=None, *, "
#define EXECUTORCH_SCALES2_ "float? scales_h=None, float? scales_w=None, *, "
#define EXECUTORCH_SCALES3_ "float? scales_d=None, float? scales_h=None, float? scales_w=None, *, "
#define EXECUTORCH_OUT_ "Tensor(a!) out) -> Tensor(a!)"
#define EXECUTORCH_GRADIENT_ "Tensor(a!) grad_input) -> Tensor(a!)"

constexpr const char* kNearest1dSchema =
    "(Tensor self, " EXECUTORCH_SIZES1_ ", " EXECUTORCH_SCALES1_ EXECUTORCH_OUT_;
constexpr const char* kNearest2dSchema =
    "(Tensor self, " EXECUTORCH_SIZES2_ ", " EXECUTORCH_SCALES2_ EXECUTORCH_OUT_;
constexpr const char* kNearest3dSchema =
    "(Tensor self, " EXECUTORCH_SIZES3_ ", " EXECUTORCH_SCALES3_ EXECUTORCH_OUT_;
constexpr const char* kSmooth1dSchema =
    "(Tensor self, " EXECUTORCH_SIZES1_
    ", bool align_corners, " EXECUTORCH_SCALES1_ EXECUTORCH_OUT_;
constexpr const char* kSmooth2dSchema =
    "(Tensor self, " EXECUTORCH_SIZES2_
    ", bool align_corners, " EXECUTORCH_SCALES2_ EXECUTORCH_OUT_;
constexpr const char* kSmooth3dSchema =
    "(Tensor self, " EXECUTORCH_SIZES3_
    ", bool align_corners, " EXECUTORCH_SCALES3_ EXECUTORCH_OUT_;
constexpr const char* kNearest1dBackSchema =
    "(Tensor grad_output, " EXECUTORCH_SIZES1_
    ", SymInt[3] input_size, " EXECUTORCH_SCALES1_ EXECUTORCH_GRADIENT_;
constexpr const char* kNearest2dBackSchema =
    "(Tensor grad_output, " EXECUTORCH_SIZES2_
    ", SymInt[4] input_size, " EXECUTORCH_SCALES2_ EXECUTORCH_GRADIENT_;
constexpr const char* kNearest3dBackSchema =
    "(Tensor grad_output, " EXECUTORCH_SIZES3_
    ", SymInt[5] input_size, " EXECUTORCH_SCALES3_ EXECUTORCH_GRADIENT_;
constexpr const char* kSmooth1dBackSchema =
    "(Tensor grad_output, " EXECUTORCH_SIZES1_
    ", SymInt[3] input_size, bool align_corners, " EXECUTORCH_SCALES1_ EXECUTORCH_GRADIENT_;
constexpr const char* kSmooth2dBackSchema =
    "(Tensor grad_output, " EXECUTORCH_SIZES2_
    ", SymInt[4] input_size, bool align_corners, " EXECUTORCH_SCALES2_ EXECUTORCH_GRADIENT_;
constexpr const char* kSmooth3dBackSchema =
    "(Tensor grad_output, " EXECUTORCH_SIZES3_
    ", SymInt[5] input_size, bool align_corners, " EXECUTORCH_SCALES3_ EXECUTORCH_GRADIENT_;

constexpr OperatorRow kRows[] = {
    row<"aten::upsample_nearest1d.out", nearest1d<kNearest1d>>(kNearest1dSchema),
    row<"aten::upsample_nearest2d.out", nearest2d<kNearest2d>>(kNearest2dSchema),
    row<"aten::upsample_nearest3d.out", nearest3d<kNearest3d>>(kNearest3dSchema),
    row<"aten::_upsample_nearest_exact1d.out", nearest1d<kExact1d>>(kNearest1dSchema),
    row<"aten::_upsample_nearest_exact2d.out", nearest2d<kExact2d>>(kNearest2dSchema),
    row<"aten::_upsample_nearest_exact3d.out", nearest3d<kExact3d>>(kNearest3dSchema),
    row<"aten::upsample_linear1d.out", smooth1d<kLinear1d>>(kSmooth1dSchema),
    row<"aten::upsample_bilinear2d.out", smooth2d<kLinear2d>>(kSmooth2dSchema),
    row<"aten::upsample_trilinear3d.out", smooth3d<kLinear3d>>(kSmooth3dSchema),
    row<"aten::upsample_bicubic2d.out", smooth2d<kCubic2d>>(kSmooth2dSchema),
    row<"aten::_upsample_bilinear2d_aa.out", smooth2d<kLinearSmooth>>(kSmooth2dSchema),
    row<"aten::_upsample_bicubic2d_aa.out", smooth2d<kCubicSmooth>>(kSmooth2dSchema),
    row<"aten::_upsample_lanczos2d_aa.out", smooth2d<kLanczosSmooth>>(kSmooth2dSchema),
    row<"aten::upsample_nearest2d.vec_out", nearest2d_by_list>(
        "(Tensor input, SymInt[]? output_size, float[]? scale_factors, *, " EXECUTORCH_OUT_),
    row<"aten::upsample_bilinear2d.vec_out", bilinear2d_by_list>(
        "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors, "
        "*, " EXECUTORCH_OUT_),
    row<"aten::upsample_nearest1d_backward.grad_input", nearest1d_back<kNearest1d>>(
        kNearest1dBackSchema),
    row<"aten::upsample_nearest2d_backward.grad_input", nearest2d_back<kNearest2d>>(
        kNearest2dBackSchema),
    row<"aten::upsample_nearest3d_backward.grad_input", nearest3d_back<kNearest3d>>(
        kNearest3dBackSchema),
    row<"aten::_upsample_nearest_exact1d_backward.grad_input", nearest1d_back<kExact1d>>(
        kNearest1dBackSchema),
    row<"aten::_upsample_nearest_exact2d_backward.grad_input", nearest2d_back<kExact2d>>(
        kNearest2dBackSchema),
    row<"aten::_upsample_nearest_exact3d_backward.grad_input", nearest3d_back<kExact3d>>(
        kNearest3dBackSchema),
    row<"aten::upsample_linear1d_backward.grad_input", smooth1d_back<kLinear1d>>(
        kSmooth1dBackSchema),
    row<"aten::upsample_bilinear2d_backward.grad_input", smooth2d_back<kLinear2d>>(
        kSmooth2dBackSchema),
    row<"aten::upsample_trilinear3d_backward.grad_input", smooth3d_back<kLinear3d>>(
        kSmooth3dBackSchema),
    row<"aten::upsample_bicubic2d_backward.grad_input", smooth2d_back<kCubic2d>>(
        kSmooth2dBackSchema),
    row<"aten::_upsample_bilinear2d_aa_backward.grad_input", smooth2d_back<kLinearSmooth>>(
        kSmooth2dBackSchema),
    row<"aten::_upsample_bicubic2d_aa_backward.grad_input", smooth2d_back<kCubicSmooth>>(
        kSmooth2dBackSchema),
    row<"aten::_upsample_lanczos2d_aa_backward.grad_input", smooth2d_back<kLanczosSmooth>>(
        kSmooth2dBackSchema),
};

}  // namespace

Table resize_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
