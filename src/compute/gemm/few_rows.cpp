#include "compute/gemm/few_rows.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(FewRowsLoops, few_rows_loops);

FewRowsTypeLoops few_rows_loops(DType type) {
  const FewRowsLoops& loops = few_rows_loops();
  switch (type) {
    case DType::f32:
      return loops.f32;
    case DType::f16:
      return loops.f16;
    case DType::bf16:
      return loops.bf16;
    case DType::i8:
      return loops.i8;
    default:
      return {};
  }
}

}  // namespace executorch::compute
