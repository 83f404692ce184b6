#include "compute/quantized/loops.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(QuantizedLoops, quantized_loops);

}  // namespace executorch::compute
