/**
 * @file
 * Operands of the kernels' benchmarks and how their speed is told.
 */
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>

namespace executorch::benchmarks {

/// Floats on a cache line of their own, filled with numbers around zero.
class Floats {
 public:
  explicit Floats(int64_t count)
      : memory_(static_cast<float*>(std::aligned_alloc(
            64, (static_cast<size_t>(count) * sizeof(float) + 127) & ~size_t{63}))) {
    std::minstd_rand engine(1);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    for (int64_t i = 0; i < count; ++i) memory_.get()[i] = uniform(engine);
  }
  float* data() { return memory_.get(); }
  const float* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> memory_;
};

/// Measures the loop in CPU time, which other processes disturb less, and reports its speed.
class Meter {
 public:
  /// `peak`: operations per second that the core could do.
  Meter(benchmark::State& state, double peak, double operations)
      : state_(state), peak_(peak), operations_(operations), start_(std::clock()) {}
  ~Meter() {
    const double seconds = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    const double speed = operations_ * static_cast<double>(state_.iterations()) / seconds;
    state_.counters["GOP/s"] = speed * 1e-9;
    state_.counters["%peak"] = 100.0 * speed / peak_;
  }

 private:
  benchmark::State& state_;
  double peak_;
  double operations_;
  std::clock_t start_;
};

}  // namespace executorch::benchmarks
