// What a tensor is, and how tensors are made, shared and deleted.
#include <cinttypes>
#include <cstring>
#include <utility>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include "backends/aoti/shims/common/common_table.h"

namespace executorch::backends::aoti {
namespace {

using aten::ScalarType;
using runtime::Span;

/// A view from what generated code hands over. Row-major strides are put into `own`, which must
/// live as long as the view.
Error read_view(int64_t rank, const int64_t* sizes, const int64_t* strides, int64_t offset,
                int64_t* own, ViewSpec* view) {
  ET_REQUIRE(0 <= rank && rank <= kMaxRank, InvalidArgument,
             "a tensor has %" PRId64 " dimensions, at most %" PRIu32 " are possible", rank,
             kMaxRank);
  ET_REQUIRE(rank == 0 || sizes != nullptr, InvalidArgument, "a tensor's sizes are null");
  const size_t count = static_cast<size_t>(rank);
  const Span<const int64_t> dims(sizes, count);
  if (strides == nullptr && count > 0) {
    contiguous_strides(dims, own);
    strides = own;
  }
  *view = {dims, {strides, count}, offset};
  return Error::Ok;
}

Error read_device(int32_t type, int32_t index, Device* device) {
  ET_REQUIRE(type == 0 || type == 1, InvalidArgument,
             "device number %" PRId32 " is not known: 0 is the CPU, 1 is CUDA", type);
  *device = {static_cast<DeviceType>(type), index};
  // PyTorch says -1 for the current device.
  return index >= 0 ? Error::Ok : current_device(device->type, &device->index);
}

/// Whether every element has a place of its own and there are none between them, in any order of
/// the dimensions.
bool is_dense(const ShimTensor& tensor) {
  bool seen[kMaxRank] = {};
  int64_t expected = 1;
  for (size_t round = 0; round < tensor.rank(); ++round) {
    size_t next = tensor.rank();
    for (size_t d = 0; d < tensor.rank(); ++d) {
      if (seen[d]) continue;
      if (tensor.sizes()[d] == 1 || tensor.strides()[d] == expected) next = d;
      if (tensor.sizes()[d] == 1) break;
    }
    if (next == tensor.rank()) return false;
    seen[next] = true;
    if (tensor.sizes()[next] != 1) expected *= tensor.sizes()[next];
  }
  return true;
}

Error borrow(void* data, int64_t rank, const int64_t* sizes, const int64_t* strides, int64_t offset,
             int32_t dtype, int32_t device_type, int32_t device_index, ShimTensor** tensor) {
  int64_t own[kMaxRank];
  ViewSpec view;
  ScalarType type;
  Device device;
  ET_TRY(read_view(rank, sizes, strides, offset, own, &view));
  ET_TRY(dtype_of(dtype, &type));
  ET_TRY(read_device(device_type, device_index, &device));
  return ShimTensor::borrow(data, device, type, view, tensor);
}

Error make_copy(const ShimTensor& tensor, bool keep_strides, ShimTensor** copy) {
  int64_t own[kMaxRank];
  ViewSpec view = tensor.view();
  view.offset = 0;
  if (!keep_strides) {
    contiguous_strides(view.sizes, own);
    view.strides = {own, tensor.rank()};
  }
  ShimTensor* made = nullptr;
  ET_TRY(make_empty(view, tensor.dtype(), tensor.device(), &made));
  const Error error = copy_elements(*made, tensor);
  if (error == Error::Ok) {
    *copy = made;
  } else {
    delete made;
  }
  return error;
}

Error view_pool(const ShimTensor& pool, int64_t offset_bytes, int32_t dtype, int64_t rank,
                const int64_t* sizes, const int64_t* strides, ShimTensor** tensor) {
  int64_t own[kMaxRank];
  ViewSpec view;
  ScalarType type;
  ET_TRY(dtype_of(dtype, &type));
  const int64_t unit = static_cast<int64_t>(runtime::elementSize(type));
  ET_REQUIRE(offset_bytes >= 0 && offset_bytes % unit == 0, InvalidArgument,
             "a tensor of elements of %" PRId64 " bytes cannot start at byte %" PRId64
             " of its pool",
             unit, offset_bytes);
  ET_TRY(read_view(rank, sizes, strides, offset_bytes / unit, own, &view));
  return ShimTensor::make(pool.storage(), type, view, tensor);
}

Error dim_of(const ShimTensor& tensor, int64_t dim, size_t* found) {
  const int64_t rank = static_cast<int64_t>(tensor.rank());
  const int64_t index = dim < 0 ? dim + rank : dim;
  ET_REQUIRE(0 <= index && index < rank, InvalidArgument,
             "a tensor of %" PRId64 " dimensions has no dimension %" PRId64, rank, dim);
  *found = static_cast<size_t>(index);
  return Error::Ok;
}

}  // namespace

Error dtype_of(int32_t number, ScalarType* dtype) {
#define AOTI_KNOWN_DTYPE(name__, number__)    \
  if (number == number__) {                   \
    *dtype = static_cast<ScalarType>(number); \
    return Error::Ok;                         \
  }
  AOTI_DTYPES(AOTI_KNOWN_DTYPE)
#undef AOTI_KNOWN_DTYPE
  return ET_ERROR(InvalidArgument, "type number %" PRId32 " is not known", number);
}

Error make_empty(const ViewSpec& view, ScalarType dtype, const Device& device,
                 ShimTensor** tensor) {
  uint64_t nbytes = 0;
  ET_REQUIRE(
      reached_bytes(view.sizes, view.strides, view.offset, runtime::elementSize(dtype), &nbytes),
      InvalidArgument, "a tensor is too large, or has a negative size or stride");
  Storage* storage = nullptr;
  ET_TRY(allocate(nbytes, device, &storage));
  const Error error = ShimTensor::make(storage, dtype, view, tensor);
  storage->drop();
  return error;
}

extern "C" {

#define AOTI_DEFINE_DTYPE(name__, number__) \
  int32_t AOTI_SHIM(dtype_##name__)() {     \
    return number__;                        \
  }
AOTI_DTYPES(AOTI_DEFINE_DTYPE)
#undef AOTI_DEFINE_DTYPE

int32_t AOTI_SHIM(device_type_cpu)() {
  return static_cast<int32_t>(DeviceType::cpu);
}

int32_t AOTI_SHIM(device_type_cuda)() {
  return static_cast<int32_t>(DeviceType::cuda);
}

int32_t AOTI_SHIM(layout_strided)() {
  return 0;
}

int32_t AOTI_SHIM(memory_format_contiguous_format)() {
  return 0;
}

int32_t AOTI_SHIM(memory_format_preserve_format)() {
  return 1;
}

int32_t AOTI_SHIM(memory_format_channels_last)() {
  return 2;
}

int32_t AOTI_SHIM(memory_format_channels_last_3d)() {
  return 3;
}

size_t AOTI_SHIM(dtype_element_size)(int32_t dtype) {
  ScalarType type;
  return dtype_of(dtype, &type) == Error::Ok ? runtime::elementSize(type) : 0;
}

bool AOTI_SHIM(grad_mode_is_enabled)() {
  return false;
}

Status AOTI_SHIM(grad_mode_set_enabled)(bool enabled) {
  return enabled ? status_of(ET_ERROR(NotSupported, "gradients are not computed")) : 0;
}

Status AOTI_SHIM(get_data_ptr)(ShimTensor* tensor, void** data) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(data);
  *data = tensor->data();
  return 0;
}

Status AOTI_SHIM(get_sizes)(ShimTensor* tensor, int64_t** sizes) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(sizes);
  // PyTorch's signature has it so; generated code does not write there.
  *sizes = const_cast<int64_t*>(tensor->sizes());
  return 0;
}

Status AOTI_SHIM(get_size)(ShimTensor* tensor, int64_t dim, int64_t* size) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(size);
  size_t index = 0;
  const Error error = dim_of(*tensor, dim, &index);
  if (error == Error::Ok) *size = tensor->sizes()[index];
  return status_of(error);
}

Status AOTI_SHIM(get_strides)(ShimTensor* tensor, int64_t** strides) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(strides);
  *strides = const_cast<int64_t*>(tensor->strides());
  return 0;
}

Status AOTI_SHIM(get_stride)(ShimTensor* tensor, int64_t dim, int64_t* stride) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(stride);
  size_t index = 0;
  const Error error = dim_of(*tensor, dim, &index);
  if (error == Error::Ok) *stride = tensor->strides()[index];
  return status_of(error);
}

Status AOTI_SHIM(get_dtype)(ShimTensor* tensor, int32_t* dtype) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(dtype);
  *dtype = static_cast<int32_t>(tensor->dtype());
  return 0;
}

Status AOTI_SHIM(get_dim)(ShimTensor* tensor, int64_t* rank) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(rank);
  *rank = static_cast<int64_t>(tensor->rank());
  return 0;
}

Status AOTI_SHIM(get_numel)(ShimTensor* tensor, int64_t* numel) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(numel);
  *numel = tensor->numel();
  return 0;
}

Status AOTI_SHIM(get_storage_offset)(ShimTensor* tensor, int64_t* offset) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(offset);
  *offset = tensor->offset();
  return 0;
}

Status AOTI_SHIM(get_storage_size)(ShimTensor* tensor, int64_t* nbytes) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(nbytes);
  *nbytes = static_cast<int64_t>(tensor->storage()->nbytes());
  return 0;
}

Status AOTI_SHIM(get_device_type)(ShimTensor* tensor, int32_t* type) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(type);
  *type = static_cast<int32_t>(tensor->device().type);
  return 0;
}

Status AOTI_SHIM(get_device_index)(ShimTensor* tensor, int32_t* index) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(index);
  *index = tensor->device().index;
  return 0;
}

Status AOTI_SHIM(get_layout)(ShimTensor* tensor, int32_t* layout) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(layout);
  *layout = 0;
  return 0;
}

Status AOTI_SHIM(is_contiguous)(ShimTensor* tensor, bool* contiguous) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(contiguous);
  *contiguous = tensor->is_contiguous();
  return 0;
}

Status AOTI_SHIM(is_defined)(ShimTensor* tensor, bool* defined) {
  AOTI_REQUIRE_NOT_NULL(defined);
  *defined = tensor != nullptr;
  return 0;
}

Status AOTI_SHIM(create_tensor_from_blob)(void* data, int64_t rank, const int64_t* sizes,
                                          const int64_t* strides, int64_t offset, int32_t dtype,
                                          int32_t device_type, int32_t device_index,
                                          ShimTensor** tensor) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  return status_of(
      borrow(data, rank, sizes, strides, offset, dtype, device_type, device_index, tensor));
}

Status AOTI_SHIM(create_tensor_from_blob_v2)(void* data, int64_t rank, const int64_t* sizes,
                                             const int64_t* strides, int64_t offset, int32_t dtype,
                                             int32_t device_type, int32_t device_index,
                                             ShimTensor** tensor, int32_t layout, const uint8_t*,
                                             int64_t) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  if (layout != 0) {
    return status_of(ET_ERROR(
        NotSupported, "tensors of layout number %" PRId32 " are not supported, only strided ones",
        layout));
  }
  return status_of(
      borrow(data, rank, sizes, strides, offset, dtype, device_type, device_index, tensor));
}

Status AOTI_SHIM(empty_strided)(int64_t rank, const int64_t* sizes, const int64_t* strides,
                                int32_t dtype, int32_t device_type, int32_t device_index,
                                ShimTensor** tensor) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  int64_t own[kMaxRank];
  ViewSpec view;
  ScalarType type;
  Device device;
  Error error = read_view(rank, sizes, strides, 0, own, &view);
  if (error == Error::Ok) error = dtype_of(dtype, &type);
  if (error == Error::Ok) error = read_device(device_type, device_index, &device);
  if (error == Error::Ok) error = make_empty(view, type, device, tensor);
  return status_of(error);
}

Status AOTI_SHIM(delete_tensor_object)(ShimTensor* tensor) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  delete tensor;
  return 0;
}

Status AOTI_SHIM(new_tensor_handle)(ShimTensor* tensor, ShimTensor** handle) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(handle);
  return status_of(ShimTensor::make(tensor->storage(), tensor->dtype(), tensor->view(), handle));
}

Status AOTI_SHIM(assign_tensors)(ShimTensor* from, ShimTensor* to) {
  AOTI_REQUIRE_NOT_NULL(from);
  AOTI_REQUIRE_NOT_NULL(to);
  return status_of(to->assign(*from));
}

Status AOTI_SHIM(assign_tensors_out)(ShimTensor* tensor, ShimTensor** handle) {
  return AOTI_SHIM(new_tensor_handle)(tensor, handle);
}

Status AOTI_SHIM(_reinterpret_tensor)(ShimTensor* tensor, int64_t rank, const int64_t* sizes,
                                      const int64_t* strides, int64_t offset, ShimTensor** view) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(view);
  int64_t own[kMaxRank];
  ViewSpec spec;
  // The offset counts from the tensor's own.
  int64_t place = 0;
  if (__builtin_add_overflow(tensor->offset(), offset, &place))
    return status_of(ET_ERROR(InvalidArgument, "the offset of a view does not fit"));
  Error error = read_view(rank, sizes, strides, place, own, &spec);
  if (error == Error::Ok) {
    error = ShimTensor::make(tensor->storage(), tensor->dtype(), spec, view);
  }
  return status_of(error);
}

Status AOTI_SHIM(_alloc_from_pool)(ShimTensor* pool, int64_t offset_bytes, int32_t dtype,
                                   int64_t rank, const int64_t* sizes, const int64_t* strides,
                                   ShimTensor** tensor) {
  AOTI_REQUIRE_NOT_NULL(pool);
  AOTI_REQUIRE_NOT_NULL(tensor);
  return status_of(view_pool(*pool, offset_bytes, dtype, rank, sizes, strides, tensor));
}

Status AOTI_SHIM(clone)(ShimTensor* tensor, ShimTensor** copy) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(copy);
  return status_of(make_copy(*tensor, is_dense(*tensor), copy));
}

Status AOTI_SHIM(clone_preserve_strides)(ShimTensor* tensor, ShimTensor** copy) {
  AOTI_REQUIRE_NOT_NULL(tensor);
  AOTI_REQUIRE_NOT_NULL(copy);
  return status_of(make_copy(*tensor, true, copy));
}

Status AOTI_SHIM(copy_)(ShimTensor* to, ShimTensor* from, int32_t) {
  AOTI_REQUIRE_NOT_NULL(to);
  AOTI_REQUIRE_NOT_NULL(from);
  return status_of(copy_elements(*to, *from));
}

}  // extern "C"

}  // namespace executorch::backends::aoti
