// Matrix products.
#include <cinttypes>

#include "backends/aoti/shims/cpu/cpu_table.h"
#include "backends/aoti/shims/cpu/memory.h"
#include "backends/aoti/shims/cpu/packed_weight.h"
#include "compute/elementwise/elementwise.h"
#include "compute/gemm/gemm.h"
#include "compute/gemm/plain_matmul.h"

namespace executorch::backends::aoti {
namespace {

using compute::DType;
using compute::TensorView;

/// out = beta * added + alpha * a * b; `added` may be null.
struct Call {
  ShimTensor* out;
  ShimTensor* added;
  ShimTensor* a;
  ShimTensor* b;
  double beta = 0;
  double alpha = 1;
};

/// A call whose operands were checked, all of them as batches.
struct Product {
  int64_t batch, m, n, k;
  TensorView a, b;
  TensorView out;
  TensorView added;              ///< with the sizes of the result, where it is used
  Storage* b_storage = nullptr;  ///< of b where it lies in a tensor's own memory
  bool adds = false;
  double beta = 0;
  double alpha = 1;
};

Error check_shapes(const Call& call, size_t rank) {
  const ShimTensor* const tensors[] = {call.a, call.b, call.out};
  for (const ShimTensor* tensor : tensors) {
    ET_REQUIRE(tensor->rank() == rank, InvalidArgument,
               "a product of tensors of %zu dimensions has an operand of %zu", rank,
               tensor->rank());
    ET_REQUIRE(tensor->dtype() == call.a->dtype(), InvalidArgument,
               "a product has operands of types %d and %d", static_cast<int>(call.a->dtype()),
               static_cast<int>(tensor->dtype()));
  }
  const int64_t* a = call.a->sizes() + rank - 2;
  const int64_t* b = call.b->sizes() + rank - 2;
  const int64_t* out = call.out->sizes() + rank - 2;
  bool fits = a[1] == b[0] && out[0] == a[0] && out[1] == b[1];
  if (rank == 3) {
    fits = fits && call.a->sizes()[0] == call.b->sizes()[0] &&
           call.out->sizes()[0] == call.a->sizes()[0];
  }
  ET_REQUIRE(fits, InvalidArgument,
             "matrices of %" PRId64 "x%" PRId64 " and %" PRId64 "x%" PRId64
             " do not multiply to one of %" PRId64 "x%" PRId64 ", or batches differ",
             a[0], a[1], b[0], b[1], out[0], out[1]);
  return Error::Ok;
}

/// `added` seen with the sizes of the result.
Error broadcast(const ShimTensor& tensor, const TensorView& out, TensorView* view) {
  ET_TRY(view_of(tensor, "self", view));
  bool fits = view->rank <= out.rank;
  while (fits && view->rank < out.rank) view->insert(0, 1, 0);
  for (int d = 0; fits && d < out.rank; ++d) {
    if (view->sizes[d] == out.sizes[d]) continue;
    fits = view->sizes[d] == 1;
    view->sizes[d] = out.sizes[d];
    view->strides[d] = 0;
  }
  ET_REQUIRE(fits, InvalidArgument, "argument 'self' does not broadcast to the result");
  return Error::Ok;
}

void make_batch(TensorView* view) {
  if (view->rank == 2) view->insert(0, 1, 0);
}

/// Where a product is written, and copied from to the result by finish() if that is elsewhere.
class Target {
 public:
  Error prepare(const TensorView& out, DType dtype) {
    out_ = out;
    direct_ = out.dtype == dtype && compute::is_contiguous(out);
    view_ = out;
    if (direct_) return Error::Ok;
    const size_t unit = compute::element_size(dtype);
    ET_TRY(memory_.allocate(static_cast<size_t>(out.numel()) * unit));
    view_ = compute::contiguous_view(memory_.data(), dtype, unit, out.rank, out.sizes);
    return Error::Ok;
  }
  const TensorView& view() const { return view_; }
  void finish() const {
    if (!direct_) compute::convert(out_, view_);
  }

 private:
  TensorView out_, view_;
  Scratch memory_;
  bool direct_ = false;
};

/// Whether all rows of a batch are one row of floats, as the bias of a linear layer is.
bool is_row(const TensorView& added) {
  return added.dtype == DType::f32 && added.strides[0] == 0 && added.strides[1] == 0 &&
         (added.strides[2] == 1 || added.sizes[2] == 1);
}

Error run_float(const Product& p, const TensorView& c) {
  compute::GemmArgs args;
  args.m = p.m;
  args.n = p.n;
  args.k = p.k;
  args.a = {reinterpret_cast<const float*>(p.a.data), p.a.strides[1], p.a.strides[2]};
  args.b = {reinterpret_cast<const float*>(p.b.data), p.b.strides[1], p.b.strides[2]};
  args.c = reinterpret_cast<float*>(c.data);
  args.c_row_stride = p.n;
  args.epilogue.alpha = static_cast<float>(p.alpha);
  compute::GemmBatch batch;
  batch.count = p.batch;
  batch.a_stride = p.a.strides[0];
  batch.b_stride = p.b.strides[0];
  batch.c_stride = p.m * p.n;
  if (p.adds && p.beta == 1 && is_row(p.added)) {
    args.epilogue.bias = reinterpret_cast<const float*>(p.added.data);
  } else if (p.adds) {
    // The product is added to what the output holds.
    compute::convert(c, p.added);
    args.epilogue.residual = args.c;
    args.epilogue.residual_stride = p.n;
    args.epilogue.beta = static_cast<float>(p.beta);
    batch.residual_stride = batch.c_stride;
  }
  const compute::PackedMatrix* packed = p.batch == 1 && p.b_storage != nullptr
                                            ? packed_factor(p.b_storage, args.b, p.k, p.n)
                                            : nullptr;
  if (packed != nullptr) args.packed = *packed;
  const size_t bytes = p.batch == 1 ? compute::gemm_scratch_bytes(p.m, p.n, p.k, packed != nullptr)
                                    : compute::gemm_batch_scratch_bytes(p.batch, p.m, p.n, p.k);
  Scratch scratch;
  ET_TRY(scratch.allocate(bytes));
  if (p.batch == 1) {
    compute::gemm(args, scratch.data(), bytes);
  } else {
    compute::gemm_batch(args, batch, scratch.data(), bytes);
  }
  return Error::Ok;
}

/// c = beta * added + alpha * c, in the type of c.
void combine(const Product& p, const TensorView& c) {
  char factors[2][compute::kMaxElementSize];
  const double numbers[] = {p.alpha, p.beta};
  for (int i = 0; i < 2; ++i) compute::number_to_element(numbers[i], c.dtype, factors[i]);
  compute::ElementwiseCall call = {};
  call.common = c.dtype;
  call.rank = c.rank;
  call.out.data = c.data;
  for (int i = 0; i < 3; ++i) call.in[i].dtype = c.dtype;
  call.out.dtype = c.dtype;
  call.in[0].data = c.data;
  for (int d = 0; d < c.rank; ++d) {
    call.sizes[d] = c.sizes[d];
    call.out.strides[d] = call.in[0].strides[d] = c.strides[d];
  }
  if (p.alpha != 1) {
    call.op = compute::ElementwiseOp::Mul;
    call.in[1].data = factors[0];
    compute::elementwise(call);
  }
  if (!p.adds) return;
  call.op = compute::ElementwiseOp::AddScaled;
  call.in[1].data = p.added.data;
  call.in[1].dtype = p.added.dtype;
  for (int d = 0; d < c.rank; ++d) call.in[1].strides[d] = p.added.strides[d];
  call.in[2].data = factors[1];
  compute::elementwise(call);
}

void run_plain(const Product& p, const TensorView& c) {
  const int64_t unit = static_cast<int64_t>(c.element_size);
  for (int64_t i = 0; i < p.batch; ++i) {
    compute::plain_matmul(c.dtype, p.m, p.n, p.k,
                          {p.a.data + i * p.a.strides[0] * unit, p.a.strides[1], p.a.strides[2]},
                          {p.b.data + i * p.b.strides[0] * unit, p.b.strides[1], p.b.strides[2]},
                          c.data + i * p.m * p.n * unit);
  }
  combine(p, c);
}

Error multiply(const Call& call, size_t rank) {
  ET_TRY(check_shapes(call, rank));
  DType dtype;
  ET_REQUIRE(sum_type(static_cast<DType>(call.a->dtype()), &dtype), NotSupported,
             "products of elements of type %d are not supported",
             static_cast<int>(call.a->dtype()));
  Operand a, b;
  ET_TRY(a.read(*call.a, "self", dtype));
  ET_TRY(b.read(*call.b, "mat2", dtype));
  Product p{};
  ET_TRY(view_of(*call.out, "out", &p.out));
  p.adds = call.added != nullptr && call.beta != 0;
  p.beta = call.beta;
  p.alpha = call.alpha;
  if (p.adds) ET_TRY(broadcast(*call.added, p.out, &p.added));
  if (p.out.numel() == 0) return Error::Ok;
  p.a = a.view();
  p.b = b.view();
  if (static_cast<DType>(call.b->dtype()) == dtype) p.b_storage = call.b->storage();
  for (TensorView* view : {&p.a, &p.b, &p.out}) make_batch(view);
  if (p.adds) make_batch(&p.added);
  p.batch = p.out.sizes[0];
  p.m = p.out.sizes[1];
  p.n = p.out.sizes[2];
  p.k = p.a.sizes[2];
  Target target;
  ET_TRY(target.prepare(p.out, dtype));
  if (dtype == DType::f32) {
    ET_TRY(run_float(p, target.view()));
  } else {
    run_plain(p, target.view());
  }
  target.finish();
  return Error::Ok;
}

}  // namespace

extern "C" {

Status AOTI_SHIM(cpu_mm_out)(ShimTensor* out, ShimTensor* a, ShimTensor* b) {
  AOTI_REQUIRE_NOT_NULL(out);
  AOTI_REQUIRE_NOT_NULL(a);
  AOTI_REQUIRE_NOT_NULL(b);
  return status_of(multiply({out, nullptr, a, b}, 2));
}

Status AOTI_SHIM(cpu_bmm_out)(ShimTensor* out, ShimTensor* a, ShimTensor* b) {
  AOTI_REQUIRE_NOT_NULL(out);
  AOTI_REQUIRE_NOT_NULL(a);
  AOTI_REQUIRE_NOT_NULL(b);
  return status_of(multiply({out, nullptr, a, b}, 3));
}

Status AOTI_SHIM(cpu_addmm_out)(ShimTensor* out, ShimTensor* self, ShimTensor* a, ShimTensor* b,
                                double beta, double alpha) {
  AOTI_REQUIRE_NOT_NULL(out);
  AOTI_REQUIRE_NOT_NULL(self);
  AOTI_REQUIRE_NOT_NULL(a);
  AOTI_REQUIRE_NOT_NULL(b);
  return status_of(multiply({out, self, a, b, beta, alpha}, 2));
}

Status AOTI_SHIM(cpu_baddbmm_out)(ShimTensor* out, ShimTensor* self, ShimTensor* a, ShimTensor* b,
                                  double beta, double alpha) {
  AOTI_REQUIRE_NOT_NULL(out);
  AOTI_REQUIRE_NOT_NULL(self);
  AOTI_REQUIRE_NOT_NULL(a);
  AOTI_REQUIRE_NOT_NULL(b);
  return status_of(multiply({out, self, a, b, beta, alpha}, 3));
}

}  // extern "C"

}  // namespace executorch::backends::aoti
