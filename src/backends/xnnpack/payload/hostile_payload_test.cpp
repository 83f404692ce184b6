// Payloads that no exporter writes: each must be refused with a reason, and nothing may crash.
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/xnnpack/delegate/delegate.h"
#include "backends/xnnpack/testing/payload_builder.h"

namespace executorch::backends::xnnpack {
namespace {

using ::testing::HasSubstr;
using Builder = testing::PayloadBuilder;
using Blob = std::vector<uint8_t>;
namespace fb = fb_xnnpack;
constexpr uint32_t kNoId = testing::kNoId;
constexpr auto kF32 = fb::XNNDatatype::xnn_datatype_fp32;

Error load(const Blob& blob) {
  std::unique_ptr<Delegate> delegate;
  DelegateOptions options;
  options.memory_limit = size_t{1} << 28;
  runtime::clear_error_message();
  return Delegate::create({blob.data(), blob.size()}, nullptr, options, &delegate);
}

struct HostilePayload {
  const char* name;
  Error error;
  const char* text;
  std::function<void(Builder&)> build;
};

std::ostream& operator<<(std::ostream& stream, const HostilePayload& payload) {
  return stream << payload.name;
}

class HostilePayloadTest : public ::testing::TestWithParam<HostilePayload> {};

TEST_P(HostilePayloadTest, IsRefusedWithAReason) {
  Builder builder;
  GetParam().build(builder);
  EXPECT_EQ(load(builder.build()), GetParam().error) << runtime::last_error_message();
  EXPECT_THAT(runtime::last_error_message(), HasSubstr(GetParam().text));
}

void abs_between(Builder& b, uint32_t in, uint32_t out) {
  b.unary(fb::XNodeUnion::XNNAbs, in, out);
}

void conv(Builder& b, uint32_t stride, uint32_t groups, uint32_t kernel,
          fb::XNodeUnion kind = fb::XNodeUnion::XNNConv2d, uint32_t padding = 0) {
  const uint32_t x = b.input({1, 4, 4, 2}), w = b.constant({1, 2, 2, 2}, std::vector<float>(8));
  const uint32_t y = b.output({1, 3, 3, 1});
  b.node(kind, fb::Create_XNNNodeConv(b.fbb, padding, padding, padding, padding, kernel, 2, stride,
                                      1, 1, 1, 2, 1, groups, 0, 0, x, w, kNoId, y)
                   .Union());
}

void pool(Builder& b, uint32_t kernel, uint32_t stride, uint32_t padding) {
  const uint32_t x = b.input({1, 4, 4, 2}), y = b.output({1, 2, 2, 2});
  b.node(fb::XNodeUnion::XNNMaxPooling2d,
         fb::Create_XNNPooling2D(b.fbb, padding, padding, padding, padding, kernel, kernel, stride,
                                 stride, 1, 1, x, y)
             .Union());
}

const HostilePayload kPayloads[] = {
    {"SizeProduct", Error::InvalidProgram, "value 0: its sizes are too large",
     [](Builder& b) { b.input({65536, 65536, 65536, 65536}); }},
    {"SizeProductHiddenByZero", Error::InvalidProgram, "its sizes are too large",
     [](Builder& b) { b.internal({0, UINT32_MAX, UINT32_MAX, UINT32_MAX}); }},
    {"Rank", Error::InvalidProgram, "17 dimensions, at most 16",
     [](Builder& b) { b.input(std::vector<uint32_t>(17, 1)); }},
    {"RankAgainstSizes", Error::InvalidProgram, "1 sizes, 2 are announced",
     [](Builder& b) {
       const auto dims = b.fbb.CreateVector(std::vector<uint32_t>{3});
       b.add_value(fb::XValueUnion::XNNTensorValue,
                   fb::CreateXNNTensorValue(b.fbb, kF32, 2, dims, 0, kNoId, 0, 0).Union());
     }},
    {"NoSizes", Error::InvalidProgram, "0 sizes, 2 are announced",
     [](Builder& b) {
       b.add_value(fb::XValueUnion::XNNTensorValue,
                   fb::CreateXNNTensorValue(b.fbb, kF32, 2, 0, 0, kNoId, 0, 0).Union());
     }},
    {"ShortConstant", Error::InvalidProgram, "constant 1 has 8 bytes, 12 are expected",
     [](Builder& b) { b.constant({3}, std::vector<float>{1, 2}); }},
    {"NoSuchConstant", Error::InvalidProgram, "constant 9 is asked for, the payload has 1",
     [](Builder& b) { b.value({1}, kF32, 9, kNoId, 0); }},
    {"ConstantOutside", Error::InvalidProgram, "leaves the payload's constants",
     [](Builder& b) {
       b.offsets.push_back(fb::CreateConstantDataOffset(b.fbb, UINT64_MAX - 3, 8));
       b.value({1}, kF32, 1, kNoId, 0);
     }},
    {"NamedConstantWithoutData", Error::NotFound, "constant 'weights' is missing",
     [](Builder& b) { b.value({1}, kF32, b.named_constant("weights"), kNoId, 0); }},
    {"ConstantArgument", Error::InvalidProgram, "a constant and an argument",
     [](Builder& b) {
       b.num_externs = 1;
       b.value({1}, kF32, b.add_bytes(std::vector<float>{1}), 0, 1);
     }},
    {"Flags", Error::InvalidProgram, "its flags are 4",
     [](Builder& b) { b.value({1}, kF32, 0, kNoId, 4); }},
    {"InputAndOutput", Error::InvalidProgram, "both an input and an output",
     [](Builder& b) {
       b.num_externs = 1;
       b.value({1}, kF32, 0, 0, 3);
     }},
    {"ArgumentOutside", Error::InvalidProgram, "argument 7 of a call with 1 arguments",
     [](Builder& b) {
       b.num_externs = 1;
       b.value({1}, kF32, 0, 7, 1);
     }},
    {"ArgumentTwice", Error::InvalidProgram, "is argument 0, as another one is",
     [](Builder& b) {
       b.input({1});
       b.value({1}, kF32, 0, 0, 1);
     }},
    {"Externs", Error::InvalidProgram, "4097 arguments, at most 4096",
     [](Builder& b) { b.num_externs = 4097; }},
    {"IdTwice", Error::InvalidProgram, "value 1 has id 0",
     [](Builder& b) {
       b.input({1});
       b.add_value(fb::XValueUnion::XNNTensorValue,
                   b.tensor_value({2}, kF32, 0, kNoId, 0, 0).Union());
     }},
    {"UnknownType", Error::NotImplemented, "its type, number 77, is not supported",
     [](Builder& b) { b.input({1}, static_cast<fb::XNNDatatype>(77)); }},
    {"NoValueTable", Error::NotImplemented, "its kind, number 0, is not known",
     [](Builder& b) { b.values.push_back(fb::CreateXValue(b.fbb)); }},
    {"NoQuantization", Error::InvalidProgram, "its quantisation is missing",
     [](Builder& b) { b.input({1}, fb::XNNDatatype::xnn_datatype_qint8); }},
    {"OtherQuantization", Error::InvalidProgram, "needs PerTensorQuant",
     [](Builder& b) {
       b.quantized({1}, fb::XNNDatatype::xnn_datatype_qint8, 0,
                   fb::XNNQuantParams::PerTokenDynamicQuant,
                   fb::CreatePerTokenDynamicQuant(b.fbb, 1));
     }},
    {"ScaleIsNan", Error::InvalidProgram, "a positive number is expected",
     [](Builder& b) {
       b.quantized({1}, fb::XNNDatatype::xnn_datatype_qint8, 0, fb::XNNQuantParams::PerTensorQuant,
                   fb::CreatePerTensorQuant(b.fbb, NAN, 0));
     }},
    {"ZeroPoint", Error::InvalidProgram, "its zero point 300 is not between -128 and 127",
     [](Builder& b) {
       b.quantized({1}, fb::XNNDatatype::xnn_datatype_qint8, 0, fb::XNNQuantParams::PerTensorQuant,
                   fb::CreatePerTensorQuant(b.fbb, 1, 300));
     }},
    {"ChannelOutside", Error::InvalidProgram, "its channels lie along dimension 5 of 2",
     [](Builder& b) {
       b.quantized({2, 2}, fb::XNNDatatype::xnn_datatype_qcint8, 0,
                   fb::XNNQuantParams::PerChannelQuant, fb::CreatePerChannelQuant(b.fbb, 0, 5));
     }},
    {"ShortScales", Error::InvalidProgram, "constant 1 has 4 bytes, 8 are expected",
     [](Builder& b) {
       const uint32_t scales = b.add_bytes(std::vector<float>{1});
       b.quantized({2, 2}, fb::XNNDatatype::xnn_datatype_qcint8, 0,
                   fb::XNNQuantParams::PerChannelQuant,
                   fb::CreatePerChannelQuant(b.fbb, 0, 0, scales, 2));
     }},
    {"GroupsDoNotDivide", Error::InvalidProgram, "groups of 32 do not divide its rows of 40",
     [](Builder& b) {
       b.quantized({2, 40}, fb::XNNDatatype::xnn_datatype_qbint4, b.add_bytes(Blob(40)),
                   fb::XNNQuantParams::PerChannelGroupQuant,
                   fb::CreatePerChannelGroupQuant(b.fbb, 0, 0, 32));
     }},
    {"GroupScales", Error::Internal, "it has 3 scales for 4 groups",
     [](Builder& b) {
       b.quantized({2, 64}, fb::XNNDatatype::xnn_datatype_qbint4, b.add_bytes(Blob(64)),
                   fb::XNNQuantParams::PerChannelGroupQuant,
                   fb::CreatePerChannelGroupQuant(b.fbb, 0, 0, 32, 1, 3));
     }},
    {"HalfBytesThatAreNoConstant", Error::InvalidProgram, "4-bit elements and is no constant",
     [](Builder& b) {
       b.quantized({2, 64}, fb::XNNDatatype::xnn_datatype_qbint4, 0,
                   fb::XNNQuantParams::PerChannelGroupQuant,
                   fb::CreatePerChannelGroupQuant(b.fbb, 0, 0, 32));
     }},
    {"UnknownNode", Error::NotImplemented, "its kind, number 200, is not known",
     [](Builder& b) {
       b.node(static_cast<fb::XNodeUnion>(200), fb::Create_XNNNode1x1(b.fbb).Union());
     }},
    {"NoNodeTable", Error::NotImplemented, "its kind, number 0, is not known",
     [](Builder& b) { b.nodes.push_back(fb::CreateXNode(b.fbb)); }},
    {"OperandOutside", Error::Internal, "its operand 0 is no value",
     [](Builder& b) { abs_between(b, 40, b.output({1})); }},
    {"OperandMissing", Error::Internal, "its operand 0 is no value",
     [](Builder& b) { abs_between(b, kNoId, b.output({1})); }},
    {"OperandFromTheFuture", Error::InvalidProgram, "value 1, is not computed before it",
     [](Builder& b) {
       const uint32_t x = b.input({1}), middle = b.internal({1}), y = b.output({1});
       abs_between(b, middle, y);
       abs_between(b, x, middle);
     }},
    {"ResultIsAnInput", Error::InvalidProgram, "is a constant, an input or computed already",
     [](Builder& b) {
       const uint32_t x = b.input({1}), other = b.input({1});
       abs_between(b, x, other);
     }},
    {"ResultIsAConstant", Error::InvalidProgram, "is a constant, an input or computed already",
     [](Builder& b) {
       const uint32_t x = b.input({1});
       abs_between(b, x, b.constant({1}, std::vector<float>{1}));
     }},
    {"ResultTwice", Error::InvalidProgram, "is a constant, an input or computed already",
     [](Builder& b) {
       const uint32_t x = b.input({1}), y = b.output({1});
       abs_between(b, x, y);
       abs_between(b, x, y);
     }},
    {"OutputWithoutNode", Error::InvalidProgram, "value 0 is an output and no node computes it",
     [](Builder& b) { b.output({1}); }},
    {"Bounds", Error::InvalidProgram, "its results lie between 2 and 1",
     [](Builder& b) {
       const float bounds[] = {2, 1};
       const uint32_t x = b.input({1}), y = b.output({1});
       b.node(fb::XNodeUnion::XNNClamp, fb::Create_XNNNode1x1(b.fbb, x, y).Union(), bounds);
     }},
    {"Permutation", Error::InvalidProgram, "is no permutation",
     [](Builder& b) { b.transpose({0, 0}, b.input({1, 2}), b.output({1, 2})); }},
    {"PermutationLength", Error::InvalidProgram, "2 dimensions, 3 are expected",
     [](Builder& b) { b.transpose({0, 2, 1}, b.input({1, 2}), b.output({1, 2})); }},
    {"NoPermutation", Error::InvalidProgram, "its permutation are missing",
     [](Builder& b) {
       const uint32_t x = b.input({1}), y = b.output({1});
       b.node(fb::XNodeUnion::XNNStaticTranspose,
              fb::CreateXNNStaticTranspose(b.fbb, 1, 0, x, y).Union());
     }},
    {"ReshapeCount", Error::InvalidProgram, "6 elements do not have sizes of [4]",
     [](Builder& b) {
       const uint32_t x = b.input({2, 3}), y = b.output({4});
       const auto sizes = b.fbb.CreateVector(std::vector<uint32_t>{4});
       b.node(fb::XNodeUnion::XNNStaticReshape,
              fb::CreateXNNStaticReshape(b.fbb, 1, sizes, x, y).Union());
     }},
    {"SliceOutside", Error::InvalidProgram, "leave dimension 0",
     [](Builder& b) {
       const uint32_t x = b.input({4}), y = b.output({2});
       const auto offsets = b.fbb.CreateVector(std::vector<uint32_t>{3});
       const auto sizes = b.fbb.CreateVector(std::vector<uint32_t>{2});
       b.node(fb::XNodeUnion::XNNStaticSlice,
              fb::CreateXNNStaticSlice(b.fbb, 1, offsets, sizes, x, y).Union());
     }},
    {"SliceLists", Error::InvalidProgram, "1 offsets and 2 sizes",
     [](Builder& b) {
       const uint32_t x = b.input({4}), y = b.output({2});
       const auto offsets = b.fbb.CreateVector(std::vector<uint32_t>{0});
       const auto sizes = b.fbb.CreateVector(std::vector<uint32_t>{2, 2});
       b.node(fb::XNodeUnion::XNNStaticSlice,
              fb::CreateXNNStaticSlice(b.fbb, 1, offsets, sizes, x, y).Union());
     }},
    {"PaddingProduct", Error::InvalidProgram, "its result would have sizes of",
     [](Builder& b) {
       const uint32_t x = b.input({4, 4, 4}), y = b.output({4, 4, 4});
       const auto pads = b.fbb.CreateVector(std::vector<uint32_t>(3, UINT32_MAX));
       b.node(fb::XNodeUnion::XNNStaticConstantPad,
              fb::CreateXNNStaticConstantPad(b.fbb, pads, pads, 0, x, y).Union());
     }},
    {"Axis", Error::InvalidProgram, "it joins along dimension 4294967295 of 1",
     [](Builder& b) {
       const uint32_t x = b.input({4}), y = b.output({8});
       b.node(fb::XNodeUnion::XNNConcatenate2,
              fb::Create_XNNCat(b.fbb, UINT32_MAX, x, x, kNoId, kNoId, y).Union());
     }},
    {"Broadcast", Error::InvalidProgram, "operands of [4] and [3] do not broadcast",
     [](Builder& b) {
       const uint32_t x = b.input({4}), y = b.input({3});
       b.binary(fb::XNodeUnion::XNNAdd, x, y, b.output({4}));
     }},
    {"ProductOfOtherSizes", Error::InvalidProgram, "no product of [2, 3] and a filter of [4, 5]",
     [](Builder& b) {
       const uint32_t x = b.input({2, 3}), w = b.constant({5, 4}, std::vector<float>(20));
       b.node(fb::XNodeUnion::XNNFullyConnected,
              fb::CreateXNNFullyConnected(b.fbb, x, w, kNoId, b.output({2, 5})).Union());
     }},
    {"BiasOfOtherSize", Error::InvalidProgram, "its bias has sizes of [2]",
     [](Builder& b) {
       const uint32_t x = b.input({2, 4}), w = b.constant({5, 4}, std::vector<float>(20));
       const uint32_t bias = b.constant({2}, std::vector<float>(2));
       b.node(fb::XNodeUnion::XNNFullyConnected,
              fb::CreateXNNFullyConnected(b.fbb, x, w, bias, b.output({2, 5})).Union());
     }},
    {"BatchProduct", Error::InvalidProgram, "no product of [2, 3] and [4, 5]",
     [](Builder& b) {
       const uint32_t x = b.input({2, 3}), y = b.input({4, 5});
       b.binary(fb::XNodeUnion::XNNBatchMatrixMultiply, x, y, b.output({2, 5}));
     }},
    {"ConvolutionRank", Error::InvalidProgram, "its input has 2 dimensions, 4 are expected",
     [](Builder& b) {
       const uint32_t x = b.input({2, 3}), y = b.output({2, 3});
       b.unary(fb::XNodeUnion::XNNGlobalAvgPooling2d, x, y);
     }},
    {"StrideZero", Error::InvalidProgram, "its stride is 0", [](Builder& b) { conv(b, 0, 1, 2); }},
    {"GroupsZero", Error::InvalidProgram, "0 groups", [](Builder& b) { conv(b, 1, 0, 2); }},
    {"FilterOfOtherSize", Error::InvalidProgram, "its filter has sizes of [1, 2, 2, 2]",
     [](Builder& b) { conv(b, 1, 1, 3); }},
    {"DepthwiseFilter", Error::InvalidProgram, "[1, 2, 2, 1] are expected",
     [](Builder& b) { conv(b, 1, 1, 2, fb::XNodeUnion::XNNDepthwiseConv2d); }},
    {"HugePadding", Error::InvalidProgram, "is too large",
     [](Builder& b) { conv(b, 1, 1, 2, fb::XNodeUnion::XNNConv2d, UINT32_MAX); }},
    {"TransposedPadding", Error::InvalidProgram, "no room for its window",
     [](Builder& b) { conv(b, 1, 1, 2, fb::XNodeUnion::XNNConvTranspose2d, 1u << 20); }},
    {"PoolWindow", Error::InvalidProgram, "its window is 0", [](Builder& b) { pool(b, 0, 1, 0); }},
    {"PoolStride", Error::InvalidProgram, "its stride is 0", [](Builder& b) { pool(b, 2, 0, 0); }},
    {"PoolTooLarge", Error::InvalidProgram, "no room for its window",
     [](Builder& b) { pool(b, 9, 1, 0); }},
};

INSTANTIATE_TEST_SUITE_P(Payloads, HostilePayloadTest, ::testing::ValuesIn(kPayloads),
                         [](const auto& info) { return std::string(info.param.name); });

Blob plain_payload() {
  Builder b;
  const uint32_t x = b.input({2}), y = b.output({2});
  abs_between(b, x, y);
  return b.build();
}

TEST(HostileContainer, HeaderIsChecked) {
  EXPECT_EQ(load(plain_payload()), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(load(Blob(29)), Error::InvalidArgument);
  const auto with = [](size_t offset, uint32_t number) {
    Blob blob = plain_payload();
    std::memcpy(blob.data() + offset, &number, sizeof(number));
    return blob;
  };
  for (const size_t offset : {10, 14, 18, 22}) {
    EXPECT_EQ(load(with(offset, 0xfffffff0u)), Error::InvalidArgument) << offset;
    EXPECT_STRNE(runtime::last_error_message(), "");
  }
  EXPECT_EQ(load(with(14, 7)), Error::InvalidArgument);
  EXPECT_EQ(load(with(36, 0x30305858)), Error::DelegateInvalidCompatibility);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("XN00 and XN01 are supported"));
}

TEST(HostileContainer, EveryByteMayBeDamaged) {
  const Blob whole = plain_payload();
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t change : {0x01, 0x80, 0xff}) {
      Blob blob = whole;
      blob[i] ^= change;
      const bool refused = load(blob) != Error::Ok;
      EXPECT_EQ(refused, runtime::last_error_message()[0] != '\0') << i;
    }
    load(Blob(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(i)));
  }
}

TEST(HostileContainer, TablesNeedNotBeAligned) {
  const Blob blob = plain_payload();
  Blob shifted(blob.size() + 3);
  std::copy(blob.begin(), blob.end(), shifted.begin() + 3);
  std::unique_ptr<Delegate> delegate;
  EXPECT_EQ(Delegate::create({shifted.data() + 3, blob.size()}, nullptr, {}, &delegate), Error::Ok);
}

TEST(HostileContainer, MemoryOfIntermediateValuesIsBounded) {
  Builder b;
  const uint32_t x = b.input({65536, 1}), y = b.input({1, 65536});
  const uint32_t wide = b.internal({65536, 65536}), z = b.output({65536, 65536});
  b.binary(fb::XNodeUnion::XNNAdd, x, y, wide);
  b.unary(fb::XNodeUnion::XNNSoftmax, wide, z);
  // Smaller inputs may come, so loading says nothing.
  EXPECT_EQ(load(b.build()), Error::Ok) << runtime::last_error_message();
}

}  // namespace
}  // namespace executorch::backends::xnnpack
