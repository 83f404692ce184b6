#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::WrapUnboxedIntoFunctor;
using executorch::runtime::ArgumentKind;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::KernelSignature;
using executorch::runtime::last_error_message;

struct Seen {
  double factor = 0;
  std::optional<int64_t> axis;
  std::vector<int64_t> sizes;
} seen;

Tensor& record_out(KernelRuntimeContext& ctx, const Tensor& in, double factor,
                   std::optional<int64_t> axis, ArrayRef<int64_t> sizes, Tensor& out) {
  (void)ctx;
  seen = {factor, axis, std::vector<int64_t>(sizes.begin(), sizes.end())};
  out.mutable_data_ptr<float>()[0] = in.const_data_ptr<float>()[0] * static_cast<float>(factor);
  return out;
}

Tensor& without_context(const Tensor& in, Tensor& out) {
  out.mutable_data_ptr<float>()[0] = in.const_data_ptr<float>()[0];
  return out;
}

constexpr const char kRecordName[] = "boxing_test::record.out";
constexpr const char kPlainName[] = "boxing_test::plain.out";
using Record = WrapUnboxedIntoFunctor<EXECUTORCH_FN_TYPE(record_out, kRecordName)>;
using Plain = WrapUnboxedIntoFunctor<EXECUTORCH_FN_TYPE(without_context, kPlainName)>;

class BoxingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    executorch::runtime::runtime_init();
    seen = {};
  }

  Error call(std::vector<EValue*> stack) {
    KernelRuntimeContext context;
    Record::call(context, {stack.data(), stack.size()});
    return context.failure_state();
  }

  int32_t sizes_[1] = {1};
  float in_data_[1] = {3};
  float out_data_[1] = {0};
  TensorImpl in_impl_{ScalarType::Float, 1, sizes_, in_data_};
  TensorImpl out_impl_{ScalarType::Float, 1, sizes_, out_data_};
  EValue in_{Tensor(&in_impl_)};
  EValue out_{Tensor(&out_impl_)};
  EValue factor_{2.5};
  EValue axis_{int64_t{7}};
  EValue none_;
  EValue element_{int64_t{4}};
  EValue* wrapped_[2] = {&element_, &element_};
  int64_t unwrapped_[2];
  BoxedEvalueList<int64_t> list_{wrapped_, unwrapped_, 2};
  EValue sizes_value_{&list_};
};

TEST_F(BoxingTest, PassesEveryArgument) {
  ASSERT_EQ(call({&in_, &factor_, &axis_, &sizes_value_, &out_}), Error::Ok);
  EXPECT_EQ(seen.factor, 2.5);
  EXPECT_EQ(seen.axis, 7);
  EXPECT_EQ(seen.sizes, (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(out_data_[0], 7.5f);
}

TEST_F(BoxingTest, TakesAnIntForADoubleAndNoneForAnOptional) {
  ASSERT_EQ(call({&in_, &axis_, &none_, &sizes_value_, &out_}), Error::Ok);
  EXPECT_EQ(seen.factor, 7.0);
  EXPECT_FALSE(seen.axis.has_value());
}

TEST_F(BoxingTest, AReturnValueMayFollow) {
  EXPECT_EQ(call({&in_, &factor_, &axis_, &sizes_value_, &out_, &out_}), Error::Ok);
}

TEST_F(BoxingTest, RefusesTooFewArguments) {
  EXPECT_EQ(call({&in_, &factor_}), Error::InvalidArgument);
  EXPECT_NE(std::string(last_error_message()).find(kRecordName), std::string::npos);
  EXPECT_EQ(out_data_[0], 0);
}

TEST_F(BoxingTest, RefusesAnotherKindAndNamesTheArgument) {
  EXPECT_EQ(call({&in_, &in_, &axis_, &sizes_value_, &out_}), Error::InvalidType);
  const std::string text = last_error_message();
  EXPECT_NE(text.find("argument 1 of boxing_test::record.out"), std::string::npos) << text;
  EXPECT_NE(text.find("Double"), std::string::npos) << text;
  EXPECT_NE(text.find("Tensor"), std::string::npos) << text;
  EXPECT_EQ(out_data_[0], 0);
}

TEST_F(BoxingTest, RefusesAMissingValue) {
  EXPECT_EQ(call({&in_, &factor_, &axis_, &sizes_value_, nullptr}), Error::InvalidArgument);
}

TEST_F(BoxingTest, RefusesAListWithAnElementOfAnotherKind) {
  wrapped_[1] = &factor_;
  EXPECT_EQ(call({&in_, &factor_, &axis_, &sizes_value_, &out_}), Error::InvalidType);
  wrapped_[1] = nullptr;
  EXPECT_EQ(call({&in_, &factor_, &axis_, &sizes_value_, &out_}), Error::InvalidState);
}

TEST_F(BoxingTest, WorksWithoutAContext) {
  KernelRuntimeContext context;
  EValue* stack[] = {&in_, &out_};
  Plain::call(context, stack);
  EXPECT_EQ(context.failure_state(), Error::Ok);
  EXPECT_EQ(out_data_[0], 3.0f);
}

TEST_F(BoxingTest, DerivesTheSignature) {
  const executorch::runtime::Kernel kernel =
      executorch::extension::make_boxed_kernel(kRecordName, EXECUTORCH_FN(record_out, kRecordName));
  ASSERT_NE(kernel.signature_, nullptr);
  const KernelSignature& signature = *kernel.signature_;
  ASSERT_EQ(signature.count, 5u);
  const ArgumentKind kinds[] = {ArgumentKind::Tensor, ArgumentKind::Double, ArgumentKind::Int,
                                ArgumentKind::IntList, ArgumentKind::Tensor};
  for (size_t i = 0; i < signature.count; ++i) {
    EXPECT_EQ(signature.arguments[i].kind, kinds[i]) << i;
    EXPECT_EQ(signature.arguments[i].optional, i == 2) << i;
  }
}

EXECUTORCH_LIBRARY(boxing_test, "registered.out", record_out);

TEST_F(BoxingTest, RegistersWhenTheLibraryLoads) {
  EXPECT_TRUE(executorch::runtime::registry_has_op_function("boxing_test::registered.out"));
}

}  // namespace
