#include "compute/elementwise/cast.h"
#include "compute/elementwise/complex_loops.h"
#include "compute/elementwise/operation.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(ElementwiseLoops, elementwise_loops);
EXECUTORCH_DEFINE_ISA_TABLE(CastLoops, cast_loops);

BlockLoop block_loop(ElementwiseOp op, ComputeType type) {
  const auto index = static_cast<size_t>(type);
  if (index >= kRealComputeTypeCount) return complex_block_loop(op, type);
  return elementwise_loops().loop[static_cast<int>(op)][index];
}

const char* operation_name(ElementwiseOp op) {
  static constexpr const char* kNames[] = {
#define EXECUTORCH_NAME(name__, arity__, types__) #name__,
      EXECUTORCH_ELEMENTWISE_OPERATIONS(EXECUTORCH_NAME)
#undef EXECUTORCH_NAME
  };
  return op < ElementwiseOp::count ? kNames[static_cast<int>(op)] : "?";
}

namespace {
bool valid(DType type) {
  const int index = static_cast<int>(type);
  return index >= 0 && index < kDTypeCount;
}
}  // namespace

LoadLoop load_loop(DType from, ComputeType to) {
  if (!valid(from)) return nullptr;
  const auto index = static_cast<size_t>(to);
  if (index >= kRealComputeTypeCount) return complex_load_loop(from, to);
  if (is_complex(from)) return complex_to_real_loop(from, to);
  return cast_loops().load[static_cast<int>(from)][index];
}

StoreLoop store_loop(ComputeType from, DType to) {
  if (!valid(to)) return nullptr;
  const auto index = static_cast<size_t>(from);
  if (index >= kRealComputeTypeCount) return complex_store_loop(from, to);
  if (is_complex(to)) return real_to_complex_loop(from, to);
  return cast_loops().store[index][static_cast<int>(to)];
}

}  // namespace executorch::compute
