// Fourier transforms over any dimensions.
#include "compute/fft/fft.h"

#include "compute/elementwise/operation.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

using compute::FftKind;

/// The dimensions of a transform, checked.
struct Dims {
  int count = 0;
  int values[kMaxRank] = {};

  int last() const { return values[count - 1]; }
};

Error check_dims(const Tensor& self, IntList dim, Dims* dims) {
  uint32_t seen = 0;
  for (const int64_t d : dim) {
    int axis = 0;
    ET_TRY(normalize_dim(d, self.dim(), "dim", &axis));
    ET_REQUIRE((seen >> axis & 1) == 0, InvalidArgument,
               "argument 'dim': dimension %d appears twice", axis);
    seen |= uint32_t{1} << axis;
    dims->values[dims->count++] = axis;
  }
  return Error::Ok;
}

Error check_length(int64_t n, int d) {
  ET_REQUIRE(n >= 1 && n <= compute::kMaxFftLength, InvalidArgument,
             "dimension %d: a transform of %lld elements is not possible", d,
             static_cast<long long>(n));
  return Error::Ok;
}

Error check_real(const Tensor& tensor, const char* name) {
  const ScalarType type = tensor.scalar_type();
  ET_REQUIRE(type == ScalarType::Float || type == ScalarType::Double, InvalidArgument,
             "argument '%s': expected float32 or float64, found %s", name, describe(tensor).text);
  return Error::Ok;
}

Error check_complex(const Tensor& tensor, const char* name) {
  const ScalarType type = tensor.scalar_type();
  ET_REQUIRE(type == ScalarType::ComplexFloat || type == ScalarType::ComplexDouble, InvalidArgument,
             "argument '%s': expected complex64 or complex128, found %s", name,
             describe(tensor).text);
  return Error::Ok;
}

Error check_precision(const Tensor& self, const Tensor& out) {
  ET_REQUIRE(real_of(self.scalar_type()) == real_of(out.scalar_type()), InvalidArgument,
             "argument 'out': %s has another precision than self, %s", describe(out).text,
             describe(self).text);
  return check_no_overlap(out, self, "self");
}

double square_root(double x) {
  const void* operands[] = {&x};
  compute::block_loop(compute::ElementwiseOp::Sqrt, compute::ComputeType::f64)(&x, operands, 0, 1);
  return x;
}

/// What a result is multiplied by: 0 nothing, 1 the root of the signal's size, 2 the size, as a
/// divisor.
Error factor_of(int64_t normalization, double signal_size, double* factor) {
  ET_REQUIRE(normalization >= 0 && normalization <= 2, InvalidArgument,
             "argument 'normalization': expected 0, 1 or 2, found %lld",
             static_cast<long long>(normalization));
  *factor = normalization == 0   ? 1
            : normalization == 1 ? 1 / square_root(signal_size)
                                 : 1 / signal_size;
  return Error::Ok;
}

Error run(Context& context, FftKind kind, const TensorView& in, const TensorView& out, int d,
          int64_t n, double factor) {
  const compute::FftCall call = {kind, in, out, d, n, factor};
  Scratch scratch(context);
  const size_t bytes = compute::fft_scratch_bytes(call);
  ET_TRY(scratch.allocate(bytes, 1));
  compute::fft(call, scratch.data(), bytes);
  return Error::Ok;
}

/// Transforms all dimensions, the last one of the list first; results end in `out`.
Error run_complex(Context& context, FftKind kind, TensorView in, const TensorView& out,
                  const Dims& dims, int count, double factor) {
  for (int k = count - 1; k >= 0; --k) {
    const int d = dims.values[k];
    ET_TRY(run(context, kind, in, out, d, in.sizes[d], factor));
    in = out;
    factor = 1;
  }
  return Error::Ok;
}

Error signal_size(const Sizes& sizes, const Dims& dims, double* size) {
  *size = 1;
  for (int k = 0; k < dims.count; ++k) {
    ET_TRY(check_length(sizes[dims.values[k]], dims.values[k]));
    *size *= static_cast<double>(sizes[dims.values[k]]);
  }
  return Error::Ok;
}

Error real_to_complex(Context& context, const Tensor& self, IntList dim, int64_t normalization,
                      bool onesided, Tensor& out) {
  ET_TRY(check_real(self, "self"));
  ET_TRY(check_complex(out, "out"));
  Dims dims;
  ET_TRY(check_dims(self, dim, &dims));
  ET_REQUIRE(dims.count > 0 && self.dim() > 0, InvalidArgument, "argument 'dim': no dimension");
  Sizes sizes = sizes_of(self);
  double size = 1, factor = 1;
  ET_TRY(signal_size(sizes, dims, &size));
  ET_TRY(factor_of(normalization, size, &factor));
  const int64_t n = sizes[dims.last()];
  if (onesided) sizes[dims.last()] = n / 2 + 1;
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_precision(self, out));
  const TensorView from = view_of(self), to = view_of(out);
  if (onesided) {
    ET_TRY(run(context, FftKind::real_to_complex, from, to, dims.last(), n, factor));
    return run_complex(context, FftKind::forward, to, to, dims, dims.count - 1, 1);
  }
  compute::convert(to, from);
  return run_complex(context, FftKind::forward, to, to, dims, dims.count, factor);
}

Error complex_to_real(Context& context, const Tensor& self, IntList dim, int64_t normalization,
                      int64_t last_dim_size, Tensor& out) {
  ET_TRY(check_complex(self, "self"));
  ET_TRY(check_real(out, "out"));
  Dims dims;
  ET_TRY(check_dims(self, dim, &dims));
  ET_REQUIRE(dims.count > 0 && self.dim() > 0, InvalidArgument, "argument 'dim': no dimension");
  Sizes sizes = sizes_of(self);
  const int last = dims.last();
  ET_TRY(check_length(last_dim_size, last));
  ET_REQUIRE(sizes[last] == last_dim_size / 2 + 1, InvalidArgument,
             "argument 'last_dim_size': %lld results come from %lld numbers, dimension %d of self, "
             "%s, has others",
             static_cast<long long>(last_dim_size), static_cast<long long>(last_dim_size / 2 + 1),
             last, describe(self).text);
  sizes[last] = last_dim_size;
  double size = 1, factor = 1;
  ET_TRY(signal_size(sizes, dims, &size));
  ET_TRY(factor_of(normalization, size, &factor));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_precision(self, out));
  TensorView from = view_of(self);
  Scratch copy(context);
  if (dims.count > 1) {
    ET_TRY(
        copy.allocate(static_cast<size_t>(self.numel()), static_cast<size_t>(self.element_size())));
    const TensorView staged =
        compute::contiguous_view(copy.data(), from.dtype, from.element_size, from.rank, from.sizes);
    ET_TRY(run_complex(context, FftKind::inverse, from, staged, dims, dims.count - 1, 1));
    from = staged;
  }
  return run(context, FftKind::complex_to_real, from, view_of(out), last, last_dim_size, factor);
}

Error complex_to_complex(Context& context, const Tensor& self, IntList dim, int64_t normalization,
                         bool forward, Tensor& out) {
  ET_TRY(check_complex(self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  Dims dims;
  ET_TRY(check_dims(self, dim, &dims));
  double size = 1, factor = 1;
  if (dims.count == 0 || self.dim() == 0) return write_view(out, self, view_of(self));
  ET_TRY(signal_size(sizes_of(self), dims, &size));
  ET_TRY(factor_of(normalization, size, &factor));
  ET_TRY(resize_output_like(out, self));
  ET_TRY(check_precision(self, out));
  return run_complex(context, forward ? FftKind::forward : FftKind::inverse, view_of(self),
                     view_of(out), dims, dims.count, factor);
}

constexpr OperatorRow kRows[] = {
    row<"aten::_fft_r2c.out", real_to_complex>(
        "(Tensor self, int[] dim, int normalization, bool onesided, *, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"aten::_fft_c2r.out", complex_to_real>(
        "(Tensor self, int[] dim, int normalization, SymInt last_dim_size, *, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"aten::_fft_c2c.out", complex_to_complex>(
        "(Tensor self, SymInt[] dim, int normalization, bool forward, *, Tensor(a!) out) -> "
        "Tensor(a!)"),
};

}  // namespace

Table fft_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
