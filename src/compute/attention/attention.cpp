#include "compute/attention/attention.h"

#include <algorithm>
#include <limits>

#include "compute/affine/affine.h"
#include "compute/cpu/sizes.h"
#include "compute/elementwise/cast.h"
#include "compute/gemm/few_rows.h"
#include "compute/gemm/gemm.h"
#include "compute/gemm/kernels.h"
#include "compute/norm/norm.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

namespace {

// Scores of a block of rows and keys stay in the second-level cache.
constexpr int64_t kBlockRows = 128;
constexpr int64_t kBlockKeys = 256;
// So few rows take keys and values as they lie: packing them would cost as much as the products.
constexpr int64_t kFewRows = 16;
// Few rows against many keys: the keys are split when there are fewer tasks than this.
constexpr int64_t kEnoughTasks = 8;
constexpr int64_t kSplitKeys = 1024;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

size_t aligned_floats(int64_t count) {
  return (static_cast<size_t>(count) + 15) / 16 * 16;
}

const char* row_at(const AttentionRows& rows, DType type, int64_t offset) {
  return static_cast<const char*>(rows.data) + offset * static_cast<int64_t>(element_size(type));
}

/// Running state of a block of rows: unnormalised sums of values, and maximum and sum of each row.
struct Partial {
  float* sums;  ///< [rows, width]
  float* max;
  float* total;
};

class Work {
 public:
  Work(const AttentionShape& shape, FindAttentionHead find, const void* context)
      : s_(shape), find_(find), context_(context) {
    const int64_t rows = s_.positions * s_.group;
    row_blocks_ = divide_up(rows, kBlockRows);
    block_rows_ = row_blocks_ > 0 ? divide_up(rows, row_blocks_) : 0;
    const bool splits = rows <= kFewRows && s_.heads * row_blocks_ < kEnoughTasks;
    splits_ = splits ? std::max<int64_t>(divide_up(s_.length, kSplitKeys), 1) : 1;
  }

  bool empty() const { return s_.heads <= 0 || block_rows_ <= 0 || s_.width <= 0; }
  size_t tasks() const { return static_cast<size_t>(s_.heads * row_blocks_ * splits_); }
  size_t blocks() const { return static_cast<size_t>(s_.heads * row_blocks_); }
  bool is_split() const { return splits_ > 1; }

  /// Memory that all tasks share: the states of split blocks.
  size_t shared_floats() const { return is_split() ? tasks() * partial_floats() : 0; }
  /// Memory of one thread.
  size_t slot_floats() const {
    return aligned_floats(block_rows_ * s_.depth) + aligned_floats(block_rows_ * kBlockKeys) +
           aligned_floats(kBlockKeys * s_.depth) + aligned_floats(kBlockKeys * s_.width) +
           partial_floats() + product_bytes() / sizeof(float);
  }

  void run_task(size_t task, float* shared, float* slot) const {
    const int64_t split = static_cast<int64_t>(task) % splits_;
    const int64_t block = static_cast<int64_t>(task) / splits_;
    const AttentionHead head = find_(context_, block / row_blocks_);
    const Rows rows = rows_of(block % row_blocks_);
    Slot memory = divide(slot);
    if (is_split()) memory.partial = partial_at(shared + task * partial_floats());
    const int64_t first = split * kSplitKeys;
    const int64_t end = visible_keys(rows.first + rows.count - 1);
    accumulate(head, rows, first, is_split() ? std::min(first + kSplitKeys, end) : end, memory);
    if (!is_split()) write(head, rows, memory.partial);
  }

  /// Joins the states of a split block, in order.
  void join_block(size_t block, float* shared) const {
    const AttentionHead head = find_(context_, static_cast<int64_t>(block) / row_blocks_);
    const Rows rows = rows_of(static_cast<int64_t>(block) % row_blocks_);
    float* first = shared + block * static_cast<size_t>(splits_) * partial_floats();
    const Partial all = partial_at(first);
    for (int64_t split = 1; split < splits_; ++split)
      join(rows, all, partial_at(first + static_cast<size_t>(split) * partial_floats()));
    write(head, rows, all);
  }

 private:
  /// Rows of a block, counted over positions and groups.
  struct Rows {
    int64_t first;
    int64_t count;
  };
  struct Slot {
    float* query;
    float* scores;
    float* keys;
    float* values;
    void* product;
    Partial partial;
  };

  Rows rows_of(int64_t block) const {
    const int64_t first = block * block_rows_;
    return {first, std::min(block_rows_, s_.positions * s_.group - first)};
  }
  size_t product_bytes() const {
    return std::max(gemm_task_scratch_bytes(block_rows_, kBlockKeys, s_.depth, false),
                    gemm_task_scratch_bytes(block_rows_, s_.width, kBlockKeys, false));
  }
  size_t partial_floats() const {
    return aligned_floats(block_rows_ * s_.width) + 2 * aligned_floats(block_rows_);
  }
  Partial partial_at(float* memory) const {
    float* max = memory + aligned_floats(block_rows_ * s_.width);
    return {memory, max, max + aligned_floats(block_rows_)};
  }
  Slot divide(float* memory) const {
    Slot slot;
    const auto take = [&memory](size_t floats) {
      float* part = memory;
      memory += floats;
      return part;
    };
    slot.query = take(aligned_floats(block_rows_ * s_.depth));
    slot.scores = take(aligned_floats(block_rows_ * kBlockKeys));
    slot.keys = take(aligned_floats(kBlockKeys * s_.depth));
    slot.values = take(aligned_floats(kBlockKeys * s_.width));
    slot.partial = partial_at(take(partial_floats()));
    slot.product = memory;
    return slot;
  }

  /// Keys that a row sees.
  int64_t visible_keys(int64_t row) const {
    if (!s_.causal) return s_.length;
    return std::clamp<int64_t>(s_.first_position + row / s_.group + 1, 0, s_.length);
  }

  /// A row, `offset` elements from the first, as floats.
  static void read_row(const AttentionRows& rows, DType type, int64_t offset, int64_t column,
                       int64_t n, float* out) {
    const char* data =
        static_cast<const char*>(rows.data) + offset * static_cast<int64_t>(element_size(type));
    load_loop(type, ComputeType::f32)(out, data, column, n);
    if (rows.scales == nullptr) return;
    const int64_t row = offset / n;
    const float zero = rows.zero_points[row];
    affine_loops().f32.dequantize(out, out, n, rows.scales + row, &zero, 0);
  }

  void read_queries(const AttentionHead& head, const Rows& rows, float* out) const {
    for (int64_t i = 0; i < rows.count; ++i) {
      const int64_t row = rows.first + i;
      const int64_t offset = row / s_.group * s_.query_position + row % s_.group * s_.query_group;
      float* query = out + i * s_.depth;
      read_row(head.query, s_.query_type, offset, s_.query_column, s_.depth, query);
      norm_row_loops<float>().scale_shift(query, query, s_.depth, s_.scale, 0.0f);
    }
  }

  /// Rows [first, first + count) as floats: in place, or read into `copy`.
  static MatrixView view_rows(const AttentionRows& rows, DType type, int64_t row_stride,
                              int64_t column_stride, int64_t first, int64_t count, int64_t n,
                              float* copy) {
    if (type == DType::f32) {
      return {static_cast<const float*>(rows.data) + first * row_stride, row_stride, column_stride};
    }
    for (int64_t i = 0; i < count; ++i)
      read_row(rows, type, (first + i) * row_stride, column_stride, n, copy + i * n);
    return {copy, n, 1};
  }

  /// Scales and zero points of quantised rows from one of them on, `step` apart.
  struct RowParameters {
    RowParameters(const AttentionRows& rows, int64_t first, int64_t row_stride, int64_t n)
        : step(row_stride / n),
          scales(rows.scales + first * step),
          zero_points(rows.zero_points + first * step) {}

    int64_t step;
    const float* scales;
    const int8_t* zero_points;
  };

  /// Products with integers as they lie become those with the numbers that they stand for.
  void scale_scores(const RowParameters& keys, int64_t rows, int64_t count,
                    const Slot& slot) const {
    for (int64_t i = 0; i < rows; ++i) {
      const float total = norm_row_loops<float>().sum(slot.query + i * s_.depth, s_.depth);
      float* scores = slot.scores + i * kBlockKeys;
      for (int64_t j = 0; j < count; ++j) {
        const float zero = keys.zero_points[j * keys.step];
        scores[j] = (scores[j] - zero * total) * keys.scales[j * keys.step];
      }
    }
  }

  /// Weights take over the scales of the values. Returns what the zero points add to each sum.
  static float scale_weights(const RowParameters& values, int64_t count, float* weights) {
    float shift = 0;
    for (int64_t j = 0; j < count; ++j) {
      weights[j] *= values.scales[j * values.step];
      shift += weights[j] * static_cast<float>(values.zero_points[j * values.step]);
    }
    return shift;
  }

  void accumulate(const AttentionHead& head, const Rows& rows, int64_t first, int64_t end,
                  const Slot& slot) const {
    const Partial& partial = slot.partial;
    std::fill(partial.max, partial.max + rows.count, kNothing);
    std::fill(partial.total, partial.total + rows.count, 0.0f);
    if (first >= end) std::fill(partial.sums, partial.sums + rows.count * s_.width, 0.0f);
    if (first < end) read_queries(head, rows, slot.query);
    for (int64_t key = first; key < end; key += kBlockKeys) {
      const int64_t count = std::min(kBlockKeys, end - key);
      score(head, rows, key, count, slot);
      for (int64_t i = 0; i < rows.count; ++i)
        weigh_row(rows.first + i, i, key, count, key > first, slot);
      add_values(head, rows, key, count, key > first, slot);
    }
  }

  void score(const AttentionHead& head, const Rows& rows, int64_t key, int64_t count,
             const Slot& slot) const {
    const FewRowsTypeLoops few = few_rows_loops(s_.key_type);
    if (rows.count <= kFewRows && s_.key_column == 1 && few.dot != nullptr) {
      few.dot({slot.query, s_.depth, rows.count, s_.depth,
               row_at(head.key, s_.key_type, key * s_.key_row), s_.key_row, count, slot.scores,
               kBlockKeys});
      if (head.key.scales != nullptr)
        scale_scores({head.key, key, s_.key_row, s_.depth}, rows.count, count, slot);
    } else {
      const MatrixView keys = view_rows(head.key, s_.key_type, s_.key_row, s_.key_column, key,
                                        count, s_.depth, slot.keys);
      GemmArgs args;
      args.m = rows.count;
      args.n = count;
      args.k = s_.depth;
      args.a = {slot.query, s_.depth, 1};
      args.b = {keys.data, keys.column_stride, keys.row_stride};
      args.c = slot.scores;
      args.c_row_stride = kBlockKeys;
      gemm(args, slot.product, product_bytes());
    }
    if (head.mask == nullptr) return;
    const Epilogue none;
    for (int64_t i = 0; i < rows.count; ++i) {
      const int64_t position = (rows.first + i) / s_.group;
      gemm_kernels().finish_row(slot.scores + i * kBlockKeys, count, none, nullptr,
                                head.mask + position * s_.mask_position + key);
    }
  }

  /// Turns scores into weights relative to the row's maximum so far.
  void weigh_row(int64_t row, int64_t i, int64_t key, int64_t count, bool has_sums,
                 const Slot& slot) const {
    const NormRowLoops<float>& loops = norm_row_loops<float>();
    const Partial& partial = slot.partial;
    float* scores = slot.scores + i * kBlockKeys;
    const int64_t visible = std::clamp<int64_t>(visible_keys(row) - key, 0, count);
    const float block_max = loops.max(scores, visible);
    const float before = partial.max[i];
    const float max = block_max > before || block_max != block_max ? block_max : before;
    std::fill(scores + (max == kNothing ? 0 : visible), scores + count, 0.0f);
    if (max == kNothing) return;
    float kept;
    loops.exp_sum(&before, &kept, 1, max);
    partial.max[i] = max;
    partial.total[i] = partial.total[i] * kept + loops.exp_sum(scores, scores, visible, max);
    float* sums = partial.sums + i * s_.width;
    if (has_sums && kept != 1.0f) loops.scale_shift(sums, sums, s_.width, kept, 0.0f);
  }

  void add_values(const AttentionHead& head, const Rows& rows, int64_t key, int64_t count,
                  bool has_sums, const Slot& slot) const {
    const FewRowsTypeLoops few = few_rows_loops(s_.value_type);
    if (rows.count <= kFewRows && s_.value_column == 1 && few.sum != nullptr) {
      float shifts[kFewRows];
      if (head.value.scales != nullptr) {
        const RowParameters parameters(head.value, key, s_.value_row, s_.width);
        for (int64_t i = 0; i < rows.count; ++i)
          shifts[i] = scale_weights(parameters, count, slot.scores + i * kBlockKeys);
      }
      few.sum({slot.scores, kBlockKeys, rows.count, s_.width,
               row_at(head.value, s_.value_type, key * s_.value_row), s_.value_row, count,
               slot.partial.sums, s_.width, has_sums});
      for (int64_t i = 0; head.value.scales != nullptr && i < rows.count; ++i) {
        float* sums = slot.partial.sums + i * s_.width;
        norm_row_loops<float>().scale_shift(sums, sums, s_.width, 1.0f, -shifts[i]);
      }
      return;
    }
    GemmArgs args;
    args.m = rows.count;
    args.n = s_.width;
    args.k = count;
    args.a = {slot.scores, kBlockKeys, 1};
    args.b = view_rows(head.value, s_.value_type, s_.value_row, s_.value_column, key, count,
                       s_.width, slot.values);
    args.c = slot.partial.sums;
    args.c_row_stride = s_.width;
    if (has_sums) {
      args.epilogue.residual = args.c;
      args.epilogue.residual_stride = s_.width;
    }
    gemm(args, slot.product, product_bytes());
  }

  void join(const Rows& rows, const Partial& all, const Partial& other) const {
    const NormRowLoops<float>& loops = norm_row_loops<float>();
    for (int64_t i = 0; i < rows.count; ++i) {
      if (other.max[i] == kNothing) continue;
      const float before = all.max[i];
      const float max =
          other.max[i] > before || other.max[i] != other.max[i] ? other.max[i] : before;
      float kept, added;
      loops.exp_sum(&before, &kept, 1, max);
      loops.exp_sum(&other.max[i], &added, 1, max);
      all.max[i] = max;
      all.total[i] = all.total[i] * kept + other.total[i] * added;
      float* sums = all.sums + i * s_.width;
      const float* others = other.sums + i * s_.width;
      for (int64_t j = 0; j < s_.width; ++j) sums[j] = sums[j] * kept + others[j] * added;
    }
  }

  void write(const AttentionHead& head, const Rows& rows, const Partial& partial) const {
    const NormRowLoops<float>& loops = norm_row_loops<float>();
    const StoreLoop store = store_loop(ComputeType::f32, s_.out_type);
    const auto size = static_cast<int64_t>(element_size(s_.out_type));
    for (int64_t i = 0; i < rows.count; ++i) {
      const int64_t row = rows.first + i;
      float* sums = partial.sums + i * s_.width;
      if (partial.max[i] == kNothing && s_.zero_masked_rows) {
        std::fill(sums, sums + s_.width, 0.0f);
      } else {
        loops.scale_shift(sums, sums, s_.width, 1.0f / partial.total[i], 0.0f);
      }
      const int64_t offset = row / s_.group * s_.out_position + row % s_.group * s_.out_group;
      store(static_cast<char*>(head.out) + offset * size, 1, sums, s_.width);
    }
  }

  const AttentionShape& s_;
  FindAttentionHead find_;
  const void* context_;
  int64_t block_rows_ = 0;
  int64_t row_blocks_ = 0;
  int64_t splits_ = 1;
};

struct Run {
  const Work& work;
  float* shared;
  float* slots;
};

}  // namespace

size_t attention_scratch_bytes(const AttentionShape& shape) noexcept {
  const Work work(shape, nullptr, nullptr);
  if (work.empty()) return 0;
  const size_t threads = std::min(threadpool::pool_thread_count(), work.tasks());
  return (work.shared_floats() + threads * work.slot_floats()) * sizeof(float);
}

void attention(const AttentionShape& shape, FindAttentionHead find, const void* context,
               void* scratch, size_t bytes) noexcept {
  const Work work(shape, find, context);
  if (work.empty()) return;
  float* memory = static_cast<float*>(scratch);
  Run run{work, memory, memory + work.shared_floats()};
  const size_t threads = (bytes / sizeof(float) - work.shared_floats()) / work.slot_floats();
  threadpool::run(
      work.tasks(),
      [](void* self, size_t task, size_t thread) {
        const Run& r = *static_cast<Run*>(self);
        r.work.run_task(task, r.shared, r.slots + thread * r.work.slot_floats());
      },
      &run, threads);
  if (!work.is_split()) return;
  threadpool::run(
      work.blocks(),
      [](void* self, size_t block, size_t) {
        const Run& r = *static_cast<Run*>(self);
        r.work.join_block(block, r.shared);
      },
      &run);
}

}  // namespace executorch::compute
