// An application that contains the CUDA delegate. static_app: says whether the delegate is there
// and available. static_app CODE: also runs a code object of one input, output = input * constant,
// on a device, on a stream of its own.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

#include <executorch/extension/cuda/caller_stream.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>

using namespace executorch::runtime;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;

namespace {

class Data final : public NamedDataMap {
 public:
  Result<const TensorLayout> get_tensor_layout(std::string_view) const override {
    return Error::NotFound;
  }
  Result<FreeableBuffer> get_data(std::string_view key) const override {
    const auto found = entries.find(std::string(key));
    if (found == entries.end()) return Error::NotFound;
    return FreeableBuffer(found->second.data(), found->second.size(), nullptr);
  }
  Error load_data_into(std::string_view, void*, size_t) const override { return Error::NotFound; }
  Result<uint32_t> get_num_keys() const override { return static_cast<uint32_t>(entries.size()); }
  Result<const char*> get_key(uint32_t) const override { return Error::NotFound; }

  std::map<std::string, std::string> entries;
};

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

int fail(const char* what) {
  std::printf("%s: %s\n", what, last_error_message());
  return 1;
}

int run(BackendInterface* backend, const char* path) {
  Data data;
  const float constant = 3.0f;
  data.entries["code"] = read_file(path);
  data.entries["weights"] = std::string(reinterpret_cast<const char*>(&constant), sizeof constant);
  const std::string payload = "code\nweights";
  FreeableBuffer processed(payload.data(), payload.size(), nullptr);
  BackendInitContext init(nullptr, nullptr, "forward", &data);
  const Result<DelegateHandle*> handle = backend->init(init, &processed, {});
  if (!handle.ok()) return fail("init");

  cudaStream_t stream = nullptr;
  void* memory[2] = {};
  if (cudaStreamCreate(&stream) != cudaSuccess || cudaMalloc(&memory[0], 8) != cudaSuccess ||
      cudaMalloc(&memory[1], 8) != cudaSuccess) {
    return fail("CUDA");
  }
  float values[2] = {1.5f, 2.0f};
  cudaMemcpy(memory[0], values, sizeof values, cudaMemcpyHostToDevice);
  TensorImpl::SizesType sizes[1] = {2};
  TensorImpl::DimOrderType order[1] = {0};
  TensorImpl::StridesType strides[1] = {1};
  const auto cuda = etensor::DeviceType::CUDA;
  TensorImpl in(ScalarType::Float, 1, sizes, memory[0], order, strides,
                executorch::aten::TensorShapeDynamism::STATIC, cuda);
  TensorImpl out(ScalarType::Float, 1, sizes, memory[1], order, strides,
                 executorch::aten::TensorShapeDynamism::STATIC, cuda);
  EValue inputs{Tensor(&in)}, outputs{Tensor(&out)};
  EValue* arguments[2] = {&inputs, &outputs};
  {
    const executorch::extension::cuda::CallerStreamGuard guard(stream);
    BackendExecutionContext context;
    if (backend->execute(context, *handle, {arguments, 2}) != Error::Ok) return fail("execute");
  }
  cudaStreamSynchronize(stream);
  cudaMemcpy(values, memory[1], sizeof values, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", values[0], values[1]);
  backend->destroy(*handle);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  runtime_init();
  BackendInterface* backend = get_backend_class("CudaBackend");
  if (backend == nullptr) return fail("CudaBackend");
  std::printf("%s\n", backend->is_available() ? "available" : "not available");
  return argc > 1 ? run(backend, argv[1]) : 0;
}
