#include "compute/attention/delta_rule.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(DeltaRuleLoops, delta_rule_loops);

}  // namespace executorch::compute
