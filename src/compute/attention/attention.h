/**
 * @file
 * Scaled dot product attention, out = softmax(scale * query key^T + mask) value, without its score
 * matrix in memory. Each block of query rows meets the keys in blocks, with a running maximum and
 * sum of each row; all sums are single precision. Results do not depend on the number of threads.
 * Nothing here allocates.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/cpu/cpu.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

/// Rows of f32, f16 or bf16, or of integers with a scale and a zero point for each row, which lie
/// as the rows do: number = (integer - zero_point) * scale.
struct AttentionRows {
  const void* data = nullptr;
  const float* scales = nullptr;  ///< null: the elements are the numbers
  const int8_t* zero_points = nullptr;
};

/// Queries that share keys and values.
struct AttentionHead {
  AttentionRows query, key, value;
  void* out = nullptr;
  const float* mask = nullptr;  ///< added to the scores; null: none
};

/// Sizes, types and strides (in elements) of all heads. Each position has `group` query rows, which
/// see the same keys and the same row of the mask.
struct AttentionShape {
  int64_t heads = 0;
  int64_t positions = 0;
  int64_t group = 1;
  int64_t depth = 0;   ///< numbers of a query and of a key
  int64_t length = 0;  ///< keys and values
  int64_t width = 0;   ///< numbers of a value

  int64_t query_position = 0, query_group = 0, query_column = 1;
  int64_t key_row = 0, key_column = 1;
  int64_t value_row = 0, value_column = 1;
  int64_t out_position = 0, out_group = 0;  ///< columns of `out` are adjacent
  int64_t mask_position = 0;                ///< columns of the mask are adjacent

  DType query_type = DType::f32, key_type = DType::f32, value_type = DType::f32;
  DType out_type = DType::f32;

  float scale = 1;
  /// Position i sees keys j <= first_position + i only.
  bool causal = false;
  int64_t first_position = 0;
  /// A row whose scores are -infinity throughout gives zeros instead of NaN.
  bool zero_masked_rows = false;
};

using FindAttentionHead = AttentionHead (*)(const void* context, int64_t head);

/// Scratch bytes, with the threads of the pool at the moment.
EXECUTORCH_COMPUTE_API size_t attention_scratch_bytes(const AttentionShape& shape) noexcept;

/// Computes on the thread pool. `scratch` of at least attention_scratch_bytes, 64-byte aligned; as
/// many threads take part as there is room for. `find` is called from several threads.
EXECUTORCH_COMPUTE_API void attention(const AttentionShape& shape, FindAttentionHead find,
                                      const void* context, void* scratch, size_t bytes) noexcept;

}  // namespace executorch::compute
