// Tensors drawn from distributions with parameters.
#include "kernels/cpu/creation/random.h"
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {
namespace {

/// Programs have no generators: the argument is None.
using Generator = std::optional<int64_t>;
Error check_generator(const Generator& generator) {
  ET_REQUIRE(!generator, NotSupported,
             "argument 'generator': the method's generator is the only one");
  return Error::Ok;
}

Error prepare(const Tensor& self, const Generator& generator, const Tensor& out) {
  ET_TRY(check_generator(generator));
  ET_TRY(check_floating(out, "out"));
  return resize_output_like(out, self);
}

// ---- one function of uniform numbers ----

Error uniform(Context& context, const Tensor& self, double from, double to, Generator generator,
              Tensor& out) {
  ET_TRY(prepare(self, generator, out));
  ET_REQUIRE(from <= to, InvalidArgument, "arguments 'from' and 'to': %g is above %g", from, to);
  const RandomStream stream = reserve_random(context, out.numel());
  const int bits = significand_bits(out.scalar_type());
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      block[i] = from + (to - from) * to_unit(stream.at(static_cast<uint64_t>(first + i)), bits);
  });
  return Error::Ok;
}

/// log(1 - u) of uniform numbers u: never infinite.
void make_logarithms(const RandomStream& stream, int64_t first, int64_t n, double* block) {
  for (int64_t i = 0; i < n; ++i)
    block[i] = 1 - to_unit(stream.at(static_cast<uint64_t>(first + i)));
  apply_to_block(ElementwiseOp::Log, block, n);
}

Error exponential(Context& context, const Tensor& self, double lambd, Generator generator,
                  Tensor& out) {
  ET_TRY(prepare(self, generator, out));
  ET_REQUIRE(lambd >= 0, InvalidArgument, "argument 'lambd': %g is negative", lambd);
  const RandomStream stream = reserve_random(context, out.numel());
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    make_logarithms(stream, first, n, block);
    for (int64_t i = 0; i < n; ++i) block[i] = -block[i] / lambd;
  });
  return Error::Ok;
}

/// How many trials it takes to succeed with probability p.
Error geometric(Context& context, const Tensor& self, double p, Generator generator, Tensor& out) {
  ET_TRY(check_generator(generator));
  ET_TRY(check_arithmetic(out, "out"));
  ET_TRY(resize_output_like(out, self));
  ET_REQUIRE(p > 0 && p < 1, InvalidArgument, "argument 'p': %g is not between 0 and 1", p);
  double rate = 1 - p;
  apply_to_block(ElementwiseOp::Log, &rate, 1);
  const RandomStream stream = reserve_random(context, out.numel());
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    make_logarithms(stream, first, n, block);
    for (int64_t i = 0; i < n; ++i) block[i] /= rate;
    apply_to_block(ElementwiseOp::Floor, block, n);
    for (int64_t i = 0; i < n; ++i) block[i] += 1;
  });
  return Error::Ok;
}

Error cauchy(Context& context, const Tensor& self, double median, double sigma, Generator generator,
             Tensor& out) {
  ET_TRY(prepare(self, generator, out));
  ET_REQUIRE(sigma > 0, InvalidArgument, "argument 'sigma': %g is not positive", sigma);
  const RandomStream stream = reserve_random(context, out.numel());
  constexpr double kPi = 3.14159265358979323846;
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      block[i] = kPi * (to_unit(stream.at(static_cast<uint64_t>(first + i))) - 0.5);
    apply_to_block(ElementwiseOp::Tan, block, n);
    for (int64_t i = 0; i < n; ++i) block[i] = median + sigma * block[i];
  });
  return Error::Ok;
}

// ---- normal distributions ----

Error check_deviation(double std) {
  ET_REQUIRE(std >= 0, InvalidArgument, "argument 'std': %g is negative", std);
  return Error::Ok;
}

void fill_normal(Context& context, double mean, double std, const Tensor& out) {
  const RandomStream stream = reserve_random(context, 2 * out.numel());
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    make_normal(stream, first, n, block);
    for (int64_t i = 0; i < n; ++i) block[i] = mean + std * block[i];
  });
}

Error normal(Context& context, const Tensor& self, double mean, double std, Generator generator,
             Tensor& out) {
  ET_TRY(prepare(self, generator, out));
  ET_TRY(check_deviation(std));
  fill_normal(context, mean, std, out);
  return Error::Ok;
}

Error normal_of_size(Context& context, double mean, double std, IntList size, Generator generator,
                     Tensor& out) {
  ET_TRY(check_generator(generator));
  ET_TRY(check_floating(out, "out"));
  ET_TRY(check_deviation(std));
  ET_TRY(check_list_rank(size, "size"));
  const Sizes sizes = to_sizes(size);
  int64_t numel = 0;
  ET_TRY(checked_numel(sizes, "size", &numel));
  ET_TRY(resize_output(out, sizes));
  fill_normal(context, mean, std, out);
  return Error::Ok;
}

/// mean + std * z, where either may be a tensor.
Error scale_normal(Context& context, const Input& mean, const Input& std, Generator generator,
                   Tensor& out) {
  ET_TRY(check_generator(generator));
  ET_TRY(check_floating(out, "out"));
  Sizes sizes;
  ET_TRY(broadcast_sizes({mean, std}, &sizes));
  ET_TRY(resize_output(out, sizes));
  for (const Input* input : {&mean, &std}) {
    if (input->tensor() == nullptr) continue;
    ET_TRY(check_floating(*input->tensor(), input->name()));
    ET_TRY(check_no_overlap(out, *input->tensor(), input->name()));
  }
  fill_normal(context, 0, 1, out);
  const ScalarType type = out.scalar_type();
  return run_elementwise(ElementwiseOp::MulAdd, type, type, {{"out", out}, std, mean}, out);
}

Error normal_tensor_float(Context& context, const Tensor& mean, double std, Generator generator,
                          Tensor& out) {
  ET_TRY(check_deviation(std));
  return scale_normal(context, {"mean", mean}, {"std", Scalar(std)}, generator, out);
}
Error normal_float_tensor(Context& context, double mean, const Tensor& std, Generator generator,
                          Tensor& out) {
  return scale_normal(context, {"mean", Scalar(mean)}, {"std", std}, generator, out);
}
Error normal_tensors(Context& context, const Tensor& mean, const Tensor& std, Generator generator,
                     Tensor& out) {
  return scale_normal(context, {"mean", mean}, {"std", std}, generator, out);
}

Error log_normal(Context& context, const Tensor& self, double mean, double std, Generator generator,
                 Tensor& out) {
  ET_TRY(prepare(self, generator, out));
  ET_REQUIRE(std > 0, InvalidArgument, "argument 'std': %g is not positive", std);
  const RandomStream stream = reserve_random(context, 2 * out.numel());
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    make_normal(stream, first, n, block);
    for (int64_t i = 0; i < n; ++i) block[i] = mean + std * block[i];
    apply_to_block(ElementwiseOp::Exp, block, n);
  });
  return Error::Ok;
}

// ---- choices ----

Error check_probability(double p) {
  ET_REQUIRE(p >= 0 && p <= 1, InvalidArgument, "argument 'p': %g is not a probability", p);
  return Error::Ok;
}

Error bernoulli_number(Context& context, const Tensor& self, double p, Generator generator,
                       Tensor& out) {
  ET_TRY(check_generator(generator));
  ET_TRY(check_arithmetic(out, "out"));
  ET_TRY(check_probability(p));
  ET_TRY(resize_output_like(out, self));
  const RandomStream stream = reserve_random(context, out.numel());
  fill_blocks(out, [&](double* block, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      block[i] = to_unit(stream.at(static_cast<uint64_t>(first + i))) < p ? 1 : 0;
  });
  return Error::Ok;
}

/// Ones with the probability that stands at their place.
Error bernoulli_of(Context& context, const Tensor& probabilities, const char* name,
                   const Tensor& out) {
  ET_TRY(check_floating(probabilities, name));
  ET_TRY(check_arithmetic(out, "out"));
  ContiguousInput p(context);
  ContiguousOutput results(context);
  ET_TRY(p.prepare(probabilities, ScalarType::Double));
  ET_TRY(results.prepare(out, ScalarType::Double));
  const auto* values = p.data<double>();
  for (int64_t i = 0; i < out.numel(); ++i) ET_TRY(check_probability(values[i]));
  const RandomStream stream = reserve_random(context, out.numel());
  for (int64_t i = 0; i < out.numel(); ++i)
    results.data<double>()[i] = to_unit(stream.at(static_cast<uint64_t>(i))) < values[i] ? 1 : 0;
  results.finish();
  return Error::Ok;
}

Error bernoulli(Context& context, const Tensor& self, Generator generator, Tensor& out) {
  ET_TRY(check_generator(generator));
  ET_TRY(resize_output_like(out, self));
  return bernoulli_of(context, self, "self", out);
}

Error bernoulli_tensor(Context& context, const Tensor& self, const Tensor& p, Generator generator,
                       Tensor& out) {
  ET_TRY(check_generator(generator));
  ET_REQUIRE(same_sizes(self, p), NotSupported, "argument 'p': %s must have the sizes of self, %s",
             describe(p).text, describe(self).text);
  ET_TRY(resize_output_like(out, self));
  return bernoulli_of(context, p, "p", out);
}

/// Draws from the weights of one line. Without replacement, what was drawn has no weight left.
Error draw(double* weights, int64_t length, const RandomStream& stream, int64_t first,
           int64_t samples, bool replacement, int64_t* out) {
  double total = 0;
  for (int64_t i = 0; i < length; ++i) {
    const double w = weights[i];
    ET_REQUIRE(w >= 0 && w - w == 0, InvalidArgument, "argument 'self': %g is not a weight", w);
    total += w;
  }
  for (int64_t k = 0; k < samples; ++k) {
    ET_REQUIRE(total > 0, InvalidArgument,
               "argument 'num_samples': fewer elements than that have a weight");
    const double target = to_unit(stream.at(static_cast<uint64_t>(first + k))) * total;
    double sum = 0;
    int64_t chosen = -1;
    for (int64_t i = 0; i < length && sum <= target; ++i) {
      if (weights[i] == 0) continue;
      sum += weights[i];
      chosen = i;
    }
    ET_REQUIRE(chosen >= 0, InvalidArgument, "argument 'self': no element has a weight");
    out[k] = chosen;
    if (replacement) continue;
    weights[chosen] = 0;
    total = 0;
    for (int64_t i = 0; i < length; ++i) total += weights[i];
  }
  return Error::Ok;
}

Error multinomial(Context& context, const Tensor& self, int64_t num_samples, bool replacement,
                  Generator generator, Tensor& out) {
  ET_TRY(check_generator(generator));
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_rank(self, "self", 1, 2));
  ET_REQUIRE(out.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument 'out': expected int64, found %s", describe(out).text);
  Sizes sizes = sizes_of(self);
  const int64_t length = sizes[sizes.rank - 1];
  ET_REQUIRE(num_samples > 0 && (replacement || num_samples <= length), InvalidArgument,
             "argument 'num_samples': %lld of %lld elements", static_cast<long long>(num_samples),
             static_cast<long long>(length));
  sizes[sizes.rank - 1] = num_samples;
  int64_t numel = 0;
  ET_TRY(checked_numel(sizes, "num_samples", &numel));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  Scratch weights(context);
  ContiguousOutput drawn(context);
  ET_TRY(weights.allocate(static_cast<size_t>(self.numel()), sizeof(double)));
  ET_TRY(drawn.prepare(out));
  const Sizes own = sizes_of(self);
  compute::convert(compute::contiguous_view(weights.data(), compute::DType::f64, sizeof(double),
                                            own.rank, own.values),
                   view_of(self));
  const RandomStream stream = reserve_random(context, numel);
  for (int64_t line = 0; line * num_samples < numel; ++line) {
    ET_TRY(draw(weights.as<double>() + line * length, length, stream, line * num_samples,
                num_samples, replacement, drawn.data<int64_t>() + line * num_samples));
  }
  drawn.finish();
  return Error::Ok;
}

#define GENERATOR "*, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)"

constexpr OperatorRow kRows[] = {
    row<"aten::uniform.out", uniform>("(Tensor self, float from=0., float to=1., " GENERATOR),
    row<"aten::exponential.out", exponential>("(Tensor self, float lambd=1., " GENERATOR),
    row<"aten::geometric.out", geometric>("(Tensor self, float p, " GENERATOR),
    row<"aten::cauchy.out", cauchy>("(Tensor self, float median=0., float sigma=1., " GENERATOR),
    row<"aten::normal.out", normal>("(Tensor self, float mean=0., float std=1., " GENERATOR),
    row<"aten::normal.float_float_out", normal_of_size>(
        "(float mean, float std, SymInt[] size, " GENERATOR),
    row<"aten::normal.Tensor_float_out", normal_tensor_float>(
        "(Tensor mean, float std=1., " GENERATOR),
    row<"aten::normal.float_Tensor_out", normal_float_tensor>(
        "(float mean, Tensor std, " GENERATOR),
    row<"aten::normal.Tensor_Tensor_out", normal_tensors>("(Tensor mean, Tensor std, " GENERATOR),
    row<"aten::log_normal.out", log_normal>(
        "(Tensor self, float mean=1., float std=2., " GENERATOR),
    row<"aten::bernoulli.out", bernoulli>("(Tensor self, " GENERATOR),
    row<"aten::bernoulli.float_out", bernoulli_number>("(Tensor self, float p=0.5, " GENERATOR),
    row<"aten::bernoulli.Tensor_out", bernoulli_tensor>("(Tensor self, Tensor p, " GENERATOR),
    row<"aten::multinomial.out", multinomial>(
        "(Tensor self, SymInt num_samples, bool replacement=False, " GENERATOR),
};

#undef GENERATOR

}  // namespace

Table distribution_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
