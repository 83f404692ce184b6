#if defined(_WIN32)
// For rand_s, which asks the system for random bits.
#define _CRT_RAND_S
#include <stdlib.h>
#endif

#include <executorch/runtime/kernel/random_generator.h>

#include <atomic>
#include <chrono>

#if defined(__linux__) || defined(__APPLE__)
#include <sys/random.h>
#include <unistd.h>
#endif

namespace executorch {
namespace runtime {

uint64_t RandomGenerator::system_entropy() {
  uint64_t bits = 0;
#if defined(__linux__) || defined(__APPLE__)
  if (getentropy(&bits, sizeof(bits)) == 0) return bits;
#elif defined(_WIN32)
  unsigned low, high;
  if (rand_s(&low) == 0 && rand_s(&high) == 0) return static_cast<uint64_t>(high) << 32 | low;
#endif
  // Without entropy from the system: the time, a counter, and where the process happens to lie in
  // memory.
  static std::atomic<uint64_t> calls{0};
  const auto now = std::chrono::high_resolution_clock::now().time_since_epoch().count();
  bits =
      static_cast<uint64_t>(now) ^ (calls.fetch_add(1) << 48) ^ reinterpret_cast<uintptr_t>(&bits);
  return Stream(bits, 0).at(0);
}

}  // namespace runtime
}  // namespace executorch
