// Linear attention with a gated delta rule, in float.
#include <initializer_list>
#include <iterator>

#include "compute/attention/delta_rule.h"
#include "kernels/llm/tables.h"
#include "kernels/support/copying.h"
#include "threadpool/parallel.h"

namespace executorch {
namespace kernels {
namespace {

/// InvalidArgument unless the tensor is float32 with these sizes.
Error check_operand(const Tensor& tensor, const char* name,
                    std::initializer_list<int64_t> expected) {
  Sizes sizes;
  for (int64_t size : expected) sizes.push(size);
  bool fits = tensor.scalar_type() == ScalarType::Float && tensor.dim() == sizes.rank;
  for (int d = 0; fits && d < sizes.rank; ++d)
    fits = tensor.sizes()[static_cast<size_t>(d)] == sizes[d];
  ET_REQUIRE(fits, InvalidArgument, "argument '%s': expected float32 %s, found %s", name,
             describe(sizes).text, describe(tensor).text);
  return Error::Ok;
}

struct Heads {
  int64_t batch, query_heads, heads, steps, key_size, value_size;
};

Error read_sizes(const Tensor& query, const Tensor& key, const Tensor& value, Heads* h) {
  ET_TRY(check_rank(query, "query", 4, 4));
  ET_TRY(check_rank(key, "key", 4, 4));
  ET_TRY(check_rank(value, "value", 4, 4));
  *h = {key.sizes()[0], query.sizes()[1], key.sizes()[1],
        key.sizes()[2], key.sizes()[3],   value.sizes()[3]};
  ET_REQUIRE(h->heads > 0 && h->query_heads % h->heads == 0, InvalidArgument,
             "arguments 'query' and 'key': %lld heads are no multiple of %lld",
             static_cast<long long>(h->query_heads), static_cast<long long>(h->heads));
  ET_TRY(check_operand(query, "query", {h->batch, h->query_heads, h->steps, h->key_size}));
  ET_TRY(check_operand(key, "key", {h->batch, h->heads, h->steps, h->key_size}));
  return check_operand(value, "value", {h->batch, h->heads, h->steps, h->value_size});
}

Error prepare_outputs(const Tensor& query, const Tensor& state, const Heads& h, const Tensor& out,
                      const Tensor& final_state) {
  Sizes sizes = sizes_of(query);
  sizes[3] = h.value_size;
  ET_TRY(resize_output(out, sizes));
  ET_TRY(resize_output_like(final_state, state, "final_state_out"));
  ET_TRY(check_operand(out, "out", {h.batch, h.query_heads, h.steps, h.value_size}));
  ET_TRY(
      check_operand(final_state, "final_state_out", {h.batch, h.heads, h.key_size, h.value_size}));
  return check_no_overlap(final_state, out, "out");
}

/// Decay is one factor for each row of the state, or one for all.
Error gated_delta_rule(Context& context, const Tensor& query, const Tensor& key,
                       const Tensor& value, const Tensor& decay, const Tensor& beta,
                       const Tensor& initial_state, Tensor& out, Tensor& final_state) {
  Heads h;
  ET_TRY(read_sizes(query, key, value, &h));
  const bool decay_is_shared = decay.dim() == 3;
  if (!decay_is_shared) {
    ET_TRY(check_operand(decay, "decay", {h.batch, h.heads, h.steps, h.key_size}));
  } else {
    ET_TRY(check_operand(decay, "decay", {h.batch, h.heads, h.steps}));
  }
  ET_TRY(check_operand(beta, "beta", {h.batch, h.heads, h.steps}));
  ET_TRY(
      check_operand(initial_state, "initial_state", {h.batch, h.heads, h.key_size, h.value_size}));
  ET_TRY(prepare_outputs(query, initial_state, h, out, final_state));
  const Tensor* const inputs[] = {&query, &key, &value, &decay, &beta};
  const char* const names[] = {"query", "key", "value", "decay", "beta"};
  for (size_t i = 0; i < std::size(inputs); ++i) {
    ET_TRY(check_no_overlap(out, *inputs[i], names[i]));
    ET_TRY(check_no_overlap(final_state, *inputs[i], names[i]));
  }
  ET_TRY(check_no_overlap(out, initial_state, "initial_state"));

  ContiguousInput q(context), k(context), v(context), d(context), b(context);
  ContiguousInput* const prepared[] = {&q, &k, &v, &d, &b};
  for (size_t i = 0; i < std::size(inputs); ++i) ET_TRY(prepared[i]->prepare(*inputs[i]));
  ContiguousOutput result(context);
  ET_TRY(result.prepare(out));
  ContiguousOutput state(context);
  ET_TRY(state.prepare(final_state));
  compute::convert(state.view(), view_of(initial_state));
  const int64_t state_size = h.key_size * h.value_size;
  const int64_t group = h.query_heads / h.heads;
  threadpool::parallel_for(0, h.batch * h.heads, 1, [&](int64_t first, int64_t last) {
    for (int64_t head = first; head < last; ++head) {
      compute::DeltaRule rule;
      rule.steps = h.steps;
      rule.key_size = h.key_size;
      rule.value_size = h.value_size;
      rule.group = group;
      rule.query = q.data<float>() + head * group * h.steps * h.key_size;
      rule.key = k.data<float>() + head * h.steps * h.key_size;
      rule.value = v.data<float>() + head * h.steps * h.value_size;
      rule.decay = d.data<float>() + head * h.steps * (decay_is_shared ? 1 : h.key_size);
      rule.decay_is_shared = decay_is_shared;
      rule.beta = b.data<float>() + head * h.steps;
      rule.state = state.data<float>() + head * state_size;
      rule.out = result.data<float>() + head * group * h.steps * h.value_size;
      compute::delta_rule_loops().run(rule);
    }
  });
  result.finish();
  state.finish();
  return Error::Ok;
}

constexpr const char* kSchema =
    "(Tensor query, Tensor key, Tensor value, Tensor decay, Tensor beta, Tensor initial_state, *, "
    "Tensor(a!) out, Tensor(b!) final_state_out) -> (Tensor(a!), Tensor(b!))";

constexpr OperatorRow kRows[] = {
    row<"llama::gated_delta_rule.out", gated_delta_rule>(kSchema),
    row<"llama::channelwise_gated_delta_rule.out", gated_delta_rule>(kSchema),
};

}  // namespace

Table delta_rule_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
