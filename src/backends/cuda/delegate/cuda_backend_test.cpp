// The delegate over a fake CUDA runtime and fake generated code: options, life cycle, errors, and
// what is left behind.
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/extension/cuda/caller_stream.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/device_allocator.h>

#include "backends/aoti/code/sha256.h"
#include "backends/aoti/testing/payload_writer.h"
#include "fake_cudart.h"

extern "C" size_t fake_cuda_live_tensors();

namespace executorch::backends::cuda {
namespace {

using aoti::testing::PayloadWriter;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendInterface;
using runtime::BackendOption;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Bytes = std::vector<uint8_t>;

/// The program's data.
class Data final : public runtime::NamedDataMap {
 public:
  Result<const runtime::TensorLayout> get_tensor_layout(std::string_view) const override {
    return Error::NotFound;
  }
  Result<FreeableBuffer> get_data(std::string_view key) const override {
    const auto found = entries.find(std::string(key));
    if (found == entries.end())
      return ET_ERROR(NotFound, "there is no '%s'", std::string(key).c_str());
    return FreeableBuffer(found->second.data(), found->second.size(), nullptr);
  }
  Error load_data_into(std::string_view, void*, size_t) const override { return Error::NotFound; }
  Result<uint32_t> get_num_keys() const override { return static_cast<uint32_t>(entries.size()); }
  Result<const char*> get_key(uint32_t) const override { return Error::NotFound; }

  std::map<std::string, Bytes> entries;
};

Bytes read_model(const std::string& name) {
  std::ifstream file(std::string(EXECUTORCH_CUDA_TEST_CODE) + "/lib" + name + ".so",
                     std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

Bytes bytes_of(float value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// A tensor of the runtime over device memory.
class DeviceTensor {
 public:
  explicit DeviceTensor(int32_t size,
                        runtime::etensor::DeviceType type = runtime::etensor::DeviceType::CUDA)
      : sizes_{size}, capacity_(static_cast<size_t>(size)) {
    EXPECT_EQ(cudaMalloc(&data_, capacity_ * sizeof(float)), cudaSuccess);
    impl_ = std::make_unique<aten::TensorImpl>(aten::ScalarType::Float, 1, sizes_.data(), data_,
                                               order_.data(), strides_.data(),
                                               aten::TensorShapeDynamism::DYNAMIC_BOUND, type);
    value_ = EValue(aten::Tensor(impl_.get()));
  }
  ~DeviceTensor() { cudaFree(data_); }

  void set(std::vector<float> values) {
    std::memcpy(data_, values.data(), values.size() * sizeof(float));
  }
  std::vector<float> get() const {
    const float* from = static_cast<const float*>(data_);
    return {from, from + value_.toTensor().numel()};
  }
  void point_to(void* data) { impl_->set_data(data); }
  EValue* value() { return &value_; }

 private:
  std::array<aten::SizesType, 1> sizes_;
  std::array<aten::DimOrderType, 1> order_{0};
  std::array<aten::StridesType, 1> strides_{1};
  size_t capacity_;
  void* data_ = nullptr;
  std::unique_ptr<aten::TensorImpl> impl_;
  EValue value_;
};

BackendOption option(const char* key, runtime::OptionValue value) {
  BackendOption made;
  std::strncpy(made.key, key, sizeof made.key - 1);
  made.value = std::move(value);
  return made;
}

runtime::OptionValue text(const std::string& value) {
  std::array<char, runtime::kMaxOptionValueLength> held{};
  std::memcpy(held.data(), value.data(), value.size());
  return held;
}

class CudaBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fake_cuda_set_devices(2);
    fake_cuda_fail(nullptr, 0, cudaSuccess);
    backend_ = runtime::get_backend_class("CudaBackend");
    ASSERT_NE(backend_, nullptr);
    use_model("cuda_model");
    before_ = fake_cuda_counts();
    live_before_ = fake_cuda_live_tensors();
  }

  /// Nothing that a delegate made is left.
  void TearDown() override {
    for (DelegateHandle* handle : handles_) backend_->destroy(handle);
    fake_cuda_fail(nullptr, 0, cudaSuccess);
    EXPECT_EQ(fake_cuda_live_tensors(), live_before_);
    EXPECT_EQ(fake_cuda_counts().allocations, before_.allocations);
    EXPECT_EQ(fake_cuda_counts().streams, before_.streams);
    EXPECT_EQ(fake_cuda_counts().graphs, before_.graphs);
  }

  void use_model(const std::string& name) {
    const Bytes code = read_model(name);
    ASSERT_FALSE(code.empty());
    code_key_ = aoti::sha256_hex(code.data(), code.size()) + "_so_blob";
    data_.entries = {{code_key_, code}, {"key:layer.weight", bytes_of(2.0f)}};
  }

  PayloadWriter payload(int32_t device = 1) const {
    PayloadWriter writer;
    writer.raw("ETCUDAFQN3").text(code_key_).number(uint32_t{1});
    return writer.constant("layer.weight", sizeof(float), 6, device, 0, {1}, {1});
  }

  Result<DelegateHandle*> init(Span<const uint8_t> bytes, std::vector<BackendOption> options = {},
                               const char* method = "forward") {
    FreeableBuffer processed(bytes.data(), bytes.size(), nullptr);
    BackendInitContext context(nullptr, nullptr, method, &data_, {options.data(), options.size()});
    return backend_->init(context, &processed, {});
  }

  DelegateHandle* load(std::vector<BackendOption> options = {}, int32_t device = 1) {
    PayloadWriter writer = payload(device);
    const Result<DelegateHandle*> handle = init(writer.span(), std::move(options));
    EXPECT_TRUE(handle.ok()) << runtime::last_error_message();
    if (!handle.ok()) return nullptr;
    handles_.push_back(*handle);
    return *handle;
  }

  Error refused(Span<const uint8_t> bytes, std::vector<BackendOption> options = {}) {
    const Result<DelegateHandle*> handle = init(bytes, std::move(options));
    EXPECT_FALSE(handle.ok());
    return handle.error();
  }

  Error run(DelegateHandle* handle, DeviceTensor& in, DeviceTensor& out) {
    BackendExecutionContext context;
    std::array<EValue*, 2> arguments{in.value(), out.value()};
    return backend_->execute(context, handle, {arguments.data(), arguments.size()});
  }

  BackendInterface* backend_ = nullptr;
  Data data_;
  std::string code_key_;
  std::vector<DelegateHandle*> handles_;
  FakeCudaCounts before_{};
  size_t live_before_ = 0;
};

const std::vector<float> kInput{1, 2, 3};

TEST_F(CudaBackendTest, RunsGeneratedCode) {
  DelegateHandle* handle = load();
  DeviceTensor in(3), out(3);
  in.set(kInput);
  ASSERT_EQ(run(handle, in, out), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(out.get(), (std::vector<float>{2, 4, 6}));
  // The constant is the model's state.
  ASSERT_EQ(run(handle, in, out), Error::Ok);
  EXPECT_EQ(out.get(), (std::vector<float>{3, 6, 9}));
  EXPECT_EQ(backend_->num_inputs(handle), 1u);
}

TEST_F(CudaBackendTest, OutputsGetTheSizesOfResults) {
  DelegateHandle* handle = load();
  DeviceTensor in(2), out(5);
  in.set({4, 5});
  ASSERT_EQ(run(handle, in, out), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(out.get(), (std::vector<float>{8, 10}));
}

TEST_F(CudaBackendTest, ConstantsOfTheHost) {
  DelegateHandle* handle = load({}, 0);
  DeviceTensor in(3), out(3);
  in.set(kInput);
  ASSERT_EQ(run(handle, in, out), Error::Ok);
  EXPECT_EQ(out.get(), (std::vector<float>{2, 4, 6}));
}

TEST_F(CudaBackendTest, ConstantsInABlob) {
  use_model("cuda_model_of_blob");
  data_.entries["weights"] = bytes_of(7.0f);
  PayloadWriter writer;
  writer.raw(code_key_ + "\nweights");
  const Result<DelegateHandle*> handle = init(writer.span());
  ASSERT_TRUE(handle.ok()) << runtime::last_error_message();
  handles_.push_back(*handle);
  DeviceTensor in(3), out(3);
  in.set(kInput);
  ASSERT_EQ(run(*handle, in, out), Error::Ok);
  EXPECT_EQ(out.get(), (std::vector<float>{7, 14, 21}));

  data_.entries["weights"].resize(3);
  EXPECT_EQ(refused(writer.span()), Error::InvalidProgram);
  EXPECT_THAT(runtime::last_error_message(),
              HasSubstr("reads 4 bytes of constants, the program has 3"));
  data_.entries.erase("weights");
  EXPECT_EQ(refused(writer.span()), Error::NotFound);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("'weights'"));
}

TEST_F(CudaBackendTest, EmptyPayloadNamesItsKeysAfterTheMethod) {
  use_model("cuda_model_of_blob");
  data_.entries["decode_so_blob"] = data_.entries[code_key_];
  data_.entries["decode_weights_blob"] = bytes_of(1.0f);
  const Result<DelegateHandle*> handle = init({}, {}, "decode");
  ASSERT_TRUE(handle.ok()) << runtime::last_error_message();
  handles_.push_back(*handle);
}

TEST_F(CudaBackendTest, MissingPartsAreErrors) {
  PayloadWriter good = payload();
  data_.entries.erase("key:layer.weight");
  EXPECT_EQ(refused(good.span()), Error::NotFound);
  EXPECT_THAT(runtime::last_error_message(),
              AllOf(HasSubstr("key:layer.weight"), HasSubstr(".ptd")));
  data_.entries["key:layer.weight"] = Bytes(3);
  EXPECT_EQ(refused(good.span()), Error::InvalidProgram);

  PayloadWriter without;
  without.raw("ETCUDAFQN3").text(code_key_).number(uint32_t{0});
  EXPECT_EQ(refused(without.span()), Error::InvalidProgram);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("'layer.weight'"));

  data_.entries.erase(code_key_);
  EXPECT_NE(refused(good.span()), Error::Ok);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr(code_key_));
}

TEST_F(CudaBackendTest, ChangedCodeIsRefused) {
  data_.entries[code_key_].back() ^= 1;
  EXPECT_EQ(refused(payload().span()), Error::InvalidProgram);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("SHA-256"));
}

TEST_F(CudaBackendTest, FailuresOfGeneratedCode) {
  use_model("cuda_model_without_container");
  EXPECT_EQ(refused(payload().span()), Error::Internal);
  use_model("cuda_model_that_needs_more");
  EXPECT_EQ(refused(payload().span()), Error::NotSupported);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("cuda_not_there"));
  DeviceTensor in(3), out(3);
  use_model("cuda_model_that_fails");
  EXPECT_EQ(run(load(), in, out), Error::Internal);
  use_model("cuda_model_that_is_wrong");
  EXPECT_EQ(run(load(), in, out), Error::InvalidProgram);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("element type"));
}

TEST_F(CudaBackendTest, EveryFailureOfCudaIsCleanedUp) {
  for (const char* function :
       {"cudaGetDevice", "cudaStreamCreateWithFlags", "cudaMalloc", "cudaMemcpy",
        "cudaDeviceSynchronize", "cudaSetDevice", "cudaGetDeviceCount"}) {
    fake_cuda_fail(function, 0, cudaErrorMemoryAllocation);
    EXPECT_NE(refused(payload().span()), Error::Ok) << function;
    fake_cuda_fail(nullptr, 0, cudaSuccess);
  }
  DelegateHandle* handle = load();
  DeviceTensor in(3), out(3);
  in.set(kInput);
  for (const char* function : {"cudaPointerGetAttributes", "cudaMallocAsync", "cudaMemcpyAsync",
                               "fake_cuda_run", "cudaSetDevice"}) {
    fake_cuda_fail(function, 0, cudaErrorLaunchFailure);
    EXPECT_NE(run(handle, in, out), Error::Ok) << function;
    fake_cuda_fail(nullptr, 0, cudaSuccess);
  }
  EXPECT_EQ(run(handle, in, out), Error::Ok);
}

TEST_F(CudaBackendTest, ArgumentsAreChecked) {
  DelegateHandle* handle = load();
  DeviceTensor in(3), out(3), on_host(3, runtime::etensor::DeviceType::CPU);
  EXPECT_EQ(run(handle, on_host, out), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(),
              HasSubstr("input 0 of the CUDA delegate is a tensor of the CPU"));
  float host[3] = {};
  DeviceTensor elsewhere(3);
  void* own = elsewhere.value()->toTensor().mutable_data_ptr();
  elsewhere.point_to(host);
  EXPECT_EQ(run(handle, in, elsewhere), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(),
              HasSubstr("output 0 of the CUDA delegate lies in memory of the host"));
  elsewhere.point_to(own);
  BackendExecutionContext context;
  std::array<EValue*, 1> few{in.value()};
  EXPECT_EQ(backend_->execute(context, handle, {few.data(), few.size()}), Error::InvalidArgument);
  EValue number(int64_t{1});
  std::array<EValue*, 2> none{&number, out.value()};
  EXPECT_EQ(backend_->execute(context, handle, {none.data(), none.size()}), Error::InvalidArgument);
}

TEST_F(CudaBackendTest, WithoutDriverOrDevice) {
  for (const int devices : {-1, 0}) {
    fake_cuda_set_devices(devices);
    EXPECT_FALSE(backend_->is_available());
    EXPECT_EQ(refused(payload().span()), Error::NotSupported);
    EXPECT_THAT(runtime::last_error_message(),
                HasSubstr(devices < 0 ? "driver" : "no CUDA device"));
    runtime::DeviceAllocator* allocator =
        runtime::get_device_allocator(runtime::etensor::DeviceType::CUDA);
    ASSERT_NE(allocator, nullptr);
    EXPECT_EQ(allocator->allocate(16, 0, 16).error(), Error::NotSupported);
  }
  fake_cuda_set_devices(2);
  EXPECT_TRUE(backend_->is_available());
}

TEST_F(CudaBackendTest, CodeThatNeedsTheDriverWithoutOne) {
  use_model("cuda_model_for_a_driver");
  EXPECT_EQ(refused(payload().span()), Error::NotSupported);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("libcuda.so.1"));
}

TEST_F(CudaBackendTest, NativeCodeCanBeForbidden) {
  EXPECT_EQ(refused(payload().span(), {option("allow_native_code", false)}), Error::NotSupported);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("allow_native_code"));
}

TEST_F(CudaBackendTest, OptionsHaveTypes) {
  for (const char* key : {"allow_native_code", "use_shared_cuda_stream",
                          "enable_cuda_graph_for_method", "weight_sharing_across_methods"}) {
    EXPECT_EQ(refused(payload().span(), {option(key, 3)}), Error::InvalidArgument) << key;
    std::array<BackendOption, 1> options{option(key, 3)};
    EXPECT_EQ(runtime::set_option("CudaBackend", {options.data(), options.size()}),
              Error::InvalidArgument);
  }
  load({option("skip_copy_output_to_cpu_for_method", text("forward")), option("unknown", 3)});
}

TEST_F(CudaBackendTest, SharedStream) {
  std::array<BackendOption, 1> on{option("use_shared_cuda_stream", true)};
  ASSERT_EQ(runtime::set_option("CudaBackend", {on.data(), on.size()}), Error::Ok);
  before_.streams = fake_cuda_counts().streams;
  DelegateHandle* first = load();
  DelegateHandle* second = load();
  EXPECT_EQ(fake_cuda_counts().streams, before_.streams);
  DeviceTensor in(3), out(3);
  ASSERT_EQ(run(first, in, out), Error::Ok);
  const cudaStream_t stream = fake_cuda_last_stream();
  ASSERT_EQ(run(second, in, out), Error::Ok);
  EXPECT_EQ(fake_cuda_last_stream(), stream);
  std::array<BackendOption, 1> asked{option("use_shared_cuda_stream", false)};
  ASSERT_EQ(runtime::get_option("CudaBackend", {asked.data(), asked.size()}), Error::Ok);
  EXPECT_EQ(std::get<bool>(asked[0].value), true);
}

TEST_F(CudaBackendTest, StreamOfTheCaller) {
  DelegateHandle* handle = load();
  DeviceTensor in(3), out(3);
  cudaStream_t mine = nullptr;
  ASSERT_EQ(cudaStreamCreate(&mine), cudaSuccess);
  {
    const extension::cuda::CallerStreamGuard outer(mine);
    ASSERT_EQ(run(handle, in, out), Error::Ok) << runtime::last_error_message();
    EXPECT_EQ(fake_cuda_last_stream(), mine);
    {
      // The default stream is a choice as well.
      const extension::cuda::CallerStreamGuard inner(nullptr);
      ASSERT_EQ(run(handle, in, out), Error::Ok) << runtime::last_error_message();
      EXPECT_EQ(fake_cuda_last_stream(), cudaStreamLegacy);
      EXPECT_EQ(extension::cuda::getCallerStream(), std::optional<cudaStream_t>(nullptr));
      std::thread([] { EXPECT_FALSE(extension::cuda::getCallerStream()); }).join();
    }
    ASSERT_EQ(run(handle, in, out), Error::Ok);
    EXPECT_EQ(fake_cuda_last_stream(), mine);
  }
  ASSERT_EQ(run(handle, in, out), Error::Ok);
  EXPECT_NE(fake_cuda_last_stream(), mine);
  EXPECT_EQ(cudaStreamDestroy(mine), cudaSuccess);
}

TEST_F(CudaBackendTest, GraphOfAMethod) {
  DelegateHandle* handle = load({option("enable_cuda_graph_for_method", text("prefill,forward"))});
  DeviceTensor in(3), out(3);
  for (int run_number = 0; run_number < 6; ++run_number) {
    in.set({1.0f, 2.0f, static_cast<float>(run_number)});
    const size_t launches = fake_cuda_counts().graph_launches;
    ASSERT_EQ(run(handle, in, out), Error::Ok) << runtime::last_error_message();
    const float constant = 2.0f + static_cast<float>(run_number);
    EXPECT_EQ(out.get(), (std::vector<float>{constant, 2 * constant,
                                             static_cast<float>(run_number) * constant}));
    EXPECT_EQ(fake_cuda_counts().graph_launches - launches, run_number < 3 ? 0u : 1u);
  }
  DeviceTensor shorter(2);
  EXPECT_EQ(run(handle, shorter, out), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("other sizes"));
  cudaStream_t mine = nullptr;
  ASSERT_EQ(cudaStreamCreate(&mine), cudaSuccess);
  {
    const extension::cuda::CallerStreamGuard guard(mine);
    EXPECT_EQ(run(handle, in, out), Error::NotSupported);
  }
  EXPECT_EQ(cudaStreamDestroy(mine), cudaSuccess);
}

TEST_F(CudaBackendTest, OtherMethodsAreNotCaptured) {
  DelegateHandle* handle = load({option("enable_cuda_graph_for_method", text("forward2,for"))});
  DeviceTensor in(3), out(3);
  const size_t launches = fake_cuda_counts().graph_launches;
  for (int i = 0; i < 5; ++i) ASSERT_EQ(run(handle, in, out), Error::Ok);
  EXPECT_EQ(fake_cuda_counts().graph_launches, launches);
}

TEST_F(CudaBackendTest, FailedCaptureIsTriedAgain) {
  DelegateHandle* handle = load({option("enable_cuda_graph_for_method", text("forward"))});
  DeviceTensor in(3), out(3);
  in.set(kInput);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(run(handle, in, out), Error::Ok);
  for (const char* function : {"cudaMalloc", "cudaStreamBeginCapture", "fake_cuda_run",
                               "cudaStreamEndCapture", "cudaGraphInstantiate"}) {
    fake_cuda_fail(function, 0, cudaErrorUnknown);
    EXPECT_NE(run(handle, in, out), Error::Ok) << function;
  }
  ASSERT_EQ(run(handle, in, out), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(out.get(), (std::vector<float>{5, 10, 15}));
}

TEST_F(CudaBackendTest, ConstantsAreSharedWhenAsked) {
  const auto share = option("weight_sharing_across_methods", true);
  DelegateHandle* first = load({share});
  DelegateHandle* second = load({share});
  DelegateHandle* alone = load();
  DeviceTensor in(1), out(1);
  in.set({1});
  std::vector<float> seen;
  for (DelegateHandle* handle : {first, second, first, alone}) {
    ASSERT_EQ(run(handle, in, out), Error::Ok);
    seen.push_back(out.get()[0]);
  }
  EXPECT_EQ(seen, (std::vector<float>{2, 3, 4, 2}));
}

TEST_F(CudaBackendTest, DamagedPayloadsAreErrors) {
  PayloadWriter good = payload();
  const Bytes bytes(good.span().begin(), good.span().end());
  for (size_t end = 1; end < bytes.size(); ++end) {
    EXPECT_NE(refused({bytes.data(), end}), Error::Ok) << end;
  }
}

TEST_F(CudaBackendTest, AllocatorOfTheDevice) {
  runtime::DeviceAllocator* allocator =
      runtime::get_device_allocator(runtime::etensor::DeviceType::CUDA);
  ASSERT_NE(allocator, nullptr);
  const Result<void*> memory = allocator->allocate(64, -1, 256);
  ASSERT_TRUE(memory.ok());
  const std::vector<uint8_t> from{1, 2, 3, 4};
  std::vector<uint8_t> to(4);
  EXPECT_EQ(allocator->copy_host_to_device(*memory, from.data(), 4, 0), Error::Ok);
  cudaStream_t mine = nullptr;
  ASSERT_EQ(cudaStreamCreate(&mine), cudaSuccess);
  {
    const extension::cuda::CallerStreamGuard guard(mine);
    EXPECT_EQ(allocator->copy_device_to_host(to.data(), *memory, 4, 1), Error::Ok);
    EXPECT_EQ(fake_cuda_last_stream(), mine);
  }
  EXPECT_EQ(cudaStreamDestroy(mine), cudaSuccess);
  EXPECT_EQ(to, from);
  allocator->deallocate(*memory, -1);

  EXPECT_EQ(allocator->allocate(64, 0, 48).error(), Error::NotSupported);
  EXPECT_EQ(allocator->allocate(64, 0, 512).error(), Error::NotSupported);
  EXPECT_EQ(allocator->allocate(64, -2, 64).error(), Error::InvalidArgument);
  EXPECT_NE(allocator->allocate(64, 7, 64).error(), Error::Ok);
  fake_cuda_fail("cudaMalloc", 0, cudaErrorMemoryAllocation);
  EXPECT_EQ(allocator->allocate(64, 0, 64).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator->copy_host_to_device(nullptr, from.data(), 4, 0), Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::backends::cuda
