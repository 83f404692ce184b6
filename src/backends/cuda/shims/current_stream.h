/**
 * @file
 * The stream that a thread's work on a device goes to. There is one such list in a process: that of
 * the shim library.
 */
#pragma once

#include <cuda_runtime_api.h>

#include "backends/cuda/runtime/cuda_error.h"

namespace executorch::backends::cuda {

/// The number of a device: the current one's where `index` is negative.
Error resolve_device(int index, int* device);

/// The thread's stream of a device. When none was set, one is made, which waits for CUDA's default
/// stream, as copies of the runtime use that one, and lives as long as the thread.
Error current_stream(int device, cudaStream_t* stream);

/// The same without making one: null when none was set.
cudaStream_t peek_current_stream(int device);

/// Sets the thread's stream of a device, which stays the caller's; null: none is set.
void set_current_stream(int device, cudaStream_t stream);

}  // namespace executorch::backends::cuda
