/**
 * @file
 * Random numbers as operators draw them: from the generator of the method that runs, in blocks.
 */
#pragma once

#include <executorch/runtime/kernel/random_generator.h>

#include "compute/elementwise/cast.h"
#include "compute/elementwise/operation.h"
#include "kernels/support/promotion.h"
#include "kernels/support/tensors.h"
#include "threadpool/parallel.h"

namespace executorch {
namespace kernels {

using RandomStream = runtime::RandomGenerator::Stream;

/// The next `count` numbers of the method's generator, or of one per thread for operators called
/// without a method.
RandomStream reserve_random(Context& context, int64_t count);

/// A number of [0, 1) with so many bits.
inline double to_unit(uint64_t random, int bits = 53) {
  return static_cast<double>(random >> (64 - bits)) / static_cast<double>(uint64_t{1} << bits);
}

/// Bits of the significand: a uniform number has no more, so that rounding never gives 1.
int significand_bits(ScalarType type);

/// Numbers that are made and converted at a time.
constexpr int64_t kRandomBlock = 1024;

/// Normally distributed numbers `first` to `first + n` of a stream that has two for each.
void make_normal(const RandomStream& stream, int64_t first, int64_t n, double* block);

/// Replaces each number by an elementwise function of it.
void apply_to_block(compute::ElementwiseOp op, double* block, int64_t n);

/// Fills `out`, in the order of its memory, with blocks that `make` writes: make(double* block,
/// first, n).
template <class Make>
void fill_blocks(const Tensor& out, Make make) {
  const auto store =
      compute::store_loop(compute::ComputeType::f64, compute_dtype(out.scalar_type()));
  char* data = static_cast<char*>(out.mutable_data_ptr());
  const int64_t size = static_cast<int64_t>(out.element_size());
  threadpool::parallel_for(0, out.numel(), 4 * kRandomBlock, [&](int64_t first, int64_t last) {
    double block[kRandomBlock];
    for (; first < last; first += kRandomBlock) {
      const int64_t n = last - first < kRandomBlock ? last - first : kRandomBlock;
      make(block, first, n);
      store(data + first * size, 1, block, n);
    }
  });
}

}  // namespace kernels
}  // namespace executorch
