// Delegates from hand-made payloads: what exporters do not write, and how arguments are taken.
#include "backends/xnnpack/delegate/delegate.h"

#include <cmath>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/extension/tensor/tensor_ptr_maker.h>
#include <executorch/runtime/backend/interface.h>

#include "backends/xnnpack/testing/payload_builder.h"

namespace executorch::backends::xnnpack {
namespace {

using aten::ScalarType;
using extension::TensorPtr;
using runtime::EValue;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Builder = testing::PayloadBuilder;
using Floats = std::vector<float>;
namespace fb = fb_xnnpack;
constexpr uint32_t kNoId = testing::kNoId;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TensorPtr tensor(const std::vector<int32_t>& sizes, const Floats& data) {
  return extension::make_tensor_ptr(sizes, data, {}, {}, ScalarType::Float,
                                    aten::TensorShapeDynamism::DYNAMIC_BOUND);
}

Floats floats(const TensorPtr& tensor) {
  const float* data = tensor->const_data_ptr<float>();
  return {data, data + tensor->numel()};
}

std::unique_ptr<Delegate> load(Builder& builder) {
  const std::vector<uint8_t> blob = builder.build();
  std::unique_ptr<Delegate> delegate;
  EXPECT_EQ(Delegate::create({blob.data(), blob.size()}, nullptr, {}, &delegate), Error::Ok)
      << runtime::last_error_message();
  return delegate;
}

Error execute(Delegate& delegate, const std::vector<TensorPtr>& tensors) {
  std::vector<EValue> values;
  for (const TensorPtr& tensor : tensors) values.emplace_back(*tensor);
  std::vector<EValue*> arguments;
  for (EValue& value : values) arguments.push_back(&value);
  return delegate.execute({arguments.data(), arguments.size()});
}

Floats run(Builder& builder, const std::vector<TensorPtr>& inputs,
           const std::vector<int32_t>& out_sizes) {
  const auto delegate = load(builder);
  int64_t count = 1;
  for (const int32_t size : out_sizes) count *= size;
  std::vector<TensorPtr> tensors = inputs;
  tensors.push_back(tensor(out_sizes, Floats(static_cast<size_t>(count), -99)));
  EXPECT_EQ(execute(*delegate, tensors), Error::Ok) << runtime::last_error_message();
  return floats(tensors.back());
}

TEST(Delegate, EluAndBounds) {
  Builder b;
  const float bounds[] = {-0.5f, 2};
  const uint32_t x = b.input({4}), y = b.output({4});
  b.node(fb::XNodeUnion::XNNELU, fb::CreateXNNELU(b.fbb, 2, x, y).Union(), bounds);
  const Floats result = run(b, {tensor({4}, {-0.1f, -3, 1, 5})}, {4});
  EXPECT_THAT(result, Pointwise(FloatNear(1e-6f), Floats{2 * std::expm1(-0.1f), -0.5f, 1, 2}));
}

TEST(Delegate, ArgMaxTellsThePlaceInTheWindow) {
  for (const ScalarType type : {ScalarType::Int, ScalarType::Long}) {
    Builder b;
    const uint32_t x = b.input({1, 2, 2, 2}), largest = b.output({1, 1, 1, 2});
    const uint32_t place = b.output({1, 1, 1, 2}, fb::XNNDatatype::xnn_datatype_int32);
    b.node(fb::XNodeUnion::XNNArgMaxPooling2d,
           fb::CreateXNNArgMaxPooling2d(b.fbb, 0, 0, 0, 0, 2, 2, x, largest, place).Union());
    const auto delegate = load(b);
    const TensorPtr in = tensor({1, 2, 2, 2}, {1, 50, 3, 20, 7, 30, 5, 40});
    const TensorPtr values = tensor({1, 1, 1, 2}, {0, 0});
    const TensorPtr places = extension::zeros({1, 1, 1, 2}, type);
    ASSERT_EQ(execute(*delegate, {in, values, places}), Error::Ok) << runtime::last_error_message();
    EXPECT_THAT(floats(values), ElementsAre(7, 50));
    for (const int i : {0, 1}) {
      const int64_t found = type == ScalarType::Int ? places->const_data_ptr<int32_t>()[i]
                                                    : places->const_data_ptr<int64_t>()[i];
      EXPECT_EQ(found, i == 0 ? 2 : 0);
    }
  }
}

TEST(Delegate, AttentionFollowsItsDefinition) {
  Builder b;
  const uint32_t q = b.input({1, 2, 1, 2}), k = b.input({1, 1, 2, 2}), v = b.input({1, 1, 2, 1});
  const uint32_t scale = b.constant({2}, Floats{1, 0.5f}), mask = b.input({1, 2});
  const uint32_t y = b.output({1, 2, 1, 1});
  b.node(fb::XNodeUnion::XNNScaledDotProductAttention,
         fb::CreateXNNScaledDotProductAttention(b.fbb, q, k, v, scale, mask, y).Union());
  const Floats result = run(b,
                            {tensor({1, 2, 1, 2}, {1, 2, 0, 0}), tensor({1, 1, 2, 2}, {1, 2, 0, 1}),
                             tensor({1, 1, 2, 1}, {10, 20}), tensor({1, 2}, {0, 1})},
                            {1, 2, 1, 1});
  // Scores 3 and 1 + 1; 0 and 1 for the second head.
  const float first = std::exp(3.0f) / (std::exp(3.0f) + std::exp(2.0f));
  const float second = 1 / (1 + std::exp(1.0f));
  EXPECT_THAT(result, Pointwise(FloatNear(1e-5f), Floats{20 - 10 * first, 20 - 10 * second}));
}

TEST(Delegate, NanStaysNan) {
  Builder b;
  const uint32_t x = b.input({3}), y = b.input({3}), most = b.internal({3}), out = b.output({3});
  const float bounds[] = {0, kInfinity};
  b.binary(fb::XNodeUnion::XNNMaximum, x, y, most);
  b.node(fb::XNodeUnion::XNNClamp, fb::Create_XNNNode1x1(b.fbb, most, out).Union(), bounds);
  const Floats result =
      run(b, {tensor({3}, {kNan, 1, -2}), tensor({3}, {1, kNan, -kInfinity})}, {3});
  EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[1]));
  EXPECT_EQ(result[2], 0);
}

TEST(Delegate, SizesMayChangeWithinTheirBounds) {
  Builder b;
  const uint32_t x = b.input({4, 2}), y = b.output({4, 2});
  b.unary(fb::XNodeUnion::XNNSquare, x, y);
  const auto delegate = load(b);
  for (const int32_t rows : {4, 1, 3, 0, 4}) {
    const TensorPtr in = tensor({rows, 2}, Floats(static_cast<size_t>(rows) * 2, 3));
    const TensorPtr out = tensor({4, 2}, Floats(8));
    ASSERT_EQ(execute(*delegate, {in, out}), Error::Ok) << runtime::last_error_message();
    EXPECT_EQ(out->size(0), rows);
    EXPECT_EQ(floats(out), Floats(static_cast<size_t>(rows) * 2, 9));
  }
  EXPECT_EQ(execute(*delegate, {tensor({5, 2}, Floats(10)), tensor({4, 2}, Floats(8))}),
            Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("5 elements along dimension 0, at most 4"));
}

TEST(Delegate, ArgumentsAreChecked) {
  Builder b;
  const uint32_t x = b.input({2}), y = b.output({2});
  b.unary(fb::XNodeUnion::XNNAbs, x, y);
  const auto delegate = load(b);
  const TensorPtr good = tensor({2}, {1, 2});
  EXPECT_EQ(execute(*delegate, {good}), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("takes 2 arguments, 1 are given"));
  EXPECT_EQ(execute(*delegate, {tensor({1, 2}, {1, 2}), good}), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("has 2 dimensions, 1 are expected"));
  EXPECT_EQ(execute(*delegate, {extension::zeros({2}, ScalarType::Double), good}),
            Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("is of type Double, fp32 is expected"));
  EValue number(int64_t{3}), value(*good);
  EValue* arguments[] = {&number, &value};
  EXPECT_EQ(delegate->execute({arguments, 2}), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("argument 0 of the delegate is no tensor"));
}

TEST(Delegate, ResultsMayLieOnInputs) {
  Builder b;
  const uint32_t x = b.input({3}), first = b.output({3}), second = b.output({3});
  const uint32_t doubled = b.internal({3});
  b.binary(fb::XNodeUnion::XNNAdd, x, x, doubled);
  b.unary(fb::XNodeUnion::XNNNegate, doubled, first);
  b.unary(fb::XNodeUnion::XNNSquare, x, second);
  const auto delegate = load(b);
  const TensorPtr shared = tensor({3}, {1, 2, 3}), other = tensor({3}, Floats(3));
  ASSERT_EQ(execute(*delegate, {shared, shared, other}), Error::Ok);
  EXPECT_THAT(floats(shared), ElementsAre(-2, -4, -6));
  EXPECT_THAT(floats(other), ElementsAre(1, 4, 9));
}

// Images: a convolution between transposes needs no copies, so that its plan has one step.
TEST(Delegate, ColumnOfPaddingJoinsTheConvolution) {
  Builder b;
  const uint32_t x = b.input({1, 1, 2, 2}), image = b.internal({1, 2, 2, 1});
  const uint32_t padded = b.internal({1, 2, 3, 1}), result = b.internal({1, 2, 2, 1});
  const uint32_t w = b.constant({1, 1, 2, 1}, Floats{1, 10}), y = b.output({1, 1, 2, 2});
  b.transpose({0, 2, 3, 1}, x, image);
  const auto before = b.fbb.CreateVector(std::vector<uint32_t>{0, 0, 0, 0});
  const auto after = b.fbb.CreateVector(std::vector<uint32_t>{0, 0, 1, 0});
  b.node(fb::XNodeUnion::XNNStaticConstantPad,
         fb::CreateXNNStaticConstantPad(b.fbb, before, after, 0, image, padded).Union());
  b.node(fb::XNodeUnion::XNNConv2d, fb::Create_XNNNodeConv(b.fbb, 0, 0, 0, 0, 1, 2, 1, 1, 1, 1, 1,
                                                           1, 1, 0, 0, padded, w, kNoId, result)
                                        .Union());
  b.transpose({0, 3, 1, 2}, result, y);
  EXPECT_THAT(run(b, {tensor({1, 1, 2, 2}, {1, 2, 3, 4})}, {1, 1, 2, 2}),
              ElementsAre(21, 2, 43, 4));
}

TEST(Delegate, OlderPayloadsHaveTheirMarkAndConstantsInside) {
  Builder b;
  const uint32_t x = b.input({2}), y = b.output({2});
  b.binary(fb::XNodeUnion::XNNMultiply, x,
           b.value({2}, fb::XNNDatatype::xnn_datatype_fp32, 1, kNoId, 0), y);
  const Floats factors = {3, 4};
  const auto bytes = b.fbb.CreateVector(reinterpret_cast<const uint8_t*>(factors.data()), 8);
  const std::vector<flatbuffers::Offset<fb::Buffer>> buffers = {fb::CreateBuffer(b.fbb),
                                                                fb::CreateBuffer(b.fbb, bytes)};
  b.fbb.Finish(
      fb::CreateXNNGraph(b.fbb, 0, b.fbb.CreateVector(b.nodes), b.fbb.CreateVector(b.values), 2, 0,
                         0, b.fbb.CreateVector(buffers)),
      "XN00");
  std::unique_ptr<Delegate> delegate;
  ASSERT_EQ(Delegate::create({b.fbb.GetBufferPointer(), b.fbb.GetSize()}, nullptr, {}, &delegate),
            Error::Ok)
      << runtime::last_error_message();
  const TensorPtr out = tensor({2}, {0, 0});
  ASSERT_EQ(execute(*delegate, {tensor({2}, {1, 2}), out}), Error::Ok);
  EXPECT_THAT(floats(out), ElementsAre(3, 8));
}

TEST(Delegate, InstancesAreLoadedRunAndDestroyedInThreads) {
  const auto work = [] {
    for (int round = 0; round < 20; ++round) {
      Builder b;
      const uint32_t x = b.input({3, 40}), y = b.output({3, 50});
      const uint32_t w = b.constant({50, 40}, Floats(2000, 0.5f));
      b.node(fb::XNodeUnion::XNNFullyConnected,
             fb::CreateXNNFullyConnected(b.fbb, x, w, kNoId, y).Union());
      EXPECT_EQ(run(b, {tensor({3, 40}, Floats(120, 1))}, {3, 50}), Floats(150, 20));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

// ---- The registered backend

runtime::BackendOption option(const char* key, runtime::OptionValue value) {
  runtime::BackendOption option;
  std::strncpy(option.key, key, sizeof(option.key) - 1);
  option.value = std::move(value);
  return option;
}

TEST(XnnpackBackend, OptionsAreKeptAndChecked) {
  ASSERT_NE(runtime::get_backend_class("XnnpackBackend"), nullptr);
  const auto set = [](const char* key, runtime::OptionValue value) {
    runtime::BackendOption options[] = {option(key, std::move(value))};
    return runtime::set_option("XnnpackBackend", {options, 1});
  };
  EXPECT_EQ(set("workspace_sharing_mode", 2), Error::Ok);
  EXPECT_EQ(set("workspace_sharing_mode", 3), Error::InvalidArgument);
  EXPECT_EQ(set("workspace_sharing_mode", true), Error::InvalidArgument);
  EXPECT_EQ(set("weight_cache_enabled", 1), Error::InvalidArgument);
  EXPECT_EQ(set("weight_cache_enabled", false), Error::Ok);
  EXPECT_EQ(set("nobody_knows_this", 1), Error::Ok);
  runtime::BackendOption options[] = {option("workspace_sharing_mode", 0),
                                      option("weight_cache_enabled", true)};
  ASSERT_EQ(runtime::get_option("XnnpackBackend", {options, 2}), Error::Ok);
  EXPECT_EQ(std::get<int>(options[0].value), 2);
  EXPECT_FALSE(std::get<bool>(options[1].value));
  EXPECT_EQ(set("workspace_sharing_mode", 0), Error::Ok);
  EXPECT_EQ(set("weight_cache_enabled", true), Error::Ok);
}

}  // namespace
}  // namespace executorch::backends::xnnpack
