#include "compute/gemm/plain_matmul.h"

#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

template <class T>
struct Complex {
  T real;
  T imaginary;

  Complex& operator+=(const Complex& other) {
    real += other.real;
    imaginary += other.imaginary;
    return *this;
  }
  friend Complex operator*(const Complex& a, const Complex& b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
};

/// Rows of B that stay in cache while rows of C are computed.
constexpr int64_t kDepth = 128;
constexpr int64_t kWidth = 512;
/// Multiplications worth a thread of their own.
constexpr int64_t kGrain = 32 * 1024;

template <class T>
void add_products(int64_t n, int64_t k, const T* a, int64_t a_step, const T* b, int64_t b_row,
                  int64_t b_column, T* c) {
  for (int64_t i = 0; i < k; ++i) {
    const T factor = a[i * a_step];
    const T* line = b + i * b_row;
    if (b_column == 1) {
      for (int64_t j = 0; j < n; ++j) c[j] += factor * line[j];
    } else {
      for (int64_t j = 0; j < n; ++j) c[j] += factor * line[j * b_column];
    }
  }
}

// Integers are passed as unsigned, whose overflow wraps.
template <class T>
void matmul(int64_t m, int64_t n, int64_t k, const PlainMatrix& a, const PlainMatrix& b, void* c) {
  const T* a_data = static_cast<const T*>(a.data);
  const T* b_data = static_cast<const T*>(b.data);
  T* c_data = static_cast<T*>(c);
  const int64_t work = n * k > 0 ? n * k : 1;
  threadpool::parallel_for(0, m, kGrain / work + 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first * n; i < last * n; ++i) c_data[i] = T{};
    for (int64_t depth = 0; depth < k; depth += kDepth) {
      const int64_t d = k - depth < kDepth ? k - depth : kDepth;
      for (int64_t column = 0; column < n; column += kWidth) {
        const int64_t w = n - column < kWidth ? n - column : kWidth;
        for (int64_t i = first; i < last; ++i) {
          add_products<T>(w, d, a_data + i * a.row_stride + depth * a.column_stride,
                          a.column_stride, b_data + depth * b.row_stride + column * b.column_stride,
                          b.row_stride, b.column_stride, c_data + i * n + column);
        }
      }
    }
  });
}

}  // namespace

void plain_matmul(DType dtype, int64_t m, int64_t n, int64_t k, const PlainMatrix& a,
                  const PlainMatrix& b, void* c) {
  switch (dtype) {
    case DType::f64:
      return matmul<double>(m, n, k, a, b, c);
    case DType::i32:
      return matmul<uint32_t>(m, n, k, a, b, c);
    case DType::i64:
      return matmul<uint64_t>(m, n, k, a, b, c);
    case DType::c64:
      return matmul<Complex<float>>(m, n, k, a, b, c);
    case DType::c128:
      return matmul<Complex<double>>(m, n, k, a, b, c);
    default:
      return;
  }
}

}  // namespace executorch::compute
