#include "fake_cudart.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

struct CUstream_st {
  int device = 0;
  bool capturing = false;
  std::vector<std::function<void()>> captured;
  std::vector<void*> freed;  ///< while capturing: replays still use the memory
};

struct CUgraph_st {
  std::vector<std::function<void()>> work;
  std::vector<void*> freed;
};

struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
};

namespace {

struct Block {
  size_t size;
  int device;
};

struct State {
  std::recursive_mutex mutex;
  int devices = 2;
  std::map<const char*, Block> blocks;
  std::set<cudaStream_t> streams;
  std::set<const void*> graphs;
  FakeCudaCounts counts{};
  std::string failing;
  int skipped = 0;
  cudaError_t failure = cudaSuccess;
  cudaStream_t last = nullptr;
};

State& state() {
  static State& value = *new State;
  return value;
}

thread_local int current = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t done(cudaError_t status) {
  if (status != cudaSuccess) last_error = status;
  return status;
}

/// Whether a call may go on: there is a driver and a device, and nobody wants it to fail.
cudaError_t enter(const char* function) {
  State& s = state();
  if (s.devices < 0) return done(cudaErrorInsufficientDriver);
  if (s.devices == 0) return done(cudaErrorNoDevice);
  if (s.failing == function && s.skipped-- == 0) {
    s.failing.clear();
    return done(s.failure);
  }
  return cudaSuccess;
}

#define FAKE_ENTER(function__)                                     \
  const std::lock_guard<std::recursive_mutex> lock(state().mutex); \
  if (const cudaError_t entered = enter(function__); entered != cudaSuccess) return entered

bool known(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || state().streams.count(stream) == 1;
}

/// Runs work, or keeps it for the graph that is captured.
cudaError_t submit(cudaStream_t stream, std::function<void()> work) {
  if (!known(stream)) return done(cudaErrorInvalidResourceHandle);
  state().last = stream;
  if (stream != nullptr && stream != cudaStreamLegacy && stream->capturing) {
    stream->captured.push_back(std::move(work));
  } else {
    work();
  }
  return cudaSuccess;
}

cudaError_t allocate(void** pointer, size_t size) {
  *pointer = std::malloc(size > 0 ? size : 1);
  if (*pointer == nullptr) return done(cudaErrorMemoryAllocation);
  // What nobody has written is no zero.
  std::memset(*pointer, 0xA5, size);
  state().blocks[static_cast<char*>(*pointer)] = {size, current};
  return cudaSuccess;
}

cudaError_t release(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  if (state().blocks.erase(static_cast<char*>(pointer)) == 0) return done(cudaErrorInvalidValue);
  std::free(pointer);
  return cudaSuccess;
}

const Block* block_of(const void* pointer) {
  const auto& blocks = state().blocks;
  auto after = blocks.upper_bound(static_cast<const char*>(pointer));
  if (after == blocks.begin()) return nullptr;
  --after;
  const char* end = after->first + after->second.size;
  return static_cast<const char*>(pointer) < end ? &after->second : nullptr;
}

}  // namespace

extern "C" {

FakeCudaCounts fake_cuda_counts() {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  FakeCudaCounts counts = state().counts;
  counts.allocations = state().blocks.size();
  counts.streams = state().streams.size();
  counts.graphs = state().graphs.size();
  return counts;
}

void fake_cuda_set_devices(int count) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().devices = count;
}

void fake_cuda_fail(const char* function, int skipped, cudaError_t error) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().failing = function == nullptr ? "" : function;
  state().skipped = skipped;
  state().failure = error;
}

cudaError_t fake_cuda_run(cudaStream_t stream, void (*function)(void*), void* argument) {
  FAKE_ENTER("fake_cuda_run");
  return submit(stream, [function, argument] { function(argument); });
}

cudaStream_t fake_cuda_last_stream() {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  return state().last;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  FAKE_ENTER("cudaGetDeviceCount");
  *count = state().devices;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  FAKE_ENTER("cudaGetDevice");
  *device = current;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  FAKE_ENTER("cudaSetDevice");
  if (device < 0 || device >= state().devices) return done(cudaErrorInvalidDevice);
  current = device;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** pointer, size_t size) {
  FAKE_ENTER("cudaMalloc");
  return allocate(pointer, size);
}

cudaError_t cudaFree(void* pointer) {
  FAKE_ENTER("cudaFree");
  return release(pointer);
}

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
  FAKE_ENTER("cudaMallocAsync");
  if (!known(stream)) return done(cudaErrorInvalidResourceHandle);
  state().last = stream;
  return allocate(pointer, size);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  FAKE_ENTER("cudaFreeAsync");
  if (!known(stream)) return done(cudaErrorInvalidResourceHandle);
  if (stream != nullptr && stream != cudaStreamLegacy && stream->capturing) {
    stream->freed.push_back(pointer);
    return cudaSuccess;
  }
  return release(pointer);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind) {
  FAKE_ENTER("cudaMemcpy");
  ++state().counts.copies;
  std::memcpy(to, from, size);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind,
                            cudaStream_t stream) {
  FAKE_ENTER("cudaMemcpyAsync");
  ++state().counts.copies;
  return submit(stream, [to, from, size] { std::memcpy(to, from, size); });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t size, cudaStream_t stream) {
  FAKE_ENTER("cudaMemsetAsync");
  return submit(stream, [to, value, size] { std::memset(to, value, size); });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  FAKE_ENTER("cudaPointerGetAttributes");
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  if (const Block* block = block_of(pointer)) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->device = block->device;
    attributes->devicePointer = const_cast<void*>(pointer);
  }
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  FAKE_ENTER("cudaStreamCreateWithFlags");
  *stream = new CUstream_st;
  (*stream)->device = current;
  state().streams.insert(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  FAKE_ENTER("cudaStreamDestroy");
  if (state().streams.erase(stream) == 0) return done(cudaErrorInvalidResourceHandle);
  for (void* pointer : stream->freed) release(pointer);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  FAKE_ENTER("cudaStreamSynchronize");
  if (!known(stream)) return done(cudaErrorInvalidResourceHandle);
  if (stream != nullptr && stream != cudaStreamLegacy && stream->capturing)
    return done(cudaErrorStreamCaptureUnsupported);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  FAKE_ENTER("cudaDeviceSynchronize");
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  FAKE_ENTER("cudaStreamBeginCapture");
  if (state().streams.count(stream) == 0) return done(cudaErrorInvalidResourceHandle);
  stream->capturing = true;
  stream->captured.clear();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  FAKE_ENTER("cudaStreamEndCapture");
  if (state().streams.count(stream) == 0 || !stream->capturing) return done(cudaErrorIllegalState);
  stream->capturing = false;
  *graph = new CUgraph_st{std::move(stream->captured), std::move(stream->freed)};
  stream->freed.clear();
  state().graphs.insert(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  FAKE_ENTER("cudaGraphInstantiate");
  *exec = new CUgraphExec_st{graph->work};
  state().graphs.insert(*exec);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  FAKE_ENTER("cudaGraphLaunch");
  ++state().counts.graph_launches;
  return submit(stream, [exec] {
    for (const auto& work : exec->work) work();
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  FAKE_ENTER("cudaGraphDestroy");
  if (state().graphs.erase(graph) == 0) return done(cudaErrorInvalidResourceHandle);
  for (void* pointer : graph->freed) release(pointer);
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  FAKE_ENTER("cudaGraphExecDestroy");
  if (state().graphs.erase(exec) == 0) return done(cudaErrorInvalidResourceHandle);
  delete exec;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "a fake error";
}

// What nvcc's code calls when it is loaded and when it starts a kernel, which there is no device
// for.

void** __cudaRegisterFatBinary(void*) {
  static void* none = nullptr;
  return &none;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {}

unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*) {
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) {
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void*) {
  *kernel = nullptr;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) {
  return done(cudaErrorNoKernelImageForDevice);
}

}  // extern "C"
