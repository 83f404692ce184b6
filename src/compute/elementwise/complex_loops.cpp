#include "compute/elementwise/complex_loops.h"

#include <cstring>
#include <type_traits>

namespace executorch::compute {
namespace {

template <class T>
struct Complex {
  T re;
  T im;
};

template <class T>
Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// Smith's method: no overflow where the quotient is representable.
template <class T>
Complex<T> operator/(Complex<T> a, Complex<T> b) {
  const T re = b.re < 0 ? -b.re : b.re;
  const T im = b.im < 0 ? -b.im : b.im;
  if (re == 0 && im == 0) return {a.re / re, a.im / re};
  if (re >= im) {
    const T ratio = b.im / b.re;
    const T scale = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
  }
  const T ratio = b.re / b.im;
  const T scale = b.re * ratio + b.im;
  return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
}
template <class T>
bool equal(Complex<T> a, Complex<T> b) {
  return a.re == b.re && a.im == b.im;
}

template <class T, ElementwiseOp op>
Complex<T> apply(Complex<T> a, Complex<T> b, Complex<T> c) {
  switch (op) {
    case ElementwiseOp::Neg:
      return {-a.re, -a.im};
    case ElementwiseOp::Add:
      return a + b;
    case ElementwiseOp::Sub:
      return a - b;
    case ElementwiseOp::Mul:
      return a * b;
    case ElementwiseOp::Div:
      return a / b;
    case ElementwiseOp::AddScaled:
      return a + c * b;
    case ElementwiseOp::Eq:
      return {equal(a, b) ? T{1} : T{0}, 0};
    case ElementwiseOp::Ne:
      return {equal(a, b) ? T{0} : T{1}, 0};
    case ElementwiseOp::Where:
      return a.re != 0 || a.im != 0 ? b : c;
    default:
      return a;
  }
}

template <class T, ElementwiseOp op>
void loop(void* out, const void* const* operands, uint32_t scalars, int64_t n) {
  constexpr int count = arity(op);
  const Complex<T>* in[3] = {};
  int64_t step[3] = {};
  for (int k = 0; k < 3; ++k) {
    in[k] = static_cast<const Complex<T>*>(operands[k < count ? k : 0]);
    step[k] = k < count && (scalars >> k & 1) == 0 ? 1 : 0;
  }
  auto* to = static_cast<Complex<T>*>(out);
  for (int64_t i = 0; i < n; ++i) {
    to[i] = apply<T, op>(in[0][i * step[0]], in[1][i * step[1]], in[2][i * step[2]]);
  }
}

template <class T>
BlockLoop select(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::Copy:
      return loop<T, ElementwiseOp::Copy>;
    case ElementwiseOp::Neg:
      return loop<T, ElementwiseOp::Neg>;
    case ElementwiseOp::Add:
      return loop<T, ElementwiseOp::Add>;
    case ElementwiseOp::Sub:
      return loop<T, ElementwiseOp::Sub>;
    case ElementwiseOp::Mul:
      return loop<T, ElementwiseOp::Mul>;
    case ElementwiseOp::Div:
      return loop<T, ElementwiseOp::Div>;
    case ElementwiseOp::AddScaled:
      return loop<T, ElementwiseOp::AddScaled>;
    case ElementwiseOp::Eq:
      return loop<T, ElementwiseOp::Eq>;
    case ElementwiseOp::Ne:
      return loop<T, ElementwiseOp::Ne>;
    case ElementwiseOp::Where:
      return loop<T, ElementwiseOp::Where>;
    default:
      return nullptr;
  }
}

// ---- casts: the parts of a complex number go through the casts of real numbers ----

template <class T>
constexpr ComputeType kRealCompute = std::is_same_v<T, float> ? ComputeType::f32 : ComputeType::f64;

// The type of a complex number's parts, f32 for types that are not complex.
constexpr DType part_type(DType type) {
  return type == DType::c32 ? DType::f16 : type == DType::c128 ? DType::f64 : DType::f32;
}

constexpr int64_t kBlock = 256;

template <class T, DType from>
void load_parts(void* block, const void* source, int64_t stride, int64_t n) {
  auto* to = static_cast<Complex<T>*>(block);
  const auto* bytes = static_cast<const char*>(source);
  const LoadLoop load = load_loop(is_complex(from) ? part_type(from) : from, kRealCompute<T>);
  constexpr int64_t size = static_cast<int64_t>(element_size(from));
  constexpr int64_t pair = is_complex(from) ? 2 : 1;
  T re[kBlock], im[kBlock] = {};
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = n - i < kBlock ? n - i : kBlock;
    const char* first = bytes + i * stride * size;
    load(re, first, stride * pair, count);
    if (is_complex(from)) load(im, first + size / 2, stride * pair, count);
    for (int64_t k = 0; k < count; ++k) to[i + k] = {re[k], im[k]};
  }
}

template <class T, DType to>
void store_parts(void* destination, int64_t stride, const void* block, int64_t n) {
  const auto* from = static_cast<const Complex<T>*>(block);
  auto* bytes = static_cast<char*>(destination);
  const StoreLoop store = store_loop(kRealCompute<T>, is_complex(to) ? part_type(to) : to);
  constexpr int64_t size = static_cast<int64_t>(element_size(to));
  constexpr int64_t pair = is_complex(to) ? 2 : 1;
  T re[kBlock], im[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = n - i < kBlock ? n - i : kBlock;
    for (int64_t k = 0; k < count; ++k) {
      re[k] = from[i + k].re;
      im[k] = from[i + k].im;
    }
    char* first = bytes + i * stride * size;
    store(first, stride * pair, re, count);
    if (is_complex(to)) store(first + size / 2, stride * pair, im, count);
  }
}

template <DType from, ComputeType to>
void load_real_part(void* block, const void* source, int64_t stride, int64_t n) {
  load_loop(part_type(from), to)(block, source, stride * 2, n);
}

template <ComputeType from, DType to>
void store_real_part(void* destination, int64_t stride, const void* block, int64_t n) {
  constexpr size_t part = element_size(to) / 2;
  store_loop(from, part_type(to))(destination, stride * 2, block, n);
  auto* bytes = static_cast<char*>(destination) + part;
  for (int64_t i = 0; i < n; ++i)
    std::memset(bytes + i * stride * 2 * static_cast<int64_t>(part), 0, part);
}

// X(type) for every element type.
#define EXECUTORCH_ALL_DTYPES(X)                                                                   \
  X(u8)                                                                                            \
  X(i8)                                                                                            \
  X(i16) X(i32) X(i64) X(f16) X(f32) X(f64) X(c32) X(c64) X(c128) X(boolean) X(bf16) X(u16) X(u32) \
      X(u64)

template <class T>
LoadLoop select_load(DType from) {
  switch (from) {
#define EXECUTORCH_LOAD_CASE(type__) \
  case DType::type__:                \
    return load_parts<T, DType::type__>;
    EXECUTORCH_ALL_DTYPES(EXECUTORCH_LOAD_CASE)
#undef EXECUTORCH_LOAD_CASE
  }
  return nullptr;
}

template <class T>
StoreLoop select_store(DType to) {
  switch (to) {
#define EXECUTORCH_STORE_CASE(type__) \
  case DType::type__:                 \
    return store_parts<T, DType::type__>;
    EXECUTORCH_ALL_DTYPES(EXECUTORCH_STORE_CASE)
#undef EXECUTORCH_STORE_CASE
  }
  return nullptr;
}

template <DType from>
LoadLoop select_real_load(ComputeType to) {
  switch (to) {
    case ComputeType::f32:
      return load_real_part<from, ComputeType::f32>;
    case ComputeType::f64:
      return load_real_part<from, ComputeType::f64>;
    case ComputeType::i32:
      return load_real_part<from, ComputeType::i32>;
    case ComputeType::i64:
      return load_real_part<from, ComputeType::i64>;
    default:
      return nullptr;
  }
}

template <DType to>
StoreLoop select_real_store(ComputeType from) {
  switch (from) {
    case ComputeType::f32:
      return store_real_part<ComputeType::f32, to>;
    case ComputeType::f64:
      return store_real_part<ComputeType::f64, to>;
    case ComputeType::i32:
      return store_real_part<ComputeType::i32, to>;
    case ComputeType::i64:
      return store_real_part<ComputeType::i64, to>;
    default:
      return nullptr;
  }
}

template <class T>
void magnitude(void* out, const void* in, int64_t n) {
  constexpr ComputeType type = kRealCompute<T>;
  const BlockLoop square_root = block_loop(ElementwiseOp::Sqrt, type);
  const auto* from = static_cast<const Complex<T>*>(in);
  auto* to = static_cast<T*>(out);
  T factor[kBlock], root[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = n - i < kBlock ? n - i : kBlock;
    for (int64_t k = 0; k < count; ++k) {
      const T re = from[i + k].re < 0 ? -from[i + k].re : from[i + k].re;
      const T im = from[i + k].im < 0 ? -from[i + k].im : from[i + k].im;
      const T larger = re > im || re != re ? re : im;
      const T smaller = re > im || re != re ? im : re;
      const T ratio = larger == 0 || larger - larger != 0 ? T{0} : smaller / larger;
      // An infinite part wins over everything, also over NaN.
      factor[k] = larger;
      if (im - im != 0 && im == im) factor[k] = im;
      root[k] = 1 + ratio * ratio;
      if (smaller != smaller && factor[k] - factor[k] == 0) factor[k] = smaller;
    }
    const void* operands[] = {root};
    square_root(root, operands, 0, count);
    for (int64_t k = 0; k < count; ++k) to[i + k] = factor[k] * root[k];
  }
}

template <class T>
void conjugate(void* out, const void* in, int64_t n) {
  const auto* from = static_cast<const Complex<T>*>(in);
  auto* to = static_cast<Complex<T>*>(out);
  for (int64_t i = 0; i < n; ++i) to[i] = {from[i].re, -from[i].im};
}

}  // namespace

BlockLoop complex_block_loop(ElementwiseOp op, ComputeType type) {
  return type == ComputeType::c64 ? select<float>(op) : select<double>(op);
}

LoadLoop complex_load_loop(DType from, ComputeType to) {
  return to == ComputeType::c64 ? select_load<float>(from) : select_load<double>(from);
}

StoreLoop complex_store_loop(ComputeType from, DType to) {
  return from == ComputeType::c64 ? select_store<float>(to) : select_store<double>(to);
}

LoadLoop complex_to_real_loop(DType from, ComputeType to) {
  return from == DType::c32   ? select_real_load<DType::c32>(to)
         : from == DType::c64 ? select_real_load<DType::c64>(to)
                              : select_real_load<DType::c128>(to);
}

StoreLoop real_to_complex_loop(ComputeType from, DType to) {
  return to == DType::c32   ? select_real_store<DType::c32>(from)
         : to == DType::c64 ? select_real_store<DType::c64>(from)
                            : select_real_store<DType::c128>(from);
}

void complex_magnitude(ComputeType type, void* out, const void* in, int64_t n) {
  type == ComputeType::c64 ? magnitude<float>(out, in, n) : magnitude<double>(out, in, n);
}

void complex_conjugate(ComputeType type, void* out, const void* in, int64_t n) {
  type == ComputeType::c64 ? conjugate<float>(out, in, n) : conjugate<double>(out, in, n);
}

}  // namespace executorch::compute
