#include "runtime/program/serialized_tensor.h"

#include <algorithm>
#include <limits>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

size_t serialized_element_size(executorch_flatbuffer::ScalarType type) {
  using executorch_flatbuffer::ScalarType;
  switch (type) {
    case ScalarType::BYTE:
    case ScalarType::CHAR:
    case ScalarType::BOOL:
    case ScalarType::QINT8:
    case ScalarType::QUINT8:
    case ScalarType::QUINT4X2:
    case ScalarType::QUINT2X4:
    case ScalarType::FLOAT8E5M2:
    case ScalarType::FLOAT8E4M3FN:
    case ScalarType::FLOAT8E5M2FNUZ:
    case ScalarType::FLOAT8E4M3FNUZ:
      return 1;
    case ScalarType::SHORT:
    case ScalarType::HALF:
    case ScalarType::BFLOAT16:
    case ScalarType::BITS16:
    case ScalarType::UINT16:
      return 2;
    case ScalarType::INT:
    case ScalarType::FLOAT:
    case ScalarType::QINT32:
    case ScalarType::UINT32:
      return 4;
    case ScalarType::LONG:
    case ScalarType::DOUBLE:
    case ScalarType::UINT64:
      return 8;
  }
  return 0;
}

Result<size_t> serialized_nbytes(const int32_t* sizes, size_t rank, size_t element_size) {
  // An empty dimension counts as one while the product is checked: it may be what hides an
  // overflow.
  size_t bound = element_size;
  bool empty = false;
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] < 0)
      return ET_ERROR(InvalidProgram, "size %d of dimension %zu is negative", sizes[d], d);
    empty = empty || sizes[d] == 0;
    if (!checked_mul(bound, static_cast<size_t>(std::max(sizes[d], 1)), &bound) ||
        bound > PTRDIFF_MAX) {
      return ET_ERROR(InvalidProgram,
                      "the product of its sizes overflows at dimension %zu of size %d", d,
                      sizes[d]);
    }
  }
  return empty ? size_t{0} : bound;
}

bool compute_strides(const int32_t* sizes, const uint8_t* dim_order, size_t rank,
                     int32_t* strides) {
  int64_t stride = 1;
  for (size_t i = rank; i > 0; --i) {
    const uint8_t d = dim_order[i - 1];
    if (stride > std::numeric_limits<int32_t>::max()) return false;
    strides[d] = static_cast<int32_t>(stride);
    stride *= std::max(sizes[d], 1);
  }
  return true;
}

TensorStorage tensor_storage(const executorch_flatbuffer::Tensor& tensor) {
  const bool planned = tensor.allocation_info() != nullptr;
  const auto* extra = tensor.extra_tensor_info();
  if (extra != nullptr &&
      extra->location() == executorch_flatbuffer::TensorDataLocation::EXTERNAL) {
    return planned ? TensorStorage::PlannedExternal : TensorStorage::ExternalConstant;
  }
  if (tensor.data_buffer_idx() > 0)
    return planned ? TensorStorage::PlannedInitial : TensorStorage::Constant;
  return planned ? TensorStorage::Planned : TensorStorage::Unplanned;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
