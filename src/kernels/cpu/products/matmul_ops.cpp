// Matrix products. Half types are computed in float, small integers in int32.
#include <algorithm>

#include "compute/elementwise/elementwise.h"
#include "compute/gemm/gemm.h"
#include "compute/gemm/plain_matmul.h"

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

/// The type that products of `dtype` are summed in; Undefined when there is none.
ScalarType product_type(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half:
    case ScalarType::BFloat16:
    case ScalarType::Float:
      return ScalarType::Float;
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
      return ScalarType::Int;
    case ScalarType::Double:
    case ScalarType::Long:
    case ScalarType::ComplexFloat:
    case ScalarType::ComplexDouble:
      return dtype;
    default:
      return ScalarType::Undefined;
  }
}

/// An operand in the product's type: the tensor's own memory with any strides, or a converted copy.
class Factor {
 public:
  explicit Factor(Context& context) : copy_(context) {}

  Error prepare(const Tensor& tensor, ScalarType dtype) {
    view_ = view_of(tensor);
    if (tensor.scalar_type() == dtype) return Error::Ok;
    ET_TRY(copy_.prepare(tensor, dtype));
    view_ = copy_.view();
    return Error::Ok;
  }
  const TensorView& view() const { return view_; }

 private:
  ContiguousInput copy_;
  TensorView view_;
};

/// Few rows read a large right side of half type once: it is then converted slab by slab, in the
/// cache, instead of whole.
constexpr int64_t kFewRows = 32;
constexpr int64_t kSlabElements = 64 * 1024;

bool reads_slabs(const Tensor& b, int64_t rows) {
  const ScalarType dtype = b.scalar_type();
  return (dtype == ScalarType::Half || dtype == ScalarType::BFloat16) && b.dim() == 2 &&
         rows <= kFewRows && b.numel() > 2 * kSlabElements;
}

/// One product or a batch of them, C = A * B, with what is added to it.
struct Product {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  TensorView a;  ///< dimensions [..., m, k]; the first is the batch when there are three
  TensorView b;  ///< [..., k, n]
};

compute::GemmArgs gemm_args(const Product& product, const compute::Epilogue& epilogue, float* c) {
  compute::GemmArgs args;
  args.m = product.m;
  args.n = product.n;
  args.k = product.k;
  const int a_rank = product.a.rank;
  const int b_rank = product.b.rank;
  args.a = {reinterpret_cast<const float*>(product.a.data), product.a.strides[a_rank - 2],
            product.a.strides[a_rank - 1]};
  args.b = {reinterpret_cast<const float*>(product.b.data), product.b.strides[b_rank - 2],
            product.b.strides[b_rank - 1]};
  args.c = c;
  args.c_row_stride = product.n;
  args.epilogue = epilogue;
  return args;
}

/// The product with a right side of half type, `width` columns of it at a time.
Error run_slabs(Context& context, const Product& product, const compute::Epilogue& epilogue,
                float* c) {
  const int64_t wanted = kSlabElements / product.k / 64 * 64;
  const int64_t width = std::min(product.n, std::max<int64_t>(wanted, 64));
  Scratch slab_memory(context), scratch(context);
  ET_TRY(slab_memory.allocate(static_cast<size_t>(width) * static_cast<size_t>(product.k),
                              sizeof(float)));
  const size_t bytes = compute::gemm_scratch_bytes(product.m, width, product.k, false);
  ET_TRY(scratch.allocate(bytes, 1));
  const bool transposed = product.b.strides[0] == 1;
  for (int64_t first = 0; first < product.n; first += width) {
    Product part = product;
    part.n = std::min(width, product.n - first);
    TensorView source = product.b;
    source.narrow(1, first, part.n);
    part.b = source;
    part.b.data = slab_memory.as<char>();
    part.b.dtype = compute::DType::f32;
    part.b.element_size = sizeof(float);
    part.b.strides[0] = transposed ? 1 : part.n;
    part.b.strides[1] = transposed ? product.k : 1;
    compute::convert(part.b, source);
    compute::GemmArgs args = gemm_args(part, epilogue, c + first);
    args.c_row_stride = product.n;
    if (epilogue.residual != nullptr) args.epilogue.residual = epilogue.residual + first;
    compute::gemm(args, scratch.data(), bytes);
  }
  return Error::Ok;
}

Error run_float(Context& context, const Product& product, const compute::Epilogue& epilogue,
                float* c) {
  if (product.b.dtype != compute::DType::f32) return run_slabs(context, product, epilogue, c);
  const compute::GemmArgs args = gemm_args(product, epilogue, c);
  const int a_rank = product.a.rank;
  Scratch scratch(context);
  if (a_rank == 2) {
    const size_t bytes = compute::gemm_scratch_bytes(args.m, args.n, args.k, false);
    ET_TRY(scratch.allocate(bytes, 1));
    compute::gemm(args, scratch.data(), bytes);
    return Error::Ok;
  }
  const size_t bytes = compute::gemm_batch_scratch_bytes(product.batch, args.m, args.n, args.k);
  ET_TRY(scratch.allocate(bytes, 1));
  compute::GemmBatch batch;
  batch.count = product.batch;
  batch.a_stride = product.a.strides[0];
  batch.b_stride = product.b.strides[0];
  batch.c_stride = product.m * product.n;
  compute::gemm_batch(args, batch, scratch.data(), bytes);
  return Error::Ok;
}

void run_plain(const Product& product, char* c) {
  const int a_rank = product.a.rank;
  const int b_rank = product.b.rank;
  const auto unit = static_cast<int64_t>(product.a.element_size);
  for (int64_t i = 0; i < product.batch; ++i) {
    const int64_t a_offset = a_rank > 2 ? i * product.a.strides[0] * unit : 0;
    const int64_t b_offset = b_rank > 2 ? i * product.b.strides[0] * unit : 0;
    compute::plain_matmul(
        product.a.dtype, product.m, product.n, product.k,
        {product.a.data + a_offset, product.a.strides[a_rank - 2], product.a.strides[a_rank - 1]},
        {product.b.data + b_offset, product.b.strides[b_rank - 2], product.b.strides[b_rank - 1]},
        c + i * product.m * product.n * unit);
  }
}

Error run(Context& context, const Product& product, const compute::Epilogue& epilogue,
          const ContiguousOutput& out) {
  if (product.m == 0 || product.n == 0 || product.batch == 0) return Error::Ok;
  if (out.view().dtype == compute::DType::f32)
    return run_float(context, product, epilogue, out.data<float>());
  run_plain(product, out.data<char>());
  return Error::Ok;
}

/// Checks that all tensors have one dtype that can be multiplied, and that the output shares no
/// memory.
Error check_operands(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name,
                     const Tensor& out) {
  ET_TRY(check_same_dtype(a, a_name, b, b_name));
  ET_TRY(check_same_dtype(a, a_name, out, "out"));
  ET_REQUIRE(product_type(a.scalar_type()) != ScalarType::Undefined, InvalidArgument,
             "argument '%s': dtype %s is not supported", a_name, dtype_name(a.scalar_type()));
  ET_TRY(check_no_overlap(out, a, a_name));
  return check_no_overlap(out, b, b_name);
}

Error check_inner(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name,
                  int64_t a_inner, int64_t b_inner) {
  ET_REQUIRE(a_inner == b_inner, InvalidArgument,
             "arguments '%s' and '%s': %s and %s cannot be multiplied", a_name, b_name,
             describe(a).text, describe(b).text);
  return Error::Ok;
}

struct ProductShape {
  int64_t batch, rows, columns;
};

// The product of checked factors, into `out` of `sizes`.
Error multiply(Context& context, const Tensor& self, const Tensor& mat2, ProductShape shape,
               const Sizes& sizes, Tensor& out) {
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_operands(self, "self", mat2, "mat2", out));
  const ScalarType dtype = product_type(self.scalar_type());
  Factor a(context);
  Factor b(context);
  ContiguousOutput c(context);
  ET_TRY(a.prepare(self, dtype));
  ET_TRY(b.prepare(mat2, reads_slabs(mat2, shape.rows) ? mat2.scalar_type() : dtype));
  ET_TRY(c.prepare(out, dtype));
  const int64_t inner = self.sizes()[self.dim() - 1];
  ET_TRY(run(context, {shape.batch, shape.rows, shape.columns, inner, a.view(), b.view()}, {}, c));
  c.finish();
  return Error::Ok;
}

Error mm(Context& context, const Tensor& self, const Tensor& mat2, Tensor& out) {
  ET_TRY(check_rank(self, "self", 2, 2));
  ET_TRY(check_rank(mat2, "mat2", 2, 2));
  ET_TRY(check_inner(self, "self", mat2, "mat2", self.sizes()[1], mat2.sizes()[0]));
  Sizes sizes;
  sizes.push(self.sizes()[0]);
  sizes.push(mat2.sizes()[1]);
  return multiply(context, self, mat2, {1, sizes[0], sizes[1]}, sizes, out);
}

Error bmm(Context& context, const Tensor& self, const Tensor& mat2, Tensor& out) {
  ET_TRY(check_rank(self, "self", 3, 3));
  ET_TRY(check_rank(mat2, "mat2", 3, 3));
  ET_TRY(check_inner(self, "self", mat2, "mat2", self.sizes()[2], mat2.sizes()[1]));
  ET_TRY(check_inner(self, "self", mat2, "mat2", self.sizes()[0], mat2.sizes()[0]));
  Sizes sizes;
  sizes.push(self.sizes()[0]);
  sizes.push(self.sizes()[1]);
  sizes.push(mat2.sizes()[2]);
  return multiply(context, self, mat2, {sizes[0], sizes[1], sizes[2]}, sizes, out);
}

/// `added` seen with the shape of the result.
Error broadcast_added(const Tensor& added, const char* name, const Sizes& sizes, TensorView* view) {
  *view = view_of(added);
  bool fits = view->rank <= sizes.rank;
  while (fits && view->rank < sizes.rank) view->insert(0, 1, 0);
  for (int d = 0; fits && d < sizes.rank; ++d) {
    if (view->sizes[d] == sizes[d]) continue;
    fits = view->sizes[d] == 1;
    view->sizes[d] = sizes[d];
    view->strides[d] = 0;
  }
  ET_REQUIRE(fits, InvalidArgument, "argument '%s': %s does not broadcast to %s", name,
             describe(added).text, describe(sizes).text);
  return Error::Ok;
}

/// out = beta * out_before + alpha * out, elementwise in the type of the product.
void combine(const TensorView& out, const TensorView& added, const Scalar& beta,
             const Scalar& alpha) {
  const compute::DType dtype = out.dtype;
  char factors[2][compute::kMaxElementSize];
  const Scalar* numbers[] = {&beta, &alpha};
  for (int i = 0; i < 2; ++i) {
    if (numbers[i]->isFloatingPoint()) {
      compute::number_to_element(to_double(*numbers[i]), dtype, factors[i]);
    } else {
      compute::number_to_element(to_int64(*numbers[i]), dtype, factors[i]);
    }
  }
  compute::ElementwiseCall call = {};
  call.common = dtype;
  call.rank = out.rank;
  call.out.data = out.data;
  call.out.dtype = dtype;
  for (int i = 0; i < 3; ++i) call.in[i].dtype = dtype;
  for (int d = 0; d < out.rank; ++d) {
    call.sizes[d] = out.sizes[d];
    call.out.strides[d] = call.in[0].strides[d] = out.strides[d];
  }
  call.op = compute::ElementwiseOp::Mul;
  call.in[0].data = out.data;
  call.in[1].data = factors[1];
  compute::elementwise(call);
  if (to_double(beta) == 0) return;
  call.op = compute::ElementwiseOp::AddScaled;
  call.in[1].data = added.data;
  call.in[1].dtype = added.dtype;
  for (int d = 0; d < out.rank; ++d) call.in[1].strides[d] = added.strides[d];
  call.in[2].data = factors[0];
  compute::elementwise(call);
}

Error addmm_float(Context& context, const Product& product, const TensorView& added, double beta,
                  double alpha, const ContiguousOutput& c) {
  compute::Epilogue epilogue;
  epilogue.alpha = static_cast<float>(alpha);
  if (beta != 0) {
    // The product is added to what the output holds.
    compute::convert(c.view(), added);
    epilogue.residual = c.data<float>();
    epilogue.residual_stride = product.n;
    epilogue.beta = static_cast<float>(beta);
  }
  return run(context, product, epilogue, c);
}

Error addmm(Context& context, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
            Scalar beta, Scalar alpha, Tensor& out) {
  ET_TRY(check_rank(mat1, "mat1", 2, 2));
  ET_TRY(check_rank(mat2, "mat2", 2, 2));
  ET_TRY(check_inner(mat1, "mat1", mat2, "mat2", mat1.sizes()[1], mat2.sizes()[0]));
  Sizes sizes;
  sizes.push(mat1.sizes()[0]);
  sizes.push(mat2.sizes()[1]);
  ET_TRY(check_same_dtype(self, "self", mat1, "mat1"));
  TensorView added;
  ET_TRY(broadcast_added(self, "self", sizes, &added));
  const bool integral = is_integral(self.scalar_type(), true);
  ET_REQUIRE(!integral || (!beta.isFloatingPoint() && !alpha.isFloatingPoint()), InvalidArgument,
             "arguments 'beta' and 'alpha': expected integers for dtype %s",
             dtype_name(self.scalar_type()));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_operands(mat1, "mat1", mat2, "mat2", out));
  ET_TRY(check_no_overlap(out, self, "self"));
  const ScalarType dtype = product_type(mat1.scalar_type());
  Factor a(context);
  Factor b(context);
  ContiguousOutput c(context);
  ET_TRY(a.prepare(mat1, dtype));
  ET_TRY(b.prepare(mat2, reads_slabs(mat2, sizes[0]) ? mat2.scalar_type() : dtype));
  ET_TRY(c.prepare(out, dtype));
  const Product product = {1, sizes[0], sizes[1], mat1.sizes()[1], a.view(), b.view()};
  if (dtype == ScalarType::Float) {
    ET_TRY(addmm_float(context, product, added, to_double(beta), to_double(alpha), c));
  } else {
    ET_TRY(run(context, product, {}, c));
    combine(c.view(), added, beta, alpha);
  }
  c.finish();
  return Error::Ok;
}

/// A matrix times a vector, added to another vector. Integers cut fractions off the factors.
Error addmv(Context& context, const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta,
            Scalar alpha, Tensor& out) {
  ET_TRY(check_rank(mat, "mat", 2, 2));
  ET_TRY(check_rank(vec, "vec", 1, 1));
  ET_TRY(check_inner(mat, "mat", vec, "vec", mat.sizes()[1], vec.sizes()[0]));
  ET_TRY(check_same_dtype(self, "self", mat, "mat"));
  Sizes sizes;
  sizes.push(mat.sizes()[0]);
  TensorView added;
  ET_TRY(broadcast_added(self, "self", sizes, &added));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_operands(mat, "mat", vec, "vec", out));
  ET_TRY(check_no_overlap(out, self, "self"));
  const ScalarType dtype = product_type(mat.scalar_type());
  Factor a(context), b(context);
  ContiguousOutput c(context);
  ET_TRY(a.prepare(mat, dtype));
  ET_TRY(b.prepare(vec, dtype));
  ET_TRY(c.prepare(out, dtype));
  TensorView column = b.view();
  column.insert(1, 1, 1);
  ET_TRY(run(context, {1, sizes[0], 1, mat.sizes()[1], a.view(), column}, {}, c));
  combine(c.view(), added, beta, alpha);
  c.finish();
  return Error::Ok;
}

/// The sum of a batch of products, added to a matrix: one product with the batch as part of the
/// inner dimension. Integers cut fractions off the factors.
Error addbmm(Context& context, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
             Scalar beta, Scalar alpha, Tensor& out) {
  ET_TRY(check_rank(batch1, "batch1", 3, 3));
  ET_TRY(check_rank(batch2, "batch2", 3, 3));
  ET_TRY(check_inner(batch1, "batch1", batch2, "batch2", batch1.sizes()[2], batch2.sizes()[1]));
  ET_TRY(check_inner(batch1, "batch1", batch2, "batch2", batch1.sizes()[0], batch2.sizes()[0]));
  ET_TRY(check_same_dtype(self, "self", batch1, "batch1"));
  const int64_t batch = batch1.sizes()[0], rows = batch1.sizes()[1], inner = batch1.sizes()[2],
                columns = batch2.sizes()[2];
  Sizes sizes;
  sizes.push(rows);
  sizes.push(columns);
  TensorView added;
  ET_TRY(broadcast_added(self, "self", sizes, &added));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_operands(batch1, "batch1", batch2, "batch2", out));
  ET_TRY(check_no_overlap(out, self, "self"));
  const ScalarType dtype = product_type(batch1.scalar_type());
  const size_t unit = compute::element_size(compute_dtype(dtype));
  Scratch line(context);
  ContiguousInput b(context);
  ContiguousOutput c(context);
  ET_TRY(line.allocate(static_cast<size_t>(batch1.numel()), unit));
  ET_TRY(b.prepare(batch2, dtype));
  ET_TRY(c.prepare(out, dtype));
  const int64_t split[] = {rows, batch, inner}, a_sizes[] = {rows, batch * inner},
                b_sizes[] = {batch * inner, columns};
  TensorView from = view_of(batch1);
  std::swap(from.sizes[0], from.sizes[1]);
  std::swap(from.strides[0], from.strides[1]);
  compute::convert(compute::contiguous_view(line.data(), compute_dtype(dtype), unit, 3, split),
                   from);
  const TensorView a =
      compute::contiguous_view(line.data(), compute_dtype(dtype), unit, 2, a_sizes);
  const TensorView stacked =
      compute::contiguous_view(b.view().data, b.view().dtype, unit, 2, b_sizes);
  ET_TRY(run(context, {1, rows, columns, batch * inner, a, stacked}, {}, c));
  combine(c.view(), added, beta, alpha);
  c.finish();
  return Error::Ok;
}

Error linear(Context& context, const Tensor& input, const Tensor& weight,
             std::optional<Tensor> bias, Tensor& out) {
  ET_REQUIRE(input.dim() >= 1, InvalidArgument, "argument 'input': expected at least 1 dimension");
  ET_TRY(check_rank(weight, "weight", 2, 2));
  Sizes sizes = sizes_of(input);
  const int64_t k = sizes[sizes.rank - 1];
  const int64_t n = weight.sizes()[0];
  ET_TRY(check_inner(input, "input", weight, "weight", k, weight.sizes()[1]));
  sizes[sizes.rank - 1] = n;
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_operands(input, "input", weight, "weight", out));
  int64_t m = 1;
  for (int d = 0; d + 1 < sizes.rank; ++d) m *= sizes[d];
  const ScalarType dtype = product_type(input.scalar_type());
  ContiguousInput a(context);
  Factor b(context);
  ContiguousOutput c(context);
  ET_TRY(a.prepare(input, dtype));
  ET_TRY(b.prepare(weight, reads_slabs(weight, m) ? weight.scalar_type() : dtype));
  ET_TRY(c.prepare(out, dtype));
  const int64_t a_sizes[] = {m, k};
  Product product = {
      1,
      m,
      n,
      k,
      compute::contiguous_view(a.view().data, a.view().dtype, a.view().element_size, 2, a_sizes),
      b.view()};
  std::swap(product.b.sizes[0], product.b.sizes[1]);
  std::swap(product.b.strides[0], product.b.strides[1]);
  const Scalar one(int64_t{1});
  if (!bias.has_value()) {
    ET_TRY(run(context, product, {}, c));
  } else {
    ET_TRY(check_same_dtype(*bias, "bias", input, "input"));
    ET_TRY(check_no_overlap(out, *bias, "bias"));
    TensorView added;
    ET_TRY(broadcast_added(*bias, "bias", sizes, &added));
    if (dtype == ScalarType::Float) {
      ET_TRY(addmm_float(context, product, added, 1, 1, c));
    } else {
      ET_TRY(run(context, product, {}, c));
      combine(c.view(), added, one, one);
    }
  }
  c.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::mm.out", mm>("(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::bmm.out", bmm>("(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::addmm.out", addmm>(
        "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::addmv.out", addmv>("(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar "
                                  "alpha=1, Tensor(a!) out) -> "
                                  "Tensor(a!)"),
    row<"aten::addbmm.out", addbmm>(
        "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) "
        "out) -> Tensor(a!)"),
    row<"aten::linear.out", linear>(
        "(Tensor input, Tensor weight, Tensor? bias=None, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table matmul_rows() {
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
