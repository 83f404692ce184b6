#include "compute/gemm/plain_matmul.h"

#include "compute/gemm/double_block.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(DoubleBlockLoops, double_block_loops);

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

/// Calls f(first row, last row) on the thread pool.
template <class F>
void for_rows(int64_t m, int64_t n, int64_t k, F&& f) {
  const int64_t work = n * k > 0 ? n * k : 1;
  threadpool::parallel_for(0, m, kGrain / work + 1, f);
}

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
  for_rows(m, n, k, [&](int64_t first, int64_t last) {
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

/// Copies a block of B to adjacent rows of kDoubleBlockWidth values, zeros behind the last column.
void pack_block(const double* b, const PlainMatrix& shape, int64_t depth, int64_t width,
                double* packed) {
  for (int64_t i = 0; i < depth; ++i) {
    double* row = packed + i * kDoubleBlockWidth;
    const double* line = b + i * shape.row_stride;
    for (int64_t j = 0; j < width; ++j) row[j] = line[j * shape.column_stride];
    for (int64_t j = width; j < kDoubleBlockWidth; ++j) row[j] = 0;
  }
}

void matmul_double(int64_t m, int64_t n, int64_t k, const PlainMatrix& a, const PlainMatrix& b,
                   void* c) {
  const double* a_data = static_cast<const double*>(a.data);
  const double* b_data = static_cast<const double*>(b.data);
  double* c_data = static_cast<double*>(c);
  const auto add_block = double_block_loops().add_block;
  for_rows(m, n, k, [&](int64_t first, int64_t last) {
    alignas(64) double packed[kDepth * kDoubleBlockWidth];
    for (int64_t i = first * n; i < last * n; ++i) c_data[i] = 0;
    for (int64_t column = 0; column < n; column += kDoubleBlockWidth) {
      const int64_t w = n - column < kDoubleBlockWidth ? n - column : kDoubleBlockWidth;
      for (int64_t depth = 0; depth < k; depth += kDepth) {
        const int64_t d = k - depth < kDepth ? k - depth : kDepth;
        pack_block(b_data + depth * b.row_stride + column * b.column_stride, b, d, w, packed);
        add_block(last - first, w, d, a_data + first * a.row_stride + depth * a.column_stride,
                  a.row_stride, a.column_stride, packed, c_data + first * n + column, n);
      }
    }
  });
}

}  // namespace

void plain_matmul(DType dtype, int64_t m, int64_t n, int64_t k, const PlainMatrix& a,
                  const PlainMatrix& b, void* c) {
  switch (dtype) {
    case DType::f64:
      return matmul_double(m, n, k, a, b, c);
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
