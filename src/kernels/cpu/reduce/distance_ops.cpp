// Norms of vectors and distances between rows.
#include "compute/reduce/vector_norm.h"
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/reduction.h"

namespace executorch {
namespace kernels {
namespace {

/// Norms without a value for nothing need an element in every reduced dimension.
Error check_reduced(const Tensor& self, const Reduction& reduction, double p) {
  if (p < 0 || p == __builtin_inf()) return reduction.check_not_empty(self);
  return Error::Ok;
}

Error linalg_vector_norm(Context&, const Tensor& self, Scalar ord, std::optional<IntList> dim,
                         bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_floating(out, "out"));
  const ScalarType expected = dtype.value_or(self.scalar_type());
  ET_REQUIRE(out.scalar_type() == expected, InvalidArgument,
             "argument 'out': expected dtype %s, found %s", dtype_name(expected),
             describe(out).text);
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  const double p = to_double(ord);
  ET_TRY(check_reduced(self, reduction, p));
  ET_TRY(reduction.make_target(out, "out"));
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::vector_norm({reduction.source(self), reduction.dims(), p, reduction.target(0)});
  return Error::Ok;
}

/// The norm of the difference of two tensors.
Error dist(Context& context, const Tensor& self, const Tensor& other, Scalar p, Tensor& out) {
  ScalarType type;
  Sizes sizes;
  ET_TRY(result_type({{"self", self}, {"other", other}}, &type));
  ET_REQUIRE(is_floating(type), InvalidArgument,
             "expected floating point numbers, found operands of common dtype %s",
             dtype_name(type));
  ET_REQUIRE(out.scalar_type() == type, InvalidArgument,
             "argument 'out': expected dtype %s, found %s", dtype_name(type), describe(out).text);
  ET_TRY(broadcast_sizes({{"self", self}, {"other", other}}, &sizes));
  int64_t numel = 0;
  ET_TRY(checked_numel(sizes, "other", &numel));
  Scratch memory(context);
  const compute::DType dtype = compute_dtype(type);
  const size_t unit = compute::element_size(dtype);
  ET_TRY(memory.allocate(static_cast<size_t>(numel), unit));
  const TensorView difference =
      compute::contiguous_view(memory.data(), dtype, unit, sizes.rank, sizes.values);
  run_on_views(ElementwiseOp::Sub, type, difference, {view_of(self), view_of(other)});
  ET_TRY(resize_output(out, Sizes{}));
  const int64_t no_strides[kMaxRank] = {};
  compute::vector_norm({{difference.data, dtype, sizes.rank, sizes.values, difference.strides},
                        (uint32_t{1} << sizes.rank) - 1,
                        to_double(p),
                        {out.mutable_data_ptr(), dtype, no_strides}});
  return Error::Ok;
}

Error check_order(double p) {
  ET_REQUIRE(p >= 0, InvalidArgument, "argument 'p': %g is not the order of a distance", p);
  return Error::Ok;
}

// ---- distances of rows of two tensors ----

/// A batch of matrices, converted and contiguous.
class Rows {
 public:
  explicit Rows(Context& context) : memory_(context) {}

  /// `batch` is the shape that the batch dimensions broadcast to.
  Error prepare(const Tensor& tensor, ScalarType dtype, const Sizes& batch) {
    const size_t unit = compute::element_size(compute_dtype(dtype));
    TensorView from = view_of(tensor);
    rows = from.sizes[from.rank - 2];
    const int64_t length = from.sizes[from.rank - 1];
    // One matrix serves all batches.
    const bool shared = from.rank == 2;
    Sizes sizes = shared ? Sizes{} : batch;
    while (from.rank < sizes.rank + 2) from.insert(0, 1, 0);
    for (int d = 0; d < sizes.rank; ++d) {
      if (from.sizes[d] != sizes[d]) from.strides[d] = 0;
      from.sizes[d] = sizes[d];
    }
    sizes.push(rows);
    sizes.push(length);
    int64_t numel = 0;
    ET_TRY(checked_numel(sizes, "x1", &numel));
    ET_TRY(memory_.allocate(static_cast<size_t>(numel), unit));
    compute::convert(compute::contiguous_view(memory_.data(), compute_dtype(dtype), unit,
                                              sizes.rank, sizes.values),
                     from);
    step = shared ? 0 : rows * length;
    return Error::Ok;
  }
  template <class T>
  const T* data() const {
    return memory_.as<T>();
  }

  int64_t rows = 0;
  int64_t step = 0;

 private:
  Scratch memory_;
};

/// The shape that all but the last two dimensions broadcast to.
Error batch_sizes(const Tensor& x1, const Tensor& x2, Sizes* batch) {
  const Sizes a = sizes_of(x1), b = sizes_of(x2);
  const int rank = (a.rank > b.rank ? a.rank : b.rank) - 2;
  for (int d = 0; d < rank; ++d) {
    const int from_a = d - (rank - (a.rank - 2)), from_b = d - (rank - (b.rank - 2));
    const int64_t m = from_a < 0 ? 1 : a[from_a], n = from_b < 0 ? 1 : b[from_b];
    ET_REQUIRE(m == n || m == 1 || n == 1, InvalidArgument,
               "arguments 'x1' and 'x2': %s and %s have batches that do not broadcast",
               describe(x1).text, describe(x2).text);
    batch->push(m == 1 ? n : m);
  }
  return Error::Ok;
}

template <class T>
void run_distances(double p, const Sizes& sizes, int64_t length, const Rows& a, const Rows& b,
                   T* out) {
  compute::DistanceCall<T> call = {p,           length, 1,           a.rows, b.rows,
                                   a.data<T>(), a.step, b.data<T>(), b.step, out};
  for (int d = 0; d + 2 < sizes.rank; ++d) call.batches *= sizes[d];
  compute::distances(call);
}

Error cdist_forward(Context& context, const Tensor& x1, const Tensor& x2, double p,
                    std::optional<int64_t>, Tensor& out) {
  ET_TRY(check_floating(x1, "x1"));
  ET_TRY(check_same_dtype(x2, "x2", x1, "x1"));
  ET_TRY(check_same_dtype(out, "out", x1, "x1"));
  ET_TRY(check_order(p));
  ET_TRY(check_rank(x1, "x1", 2, kMaxRank));
  ET_TRY(check_rank(x2, "x2", 2, kMaxRank));
  const int64_t length = x1.sizes()[static_cast<size_t>(x1.dim() - 1)];
  ET_REQUIRE(x2.sizes()[static_cast<size_t>(x2.dim() - 1)] == length, InvalidArgument,
             "arguments 'x1' and 'x2': %s and %s have rows of different lengths", describe(x1).text,
             describe(x2).text);
  Sizes sizes;
  ET_TRY(batch_sizes(x1, x2, &sizes));
  const ScalarType dtype = accumulation_type(x1.scalar_type());
  Rows a(context), b(context);
  ET_TRY(a.prepare(x1, dtype, sizes));
  ET_TRY(b.prepare(x2, dtype, sizes));
  sizes.push(a.rows);
  sizes.push(b.rows);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, x1, "x1"));
  ET_TRY(check_no_overlap(out, x2, "x2"));
  ContiguousOutput results(context);
  ET_TRY(results.prepare(out, dtype));
  dtype == ScalarType::Double ? run_distances(p, sizes, length, a, b, results.data<double>())
                              : run_distances(p, sizes, length, a, b, results.data<float>());
  results.finish();
  return Error::Ok;
}

Error pdist_forward(Context& context, const Tensor& self, double p, Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  ET_TRY(check_order(p));
  ET_TRY(check_rank(self, "self", 2, 2));
  const int64_t rows = self.sizes()[0], length = self.sizes()[1];
  Sizes sizes;
  sizes.push(rows > 1 ? rows * (rows - 1) / 2 : 0);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  const ScalarType dtype = accumulation_type(self.scalar_type());
  ContiguousInput in(context);
  ContiguousOutput results(context);
  ET_TRY(in.prepare(self, dtype));
  ET_TRY(results.prepare(out, dtype));
  if (dtype == ScalarType::Double) {
    compute::distances_within(p, rows, length, in.data<double>(), results.data<double>());
  } else {
    compute::distances_within(p, rows, length, in.data<float>(), results.data<float>());
  }
  results.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::linalg_vector_norm.out", linalg_vector_norm>(
        "(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
        "dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::dist.out", dist>(
        "(Tensor self, Tensor other, Scalar p=2, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::_cdist_forward.out", cdist_forward>(
        "(Tensor x1, Tensor x2, float p, int? compute_mode, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::_pdist_forward.out", pdist_forward>(
        "(Tensor self, float p=2., *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table distance_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
