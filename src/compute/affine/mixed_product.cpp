#include "compute/affine/mixed_product.h"

#include <algorithm>

#include "compute/gemm/gemm.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

// With few rows of A the weight is met once: each thread takes stretches that stay in its own
// cache. With many, a long stretch serves all threads.
constexpr int64_t kFewRows = 16;
constexpr int64_t kShortStretch = 64 * 1024;
constexpr int64_t kLongStretch = 1024 * 1024;
constexpr int64_t kColumnUnit = 32;
// So many products are added up on their own, so that long sums lose no digits.
constexpr int64_t kSumLength = 1024;

size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

class Work {
 public:
  explicit Work(const MixedProduct& product) : p_(product) {
    const int64_t numbers = alone() ? kShortStretch : kLongStretch;
    const int64_t fitting = numbers / std::max<int64_t>(p_.k, 1) / kColumnUnit * kColumnUnit;
    columns_ = std::min(std::max(fitting, kColumnUnit), p_.n);
  }

  /// Whether a thread computes a stretch alone.
  bool alone() const { return p_.m <= kFewRows; }
  size_t stretches() const { return static_cast<size_t>((p_.n + columns_ - 1) / columns_); }
  size_t slot_bytes() const { return weight_bytes() + product_bytes(); }

  void run_stretch(size_t index, char* slot) const {
    const int64_t first = static_cast<int64_t>(index) * columns_;
    const int64_t last = std::min(first + columns_, p_.n);
    float* weight = reinterpret_cast<float*>(slot);
    read_weight(first, last, weight);
    GemmArgs args;
    args.m = p_.m;
    args.n = last - first;
    args.c = p_.c + first;
    args.c_row_stride = p_.n;
    for (int64_t k = 0; k == 0 || k < p_.k; k += kSumLength) {
      args.k = std::min(kSumLength, p_.k - k);
      args.a = {p_.a + k, p_.k, 1};
      args.b = p_.transposed ? MatrixView{weight + k, 1, p_.k}
                             : MatrixView{weight + k * args.n, args.n, 1};
      if (k > 0) {
        args.epilogue.residual = args.c;
        args.epilogue.residual_stride = p_.n;
      }
      gemm(args, slot + weight_bytes(), product_bytes());
    }
  }

 private:
  size_t weight_bytes() const {
    return aligned(static_cast<size_t>(columns_ * p_.k) * sizeof(float));
  }
  size_t product_bytes() const {
    const int64_t k = std::min(p_.k, kSumLength);
    return aligned(alone() ? gemm_task_scratch_bytes(p_.m, columns_, k, false)
                           : gemm_scratch_bytes(p_.m, columns_, k, false));
  }

  void read_weight(int64_t first, int64_t last, float* out) const {
    const int64_t columns = last - first;
    const int64_t rows = p_.transposed ? columns : p_.k;
    const int64_t length = p_.transposed ? p_.k : columns;
    const int64_t grain = std::max<int64_t>(16 * 1024 / std::max<int64_t>(length, 1), 1);
    threadpool::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (p_.transposed) {
          read_table_row(p_.weight, first + i, 0, length, out + i * length);
        } else {
          read_table_row(p_.weight, i, first, last, out + i * length);
        }
      }
    });
  }

  const MixedProduct& p_;
  int64_t columns_ = 0;
};

struct Slots {
  const Work& work;
  char* memory;
};

}  // namespace

size_t mixed_product_scratch_bytes(const MixedProduct& product) noexcept {
  if (product.m <= 0 || product.n <= 0) return 0;
  const Work work(product);
  const size_t slots =
      work.alone() ? std::min(threadpool::pool_thread_count(), work.stretches()) : 1;
  return slots * work.slot_bytes();
}

void mixed_product(const MixedProduct& product, void* scratch, size_t bytes) noexcept {
  if (product.m <= 0 || product.n <= 0) return;
  const Work work(product);
  Slots slots{work, static_cast<char*>(scratch)};
  if (!work.alone()) {
    for (size_t i = 0; i < work.stretches(); ++i) work.run_stretch(i, slots.memory);
    return;
  }
  threadpool::run(
      work.stretches(),
      [](void* context, size_t stretch, size_t thread) {
        const Slots& s = *static_cast<Slots*>(context);
        s.work.run_stretch(stretch, s.memory + thread * s.work.slot_bytes());
      },
      &slots, bytes / work.slot_bytes());
}

}  // namespace executorch::compute
