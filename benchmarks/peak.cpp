#include "peak.h"

#include <algorithm>
#include <ctime>
#include <map>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace executorch::benchmarks {
namespace {

constexpr int kChains = 12;  // enough to hide the latency of two units
constexpr int kSteps = 200000;
constexpr int kTrials = 100;

// One trial each: kSteps steps in each of kChains chains that do not depend on each other.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) void chains_avx512() {
  __m512 sum[kChains], x = _mm512_set1_ps(0.5f);
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) sum[j] = x;
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j)
      asm volatile("vfmadd231ps %1, %1, %0" : "+v"(sum[j]) : "v"(x));
  }
}

__attribute__((target("avx512f,avx512vnni"))) void byte_chains_avx512() {
  __m512i sum[kChains], x = _mm512_set1_epi32(1);
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) sum[j] = x;
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j) asm volatile("vpdpbusd %1, %1, %0" : "+v"(sum[j]) : "v"(x));
  }
}

__attribute__((target("avx2,fma"))) void chains_avx2() {
  __m256 sum[kChains], x = _mm256_set1_ps(0.5f);
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) sum[j] = x;
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j)
      asm volatile("vfmadd231ps %1, %1, %0" : "+x"(sum[j]) : "x"(x));
  }
}

// A multiplication and an addition, which two units run side by side.
void chains_baseline() {
  __m128 sum[kChains], x = _mm_set1_ps(0.5f);
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) sum[j] = x;
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j) {
      if (j % 2 == 0) {
        asm volatile("mulps %1, %0" : "+x"(sum[j]) : "x"(x));
      } else {
        asm volatile("addps %1, %0" : "+x"(sum[j]) : "x"(x));
      }
    }
  }
}
#else
typedef float Floats __attribute__((vector_size(16)));

void chains_baseline() {
  Floats sum[kChains] = {}, x = {0.5f, 0.5f, 0.5f, 0.5f};
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j) {
#if defined(__aarch64__)
      asm volatile("fmla %0.4s, %1.4s, %1.4s" : "+w"(sum[j]) : "w"(x));
#else
      sum[j] += x * x;
      asm volatile("" : "+m"(sum[j]));
#endif
    }
  }
}
#endif

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double measure(void (*chains)(), double operations_per_step) {
  double best = 0;
  for (int i = 0; i < kTrials; ++i) {
    const double start = cpu_seconds();
    chains();
    const double seconds = cpu_seconds() - start;
    best = std::max(best, kSteps * kChains * operations_per_step / seconds);
  }
  return best;
}

}  // namespace

double peak_flops(compute::Isa isa) {
  static std::map<compute::Isa, double> known;
  double& peak = known[isa];
  if (peak == 0) {
#if defined(__x86_64__)
    peak = isa == compute::Isa::avx512 ? measure(chains_avx512, 32)
           : isa == compute::Isa::avx2 ? measure(chains_avx2, 16)
                                       : measure(chains_baseline, 4);
#else
    peak = measure(chains_baseline, 8);
#endif
  }
  return peak;
}

double peak_byte_operations(compute::Isa isa) {
#if defined(__x86_64__)
  if (isa == compute::Isa::avx512) {
    static const double peak = measure(byte_chains_avx512, 128);
    return peak;
  }
#endif
  // Pairs of 16-bit products take a multiplication and an addition for twice the lanes.
  return peak_flops(isa);
}

}  // namespace executorch::benchmarks
