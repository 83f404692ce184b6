/**
 * @file
 * The gated delta rule of linear attention: a state that decays, is corrected towards each value
 * and is read by queries.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/**
 * One head over time. For each step: state = state * decay; error = (value - state^T key) * beta;
 * state += key error^T; out = state^T query for each query head. All row-major floats.
 */
struct DeltaRule {
  int64_t steps = 0;
  int64_t key_size = 0;
  int64_t value_size = 0;
  int64_t group = 0;             ///< query heads that read the state
  const float* query = nullptr;  ///< [group, steps, key_size]
  const float* key = nullptr;    ///< [steps, key_size]
  const float* value = nullptr;  ///< [steps, value_size]
  const float* decay = nullptr;  ///< [steps, key_size], or [steps] for all rows of the state
  bool decay_is_shared = false;
  const float* beta = nullptr;  ///< [steps]
  float* state = nullptr;       ///< [key_size, value_size], updated
  float* out = nullptr;         ///< [group, steps, value_size]
};

struct DeltaRuleLoops {
  void (*run)(const DeltaRule& rule);
};
EXECUTORCH_DECLARE_ISA_TABLE(DeltaRuleLoops, delta_rule_loops);

}  // namespace executorch::compute
