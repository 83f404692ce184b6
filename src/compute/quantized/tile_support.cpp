#include "compute/quantized/tile_support.h"

#include <atomic>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace executorch::compute {
namespace {

bool detect() {
#if defined(__x86_64__) && defined(__linux__)
  unsigned eax, ebx, ecx, edx;
  constexpr unsigned kTiles = 1u << 24, kBytes = 1u << 25;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return false;
  if ((edx & kTiles) == 0 || (edx & kBytes) == 0) return false;
  // Numbers of the kernel's ABI (asm/prctl.h), spelled out since old headers lack them. The kernel
  // refuses where it does not keep the tiles' state.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

std::atomic<bool> allowed{true};

}  // namespace

bool byte_tiles_usable() noexcept {
  static const bool supported = detect();
  return supported && allowed.load(std::memory_order_relaxed);
}

void allow_byte_tiles(bool allow) noexcept {
  allowed.store(allow, std::memory_order_relaxed);
}

}  // namespace executorch::compute
