// Operators of complex numbers, and those that make or take them apart.
#include <algorithm>

#include "compute/elementwise/cast.h"
#include "compute/elementwise/complex_loops.h"
#include "compute/elementwise/layout.h"
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

/// The real (0) or imaginary (1) parts of complex numbers.
TensorView part_of(const Tensor& tensor, int part) {
  TensorView view = view_of(tensor);
  view.dtype = compute_dtype(real_of(tensor.scalar_type()));
  view.element_size /= 2;
  for (int d = 0; d < view.rank; ++d) view.strides[d] *= 2;
  view.advance(part);
  return view;
}

/// Applies a loop over contiguous complex numbers, row by row in blocks. The results have type
/// `result`.
using ComplexLoop = void (*)(compute::ComputeType, void*, const void*, int64_t);
Error complex_map(ComplexLoop loop, const Tensor& self, compute::ComputeType result, Tensor& out) {
  constexpr int64_t kBlock = 256, kWidest = 16;
  ET_TRY(resize_output_like(out, self));
  ET_TRY(check_no_overlap(out, self, "self"));
  const TensorView from = view_of(self), to = view_of(out);
  const auto type = compute::compute_type(from.dtype);
  const auto load = compute::load_loop(from.dtype, type);
  const auto store = compute::store_loop(result, to.dtype);
  const int64_t* strides[] = {to.strides, from.strides};
  const compute::Layout layout = compute::make_layout(from.rank, from.sizes, strides, 2);
  alignas(kWidest) char in_block[kBlock * kWidest];
  alignas(kWidest) char out_block[kBlock * kWidest];
  compute::LayoutCursor cursor(layout, 0);
  for (int64_t left = layout.numel(); left > 0;) {
    const int64_t n = std::min({cursor.left_in_row(), left, kBlock});
    load(in_block, from.data + cursor.offset(1) * self.element_size(), layout.inner_stride(1), n);
    loop(type, out_block, in_block, n);
    store(to.data + cursor.offset(0) * out.element_size(), layout.inner_stride(0), out_block, n);
    cursor.advance(n);
    left -= n;
  }
  return Error::Ok;
}

Error real_abs(const Tensor& self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_REQUIRE(self.scalar_type() != ScalarType::Bool, InvalidArgument,
             "argument 'self': not defined for bool tensors");
  return run_elementwise(ElementwiseOp::Abs, self.scalar_type(), self.scalar_type(),
                         {{"self", self}}, out);
}

Error abs(Context&, const Tensor& self, Tensor& out) {
  if (!is_complex(self.scalar_type())) return real_abs(self, out);
  ET_TRY(check_floating(out, "out"));
  const bool wide = self.scalar_type() == ScalarType::ComplexDouble;
  return complex_map(compute::complex_magnitude, self,
                     wide ? compute::ComputeType::f64 : compute::ComputeType::f32, out);
}

Error conj_physical(Context&, const Tensor& self, Tensor& out) {
  if (!is_complex(self.scalar_type())) {
    ET_TRY(check_arithmetic(self, "self"));
    return run_elementwise(ElementwiseOp::Copy, self.scalar_type(), self.scalar_type(),
                           {{"self", self}}, out);
  }
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  return complex_map(compute::complex_conjugate, self,
                     compute::compute_type(compute_dtype(self.scalar_type())), out);
}

/// The direction of each number.
Error angle(Context&, const Tensor& self, Tensor& out) {
  if (!is_complex(self.scalar_type())) {
    ScalarType type;
    ET_TRY(float_result_type({{"self", self}}, &type));
    return run_elementwise(ElementwiseOp::RealAngle, type, type, {{"self", self}}, out);
  }
  ET_TRY(check_floating(out, "out"));
  ET_TRY(resize_output_like(out, self));
  ET_TRY(check_no_overlap(out, self, "self"));
  run_on_views(ElementwiseOp::Atan2, real_of(self.scalar_type()), view_of(out),
               {part_of(self, 1), part_of(self, 0)});
  return Error::Ok;
}

Error check_parts(const Tensor& out, ScalarType type) {
  ET_REQUIRE(is_complex(out.scalar_type()) && real_of(out.scalar_type()) == type, InvalidArgument,
             "argument 'out': expected complex numbers with parts of %s, found %s",
             dtype_name(type), describe(out).text);
  return Error::Ok;
}

/// Checks two operands of one floating dtype and makes `out`, of the complex dtype with such parts,
/// the shape that they broadcast to.
Error prepare_pair(const Input& a, const Input& b, const Tensor& out) {
  ET_TRY(check_floating(*a.tensor(), a.name()));
  ET_TRY(check_same_dtype(*b.tensor(), b.name(), *a.tensor(), a.name()));
  ET_TRY(check_parts(out, a.tensor()->scalar_type()));
  Sizes sizes;
  ET_TRY(broadcast_sizes({a, b}, &sizes));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, *a.tensor(), a.name()));
  return check_no_overlap(out, *b.tensor(), b.name());
}

Error complex(Context&, const Tensor& real, const Tensor& imag, Tensor& out) {
  ET_TRY(prepare_pair({"real", real}, {"imag", imag}, out));
  const ScalarType type = real.scalar_type();
  run_on_views(ElementwiseOp::Copy, type, part_of(out, 0), {view_of(real)});
  run_on_views(ElementwiseOp::Copy, type, part_of(out, 1), {view_of(imag)});
  return Error::Ok;
}

Error polar(Context&, const Tensor& abs, const Tensor& angle, Tensor& out) {
  ET_TRY(prepare_pair({"abs", abs}, {"angle", angle}, out));
  const ScalarType type = abs.scalar_type();
  const ElementwiseOp functions[] = {ElementwiseOp::Cos, ElementwiseOp::Sin};
  for (int part = 0; part < 2; ++part) {
    const TensorView to = part_of(out, part);
    run_on_views(functions[part], type, to, {view_of(angle)});
    run_on_views(ElementwiseOp::Mul, type, to, {view_of(abs), to});
  }
  return Error::Ok;
}

/// Pairs along the last dimension as complex numbers.
Error view_as_complex(Context&, const Tensor& self, Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  Sizes sizes = sizes_of(self);
  ET_REQUIRE(sizes.rank > 0 && sizes[sizes.rank - 1] == 2, InvalidArgument,
             "argument 'self': the last dimension of %s is not of size 2", describe(self).text);
  ET_TRY(check_parts(out, self.scalar_type()));
  --sizes.rank;
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  for (int part = 0; part < 2; ++part) {
    TensorView from = view_of(self);
    from.select(from.rank - 1, part);
    run_on_views(ElementwiseOp::Copy, self.scalar_type(), part_of(out, part), {from});
  }
  return Error::Ok;
}

#define UNARY_SCHEMA "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"

constexpr OperatorRow kRows[] = {
    row<"aten::abs.out", abs>(UNARY_SCHEMA),
    row<"aten::angle.out", angle>(UNARY_SCHEMA),
    row<"aten::_conj_physical.out", conj_physical>(UNARY_SCHEMA),
    row<"aten::_conj_copy.out", conj_physical>(UNARY_SCHEMA),
    row<"aten::complex.out", complex>(
        "(Tensor real, Tensor imag, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::polar.out", polar>("(Tensor abs, Tensor angle, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::view_as_complex_copy.out", view_as_complex>(UNARY_SCHEMA),
};

#undef UNARY_SCHEMA

}  // namespace

Table complex_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
