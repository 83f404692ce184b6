/**
 * @file
 * A CUDA runtime for tests without a GPU: libcudart's functions that we call, over host memory.
 * Device memory is memory of the host that is counted, a stream runs what it is given at once, and
 * a capture keeps it for later. Functions below let a test look and make things fail. Thread-safe.
 */
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

extern "C" {

/// What is alive, and what has been done.
struct FakeCudaCounts {
  size_t allocations;
  size_t streams;
  size_t graphs;
  size_t graph_launches;
  size_t copies;
};
FakeCudaCounts fake_cuda_counts();

/// How many devices there are (2 at first). A negative number: there is no driver.
void fake_cuda_set_devices(int count);

/// The call after `skipped` more ones of a function fails. Null: none does.
void fake_cuda_fail(const char* function, int skipped, cudaError_t error);

/// Runs a function in the stream's order, as a kernel would.
cudaError_t fake_cuda_run(cudaStream_t stream, void (*function)(void*), void* argument);

/// The stream that the last work went to, and that of the last run above.
cudaStream_t fake_cuda_last_stream();

}  // extern "C"
