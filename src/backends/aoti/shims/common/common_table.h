/**
 * @file
 * Shims that do not depend on the device. Generated code calls them by the names of PyTorch's C
 * interface for AOTInductor (torch/csrc/inductor/aoti_torch/c/shim.h), whose signatures they have.
 *
 * Handles that a function writes are the caller's to delete. Sizes and strides are in elements.
 * None but delete_tensor_object changes the life of what it is given.
 */
#pragma once

#include "backends/aoti/shims/common/shim_export.h"

// X(number, what): the number of an element type.
#define AOTI_DTYPES(X) \
  X(uint8, 0)          \
  X(int8, 1)           \
  X(int16, 2)          \
  X(int32, 3)          \
  X(int64, 4)          \
  X(float16, 5)        \
  X(float32, 6)        \
  X(float64, 7)        \
  X(complex64, 9)      \
  X(complex128, 10)    \
  X(bool, 11)          \
  X(bfloat16, 15)      \
  X(uint16, 27)        \
  X(uint32, 28)        \
  X(uint64, 29)

// X(name, type): elements that exist as C types.
#define AOTI_SCALARS(X) \
  X(uint8, uint8_t)     \
  X(int8, int8_t)       \
  X(int16, int16_t)     \
  X(int32, int32_t)     \
  X(int64, int64_t)     \
  X(float32, float)     \
  X(float64, double)    \
  X(bool, bool)         \
  X(uint16, uint16_t)   \
  X(uint32, uint32_t)   \
  X(uint64, uint64_t)

// X(result, name, parameters)
#define AOTI_COMMON_SHIMS(X)                                                                     \
  /* Numbers that stand for things. */                                                           \
  X(int32_t, device_type_cpu, ())                                                                \
  X(int32_t, device_type_cuda, ())                                                               \
  X(int32_t, layout_strided, ())                                                                 \
  X(int32_t, memory_format_contiguous_format, ())                                                \
  X(int32_t, memory_format_channels_last, ())                                                    \
  X(int32_t, memory_format_channels_last_3d, ())                                                 \
  X(int32_t, memory_format_preserve_format, ())                                                  \
  X(size_t, dtype_element_size, (int32_t dtype))                                                 \
  /* Gradients are never computed: to ask for them is refused. */                                \
  X(bool, grad_mode_is_enabled, ())                                                              \
  X(Status, grad_mode_set_enabled, (bool enabled))                                               \
  /* What a tensor is. */                                                                        \
  X(Status, get_data_ptr, (ShimTensor * tensor, void** data))                                    \
  X(Status, get_sizes, (ShimTensor * tensor, int64_t** sizes))                                   \
  X(Status, get_size, (ShimTensor * tensor, int64_t dim, int64_t* size))                         \
  X(Status, get_strides, (ShimTensor * tensor, int64_t** strides))                               \
  X(Status, get_stride, (ShimTensor * tensor, int64_t dim, int64_t* stride))                     \
  X(Status, get_dtype, (ShimTensor * tensor, int32_t* dtype))                                    \
  X(Status, get_dim, (ShimTensor * tensor, int64_t* rank))                                       \
  X(Status, get_numel, (ShimTensor * tensor, int64_t* numel))                                    \
  X(Status, get_storage_offset, (ShimTensor * tensor, int64_t* offset))                          \
  X(Status, get_storage_size, (ShimTensor * tensor, int64_t* nbytes))                            \
  X(Status, get_device_type, (ShimTensor * tensor, int32_t* type))                               \
  X(Status, get_device_index, (ShimTensor * tensor, int32_t* index))                             \
  X(Status, get_layout, (ShimTensor * tensor, int32_t* layout))                                  \
  X(Status, is_contiguous, (ShimTensor * tensor, bool* contiguous))                              \
  X(Status, is_defined, (ShimTensor * tensor, bool* defined))                                    \
  /* Tensors over memory that stays the caller's. Null strides: row-major. */                    \
  X(Status, create_tensor_from_blob,                                                             \
    (void* data, int64_t rank, const int64_t* sizes, const int64_t* strides, int64_t offset,     \
     int32_t dtype, int32_t device_type, int32_t device_index, ShimTensor** tensor))             \
  X(Status, create_tensor_from_blob_v2,                                                          \
    (void* data, int64_t rank, const int64_t* sizes, const int64_t* strides, int64_t offset,     \
     int32_t dtype, int32_t device_type, int32_t device_index, ShimTensor** tensor,              \
     int32_t layout, const uint8_t* metadata, int64_t metadata_size))                            \
  /* A tensor with memory of its own, not initialised. */                                        \
  X(Status, empty_strided,                                                                       \
    (int64_t rank, const int64_t* sizes, const int64_t* strides, int32_t dtype,                  \
     int32_t device_type, int32_t device_index, ShimTensor** tensor))                            \
  X(Status, delete_tensor_object, (ShimTensor * tensor))                                         \
  /* Further handles for the same memory. */                                                     \
  X(Status, new_tensor_handle, (ShimTensor * tensor, ShimTensor * *handle))                      \
  X(Status, assign_tensors, (ShimTensor * from, ShimTensor * to))                                \
  X(Status, assign_tensors_out, (ShimTensor * tensor, ShimTensor * *handle))                     \
  X(Status, _reinterpret_tensor,                                                                 \
    (ShimTensor * tensor, int64_t rank, const int64_t* sizes, const int64_t* strides,            \
     int64_t offset, ShimTensor** view))                                                         \
  /* A part of a byte pool, as a tensor. */                                                      \
  X(Status, _alloc_from_pool,                                                                    \
    (ShimTensor * pool, int64_t offset_bytes, int32_t dtype, int64_t rank, const int64_t* sizes, \
     const int64_t* strides, ShimTensor** tensor))                                               \
  /* Copies: row-major where the strides have gaps or repeats, else with the same strides. */    \
  X(Status, clone, (ShimTensor * tensor, ShimTensor * *copy))                                    \
  X(Status, clone_preserve_strides, (ShimTensor * tensor, ShimTensor * *copy))                   \
  X(Status, copy_, (ShimTensor * to, ShimTensor * from, int32_t non_blocking))                   \
  /* Messages. */                                                                                \
  X(void, warn, (const char* function, const char* file, uint32_t line, const char* message))    \
  X(void, check,                                                                                 \
    (bool condition, const char* function, const char* file, uint32_t line, const char* message))

namespace executorch::backends::aoti {

/// Memory of a device, with one reference. Each shim library has its own.
Error allocate(uint64_t nbytes, const Device& device, Storage** storage);

/// The number of the device that is current, for generated code that says -1. Each shim library has
/// its own.
Error current_device(DeviceType type, int32_t* index);

/// Copies the elements; sizes are equal, types as well unless the library converts.
Error copy_elements(const ShimTensor& to, const ShimTensor& from);

/// A tensor with memory of its own; the strides may leave gaps.
Error make_empty(const ViewSpec& view, aten::ScalarType dtype, const Device& device,
                 ShimTensor** tensor);

/// The element type of a number, if there is such a type.
Error dtype_of(int32_t number, aten::ScalarType* dtype);

/// What failed conditions of generated code come to: reported through `check`.
[[noreturn]] void fail_check(const char* function, const char* file, uint32_t line,
                             const char* message);

extern "C" {
AOTI_COMMON_SHIMS(AOTI_DECLARE_SHIM)
#define AOTI_DECLARE_DTYPE(name__, number__) AOTI_DECLARE_SHIM(int32_t, dtype_##name__, ())
AOTI_DTYPES(AOTI_DECLARE_DTYPE)
#undef AOTI_DECLARE_DTYPE
#define AOTI_DECLARE_SCALAR(name__, type__)                                       \
  AOTI_DECLARE_SHIM(Status, item_##name__, (ShimTensor * tensor, type__ * value)) \
  AOTI_DECLARE_SHIM(Status, scalar_to_tensor_##name__, (type__ value, ShimTensor * *tensor))
AOTI_SCALARS(AOTI_DECLARE_SCALAR)
#undef AOTI_DECLARE_SCALAR
}

}  // namespace executorch::backends::aoti
