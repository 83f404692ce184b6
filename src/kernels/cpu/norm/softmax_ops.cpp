#include "compute/norm/norm.h"

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

template <compute::SoftmaxKind kind>
Error softmax(Context& context, const Tensor& self, int64_t dim, bool half_to_float, Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_floating(out, "out"));
  const bool widened =
      self.scalar_type() == ScalarType::Half && out.scalar_type() == ScalarType::Float;
  ET_REQUIRE(
      !half_to_float || widened, InvalidArgument,
      "argument 'half_to_float': only True for float16 input and float32 output, found %s and %s",
      dtype_name(self.scalar_type()), dtype_name(out.scalar_type()));
  if (!half_to_float) ET_TRY(check_same_dtype(self, "self", out, "out"));
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  ET_TRY(resize_output_like(out, self));
  DenseMap map(context);
  ET_TRY(map.prepare(self, out));
  if (out.scalar_type() == ScalarType::Double) {
    compute::softmax(kind, map.axis(d), map.in<double>(), map.out<double>());
  } else {
    compute::softmax(kind, map.axis(d), map.in<float>(), map.out<float>());
  }
  map.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::_softmax.out", softmax<compute::SoftmaxKind::Softmax>>(
        "(Tensor self, int dim, bool half_to_float, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::_log_softmax.out", softmax<compute::SoftmaxKind::LogSoftmax>>(
        "(Tensor self, int dim, bool half_to_float, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table softmax_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
