/**
 * @file
 * The source of random numbers of operators like rand and dropout.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

/**
 * A counter-based generator: number i of a seed is a function of the seed and i, so that threads
 * may draw numbers of one stream in any order. Equal seeds give equal numbers on every machine.
 * Belongs to one method at a time; not thread-safe.
 */
class RandomGenerator {
 public:
  /// Seeds itself from the system's entropy when it is first used.
  RandomGenerator() = default;
  explicit RandomGenerator(uint64_t seed) { set_seed(seed); }

  /// Starts the stream of this seed from its beginning.
  void set_seed(uint64_t seed) {
    seed_ = seed;
    position_ = 0;
    seeded_ = true;
  }

  /// A reserved stretch of the stream. Numbers are uniform over all 64-bit values.
  class Stream {
   public:
    Stream(uint64_t seed, uint64_t first) : seed_(mix(seed)), first_(first) {}
    uint64_t at(uint64_t index) const {
      return mix(seed_ + (first_ + index) * 0x9e3779b97f4a7c15u);
    }

   private:
    // Multiplications and shifts that spread every bit over the whole word.
    static uint64_t mix(uint64_t x) {
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
      return x ^ (x >> 31);
    }
    uint64_t seed_;
    uint64_t first_;
  };

  /// Takes the next `count` numbers off the stream.
  Stream reserve(uint64_t count) {
    if (!seeded_) set_seed(system_entropy());
    const Stream stream(seed_, position_);
    position_ += count;
    return stream;
  }

  /// 64 bits that differ from call to call and from process to process.
  EXECUTORCH_API static uint64_t system_entropy();

 private:
  uint64_t seed_ = 0;
  uint64_t position_ = 0;
  bool seeded_ = false;
};

}  // namespace runtime
}  // namespace executorch
