#include "compute/affine/mixed_product.h"

#include <algorithm>

#include "compute/elementwise/cast.h"
#include "compute/gemm/few_rows.h"
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

/// Few rows against int8 rows, which are met as they lie.
class InPlace {
 public:
  explicit InPlace(const MixedProduct& product)
      : p_(product), dot_(few_rows_loops(DType::i8).dot) {}

  bool serves() const {
    return dot_ != nullptr && p_.transposed && p_.m <= kFewRows &&
           p_.weight.format == TableFormat::i8 && p_.weight.zero_points.data == nullptr;
  }

  void run() const {
    const int64_t grain = std::max<int64_t>(128 * 1024 / std::max<int64_t>(p_.k, 1), kColumnUnit) /
                          kColumnUnit * kColumnUnit;
    threadpool::parallel_for(0, p_.n, grain, [&](int64_t first, int64_t last) {
      for (int64_t column = first; column < last; column += kColumnUnit)
        run_columns(column, std::min(kColumnUnit, last - column));
    });
  }

 private:
  void run_columns(int64_t first, int64_t columns) const {
    float sums[kFewRows * kColumnUnit];
    float scales[kColumnUnit];
    for (int64_t i = 0; i < p_.m; ++i) std::fill_n(p_.c + i * p_.n + first, columns, 0.0f);
    const auto* weight = static_cast<const int8_t*>(p_.weight.data) + first * p_.k;
    for (int64_t k = 0; k < p_.k;) {
      const int64_t group = k / p_.weight.group;
      const int64_t end = std::min({p_.k, (group + 1) * p_.weight.group, k + kSumLength});
      read_scales(first, columns, group, scales);
      dot_({p_.a + k, p_.k, p_.m, end - k, weight + k, p_.k, columns, sums, kColumnUnit});
      for (int64_t i = 0; i < p_.m; ++i) {
        float* c = p_.c + i * p_.n + first;
        for (int64_t j = 0; j < columns; ++j) c[j] += sums[i * kColumnUnit + j] * scales[j];
      }
      k = end;
    }
  }

  void read_scales(int64_t first, int64_t columns, int64_t group, float* out) const {
    const ConstElements& scales = p_.weight.scales;
    const int64_t groups = group_count(p_.weight);
    const auto* data = static_cast<const char*>(scales.data) +
                       (first * groups + group) * static_cast<int64_t>(element_size(scales.dtype));
    load_loop(scales.dtype, ComputeType::f32)(out, data, groups, columns);
  }

  const MixedProduct& p_;
  decltype(FewRowsTypeLoops::dot) dot_;
};

struct Slots {
  const Work& work;
  char* memory;
};

}  // namespace

size_t mixed_product_scratch_bytes(const MixedProduct& product) noexcept {
  if (product.m <= 0 || product.n <= 0 || InPlace(product).serves()) return 0;
  const Work work(product);
  const size_t slots =
      work.alone() ? std::min(threadpool::pool_thread_count(), work.stretches()) : 1;
  return slots * work.slot_bytes();
}

void mixed_product(const MixedProduct& product, void* scratch, size_t bytes) noexcept {
  if (product.m <= 0 || product.n <= 0) return;
  const InPlace in_place(product);
  if (in_place.serves()) return in_place.run();
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
