/**
 * @file
 * Which instruction set the hot loops run on. Chosen once per process: the best that the CPU and
 * the operating system support, or the one that the environment variable EXECUTORCH_CPU names.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

namespace executorch::compute {

/// Instruction sets that hot code is compiled for, ascending. Each contains those before it.
enum class Isa : uint8_t {
  baseline,  ///< x86-64: SSE2; aarch64: NEON; elsewhere: plain C++
#if (defined(__x86_64__) || defined(_M_X64)) && !defined(EXECUTORCH_MINIMAL)
  avx2,    ///< AVX2, FMA, F16C, BMI2
  avx512,  ///< AVX-512 F, VL, BW, DQ, VNNI, BF16
#elif (defined(__aarch64__) || defined(_M_ARM64)) && !defined(EXECUTORCH_MINIMAL)
  dotprod,  ///< ARMv8.2 with dot products and half precision
  i8mm,     ///< with int8 matrix multiplication and bfloat16
#endif
  count,
};

constexpr size_t kIsaCount = static_cast<size_t>(Isa::count);

/// The name that EXECUTORCH_CPU takes: "baseline", "avx2", ….
EXECUTORCH_COMPUTE_API const char* isa_name(Isa isa) noexcept;

/// Parses a name as EXECUTORCH_CPU takes it ("neon" is the baseline of aarch64). False when it is
/// unknown here.
EXECUTORCH_COMPUTE_API bool parse_isa(const char* name, Isa* isa) noexcept;

/// True when this machine runs the instruction set.
EXECUTORCH_COMPUTE_API bool isa_supported(Isa isa) noexcept;

/// The instruction set in use. An unknown or unsupported value of EXECUTORCH_CPU is reported on
/// stderr once and ignored. Thread-safe; costs one load.
EXECUTORCH_COMPUTE_API Isa active_isa() noexcept;

/// Changes the instruction set of code that asks from now on; false, and no change, when it is
/// unsupported. Plans and packed data made before keep theirs. For tests and benchmarks.
EXECUTORCH_COMPUTE_API bool set_active_isa(Isa isa) noexcept;

/// Data cache sizes in bytes of the CPU, guessed where the system does not say. Used for blocking
/// only: results never depend on them.
struct CacheSizes {
  size_t level1;
  size_t level2;
};
EXECUTORCH_COMPUTE_API CacheSizes cache_sizes() noexcept;

}  // namespace executorch::compute
