#include "compute/conv/winograd_kernels.h"
#include "compute/gemm/tile.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

/// One dimension of B^T d: what four inputs are to the four products.
inline void spread(V::Type d0, V::Type d1, V::Type d2, V::Type d3, V::Type (&out)[4]) {
  out[0] = V::sub(d0, d2);
  out[1] = V::add(d1, d2);
  out[2] = V::sub(d2, d1);
  out[3] = V::sub(d1, d3);
}

/// One dimension of A^T m: each output takes the products of the inputs under its window only, so
/// that no NaN spreads beyond its window.
inline void gather(V::Type m0, V::Type m1, V::Type m2, V::Type m3, V::Type& y0, V::Type& y1) {
  y0 = V::add(V::add(m0, m1), m2);
  y1 = V::sub(V::sub(m1, m2), m3);
}

/// Every lane is finite.
bool all_finite(V::Type v) {
  uint32_t lanes[V::kLanes];
  static_assert(sizeof(lanes) == sizeof(v));
  __builtin_memcpy(lanes, &v, sizeof(v));
  constexpr uint32_t kExponent = 0x7F800000;
  uint32_t finite = 1;
  for (uint32_t lane : lanes) finite &= (lane & kExponent) != kExponent;
  return finite != 0;
}

bool transform_input(const WinogradInput& t) {
  // Squares of values from 2^64 on are infinite.
  V::Type squares = V::zero();
  for (int64_t c = 0; c < t.channels; c += V::kLanes) {
    const int64_t left = t.channels - c;
    V::Type rows[4][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      V::Type column[4];
      spread(load_up_to(t.pixels[j] + c, left), load_up_to(t.pixels[4 + j] + c, left),
             load_up_to(t.pixels[8 + j] + c, left), load_up_to(t.pixels[12 + j] + c, left), column);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) rows[i][j] = column[i];
    }
    float* to = t.planes + c;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      V::Type out[4];
      spread(rows[i][0], rows[i][1], rows[i][2], rows[i][3], out);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j, to += t.plane_stride) {
        V::store(to, out[j]);
        squares = V::fma(out[j], out[j], squares);
      }
    }
  }
  return all_finite(squares);
}

void transform_output(const WinogradOutput& t) {
  const Epilogue& e = *t.epilogue;
  for (int64_t c = 0; c < t.channels; c += V::kLanes) {
    const int64_t left = t.channels - c;
    const float* from = t.planes + c;
    V::Type rows[2][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const float* m = from + j * t.plane_stride;
      const int64_t row = 4 * t.plane_stride;
      gather(load_up_to(m, left), load_up_to(m + row, left), load_up_to(m + 2 * row, left),
             load_up_to(m + 3 * row, left), rows[0][j], rows[1][j]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      V::Type sums[2];
      gather(rows[i][0], rows[i][1], rows[i][2], rows[i][3], sums[0], sums[1]);
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const int pixel = 2 * i + j;
        if (t.pixels[pixel] == nullptr) continue;
        V::Type value[1] = {sums[j]};
        const float* residual = t.residuals[pixel];
        finish<1>(value, e, e.bias == nullptr ? nullptr : e.bias + c,
                  residual == nullptr ? nullptr : residual + c, left);
        store_up_to(t.pixels[pixel] + c, value[0], left);
      }
    }
  }
}

}  // namespace

const WinogradKernels winograd_kernels_table = {transform_input, transform_output};

}  // namespace EXECUTORCH_ISA_NAMESPACE
