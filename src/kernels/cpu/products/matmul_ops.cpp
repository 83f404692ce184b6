// Matrix products. Half types are computed in float, small integers in int32.
#include <algorithm>

#include "compute/elementwise/elementwise.h"
#include "compute/gemm/bfloat16_gemm.h"
#include "compute/gemm/few_rows_product.h"
#include "compute/gemm/gemm.h"
#include "compute/gemm/plain_matmul.h"
#include "threadpool/parallel.h"

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

/// How a product of half types or bytes meets its factors, and what is done to all others.
enum class Way {
  converted,  ///< both in float, or in the type that sums are computed in
  slabs,      ///< the left one in float, the right one converted slab by slab, in the cache
  few_rows,   ///< the left one in float, the right one as it lies, once
  pairs,      ///< both in bfloat16
};

// So few rows read a large right side of half type but once.
constexpr int64_t kSlabRows = 32;
constexpr int64_t kSlabElements = 64 * 1024;

/// One product or a batch of them, C = A * B.
struct Product {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  TensorView a;  ///< dimensions [..., m, k]; the first is the batch when there are three
  TensorView b;  ///< [..., k, n]
  Way way = Way::converted;
};

/// Strides of a view's last two dimensions.
int64_t row_stride(const TensorView& view) {
  return view.strides[view.rank - 2];
}
int64_t column_stride(const TensorView& view) {
  return view.strides[view.rank - 1];
}

compute::FewRowsProduct few_rows_args(const Product& product) {
  compute::FewRowsProduct args;
  args.m = product.m;
  args.n = product.n;
  args.k = product.k;
  args.a = reinterpret_cast<const float*>(product.a.data);
  args.a_row_stride = row_stride(product.a);
  args.b_type = product.b.dtype;
  args.b = product.b.data;
  args.b_row_stride = row_stride(product.b);
  args.b_column_stride = column_stride(product.b);
  return args;
}

/// The way of a product whose factors are still those of the call.
Way choose_way(const Product& product) {
  const compute::DType type = product.b.dtype;
  const bool bytes = type == compute::DType::i8;
  if (type != compute::DType::f16 && type != compute::DType::bf16 && !bytes) return Way::converted;
  if (type == compute::DType::bf16 && compute::bfloat16_gemm_supported()) return Way::pairs;
  if (compute::few_rows_product_supported(few_rows_args(product))) return Way::few_rows;
  if (bytes) return Way::converted;
  const bool slabs = product.b.rank == 2 && product.m <= kSlabRows && product.k > 0 &&
                     product.k * product.n > 2 * kSlabElements;
  return slabs ? Way::slabs : Way::converted;
}

/// What the factors of a product are converted to.
class Factors {
 public:
  explicit Factors(Context& context) : a_(context), b_(context) {}

  /// Chooses the way of a product whose views are those of tensors, and brings them into the types
  /// and layouts that it takes. Products that are not of half types are computed in `dtype`.
  Error prepare(compute::DType dtype, Product* product) {
    Product& p = *product;
    p.way = choose_way(p);
    const bool pairs = p.way == Way::pairs;
    const bool a_fits = p.way == Way::converted || column_stride(p.a) == 1;
    const bool b_fits = !pairs || row_stride(p.b) == 1 || column_stride(p.b) == 1;
    const compute::DType a_type = pairs ? p.a.dtype : compute::DType::f32;
    ET_TRY(convert(p.way == Way::converted ? dtype : a_type, a_fits, a_, &p.a));
    return convert(p.way == Way::converted ? dtype : p.b.dtype, b_fits, b_, &p.b);
  }

 private:
  /// Elements in another type and, where the strides don't fit, dense.
  static Error convert(compute::DType dtype, bool fits, Scratch& memory, TensorView* view) {
    if (view->dtype == dtype && fits) return Error::Ok;
    const size_t size = compute::element_size(dtype);
    ET_TRY(memory.allocate(static_cast<size_t>(view->numel()), size));
    TensorView copy = compute::contiguous_view(memory.data(), dtype, size, view->rank, view->sizes);
    // Tensors are dense, so that their strides serve the copy.
    for (int d = 0; fits && d < view->rank; ++d) copy.strides[d] = view->strides[d];
    compute::convert(copy, *view);
    *view = copy;
    return Error::Ok;
  }

  Scratch a_, b_;
};

compute::GemmArgs gemm_args(const Product& product, const compute::Epilogue& epilogue, float* c) {
  compute::GemmArgs args;
  args.m = product.m;
  args.n = product.n;
  args.k = product.k;
  args.a = {reinterpret_cast<const float*>(product.a.data), row_stride(product.a),
            column_stride(product.a)};
  args.b = {reinterpret_cast<const float*>(product.b.data), row_stride(product.b),
            column_stride(product.b)};
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

/// Elements from one product of a batch to the next.
int64_t batch_stride(const TensorView& view) {
  return view.rank > 2 ? view.strides[0] : 0;
}

void run_few_rows(const Product& product, const compute::Epilogue& epilogue, float* c) {
  const int64_t a_step = batch_stride(product.a);
  const int64_t b_step = batch_stride(product.b) * static_cast<int64_t>(product.b.element_size);
  threadpool::parallel_for(0, product.batch, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      compute::FewRowsProduct args = few_rows_args(product);
      args.a += i * a_step;
      args.b = product.b.data + i * b_step;
      args.c = c + i * product.m * product.n;
      args.c_row_stride = product.n;
      args.epilogue = epilogue;
      compute::few_rows_product(args);
    }
  });
}

Error run_pairs(Context& context, const Product& product, const compute::Epilogue& epilogue,
                float* c) {
  const auto matrix = [](const TensorView& view) {
    return compute::Bfloat16Matrix{reinterpret_cast<const uint16_t*>(view.data), row_stride(view),
                                   column_stride(view)};
  };
  compute::Bfloat16Gemm args;
  args.m = product.m, args.n = product.n, args.k = product.k;
  args.a = matrix(product.a);
  args.b = matrix(product.b);
  args.c = c;
  args.c_row_stride = product.n;
  args.epilogue = epilogue;
  args.count = product.batch;
  args.a_stride = batch_stride(product.a);
  args.b_stride = batch_stride(product.b);
  args.c_stride = product.m * product.n;
  Scratch scratch(context);
  const size_t bytes = compute::bfloat16_gemm_scratch_bytes(args.count, args.m, args.n, args.k);
  ET_TRY(scratch.allocate(bytes, 1));
  compute::bfloat16_gemm(args, scratch.data(), bytes);
  return Error::Ok;
}

Error run_float(Context& context, const Product& product, const compute::Epilogue& epilogue,
                float* c) {
  if (product.way == Way::slabs) return run_slabs(context, product, epilogue, c);
  if (product.way == Way::pairs) return run_pairs(context, product, epilogue, c);
  if (product.way == Way::few_rows) {
    run_few_rows(product, epilogue, c);
    return Error::Ok;
  }
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

/// out += added, elementwise.
void add(const TensorView& out, const TensorView& added) {
  compute::ElementwiseCall call = {};
  call.op = compute::ElementwiseOp::Add;
  call.common = out.dtype;
  call.rank = out.rank;
  call.out.data = out.data;
  call.in[0].data = out.data;
  call.in[1].data = added.data;
  call.out.dtype = call.in[0].dtype = out.dtype;
  call.in[1].dtype = added.dtype;
  for (int d = 0; d < out.rank; ++d) {
    call.sizes[d] = out.sizes[d];
    call.out.strides[d] = call.in[0].strides[d] = out.strides[d];
    call.in[1].strides[d] = added.strides[d];
  }
  compute::elementwise(call);
}

/// Few rows of bytes: sums of so many products that float is exact are added up in int32.
Error run_few_bytes(Context& context, const Product& product, const TensorView& out) {
  constexpr int64_t kExactProducts = 1024;
  static_assert(kExactProducts * 128 * 128 <= 1 << 24);
  Scratch memory(context);
  ET_TRY(memory.allocate(static_cast<size_t>(out.numel()), sizeof(float)));
  TensorView sums = out;
  sums.data = memory.as<char>();
  sums.dtype = compute::DType::f32;
  for (int64_t k = 0; k < product.k; k += kExactProducts) {
    Product part = product;
    part.k = std::min(kExactProducts, product.k - k);
    part.a.advance(k);
    part.b.advance(k * row_stride(product.b));
    run_few_rows(part, {}, memory.as<float>());
    if (k == 0) {
      compute::convert(out, sums);
    } else {
      add(out, sums);
    }
  }
  return Error::Ok;
}

Error run(Context& context, const Product& product, const compute::Epilogue& epilogue,
          const ContiguousOutput& out) {
  if (product.m == 0 || product.n == 0 || product.batch == 0) return Error::Ok;
  if (out.view().dtype == compute::DType::f32)
    return run_float(context, product, epilogue, out.data<float>());
  if (product.way == Way::few_rows) return run_few_bytes(context, product, out.view());
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
  Factors factors(context);
  ContiguousOutput c(context);
  const int64_t inner = self.sizes()[self.dim() - 1];
  Product product = {shape.batch, shape.rows, shape.columns, inner, view_of(self), view_of(mat2)};
  ET_TRY(factors.prepare(compute_dtype(dtype), &product));
  ET_TRY(c.prepare(out, dtype));
  ET_TRY(run(context, product, {}, c));
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
  Factors factors(context);
  ContiguousOutput c(context);
  Product product = {1, sizes[0], sizes[1], mat1.sizes()[1], view_of(mat1), view_of(mat2)};
  ET_TRY(factors.prepare(compute_dtype(dtype), &product));
  ET_TRY(c.prepare(out, dtype));
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
  Factors factors(context);
  ContiguousOutput c(context);
  ET_TRY(c.prepare(out, dtype));
  // The vector from the left: a row that meets the matrix as it lies.
  Product product = {1, 1, sizes[0], mat.sizes()[1], view_of(vec), view_of(mat)};
  product.a.insert(0, 1, mat.sizes()[1]);
  std::swap(product.b.sizes[0], product.b.sizes[1]);
  std::swap(product.b.strides[0], product.b.strides[1]);
  ET_TRY(factors.prepare(compute_dtype(dtype), &product));
  ET_TRY(run(context, product, {}, c));
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
  Factors factors(context);
  ContiguousOutput c(context);
  ET_TRY(a.prepare(input));
  ET_TRY(c.prepare(out, dtype));
  const int64_t a_sizes[] = {m, k};
  const TensorView rows =
      compute::contiguous_view(a.view().data, a.view().dtype, a.view().element_size, 2, a_sizes);
  Product product = {1, m, n, k, rows, view_of(weight)};
  std::swap(product.b.sizes[0], product.b.sizes[1]);
  std::swap(product.b.strides[0], product.b.strides[1]);
  ET_TRY(factors.prepare(compute_dtype(dtype), &product));
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
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
