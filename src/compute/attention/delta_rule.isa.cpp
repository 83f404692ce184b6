#include "compute/attention/delta_rule.h"

#include "compute/cpu/float_vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

using V = FloatVector;

/// Columns of the state do not meet: a vector of them goes through one step alone.
void run_columns(const DeltaRule& r, int64_t step, int64_t column) {
  const int64_t left = r.value_size - column;
  const float* key = r.key + step * r.key_size;
  const float* decay = r.decay + (r.decay_is_shared ? step : step * r.key_size);
  float* state = r.state + column;
  V::Type recalled = V::zero();
  for (int64_t k = 0; k < r.key_size; ++k) {
    float* row = state + k * r.value_size;
    const V::Type kept = V::mul(load_up_to(row, left), V::set(decay[r.decay_is_shared ? 0 : k]));
    store_up_to(row, kept, left);
    recalled = V::fma(kept, V::set(key[k]), recalled);
  }
  const V::Type value = load_up_to(r.value + step * r.value_size + column, left);
  const V::Type error = V::mul(V::fma(recalled, V::set(-1.0f), value), V::set(r.beta[step]));
  for (int64_t k = 0; k < r.key_size; ++k) {
    float* row = state + k * r.value_size;
    store_up_to(row, V::fma(V::set(key[k]), error, load_up_to(row, left)), left);
  }
  for (int64_t g = 0; g < r.group; ++g) {
    const float* query = r.query + (g * r.steps + step) * r.key_size;
    V::Type sum = V::zero();
    for (int64_t k = 0; k < r.key_size; ++k)
      sum = V::fma(load_up_to(state + k * r.value_size, left), V::set(query[k]), sum);
    store_up_to(r.out + (g * r.steps + step) * r.value_size + column, sum, left);
  }
}

void run(const DeltaRule& rule) {
  for (int64_t column = 0; column < rule.value_size; column += V::kLanes) {
    for (int64_t step = 0; step < rule.steps; ++step) run_columns(rule, step, column);
  }
}

}  // namespace

extern constexpr DeltaRuleLoops delta_rule_loops_table = {run};

}  // namespace EXECUTORCH_ISA_NAMESPACE
