// Random tensors, from the generator of the method that runs.
#include <executorch/runtime/kernel/random_generator.h>

#include "compute/elementwise/cast.h"
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "threadpool/parallel.h"

namespace executorch {
namespace kernels {
namespace {

using compute::ComputeType;
using runtime::RandomGenerator;
using Stream = RandomGenerator::Stream;

constexpr int64_t kBlock = 1024;

/// The method's generator, or one per thread for operators called without a method.
RandomGenerator& generator_of(Context& context) {
  if (context.random_generator() != nullptr) return *context.random_generator();
  thread_local RandomGenerator generator;
  return generator;
}

/// Bits of the significand: a uniform number has no more, so that rounding never gives 1.
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

/// A number of [0, 1) with so many bits.
double to_unit(uint64_t random, int bits) {
  return static_cast<double>(random >> (64 - bits)) / static_cast<double>(uint64_t{1} << bits);
}

/// Fills `out`, in the order of its memory, with blocks that `make` writes: make(double* block,
/// first, n).
template <class Make>
void fill_blocks(const Tensor& out, Make make) {
  const auto store = compute::store_loop(ComputeType::f64, compute_dtype(out.scalar_type()));
  char* data = static_cast<char*>(out.mutable_data_ptr());
  const int64_t size = static_cast<int64_t>(out.element_size());
  threadpool::parallel_for(0, out.numel(), 4 * kBlock, [&](int64_t first, int64_t last) {
    double block[kBlock];
    for (; first < last; first += kBlock) {
      const int64_t n = last - first < kBlock ? last - first : kBlock;
      make(block, first, n);
      store(data + first * size, 1, block, n);
    }
  });
}

Error prepare(IntList size, const Tensor& out) {
  ET_TRY(check_floating(out, "out"));
  ET_TRY(check_list_rank(size, "size"));
  int64_t numel = 0;
  const Sizes sizes = to_sizes(size);
  ET_TRY(checked_numel(sizes, "size", &numel));
  return resize_output(out, sizes);
}

Error rand(Context& context, IntList size, Tensor& out) {
  ET_TRY(prepare(size, out));
  const Stream stream = generator_of(context).reserve(static_cast<uint64_t>(out.numel()));
  const int bits = significand_bits(out.scalar_type());
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      block[i] = to_unit(stream.at(static_cast<uint64_t>(first + i)), bits);
  });
  return Error::Ok;
}

void apply(ElementwiseOp op, double* block, int64_t n) {
  const void* operands[] = {block};
  compute::block_loop(op, ComputeType::f64)(block, operands, 0, n);
}

/// Normally distributed numbers by the method of Box and Muller, two uniform numbers for each.
Error randn(Context& context, IntList size, Tensor& out) {
  ET_TRY(prepare(size, out));
  const Stream stream = generator_of(context).reserve(2 * static_cast<uint64_t>(out.numel()));
  constexpr double kTwoPi = 6.283185307179586;
  fill_blocks(out, [&](double* radius, int64_t first, int64_t n) {
    double angle[kBlock];
    for (int64_t i = 0; i < n; ++i) {
      const auto index = 2 * static_cast<uint64_t>(first + i);
      radius[i] = 1 - to_unit(stream.at(index), 53);
      angle[i] = kTwoPi * to_unit(stream.at(index + 1), 53);
    }
    apply(ElementwiseOp::Log, radius, n);
    for (int64_t i = 0; i < n; ++i) radius[i] *= -2;
    apply(ElementwiseOp::Sqrt, radius, n);
    apply(ElementwiseOp::Cos, angle, n);
    for (int64_t i = 0; i < n; ++i) radius[i] *= angle[i];
  });
  return Error::Ok;
}

Error native_dropout(Context& context, const Tensor& input, double p, std::optional<bool> train,
                     Tensor& out0, Tensor& out1) {
  ET_TRY(check_floating(input, "input"));
  ET_REQUIRE(p >= 0 && p <= 1, InvalidArgument, "argument 'p': %g is not a probability", p);
  ET_REQUIRE(out1.scalar_type() == ScalarType::Bool || out1.scalar_type() == ScalarType::Byte,
             InvalidArgument, "argument 'out1': expected bool or uint8, found %s",
             describe(out1).text);
  ET_TRY(resize_output_like(out1, input, "out1"));
  ET_TRY(check_no_overlap(out1, input, "input"));
  ET_TRY(check_no_overlap(out1, out0, "out0"));
  const ScalarType type = input.scalar_type();
  const bool drops = train.value_or(true) && p > 0;
  if (!drops) {
    fill_blocks(out1, [](double* block, int64_t, int64_t n) {
      for (int64_t i = 0; i < n; ++i) block[i] = 1;
    });
    return run_elementwise(ElementwiseOp::Copy, type, type, {{"input", input}}, out0);
  }
  const Stream stream = generator_of(context).reserve(static_cast<uint64_t>(input.numel()));
  fill_blocks(out1, [&](double* block, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      block[i] = to_unit(stream.at(static_cast<uint64_t>(first + i)), 53) < p ? 0 : 1;
  });
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  ET_TRY(run_elementwise(ElementwiseOp::Mul, type, type, {{"input", input}, {"out1", out1}}, out0));
  return run_elementwise(ElementwiseOp::Mul, type, type, {{"out0", out0}, {"scale", Scalar(scale)}},
                         out0, Rounding::tensors);
}

constexpr OperatorRow kRows[] = {
    row<"aten::rand.out", rand>("(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::randn.out", randn>("(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::native_dropout.out", native_dropout>(
        "(Tensor input, float p, bool? train, *, Tensor(a!) out0, "
        "Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))"),
};

}  // namespace

Table random_rows() {
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
