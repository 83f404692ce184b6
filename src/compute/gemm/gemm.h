/**
 * @file
 * Single precision matrix product C[m,n] = epilogue(A[m,k] * B[k,n]).
 *
 * B is best packed once (weights). Each output value starts from its bias and adds its products
 * over k in ascending order with fused multiply-add (without, on instruction sets that lack it), so
 * results depend neither on thread count nor on blocking nor on whether B was packed. Three
 * cases differ in the last bits: with alpha other than 1 the bias is added at the end; up to four
 * rows times an unpacked B of consecutive columns, and rows of consecutive k times an unpacked
 * vector, are summed in vector lanes. Nothing here
 * allocates: the caller passes scratch memory of the size asked for. Threads come from the
 * process's pool. Sizes may be zero: k = 0 leaves the epilogue of zeros. Pointers may be unaligned;
 * packed memory aligned to 64 bytes is faster.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

#include "compute/cpu/cpu.h"
#include "compute/gemm/epilogue.h"

namespace executorch::compute {

/// A strided matrix view; strides in elements.
struct MatrixView {
  const float* data;
  int64_t row_stride;
  int64_t column_stride;
};

/// B rearranged for an instruction set. Does not own its memory.
struct PackedMatrix {
  const float* data = nullptr;
  int64_t k = 0;
  int64_t n = 0;
  Isa isa = Isa::baseline;
};

/// Bytes that B[k,n] takes packed. Sizes must be such that k * n floats fit in memory; overflow
/// yields SIZE_MAX.
EXECUTORCH_COMPUTE_API size_t gemm_packed_bytes(Isa isa, int64_t k, int64_t n) noexcept;

/// Packs B[k,n], given by its element strides: a row-major [k,n] matrix is {b, n, 1}, the [n,k]
/// weight of a linear layer is {w, 1, k}. Uses the pool.
EXECUTORCH_COMPUTE_API PackedMatrix gemm_pack(Isa isa, const MatrixView& b, int64_t k, int64_t n,
                                              float* packed) noexcept;

/// One product. `b` is used when `packed` holds no data.
struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  MatrixView a{};
  MatrixView b{};
  PackedMatrix packed{};
  float* c = nullptr;
  int64_t c_row_stride = 0;
  Epilogue epilogue{};
};

/// Scratch bytes for a product with these sizes, at most, whatever the strides, with the threads of
/// the pool. `packed`: B comes packed, for `isa` or the active instruction set. The size grows with
/// m up to a bound, so that the largest m serves for all.
EXECUTORCH_COMPUTE_API size_t gemm_scratch_bytes(int64_t m, int64_t n, int64_t k,
                                                 bool packed) noexcept;
EXECUTORCH_COMPUTE_API size_t gemm_scratch_bytes(Isa isa, int64_t m, int64_t n, int64_t k,
                                                 bool packed) noexcept;

/// The same for a product inside a task of the pool, which that task's thread computes alone.
EXECUTORCH_COMPUTE_API size_t gemm_task_scratch_bytes(int64_t m, int64_t n, int64_t k,
                                                      bool packed) noexcept;

/// Computes. `scratch` of at least gemm_scratch_bytes; when the pool has grown since, as many
/// threads take part as there is scratch for. C must not overlap A or B.
EXECUTORCH_COMPUTE_API void gemm(const GemmArgs& args, void* scratch,
                                 size_t scratch_bytes) noexcept;

/// `count` products of equal sizes; operands advance by a stride in elements each time (0: shared).
/// The epilogue's residual advances by residual_stride_batch, its bias is shared.
struct GemmBatch {
  int64_t count = 1;
  int64_t a_stride = 0;
  int64_t b_stride = 0;
  int64_t c_stride = 0;
  int64_t residual_stride = 0;
};

EXECUTORCH_COMPUTE_API size_t gemm_batch_scratch_bytes(int64_t count, int64_t m, int64_t n,
                                                       int64_t k) noexcept;

/// Computes a batch of products with unpacked B.
EXECUTORCH_COMPUTE_API void gemm_batch(const GemmArgs& args, const GemmBatch& batch, void* scratch,
                                       size_t scratch_bytes) noexcept;

}  // namespace executorch::compute
