// Uniformly and normally distributed tensors, and what chance drops or reorders.
#include <utility>

#include "kernels/cpu/creation/random.h"
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {
namespace {

Error resize_to(IntList size, const Tensor& out) {
  ET_TRY(check_list_rank(size, "size"));
  int64_t numel = 0;
  const Sizes sizes = to_sizes(size);
  ET_TRY(checked_numel(sizes, "size", &numel));
  return resize_output(out, sizes);
}

Error fill_uniform(Context& context, const Tensor& out) {
  ET_TRY(check_floating(out, "out"));
  const RandomStream stream = reserve_random(context, out.numel());
  const int bits = significand_bits(out.scalar_type());
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      block[i] = to_unit(stream.at(static_cast<uint64_t>(first + i)), bits);
  });
  return Error::Ok;
}

Error fill_normal(Context& context, const Tensor& out) {
  ET_TRY(check_floating(out, "out"));
  const RandomStream stream = reserve_random(context, 2 * out.numel());
  fill_blocks(
      out, [&](double* block, int64_t first, int64_t n) { make_normal(stream, first, n, block); });
  return Error::Ok;
}

using Fill = Error(Context& context, const Tensor& out);
template <Fill* fill>
Error of_size(Context& context, IntList size, Tensor& out) {
  ET_TRY(resize_to(size, out));
  return fill(context, out);
}
template <Fill* fill>
Error like(Context& context, const Tensor& self, std::optional<int64_t>, Tensor& out) {
  ET_TRY(resize_output_like(out, self));
  return fill(context, out);
}

// ---- whole numbers ----

/// Random numbers of [low, high).
Error fill_integers(Context& context, int64_t low, int64_t high, const Tensor& out) {
  ET_TRY(check_arithmetic(out, "out"));
  ET_REQUIRE(low < high, InvalidArgument,
             "arguments 'low' and 'high': no number is in [%lld, %lld)",
             static_cast<long long>(low), static_cast<long long>(high));
  ET_TRY(check_fits(Scalar(low), out.scalar_type(), "low"));
  ET_TRY(check_fits(Scalar(high - 1), out.scalar_type(), "high"));
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const RandomStream stream = reserve_random(context, out.numel());
  const auto store =
      compute::store_loop(compute::ComputeType::i64, compute_dtype(out.scalar_type()));
  char* data = static_cast<char*>(out.mutable_data_ptr());
  for (int64_t i = 0; i < out.numel(); ++i) {
    // The high half of the product maps 64 bits to the range.
    const auto product =
        static_cast<unsigned __int128>(stream.at(static_cast<uint64_t>(i))) * range;
    const auto value =
        static_cast<int64_t>(static_cast<uint64_t>(low) + static_cast<uint64_t>(product >> 64));
    store(data + i * out.element_size(), 1, &value, 1);
  }
  return Error::Ok;
}

Error randint(Context& context, int64_t high, IntList size, Tensor& out) {
  ET_TRY(resize_to(size, out));
  return fill_integers(context, 0, high, out);
}
Error randint_low(Context& context, int64_t low, int64_t high, IntList size, Tensor& out) {
  ET_TRY(resize_to(size, out));
  return fill_integers(context, low, high, out);
}
Error randint_like(Context& context, const Tensor& self, int64_t high, std::optional<int64_t>,
                   Tensor& out) {
  ET_TRY(resize_output_like(out, self));
  return fill_integers(context, 0, high, out);
}
Error randint_like_low(Context& context, const Tensor& self, int64_t low, int64_t high,
                       std::optional<int64_t>, Tensor& out) {
  ET_TRY(resize_output_like(out, self));
  return fill_integers(context, low, high, out);
}

/// The numbers below n in random order.
Error randperm(Context& context, int64_t n, Tensor& out) {
  ET_TRY(check_arithmetic(out, "out"));
  Sizes sizes;
  sizes.push(n);
  int64_t numel = 0;
  ET_TRY(checked_numel(sizes, "n", &numel));
  if (n > 0) ET_TRY(check_fits(Scalar(n - 1), out.scalar_type(), "n"));
  ET_TRY(resize_output(out, sizes));
  ContiguousOutput order(context);
  ET_TRY(order.prepare(out, ScalarType::Long));
  auto* numbers = order.data<int64_t>();
  const RandomStream stream = reserve_random(context, n);
  for (int64_t i = 0; i < n; ++i) {
    const auto product = static_cast<unsigned __int128>(stream.at(static_cast<uint64_t>(i))) *
                         static_cast<uint64_t>(i + 1);
    const auto place = static_cast<int64_t>(product >> 64);
    numbers[i] = numbers[place];
    numbers[place] = i;
  }
  order.finish();
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
  const RandomStream stream = reserve_random(context, input.numel());
  fill_blocks(out1, [&](double* block, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      block[i] = to_unit(stream.at(static_cast<uint64_t>(first + i))) < p ? 0 : 1;
  });
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  ET_TRY(run_elementwise(ElementwiseOp::Mul, type, type, {{"input", input}, {"out1", out1}}, out0));
  return run_elementwise(ElementwiseOp::Mul, type, type, {{"out0", out0}, {"scale", Scalar(scale)}},
                         out0, Rounding::tensors);
}

#define SIZE_SCHEMA "(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"
#define LIKE_SCHEMA \
  "(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)"

constexpr OperatorRow kRows[] = {
    row<"aten::rand.out", of_size<fill_uniform>>(SIZE_SCHEMA),
    row<"aten::randn.out", of_size<fill_normal>>(SIZE_SCHEMA),
    row<"aten::rand_like.out", like<fill_uniform>>(LIKE_SCHEMA),
    row<"aten::randn_like.out", like<fill_normal>>(LIKE_SCHEMA),
    row<"aten::randint.out", randint>(
        "(SymInt high, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::randint.low_out", randint_low>(
        "(SymInt low, SymInt high, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::randint_like.out", randint_like>(
        "(Tensor self, SymInt high, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"aten::randint_like.low_dtype_out", randint_like_low>(
        "(Tensor self, SymInt low, SymInt high, *, MemoryFormat? memory_format=None, Tensor(a!) "
        "out) -> Tensor(a!)"),
    row<"aten::randperm.out", randperm>("(SymInt n, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::native_dropout.out", native_dropout>(
        "(Tensor input, float p, bool? train, *, Tensor(a!) out0, "
        "Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))"),
};

#undef SIZE_SCHEMA
#undef LIKE_SCHEMA

}  // namespace

Table random_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
