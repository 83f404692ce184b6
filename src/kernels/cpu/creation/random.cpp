#include "kernels/cpu/creation/random.h"

namespace executorch {
namespace kernels {

using compute::ElementwiseOp;

RandomStream reserve_random(Context& context, int64_t count) {
  thread_local runtime::RandomGenerator own;
  runtime::RandomGenerator* generator = context.random_generator();
  return (generator != nullptr ? *generator : own).reserve(static_cast<uint64_t>(count));
}

int significand_bits(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
      return 11;
    case ScalarType::BFloat16:
      return 8;
    case ScalarType::Float:
      return 24;
    default:
      return 53;
  }
}

void apply_to_block(ElementwiseOp op, double* block, int64_t n) {
  const void* operands[] = {block};
  compute::block_loop(op, compute::ComputeType::f64)(block, operands, 0, n);
}

// The method of Box and Muller.
void make_normal(const RandomStream& stream, int64_t first, int64_t n, double* block) {
  constexpr double kTwoPi = 6.283185307179586;
  double angle[kRandomBlock];
  for (int64_t i = 0; i < n; ++i) {
    const auto index = 2 * static_cast<uint64_t>(first + i);
    block[i] = 1 - to_unit(stream.at(index));
    angle[i] = kTwoPi * to_unit(stream.at(index + 1));
  }
  apply_to_block(ElementwiseOp::Log, block, n);
  for (int64_t i = 0; i < n; ++i) block[i] *= -2;
  apply_to_block(ElementwiseOp::Sqrt, block, n);
  apply_to_block(ElementwiseOp::Cos, angle, n);
  for (int64_t i = 0; i < n; ++i) block[i] *= angle[i];
}

}  // namespace kernels
}  // namespace executorch
