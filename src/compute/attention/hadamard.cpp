#include "compute/attention/hadamard.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(HadamardLoops, hadamard_loops);

}  // namespace executorch::compute
