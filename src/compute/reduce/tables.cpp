#include "compute/reduce/block_loops.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(BlockReductions, block_reductions);

}  // namespace executorch::compute
