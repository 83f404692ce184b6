#include "compute/cpu/cpu.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif
#elif defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#endif

namespace executorch::compute {
namespace {

constexpr const char* kNames[] = {
    "baseline",
#if defined(EXECUTORCH_MINIMAL)
#elif defined(__x86_64__) || defined(_M_X64)
    "avx2",
    "avx512",
#elif defined(__aarch64__) || defined(_M_ARM64)
    "dotprod",
    "i8mm",
#endif
};
static_assert(sizeof(kNames) / sizeof(kNames[0]) == kIsaCount);

#if (defined(__x86_64__) || defined(_M_X64)) && !defined(EXECUTORCH_MINIMAL)

// The compiler's support function also asks the operating system for the wide registers (XGETBV).
bool detect(Isa isa) {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  switch (isa) {
    case Isa::baseline:
      return true;
    case Isa::avx2:
      return avx2;
    case Isa::avx512:
      return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16");
    default:
      return false;
  }
}

#elif defined(__aarch64__) && defined(__linux__) && !defined(EXECUTORCH_MINIMAL)

// Bits of the kernel's ABI (asm/hwcap.h), spelled out since old headers lack the newer ones.
constexpr unsigned long kHwcapAsimdHalf = 1ul << 10;
constexpr unsigned long kHwcapAsimdDotProduct = 1ul << 20;
constexpr unsigned long kHwcap2Int8Matrix = 1ul << 13;
constexpr unsigned long kHwcap2Bfloat16 = 1ul << 14;

bool detect(Isa isa) {
  const unsigned long hwcap = getauxval(AT_HWCAP);
  const unsigned long hwcap2 = getauxval(AT_HWCAP2);
  const bool dotprod = (hwcap & kHwcapAsimdHalf) && (hwcap & kHwcapAsimdDotProduct);
  switch (isa) {
    case Isa::baseline:
      return true;
    case Isa::dotprod:
      return dotprod;
    case Isa::i8mm:
      return dotprod && (hwcap2 & kHwcap2Int8Matrix) && (hwcap2 & kHwcap2Bfloat16);
    default:
      return false;
  }
}

#else

bool detect(Isa isa) {
  return isa == Isa::baseline;
}

#endif

#if defined(EXECUTORCH_MINIMAL)

Isa choose() {
  return Isa::baseline;
}

#else

Isa choose() {
  Isa best = Isa::baseline;
  for (size_t i = 0; i < kIsaCount; ++i) {
    if (detect(static_cast<Isa>(i))) best = static_cast<Isa>(i);
  }
  const char* wanted = std::getenv("EXECUTORCH_CPU");
  if (wanted == nullptr || *wanted == '\0') return best;
  Isa forced;
  if (!parse_isa(wanted, &forced)) {
    std::fprintf(stderr,
                 "executorch: EXECUTORCH_CPU=%.32s is unknown on this architecture; using %s\n",
                 wanted, isa_name(best));
    return best;
  }
  if (!detect(forced)) {
    std::fprintf(stderr,
                 "executorch: EXECUTORCH_CPU=%.32s is not supported by this CPU; using %s\n",
                 wanted, isa_name(best));
    return best;
  }
  return forced;
}

#endif

std::atomic<Isa>& active() {
  static std::atomic<Isa> isa{choose()};
  return isa;
}

size_t system_cache_size([[maybe_unused]] int level, size_t fallback) {
#if defined(__linux__) && defined(_SC_LEVEL1_DCACHE_SIZE)
  const long size = sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : _SC_LEVEL2_CACHE_SIZE);
  if (size > 0) return static_cast<size_t>(size);
#elif defined(_WIN32)
  SYSTEM_LOGICAL_PROCESSOR_INFORMATION parts[256];
  DWORD bytes = sizeof(parts);
  const DWORD count = GetLogicalProcessorInformation(parts, &bytes) ? bytes / sizeof(parts[0]) : 0;
  for (DWORD i = 0; i < count; ++i) {
    const CACHE_DESCRIPTOR& cache = parts[i].Cache;
    if (parts[i].Relationship == RelationCache && cache.Level == level &&
        cache.Type != CacheInstruction && cache.Size > 0) {
      return cache.Size;
    }
  }
#endif
  return fallback;
}

}  // namespace

const char* isa_name(Isa isa) noexcept {
  const size_t index = static_cast<size_t>(isa);
  return index < kIsaCount ? kNames[index] : "unknown";
}

bool parse_isa(const char* name, Isa* isa) noexcept {
  for (size_t i = 0; i < kIsaCount; ++i) {
    if (std::strcmp(name, kNames[i]) == 0) {
      *isa = static_cast<Isa>(i);
      return true;
    }
  }
#if defined(__aarch64__) || defined(_M_ARM64)
  if (std::strcmp(name, "neon") == 0) {
    *isa = Isa::baseline;
    return true;
  }
#endif
  return false;
}

bool isa_supported(Isa isa) noexcept {
  return detect(isa);
}

Isa active_isa() noexcept {
  return active().load(std::memory_order_relaxed);
}

bool set_active_isa(Isa isa) noexcept {
  if (!isa_supported(isa)) return false;
  active().store(isa, std::memory_order_relaxed);
  return true;
}

CacheSizes cache_sizes() noexcept {
  static const CacheSizes sizes = {system_cache_size(1, 32 * 1024),
                                   system_cache_size(2, 512 * 1024)};
  return sizes;
}

}  // namespace executorch::compute
