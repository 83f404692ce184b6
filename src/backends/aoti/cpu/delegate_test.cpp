#include "backends/aoti/cpu/delegate.h"

#include <cstring>
#include <map>
#include <random>

#include <executorch/extension/tensor/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/aoti/code/sha256.h"
#include "backends/aoti/shims/cpu/cpu_table.h"
#include "backends/aoti/testing/payload_writer.h"
#include "backends/aoti/testing/test_code.h"

namespace executorch::backends::aoti {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Writer = testing::PayloadWriter;
using aten::ScalarType;
using extension::make_tensor_ptr;
using extension::TensorPtr;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;

/// Blobs in memory that count how many of them are held.
class DataMap final : public runtime::NamedDataMap {
 public:
  void put(const std::string& key, std::vector<uint8_t> bytes) { blobs_[key] = std::move(bytes); }
  void remove(const std::string& key) { blobs_.erase(key); }
  int held() const { return held_; }

  Result<const runtime::TensorLayout> get_tensor_layout(std::string_view) const override {
    return Error::NotFound;
  }
  Result<FreeableBuffer> get_data(std::string_view key) const override {
    const auto found = blobs_.find(std::string(key));
    if (found == blobs_.end()) {
      return ET_ERROR(NotFound, "no data '%s'", std::string(key).c_str());
    }
    ++held_;
    return FreeableBuffer(
        found->second.data(), found->second.size(),
        [](void* held, void*, size_t) { --*static_cast<int*>(held); }, &held_);
  }
  Error load_data_into(std::string_view, void*, size_t) const override {
    return Error::NotSupported;
  }
  Result<uint32_t> get_num_keys() const override { return static_cast<uint32_t>(blobs_.size()); }
  Result<const char*> get_key(uint32_t) const override { return Error::NotSupported; }

 private:
  std::map<std::string, std::vector<uint8_t>> blobs_;
  mutable int held_ = 0;
};

const char* own_instruction_set() {
#if defined(__x86_64__)
  return "x86-64";
#else
  return "armv8-a";
#endif
}

struct Payload {
  std::string instruction_set = own_instruction_set();
  uint64_t weight_bytes = 4;
  bool written = false;
  int64_t most = 16;
  uint32_t inputs = 1;
  std::string fqn = "layer.weight";
};

/// A payload for the fake code: one input of [s0, 2] and one output of the same.
Writer write(const Payload& payload, const std::vector<uint8_t>& code) {
  Writer writer;
  writer.raw(kCpuMagic).text(sha256_hex(code.data(), code.size()) + "_so_blob");
  writer.text(payload.instruction_set).text("a test").number(1u);
  writer.constant(payload.fqn, payload.weight_bytes, 6, 0, 0, {1}, {1});
  writer.number(payload.written ? 1u : 0u);
  if (payload.written) writer.number(0u);
  writer.number(payload.inputs);
  for (uint32_t i = 0; i < payload.inputs; ++i) {
    writer.number(int32_t{6}).number(2u);
    writer.number(int64_t{1}).number(payload.most).number(int32_t{0});
    writer.number(int64_t{1}).number(int64_t{0}).number(0u);
    writer.number(int64_t{2}).number(int64_t{2}).number(int32_t{-1});
    writer.number(int64_t{1}).number(int64_t{0}).number(1u);
  }
  return writer.number(1u).number(int32_t{6}).number(2u);
}

class DelegateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    code_ = testing::read_code("aoti_fake");
    ASSERT_FALSE(code_.empty());
    put_code(code_);
    const float weight = 3.0f;
    std::vector<uint8_t> bytes(sizeof(weight));
    std::memcpy(bytes.data(), &weight, sizeof(weight));
    data_.put("key:layer.weight", bytes);
    policy_.allowed = true;
  }
  void TearDown() override {
    delegate_.reset();
    EXPECT_EQ(data_.held(), 0);
    EXPECT_EQ(AOTI_SHIM(live_tensors)(), 0u);
  }
  void put_code(const std::vector<uint8_t>& code) {
    data_.put(sha256_hex(code.data(), code.size()) + "_so_blob", code);
  }
  Error create(const Writer& writer) {
    runtime::clear_error_message();
    return Delegate::create(writer.span(), &data_, policy_, &delegate_);
  }
  Error create(const Payload& payload = Payload()) { return create(write(payload, code_)); }
  void expect_refused(const Writer& writer, Error error, const char* reason) {
    EXPECT_EQ(create(writer), error) << runtime::last_error_message();
    EXPECT_THAT(runtime::last_error_message(), HasSubstr(reason));
    EXPECT_EQ(delegate_, nullptr);
  }
  Error run(const TensorPtr& input, const TensorPtr& output) {
    EValue in(*input), out(*output);
    EValue* arguments[] = {&in, &out};
    runtime::clear_error_message();
    return delegate_->execute({arguments, 2});
  }
  void expect_run_refused(const TensorPtr& input, Error error, const char* reason) {
    const TensorPtr output = make_tensor_ptr({16, 2}, std::vector<float>(32));
    EXPECT_EQ(run(input, output), error);
    EXPECT_THAT(runtime::last_error_message(), HasSubstr(reason));
  }

  std::vector<uint8_t> code_;
  DataMap data_;
  CodePolicy policy_;
  std::unique_ptr<Delegate> delegate_;
};

TensorPtr bounded(std::vector<int32_t> sizes) {
  size_t numel = 1;
  for (const int32_t size : sizes) numel *= static_cast<size_t>(size);
  return make_tensor_ptr(std::move(sizes), std::vector<float>(numel), {}, {}, ScalarType::Float,
                         aten::TensorShapeDynamism::DYNAMIC_BOUND);
}

TEST_F(DelegateTest, RunsAndSetsTheSizesOfResults) {
  ASSERT_EQ(create(), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(data_.held(), 1);
  const TensorPtr output = bounded({16, 2});
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(run(make_tensor_ptr({2, 2}, std::vector<float>{1, 2, 3, 4}), output), Error::Ok)
        << runtime::last_error_message();
    EXPECT_THAT(output->sizes(), ElementsAre(2, 2));
    EXPECT_EQ(output->const_data_ptr<float>()[3], 12.0f);
  }
  EXPECT_EQ(AOTI_SHIM(live_tensors)(), 2u);
}

TEST_F(DelegateTest, ConstantsThatAreWrittenAreCopied) {
  Payload payload;
  payload.written = true;
  ASSERT_EQ(create(payload), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(data_.held(), 0);
  const TensorPtr output = bounded({16, 2});
  ASSERT_EQ(run(make_tensor_ptr({1, 2}, std::vector<float>{1, 2}), output), Error::Ok);
  EXPECT_EQ(output->const_data_ptr<float>()[1], 6.0f);
}

TEST_F(DelegateTest, NativeCodeRunsOnlyWhereItIsAllowed) {
  policy_.allowed = false;
  expect_refused(write({}, code_), Error::NotSupported, "allow_native_code");
  policy_.allowed = true;
  policy_.sha256 = std::string(64, '0');
  expect_refused(write({}, code_), Error::NotSupported, "the application allows 000");
  policy_.sha256 += "," + sha256_hex(code_.data(), code_.size());
  EXPECT_EQ(create(), Error::Ok);
}

TEST_F(DelegateTest, CodeForOtherMachinesIsRefused) {
  Payload payload;
  payload.instruction_set = "x86-64-v9";
  expect_refused(write(payload, code_), Error::NotSupported, "'x86-64-v9'");
}

TEST_F(DelegateTest, CodeWithAnotherDigestIsRefused) {
  std::vector<uint8_t> changed = code_;
  changed.push_back(0);
  data_.put(sha256_hex(code_.data(), code_.size()) + "_so_blob", changed);
  expect_refused(write({}, code_), Error::InvalidProgram, "SHA-256");
}

TEST_F(DelegateTest, MissingDataIsNamed) {
  data_.remove("key:layer.weight");
  expect_refused(write({}, code_), Error::NotFound, "constant 'layer.weight'");
  expect_refused(write({}, testing::read_code("aoti_fake_lacks_run")), Error::NotFound, "_so_blob");
  EXPECT_EQ(Delegate::create(write({}, code_).span(), nullptr, policy_, &delegate_),
            Error::NotFound);
}

TEST_F(DelegateTest, PayloadsMustGoWithTheirCode) {
  Payload payload;
  payload.inputs = 2;
  expect_refused(write(payload, code_), Error::InvalidProgram, "2 inputs and 1 outputs");
  payload = Payload();
  payload.fqn = "layer.bias";
  expect_refused(write(payload, code_), Error::InvalidProgram,
                 "is 'layer.bias', that of the code is 'layer.weight'");
  payload = Payload();
  payload.weight_bytes = 8;
  expect_refused(write(payload, code_), Error::InvalidProgram, "8 are expected");
}

TEST_F(DelegateTest, CodeWithUnknownFunctionsIsRefusedByName) {
  code_ = testing::read_code("aoti_fake_needs_function");
  put_code(code_);
  expect_refused(write({}, code_), Error::NotSupported, "nobody_has_this");
}

TEST_F(DelegateTest, InputsAreChecked) {
  ASSERT_EQ(create(), Error::Ok);
  expect_run_refused(make_tensor_ptr({17, 2}, std::vector<float>(34)), Error::InvalidArgument,
                     "17 elements along dimension 0, 1 to 16");
  expect_run_refused(make_tensor_ptr({2, 3}, std::vector<float>(6)), Error::InvalidArgument,
                     "3 elements along dimension 1");
  expect_run_refused(make_tensor_ptr({2}, std::vector<float>(2)), Error::InvalidArgument,
                     "1 dimensions, 2 are expected");
  expect_run_refused(make_tensor_ptr({2, 2}, std::vector<int32_t>(4)), Error::InvalidArgument,
                     "of type Int, Float is expected");
  expect_run_refused(make_tensor_ptr({2, 2}, std::vector<float>(4), {1, 0}, {1, 2}),
                     Error::InvalidArgument, "dim order");
  EValue number(int64_t{1});
  EValue* arguments[] = {&number, &number};
  EXPECT_EQ(delegate_->execute({arguments, 1}), Error::InvalidArgument);
  EXPECT_EQ(delegate_->execute({arguments, 2}), Error::InvalidArgument);
}

TEST_F(DelegateTest, ErrorsOfTheCodeLeaveNothing) {
  Payload payload;
  payload.most = 16;
  ASSERT_EQ(create(payload), Error::Ok);
  // Too small for the result.
  const TensorPtr small = make_tensor_ptr({1, 2}, std::vector<float>(2));
  EXPECT_NE(run(make_tensor_ptr({2, 2}, std::vector<float>(4)), small), Error::Ok);
  EXPECT_EQ(AOTI_SHIM(live_tensors)(), 2u);
}

TEST_F(DelegateTest, DamagedPayloadsAreLoadedOrRefused) {
  const Writer whole = write({}, code_);
  for (size_t size = 0; size < whole.span().size(); ++size) {
    std::unique_ptr<Delegate> delegate;
    EXPECT_EQ(Delegate::create({whole.span().data(), size}, &data_, policy_, &delegate),
              Error::InvalidProgram)
        << size;
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    Writer damaged = whole;
    for (int i = 0; i < 3; ++i) {
      damaged.bytes()[random() % damaged.bytes().size()] = static_cast<uint8_t>(random());
    }
    CpuManifest manifest;
    const Error error = read_cpu_manifest(damaged.span(), &manifest);
    EXPECT_TRUE(error == Error::Ok || error == Error::InvalidProgram);
  }
}

}  // namespace
}  // namespace executorch::backends::aoti
