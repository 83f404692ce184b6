#include "compute/fft/passes.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

template <class T>
struct Complex {
  T re;
  T im;
};
template <class T>
inline Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
inline Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
inline Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
inline Complex<T> operator*(T factor, Complex<T> a) {
  return {factor * a.re, factor * a.im};
}
/// -i * a
template <class T>
inline Complex<T> turned(Complex<T> a) {
  return {a.im, -a.re};
}

/// The transform of R numbers in place; `roots` are the R-th roots of one.
template <int R>
struct Butterfly {
  template <class T>
  static void apply(Complex<T>* a, const Complex<T>* roots) {
    Complex<T> sums[R];
    for (int j = 0; j < R; ++j) {
      Complex<T> sum = a[0];
      for (int k = 1; k < R; ++k) sum = sum + a[k] * roots[j * k % R];
      sums[j] = sum;
    }
    for (int j = 0; j < R; ++j) a[j] = sums[j];
  }
};
template <>
struct Butterfly<2> {
  template <class T>
  static void apply(Complex<T>* a, const Complex<T>*) {
    const Complex<T> b = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = b;
  }
};
template <>
struct Butterfly<3> {
  template <class T>
  static void apply(Complex<T>* a, const Complex<T>*) {
    constexpr T sine = static_cast<T>(0.86602540378443864676);
    const Complex<T> sum = a[1] + a[2], difference = sine * turned(a[1] - a[2]);
    const Complex<T> middle = a[0] - static_cast<T>(0.5) * sum;
    a[0] = a[0] + sum;
    a[1] = middle + difference;
    a[2] = middle - difference;
  }
};
template <>
struct Butterfly<4> {
  template <class T>
  static void apply(Complex<T>* a, const Complex<T>*) {
    const Complex<T> b0 = a[0] + a[2], b1 = a[0] - a[2];
    const Complex<T> b2 = a[1] + a[3], b3 = turned(a[1] - a[3]);
    a[0] = b0 + b2;
    a[1] = b1 + b3;
    a[2] = b0 - b2;
    a[3] = b1 - b3;
  }
};
template <>
struct Butterfly<5> {
  template <class T>
  static void apply(Complex<T>* a, const Complex<T>*) {
    constexpr T c1 = static_cast<T>(0.30901699437494742410),
                c2 = static_cast<T>(-0.80901699437494742410),
                s1 = static_cast<T>(0.95105651629515357212),
                s2 = static_cast<T>(0.58778525229247312917);
    const Complex<T> sum1 = a[1] + a[4], sum2 = a[2] + a[3];
    const Complex<T> odd1 = turned(a[1] - a[4]), odd2 = turned(a[2] - a[3]);
    const Complex<T> even1 = a[0] + c1 * sum1 + c2 * sum2, even2 = a[0] + c2 * sum1 + c1 * sum2;
    const Complex<T> turn1 = s1 * odd1 + s2 * odd2, turn2 = s2 * odd1 - s1 * odd2;
    a[0] = a[0] + sum1 + sum2;
    a[1] = even1 + turn1;
    a[2] = even2 + turn2;
    a[3] = even2 - turn2;
    a[4] = even1 - turn1;
  }
};

template <int R, class T>
void run(const FftPass<T>& pass) {
  const auto* in = reinterpret_cast<const Complex<T>*>(pass.in);
  auto* out = reinterpret_cast<Complex<T>*>(pass.out);
  const auto* twiddles = reinterpret_cast<const Complex<T>*>(pass.twiddles);
  const int64_t s = pass.s, m = pass.m;
  Complex<T> roots[R], w[R];
  for (int k = 0; k < R; ++k) roots[k] = twiddles[k * m * s];
  for (int64_t p = 0; p < m; ++p) {
    for (int j = 1; j < R; ++j) w[j] = twiddles[p * j * s];
    const Complex<T>* from = in + p * s;
    Complex<T>* to = out + p * R * s;
    for (int64_t q = 0; q < s; ++q) {
      Complex<T> a[R];
      for (int k = 0; k < R; ++k) a[k] = from[q + k * m * s];
      Butterfly<R>::apply(a, roots);
      to[q] = a[0];
      for (int j = 1; j < R; ++j) to[q + j * s] = a[j] * w[j];
    }
  }
}

template <class T>
void run_pass(const FftPass<T>& pass) {
  switch (pass.radix) {
    case 2:
      return run<2>(pass);
    case 3:
      return run<3>(pass);
    case 4:
      return run<4>(pass);
    case 5:
      return run<5>(pass);
    case 7:
      return run<7>(pass);
    case 11:
      return run<11>(pass);
    default:
      return run<13>(pass);
  }
}

}  // namespace

const FftPasses fft_passes_table = {run_pass<float>, run_pass<double>};

}  // namespace EXECUTORCH_ISA_NAMESPACE
