/**
 * @file
 * For tests: floats whose end touches memory that cannot be accessed, so that reading one value too
 * many ends the test instead of passing unseen.
 */
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace executorch::compute {

class GuardedFloats {
 public:
  /// Uniform numbers in [-1, 1).
  GuardedFloats(int64_t count, unsigned seed) : count_(static_cast<size_t>(count)) {
    const size_t bytes = count_ * sizeof(float);
#if defined(__unix__)
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = (bytes + page - 1) / page * page + page;
    base_ = static_cast<char*>(
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + mapped_ - page, page, PROT_NONE) != 0) std::abort();
    data_ = reinterpret_cast<float*>(base_ + mapped_ - page - bytes);
#else
    base_ = static_cast<char*>(std::malloc(bytes + 1));
    data_ = reinterpret_cast<float*>(base_);
#endif
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    for (size_t i = 0; i < count_; ++i) data_[i] = uniform(engine);
  }
  ~GuardedFloats() {
#if defined(__unix__)
    munmap(base_, mapped_);
#else
    std::free(base_);
#endif
  }
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;

  float* data() { return data_; }
  const float* data() const { return data_; }
  size_t size() const { return count_; }
  float operator[](size_t i) const { return data_[i]; }
  float& operator[](size_t i) { return data_[i]; }

 private:
  size_t count_;
  size_t mapped_ = 0;
  char* base_ = nullptr;
  float* data_ = nullptr;
};

}  // namespace executorch::compute
