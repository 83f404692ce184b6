// What can be said of a serialized tensor before it becomes one. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/result.h>
#include <schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Most dimensions of a tensor.
constexpr size_t kMaxRank = 16;

/// Bytes of one element, 0 for a type that files do not have.
size_t serialized_element_size(executorch_flatbuffer::ScalarType type);

/// Bytes of a tensor of these sizes. InvalidProgram, with a text, if the product is not
/// representable or a size is negative.
Result<size_t> serialized_nbytes(const int32_t* sizes, size_t rank, size_t element_size);

/// Writes the strides of a dense tensor. False if one does not fit; `dim_order` must be a
/// permutation.
bool compute_strides(const int32_t* sizes, const uint8_t* dim_order, size_t rank, int32_t* strides);

/// How a serialized tensor gets its bytes.
enum class TensorStorage : uint8_t {
  Constant,          ///< in the program's constant segment
  ExternalConstant,  ///< in a data file
  Planned,           ///< in an arena, no initial value
  PlannedInitial,    ///< in an arena, initial value in the program
  PlannedExternal,   ///< in an arena, initial value in a data file
  Unplanned,         ///< supplied later by the caller or by another instruction
  ViewCopy,          ///< on the method's heap: a view that cannot share its tensor's bytes
};

TensorStorage tensor_storage(const executorch_flatbuffer::Tensor& tensor);

inline bool is_planned(TensorStorage storage) {
  return storage == TensorStorage::Planned || storage == TensorStorage::PlannedInitial ||
         storage == TensorStorage::PlannedExternal;
}

inline bool is_constant(TensorStorage storage) {
  return storage == TensorStorage::Constant || storage == TensorStorage::ExternalConstant;
}

/// Offset inside the arena: the two halves put together.
inline uint64_t planned_offset(const executorch_flatbuffer::AllocationDetails& allocation) {
  return (static_cast<uint64_t>(allocation.memory_offset_high()) << 32) |
         allocation.memory_offset_low();
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
