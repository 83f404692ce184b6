/**
 * @file
 * Shims of the CPU beside the common ones: operators that generated code does not have loops of its
 * own for. They compute on the compute layer, with the threads of the process's pool.
 *
 * Operands may have any strides and have one type; integers wrap, half types are summed in float.
 * Results of the _out functions are written to the tensor given, which has the sizes of the result
 * and shares no memory with the operands; the others make a tensor. Names and signatures are those
 * of PyTorch (torch/csrc/inductor/aoti_torch/generated/c_shim_cpu.h).
 */
#pragma once

#include "backends/aoti/shims/common/common_table.h"

// X(result, name, parameters)
#define AOTI_CPU_SHIMS(X)                                                                          \
  /* out = a * b, for matrices, and for a batch of them. */                                        \
  X(Status, cpu_mm_out, (ShimTensor * out, ShimTensor * a, ShimTensor * b))                        \
  X(Status, cpu_bmm_out, (ShimTensor * out, ShimTensor * a, ShimTensor * b))                       \
  /* out = beta * self + alpha * a * b, where self broadcasts, and is not read for beta 0. */      \
  X(Status, cpu_addmm_out,                                                                         \
    (ShimTensor * out, ShimTensor * self, ShimTensor * a, ShimTensor * b, double beta,             \
     double alpha))                                                                                \
  X(Status, cpu_baddbmm_out,                                                                       \
    (ShimTensor * out, ShimTensor * self, ShimTensor * a, ShimTensor * b, double beta,             \
     double alpha))                                                                                \
  /* Over one to three dimensions. bias may be null or point to null. The result is                \
     channels-last where the input or the weight is. */                                            \
  X(Status, cpu_convolution,                                                                       \
    (ShimTensor * input, ShimTensor * weight, ShimTensor * *bias, const int64_t* stride,           \
     int64_t stride_count, const int64_t* padding, int64_t padding_count, const int64_t* dilation, \
     int64_t dilation_count, int32_t transposed, const int64_t* output_padding,                    \
     int64_t output_padding_count, int64_t groups, ShimTensor** result))                           \
  /* A tensor over memory that stays the caller's and whose bytes never change: forms of them that \
     operators are faster with are kept, as many as `budget` has bytes (null: all). Used by one    \
     thread at a time. */                                                                          \
  X(Status, create_constant,                                                                       \
    (void* data, int64_t rank, const int64_t* sizes, const int64_t* strides, int64_t offset,       \
     int32_t dtype, size_t* budget, ShimTensor** tensor))                                          \
  /* Memory that runs of a model use again and again. Between enter and leave the calling          \
     thread's tensors come from it; what a run did not use is freed. Tensors that were made        \
     meanwhile and not deleted go with it. */                                                      \
  X(RunMemory*, make_run_memory, ())                                                               \
  X(void, delete_run_memory, (RunMemory * memory))                                                 \
  X(void, enter_run, (RunMemory * memory))                                                         \
  X(void, leave_run, ())                                                                           \
  /* Tensors of this library that were not deleted: for whoever looks for leaks. */                \
  X(size_t, live_tensors, ())

namespace executorch::backends::aoti {

class RunMemory;

extern "C" {
AOTI_CPU_SHIMS(AOTI_DECLARE_SHIM)
}

}  // namespace executorch::backends::aoti
