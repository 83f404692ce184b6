#include "backends/aoti/container/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/aoti/tensor/shim_tensor.h"
#include "backends/aoti/testing/test_code.h"

extern "C" {
int32_t et_aoti_t1_live_tensors();
int32_t et_aoti_t1_delete_tensor_object(executorch::backends::aoti::ShimTensor*);
int32_t et_aoti_t1_empty_strided(int64_t, const int64_t*, const int64_t*, int32_t, int32_t, int32_t,
                                 executorch::backends::aoti::ShimTensor**);
}

namespace executorch::backends::aoti {
namespace {

using runtime::Span;
using ::testing::HasSubstr;

constexpr int32_t kFloat = 6;

ShimTensor* make_tensor(int64_t size, float value) {
  const int64_t stride = 1;
  ShimTensor* tensor = nullptr;
  EXPECT_EQ(et_aoti_t1_empty_strided(1, &size, &stride, kFloat, 0, 0, &tensor), 0);
  for (int64_t i = 0; i < size; ++i) static_cast<float*>(tensor->data())[i] = value;
  return tensor;
}

class ContainerTest : public ::testing::Test {
 protected:
  void TearDown() override {
    container_.reset();
    if (weight_ != nullptr) et_aoti_t1_delete_tensor_object(weight_);
    EXPECT_EQ(et_aoti_t1_live_tensors(), 0);
  }
  std::shared_ptr<CodeObject> load(const char* name) {
    CodeOptions options;
    options.shims = {reinterpret_cast<const void*>(&et_aoti_t1_live_tensors), "et_aoti_t1_"};
    std::unique_ptr<CodeObject> code;
    EXPECT_EQ(CodeObject::load(testing::span_of(testing::read_code(name)), options, &code),
              Error::Ok)
        << runtime::last_error_message();
    return code;
  }
  Error create(const char* name, const char* device = "cpu") {
    return Container::create(load(name), device, &container_);
  }
  Error set_weight(const char* name) {
    weight_ = make_tensor(1, 2.0f);
    ConstantPair pair{name, weight_};
    return container_->set_constants({&pair, 1});
  }
  Error run(int64_t size, ShimTensor** output) {
    ShimTensor* input = make_tensor(size, 21.0f);
    const Error error = container_->run({&input, 1}, {output, 1});
    if (error == Error::InvalidState) et_aoti_t1_delete_tensor_object(input);
    return error;
  }

  std::unique_ptr<Container> container_;
  ShimTensor* weight_ = nullptr;
};

TEST_F(ContainerTest, RunsWithTheCallersConstants) {
  ASSERT_EQ(create("aoti_fake"), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(container_->num_inputs(), 1u);
  EXPECT_EQ(container_->num_outputs(), 1u);
  ASSERT_EQ(container_->constants().size(), 1u);
  EXPECT_EQ(container_->constants()[0].name, "layer_weight");
  EXPECT_EQ(container_->constants()[0].fqn, "layer.weight");
  ASSERT_EQ(set_weight("layer_weight"), Error::Ok);
  ShimTensor* output = nullptr;
  ASSERT_EQ(run(3, &output), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(static_cast<float*>(output->data())[2], 42.0f);
  et_aoti_t1_delete_tensor_object(output);
}

TEST_F(ContainerTest, DoesNotRunWithoutConstants) {
  ASSERT_EQ(create("aoti_fake"), Error::Ok);
  ShimTensor* output = nullptr;
  EXPECT_EQ(run(3, &output), Error::InvalidState);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("constant 'layer.weight'"));
}

TEST_F(ContainerTest, ErrorsOfGeneratedCodeHaveItsText) {
  ASSERT_EQ(create("aoti_fake"), Error::Ok);
  EXPECT_EQ(set_weight("other"), Error::Internal);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("the fake failed"));
  ConstantPair pair{"layer_weight", weight_};
  ASSERT_EQ(container_->set_constants({&pair, 1}), Error::Ok);
  ShimTensor* output = nullptr;
  EXPECT_EQ(run(13, &output), Error::Internal);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("the fake failed"));
  EXPECT_EQ(output, nullptr);
}

TEST_F(ContainerTest, FailedCreationsLeaveNothing) {
  EXPECT_EQ(create("aoti_fake", "cuda"), Error::Internal);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("creation of the model container"));
  EXPECT_EQ(create("aoti_fake_lacks_run"), Error::NotSupported);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("lacks AOTInductorModelContainerRun"));
  EXPECT_EQ(container_, nullptr);
}

TEST_F(ContainerTest, CountsAndMissingFunctionsAreChecked) {
  ASSERT_EQ(create("aoti_fake"), Error::Ok);
  ASSERT_EQ(set_weight("layer_weight"), Error::Ok);
  ShimTensor* outputs[2] = {};
  EXPECT_EQ(container_->run({}, {outputs, 1}), Error::InvalidArgument);
  EXPECT_EQ(container_->copy_constants(nullptr), Error::NotSupported);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("AOTInductorModelUpdateConstantsFromBlob"));
}

}  // namespace
}  // namespace executorch::backends::aoti
