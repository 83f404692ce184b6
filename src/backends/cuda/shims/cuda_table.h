/**
 * @file
 * What libaoti_cuda_shims exports: 51 functions, which code that AOTInductor generated for CUDA
 * calls. Export lists, the Windows definition file and import library, and the check of the built
 * library are made from these two tables (cmake/CudaShims.cmake).
 *
 * The names and signatures are PyTorch's (torch/csrc/inductor/aoti_torch/c/shim.h and
 * generated/c_shim_cuda.h), and those of ExecuTorch's own operators. Work on a device goes to the
 * thread's current stream of that device. A device number below 0 means the current device. Who
 * receives a handle deletes it. A tensor is used by one thread at a time; otherwise the functions
 * are thread-safe.
 */
#pragma once

#include "backends/aoti/shims/common/common_table.h"

// X(name): those that do not depend on the device, from the common table.
#define AOTI_CUDA_COMMON_SHIMS(X) \
  X(get_data_ptr)                 \
  X(get_sizes)                    \
  X(get_strides)                  \
  X(get_dtype)                    \
  X(get_dim)                      \
  X(get_numel)                    \
  X(get_storage_offset)           \
  X(get_storage_size)             \
  X(get_device_type)              \
  X(get_device_index)             \
  X(dtype_uint8)                  \
  X(dtype_int8)                   \
  X(dtype_int16)                  \
  X(dtype_int32)                  \
  X(dtype_int64)                  \
  X(dtype_float16)                \
  X(dtype_float32)                \
  X(dtype_bool)                   \
  X(dtype_bfloat16)               \
  X(device_type_cpu)              \
  X(device_type_cuda)             \
  X(layout_strided)               \
  X(grad_mode_is_enabled)         \
  X(grad_mode_set_enabled)        \
  X(create_tensor_from_blob)      \
  X(create_tensor_from_blob_v2)   \
  X(empty_strided)                \
  X(delete_tensor_object)         \
  X(new_tensor_handle)            \
  X(assign_tensors_out)           \
  X(clone)                        \
  X(clone_preserve_strides)       \
  X(_reinterpret_tensor)          \
  X(copy_)                        \
  X(item_bool)                    \
  X(warn)                         \
  X(check)

// X(result, name, parameters)
#define AOTI_CUDA_SHIMS(X)                                                                        \
  /* The device, or the current stream of a device, of this thread until the guard is deleted.    \
     A null stream is refused. */                                                                 \
  X(Status, create_cuda_guard, (int32_t device_index, DeviceGuard** guard))                       \
  X(Status, delete_cuda_guard, (DeviceGuard * guard))                                             \
  X(Status, cuda_guard_set_index, (DeviceGuard * guard, int32_t device_index))                    \
  X(Status, create_cuda_stream_guard, (void* stream, int32_t device_index, StreamGuard** guard))  \
  X(Status, delete_cuda_stream_guard, (StreamGuard * guard))                                      \
  /* The thread's stream of a device, made when there is none. */                                 \
  X(Status, get_current_cuda_stream, (int32_t device_index, void** stream))                       \
  /* Uniform numbers in [0, 1), of type float32 or bfloat16. */                                   \
  X(Status, cuda_rand,                                                                            \
    (const int64_t* size, int64_t size_length, int32_t* dtype, int32_t* layout, int32_t* device,  \
     int32_t device_index, int32_t* pin_memory, ShimTensor** result))                             \
  /* Fills an int64 tensor, whose size is given, with uniform integers in [low, high). */         \
  X(Status, cuda_randint_low_out,                                                                 \
    (ShimTensor * out, int64_t low, int64_t high, const int64_t* size, int64_t size_length))      \
  /* Sorts a contiguous tensor of int32, int64, float32, float16 or bfloat16 along a dimension,   \
     stably always. NaN is the largest number. Gives the values and where they were. */           \
  X(Status, cuda_sort_stable,                                                                     \
    (ShimTensor * self, int32_t* stable, int64_t dim, int32_t descending, ShimTensor** values,    \
     ShimTensor** indices))                                                                       \
  /* bfloat16 [m, k] times 4-bit weights in PyTorch's tiles (device/int4pack_mm.h), in groups of  \
     32, 64, 128 or 256. The result is bfloat16 [m, n], as of the products below. */              \
  X(Status, cuda__weight_int4pack_mm,                                                             \
    (ShimTensor * self, ShimTensor * weight, int64_t group_size, ShimTensor* scale_zero,          \
     ShimTensor** result))                                                                        \
  /* bfloat16 [m, k] times quantised weights [n, k] (device/weights.h). A group is a multiple of  \
     16 weights of a row and divides it. With 4, 5 and 6 bits a group divides 256, and 256        \
     divides k; with 8 bits 32 divides k. */                                                      \
  X(Status, cuda_int4_plain_mm,                                                                   \
    (ShimTensor * self, ShimTensor * qdata, ShimTensor * scale, ShimTensor * scale_step,          \
     ShimTensor * zero, ShimTensor * zero_step, int64_t group_size, ShimTensor** result))         \
  X(Status, cuda_int5_plain_mm,                                                                   \
    (ShimTensor * self, ShimTensor * ql, ShimTensor * qh, ShimTensor * scale,                     \
     ShimTensor * scale_step, ShimTensor * zero, ShimTensor * zero_step, int64_t group_size,      \
     ShimTensor** result))                                                                        \
  X(Status, cuda_int6_plain_mm,                                                                   \
    (ShimTensor * self, ShimTensor * ql, ShimTensor * qh, ShimTensor * scale, ShimTensor * steps, \
     int64_t group_size, ShimTensor** result))                                                    \
  X(Status, cuda_int8_plain_mm,                                                                   \
    (ShimTensor * self, ShimTensor * qdata, ShimTensor * scale, ShimTensor * zero,                \
     int64_t group_size, ShimTensor** result))

namespace executorch::backends::cuda {
struct DeviceGuard;
struct StreamGuard;
}  // namespace executorch::backends::cuda

namespace executorch::backends::aoti {

using cuda::DeviceGuard;
using cuda::StreamGuard;

extern "C" {
AOTI_CUDA_SHIMS(AOTI_DECLARE_SHIM)
}

}  // namespace executorch::backends::aoti

/// Refuses arguments of a shim that are not as they must be.
#define AOTI_REQUIRE(condition__)                                            \
  do {                                                                       \
    if (!(condition__))                                                      \
      return ::executorch::backends::aoti::status_of(                        \
          ET_ERROR(InvalidArgument, "%s needs %s", __func__, #condition__)); \
  } while (0)

/// Returns the number of an error from a shim.
#define AOTI_TRY(expression__)                                        \
  do {                                                                \
    const ::executorch::runtime::Error aoti_error__ = (expression__); \
    if (aoti_error__ != ::executorch::runtime::Error::Ok)             \
      return ::executorch::backends::aoti::status_of(aoti_error__);   \
  } while (0)
