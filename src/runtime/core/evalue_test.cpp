#include <executorch/runtime/core/evalue.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::last_error_message;
using executorch::runtime::Tag;

class EValueTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  int32_t sizes_[1] = {2};
  float data_[2] = {1, 2};
  TensorImpl impl_{ScalarType::Float, 1, sizes_, data_};
  Tensor tensor_{&impl_};
};

using EValueDeathTest = EValueTest;

TEST_F(EValueTest, HoldsNumbers) {
  EXPECT_EQ(EValue(int64_t{5}).toInt(), 5);
  EXPECT_EQ(EValue(2.5).toDouble(), 2.5);
  EXPECT_TRUE(EValue(true).toBool());
  EXPECT_TRUE(EValue().isNone());
  EXPECT_EQ(EValue(Scalar(true)).tag, Tag::Bool);
  EXPECT_EQ(EValue(Scalar(3)).toScalar().to<int64_t>(), 3);
  EXPECT_EQ(EValue(1.5).tryToScalar()->to<double>(), 1.5);
}

TEST_F(EValueTest, HoldsATensor) {
  EValue value(tensor_);
  EXPECT_TRUE(value.isTensor());
  EXPECT_EQ(value.toTensor().const_data_ptr(), data_);
  EXPECT_EQ(value.tryTo<Tensor>()->numel(), 2);
  EXPECT_EQ(value.tryToOptional<Tensor>()->value().numel(), 2);
}

TEST_F(EValueTest, TakesSmartPointers) {
  EXPECT_TRUE(EValue(std::make_shared<Tensor>(tensor_)).isTensor());
  EXPECT_EQ(EValue(std::make_unique<EValue>(int64_t{4})).toInt(), 4);
}

TEST_F(EValueTest, MovesLeaveNone) {
  EValue source(tensor_);
  EValue target(std::move(source));
  EXPECT_TRUE(source.isNone());
  EXPECT_TRUE(target.isTensor());
  source = std::move(target);
  EXPECT_TRUE(target.isNone());
  const Tensor taken = std::move(source).toTensor();
  EXPECT_EQ(taken.numel(), 2);
  EXPECT_TRUE(source.isNone());
}

TEST_F(EValueTest, RefusesOtherKindsWithAText) {
  const EValue number(int64_t{1});
  EXPECT_EQ(number.tryToTensor().error(), Error::InvalidType);
  EXPECT_STREQ(last_error_message(), "expected a value of kind Tensor, found Int");
  EXPECT_EQ(number.tryToDouble().error(), Error::InvalidType);
  EXPECT_EQ(number.tryToBool().error(), Error::InvalidType);
  EXPECT_EQ(number.tryToString().error(), Error::InvalidType);
  EXPECT_EQ(number.tryToIntList().error(), Error::InvalidType);
  EXPECT_EQ(number.tryToBoolList().error(), Error::InvalidType);
  EXPECT_EQ(number.tryToDoubleList().error(), Error::InvalidType);
  EXPECT_EQ(number.tryToTensorList().error(), Error::InvalidType);
  EXPECT_EQ(number.tryToListOptionalTensor().error(), Error::InvalidType);
  EXPECT_EQ(number.tryToOptional<Tensor>().error(), Error::InvalidType);
  EXPECT_EQ(EValue().tryToInt().error(), Error::InvalidType);
  EXPECT_EQ(EValue().tryToScalar().error(), Error::InvalidType);
  EXPECT_EQ(EValue(1.0).tryToScalarType().error(), Error::InvalidType);
}

TEST_F(EValueTest, ReadsEnumerations) {
  EXPECT_EQ(EValue(int64_t{6}).toScalarType(), ScalarType::Float);
  EXPECT_EQ(EValue(int64_t{1}).tryToDevice()->type(), executorch::aten::DeviceType::CUDA);
}

TEST_F(EValueTest, ReadsStringsAndPlainLists) {
  ArrayRef<char> text("abc", 3);
  EXPECT_EQ(EValue(&text).toString(), "abc");
  const double numbers[] = {1, 2};
  ArrayRef<double> doubles(numbers);
  EXPECT_EQ(EValue(&doubles).toDoubleList().size(), 2u);
  EXPECT_EQ(EValue(&doubles).tryToOptional<ArrayRef<double>>()->value()[1], 2);
}

TEST_F(EValueTest, ListsFollowTheirElements) {
  EValue first(int64_t{1});
  EValue second(int64_t{2});
  EValue* wrapped[] = {&first, &second};
  int64_t unwrapped[2];
  BoxedEvalueList<int64_t> boxed(wrapped, unwrapped, 2);
  const EValue list(&boxed);
  EXPECT_EQ(list.toIntList()[1], 2);
  second = EValue(int64_t{9});
  EXPECT_EQ((*list.tryToIntList())[1], 9);
}

TEST_F(EValueTest, ListsReportBadElements) {
  EValue first(int64_t{1});
  EValue second(2.0);
  EValue* wrapped[] = {&first, &second};
  int64_t unwrapped[2];
  BoxedEvalueList<int64_t> boxed(wrapped, unwrapped, 2);
  EXPECT_EQ(EValue(&boxed).tryToIntList().error(), Error::InvalidType);
  EXPECT_NE(std::string(last_error_message()).find("list element 1"), std::string::npos);
  wrapped[0] = nullptr;
  EXPECT_EQ(EValue(&boxed).tryToIntList().error(), Error::InvalidState);
  EValue without_list(&boxed);
  without_list.payload.copyable_union.as_int_list_ptr = nullptr;
  EXPECT_EQ(without_list.tryToIntList().error(), Error::InvalidState);
}

TEST_F(EValueTest, OptionalTensorListsTakeNoneAndNull) {
  EValue some(tensor_);
  EValue none;
  EValue* wrapped[] = {&some, &none, nullptr};
  alignas(std::optional<Tensor>) unsigned char room[3 * sizeof(std::optional<Tensor>)];
  BoxedEvalueList<std::optional<Tensor>> boxed(wrapped,
                                               reinterpret_cast<std::optional<Tensor>*>(room), 3);
  const auto list = EValue(&boxed).tryToListOptionalTensor();
  ASSERT_TRUE(list.ok());
  EXPECT_TRUE((*list)[0].has_value());
  EXPECT_FALSE((*list)[1].has_value());
  EXPECT_FALSE((*list)[2].has_value());
  const EValue number(int64_t{1});
  EValue wrong = number;
  wrapped[1] = &wrong;
  EXPECT_EQ(EValue(&boxed).tryToListOptionalTensor().error(), Error::InvalidType);
}

TEST_F(EValueTest, EmptyListsNeedNoRoom) {
  BoxedEvalueList<Tensor> boxed(nullptr, nullptr, 0);
  EXPECT_TRUE(EValue(&boxed).toTensorList().empty());
}

TEST_F(EValueDeathTest, CheckedAccessorsAbort) {
  EXPECT_DEATH((void)EValue(1.0).toInt(), "not an Int");
  EXPECT_DEATH((void)EValue(int64_t{1}).toTensor(), "not a Tensor");
  EXPECT_DEATH((void)EValue(std::shared_ptr<Tensor>()), "null");
}

}  // namespace
