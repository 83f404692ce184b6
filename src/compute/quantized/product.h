/**
 * @file
 * Products of quantised rows with packed weights of 8 or 4 bits.
 *
 * Sums of bytes are exact (they wrap in 32 bits), so results depend neither on instruction set,
 * blocking nor thread count; those of half-byte weights are exact within a group and added over
 * groups in ascending order. Nothing here allocates: the caller passes scratch of the size asked
 * for. Threads come from the process's pool.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

#include "compute/cpu/cpu.h"
#include "compute/quantized/sums_output.h"

namespace executorch::compute {

/// How a weight's numbers are stored.
enum class WeightBits : uint8_t {
  Int8,  ///< i8
  Int4,  ///< u8, two a byte along the last dim: the even index low; stored + 8; rows of whole bytes
};

/// A packed weight of k by n. Does not own its memory.
struct QuantizedMatrix {
  Isa isa = Isa::baseline;
  WeightBits bits = WeightBits::Int8;
  int64_t k = 0, n = 0;
  /// Int4: values of k that share a scale: a divisor of k, and a multiple of 8 unless it is k; at
  /// most kMostHalfByteGroup.
  int64_t group = 0;
  const void* data = nullptr;
};

/// Half bytes whose products a 32-bit sum holds.
constexpr int64_t kMostHalfByteGroup = 1 << 16;

/// n rounded up to whole panels.
EXECUTORCH_COMPUTE_API int64_t padded_columns(Isa isa, int64_t n) noexcept;

/// Bytes that the matrix takes packed; SIZE_MAX when sizes overflow.
EXECUTORCH_COMPUTE_API size_t quantized_packed_bytes(const QuantizedMatrix& matrix) noexcept;

/// A weight of bytes, strides in elements. k counts (k0, k1, k2), the last fastest: a linear layer
/// has {1, 1, k}, a convolution its kernel's rows, columns and channels.
struct ByteWeights {
  const int8_t* data;
  int64_t column_stride;
  int64_t sizes[3];
  int64_t strides[3];
};
/// Packs to `packed`, 64-byte aligned and of quantized_packed_bytes(); `matrix` says the shape.
/// Uses the pool.
EXECUTORCH_COMPUTE_API void pack_bytes(const QuantizedMatrix& matrix, const ByteWeights& weights,
                                       void* packed) noexcept;

/// A weight of half bytes with its groups' scales in bf16.
struct HalfByteWeights {
  const uint8_t* data;
  int64_t column_bytes;  ///< from one column's (k + 1) / 2 bytes to the next's
  /// [n, k / group] with a stride per column; null: all one.
  const uint16_t* scales;
  int64_t scales_stride;
};
EXECUTORCH_COMPUTE_API void pack_halves(const QuantizedMatrix& matrix,
                                        const HalfByteWeights& weights, void* packed) noexcept;

/// Sums that packing leaves with a packed matrix, for SumsOutput: of bytes.
EXECUTORCH_COMPUTE_API const int32_t* weight_sums(const QuantizedMatrix& matrix) noexcept;
/// Of half bytes.
EXECUTORCH_COMPUTE_API const float* scaled_weight_sums(const QuantizedMatrix& matrix) noexcept;

/// Writes rows [first, first + rows) of a group of A, k values each, in the form of the instruction
/// set (ProductKernels::store_row) to `copy`, `row_stride` bytes apart.
struct ByteRowSource {
  void (*copy)(const void* context, int64_t group, int64_t first, int64_t rows, char* copy,
               int64_t row_stride) = nullptr;
  const void* context = nullptr;
};

/// `groups` products side by side: group g yields columns [g * n, g * n + n) of C. Its weights lie
/// g * quantized_packed_bytes() behind the first's; its arrays of columns g * padded_columns().
struct QuantizedProductArgs {
  int64_t m = 0;
  int64_t groups = 1;
  ByteRowSource rows;
  QuantizedMatrix weights;
  void* c = nullptr;         ///< f32 or i8 as the output says
  int64_t c_row_stride = 0;  ///< elements
  SumsOutput output;
};

/// Scratch bytes with the threads of the pool, at most for this and all smaller m.
EXECUTORCH_COMPUTE_API size_t quantized_product_scratch_bytes(int64_t m,
                                                              const QuantizedMatrix& weights,
                                                              size_t threads) noexcept;
EXECUTORCH_COMPUTE_API void quantized_product(const QuantizedProductArgs& args, void* scratch,
                                              size_t scratch_bytes) noexcept;

/// Rows of i8 that lie in memory, `row_stride` elements apart; the source of a plain product.
struct PlainRows {
  const int8_t* data;
  int64_t row_stride;
  Isa isa;
  int64_t k;
};
EXECUTORCH_COMPUTE_API ByteRowSource source_of(const PlainRows& rows) noexcept;

}  // namespace executorch::compute
