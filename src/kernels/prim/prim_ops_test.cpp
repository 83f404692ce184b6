#include "kernels/prim/prim_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace runtime {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

/// Calls a registered operator; the last value takes the result.
Error call(const char* name, std::vector<EValue>& values) {
  runtime_init();
  auto function = get_op_function_from_registry(name);
  if (!function.ok()) return function.error();
  std::vector<EValue*> stack;
  for (EValue& value : values) stack.push_back(&value);
  KernelRuntimeContext context;
  function.get()(context, {stack.data(), stack.size()});
  return context.failure_state();
}

int64_t int_result(const char* name, std::vector<EValue> values) {
  values.emplace_back();
  EXPECT_EQ(call(name, values), Error::Ok) << name << ": " << last_error_message();
  return values.back().isInt() ? values.back().toInt() : -999;
}

double double_result(const char* name, std::vector<EValue> values) {
  values.emplace_back();
  EXPECT_EQ(call(name, values), Error::Ok) << name << ": " << last_error_message();
  return values.back().isDouble() ? values.back().toDouble() : -999;
}

bool bool_result(const char* name, std::vector<EValue> values) {
  values.emplace_back();
  EXPECT_EQ(call(name, values), Error::Ok) << name << ": " << last_error_message();
  return values.back().isBool() && values.back().toBool();
}

Error error_of(const char* name, std::vector<EValue> values) {
  values.emplace_back();
  return call(name, values);
}

EValue i(int64_t value) {
  return EValue(value);
}
EValue d(double value) {
  return EValue(value);
}

TEST(PrimOpsTest, Arithmetic) {
  EXPECT_EQ(int_result("executorch_prim::add.Scalar", {i(2), i(3)}), 5);
  EXPECT_EQ(double_result("executorch_prim::add.Scalar", {i(2), d(0.5)}), 2.5);
  EXPECT_EQ(int_result("executorch_prim::sub.Scalar", {i(2), i(3)}), -1);
  EXPECT_EQ(int_result("executorch_prim::mul.Scalar", {i(4), i(-3)}), -12);
  EXPECT_EQ(int_result("executorch_prim::add.Scalar", {i(kMax), i(1)}), kMin);
  EXPECT_EQ(int_result("executorch_prim::neg.Scalar", {i(kMin)}), kMin);
  EXPECT_EQ(double_result("executorch_prim::neg.Scalar", {d(1.5)}), -1.5);
  EXPECT_EQ(double_result("executorch_prim::truediv.Scalar", {i(1), i(2)}), 0.5);
  EXPECT_EQ(error_of("executorch_prim::add.Scalar", {EValue(true), i(1)}), Error::InvalidType);
}

TEST(PrimOpsTest, DivisionRoundsDownAndNeverTraps) {
  for (const char* name : {"executorch_prim::floordiv.Scalar", "executorch_prim::floordiv.int"}) {
    EXPECT_EQ(int_result(name, {i(7), i(2)}), 3);
    EXPECT_EQ(int_result(name, {i(-7), i(2)}), -4);
    EXPECT_EQ(int_result(name, {i(7), i(-2)}), -4);
    EXPECT_EQ(int_result(name, {i(kMin), i(-1)}), kMin);
    EXPECT_EQ(error_of(name, {i(1), i(0)}), Error::InvalidArgument);
  }
  for (const char* name : {"executorch_prim::mod.Scalar", "executorch_prim::mod.int"}) {
    EXPECT_EQ(int_result(name, {i(7), i(3)}), 1);
    EXPECT_EQ(int_result(name, {i(-7), i(3)}), 2);
    EXPECT_EQ(int_result(name, {i(7), i(-3)}), -2);
    EXPECT_EQ(int_result(name, {i(kMin), i(-1)}), 0);
    EXPECT_EQ(error_of(name, {i(1), i(0)}), Error::InvalidArgument);
  }
  EXPECT_EQ(double_result("executorch_prim::floordiv.Scalar", {d(-7.5), d(2)}), -4);
  EXPECT_EQ(double_result("executorch_prim::floordiv.Scalar", {d(1), d(0)}), INFINITY);
  EXPECT_EQ(double_result("executorch_prim::floordiv.Scalar", {d(-1), d(0)}), -INFINITY);
}

TEST(PrimOpsTest, Comparisons) {
  EXPECT_TRUE(bool_result("executorch_prim::eq.Scalar", {i(2), d(2)}));
  EXPECT_TRUE(bool_result("executorch_prim::gt.Scalar", {i(kMax), i(kMax - 1)}));
  EXPECT_FALSE(bool_result("executorch_prim::lt.Scalar", {i(2), i(2)}));
  EXPECT_TRUE(bool_result("executorch_prim::ge.Scalar", {i(2), i(2)}));
  EXPECT_TRUE(bool_result("executorch_prim::le.Scalar", {d(1.5), i(2)}));
  EXPECT_TRUE(bool_result("executorch_prim::eq.Scalar", {EValue(true), EValue(true)}));
  EXPECT_EQ(error_of("executorch_prim::eq.Scalar", {EValue(true), i(1)}), Error::InvalidType);
}

TEST(PrimOpsTest, Conversions) {
  EXPECT_EQ(int_result("executorch_prim::sym_max.Scalar", {i(2), i(9)}), 9);
  EXPECT_EQ(int_result("executorch_prim::sym_min.Scalar", {i(2), i(9)}), 2);
  EXPECT_EQ(double_result("executorch_prim::sym_float.Scalar", {i(3)}), 3.0);
  EXPECT_EQ(int_result("executorch_prim::sym_int.Scalar", {d(-2.7)}), -2);
  EXPECT_EQ(int_result("executorch_prim::ceil.Scalar", {d(2.1)}), 3);
  EXPECT_EQ(int_result("executorch_prim::trunc.Scalar", {d(-2.9)}), -2);
  EXPECT_EQ(int_result("executorch_prim::round.Scalar", {d(2.5)}), 2);
  EXPECT_EQ(int_result("executorch_prim::round.Scalar", {d(3.5)}), 4);
  EXPECT_EQ(int_result("executorch_prim::round.Scalar", {d(-2.5)}), -2);
  EXPECT_EQ(error_of("executorch_prim::ceil.Scalar", {d(1e300)}), Error::InvalidArgument);
  EXPECT_EQ(error_of("executorch_prim::ceil.Scalar", {d(NAN)}), Error::InvalidArgument);
  EXPECT_EQ(error_of("executorch_prim::ceil.Scalar", {i(1)}), Error::InvalidType);
  EXPECT_TRUE(bool_result("executorch_prim::sym_not.Scalar", {EValue(false)}));
  EXPECT_EQ(int_result("executorch_prim::sym_ite.Scalar", {EValue(false), i(1), i(2)}), 2);
}

TEST(PrimOpsTest, CountsOfArgumentsAreChecked) {
  std::vector<EValue> too_few = {i(1)};
  EXPECT_EQ(call("executorch_prim::add.Scalar", too_few), Error::InvalidProgram);
  std::vector<EValue> none;
  EXPECT_EQ(call("executorch_prim::et_view.default", none), Error::InvalidProgram);
}

struct SmallTensor {
  SmallTensor(std::vector<int32_t> sizes_, std::vector<float> data_,
              std::vector<uint8_t> order_ = {})
      : sizes(sizes_), data(data_), order(order_) {
    for (size_t k = order.size(); k < sizes.size(); ++k) order.push_back(static_cast<uint8_t>(k));
    strides.assign(sizes.size(), 1);
    for (size_t k = sizes.size(); k > 1; --k)
      strides[order[k - 2]] = strides[order[k - 1]] * sizes[order[k - 1]];
    impl = std::make_unique<TensorImpl>(ScalarType::Float, static_cast<ssize_t>(sizes.size()),
                                        sizes.data(), data.data(), order.data(), strides.data());
  }
  EValue value() { return EValue(Tensor(impl.get())); }
  std::vector<int32_t> sizes;
  std::vector<float> data;
  std::vector<uint8_t> order;
  std::vector<int32_t> strides;
  std::unique_ptr<TensorImpl> impl;
};

TEST(PrimOpsTest, LooksAtTensors) {
  SmallTensor tensor({2, 3}, {1.5, 2, 3, 4, 5, 6});
  EXPECT_EQ(int_result("aten::sym_size.int", {tensor.value(), i(1)}), 3);
  EXPECT_EQ(int_result("aten::sym_size.int", {tensor.value(), i(-2)}), 2);
  EXPECT_EQ(error_of("aten::sym_size.int", {tensor.value(), i(2)}), Error::InvalidArgument);
  EXPECT_EQ(int_result("aten::sym_numel", {tensor.value()}), 6);
  EXPECT_EQ(double_result("aten::_local_scalar_dense", {tensor.value()}), 1.5);
  EXPECT_EQ(error_of("aten::_local_scalar_dense", {i(1)}), Error::InvalidType);
}

Error view(SmallTensor& tensor, std::vector<int64_t> sizes, SmallTensor& out) {
  std::vector<EValue> items;
  for (const int64_t size : sizes) items.push_back(i(size));
  std::vector<EValue*> pointers;
  for (EValue& item : items) pointers.push_back(&item);
  std::vector<int64_t> room(sizes.size());
  BoxedEvalueList<int64_t> list(pointers.data(), room.data(), static_cast<int>(sizes.size()));
  std::vector<EValue> values = {tensor.value(), EValue(&list), out.value()};
  return call("executorch_prim::et_view.default", values);
}

TEST(PrimOpsTest, RefusesViewsOfOtherElements) {
  SmallTensor tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  SmallTensor out({3, 2}, std::vector<float>(6));
  EXPECT_EQ(view(tensor, {3, 2}, out), Error::Ok) << last_error_message();
  EXPECT_EQ(out.impl->data(), tensor.data.data());
  EXPECT_EQ(view(tensor, {3, -1}, out), Error::Ok);
  EXPECT_EQ(view(tensor, {-1, -1}, out), Error::InvalidArgument);
  EXPECT_EQ(view(tensor, {3, 3}, out), Error::InvalidArgument);
  EXPECT_EQ(view(tensor, {-2, 3}, out), Error::InvalidArgument);
  EXPECT_EQ(view(tensor, {int64_t{1} << 40, 2}, out), Error::InvalidArgument);
  EXPECT_NE(view(tensor, {6}, out), Error::Ok);
}

TEST(PrimOpsTest, ViewsOfOtherDimOrdersAreCopies) {
  SmallTensor tensor({2, 3}, {1, 4, 2, 5, 3, 6}, {1, 0});
  SmallTensor rows({3, 2}, std::vector<float>(6));
  ASSERT_EQ(view(tensor, {3, 2}, rows), Error::Ok) << last_error_message();
  EXPECT_EQ(rows.data, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  SmallTensor columns({3, 2}, std::vector<float>(6), {1, 0});
  ASSERT_EQ(view(rows, {3, 2}, columns), Error::Ok) << last_error_message();
  EXPECT_EQ(columns.data, (std::vector<float>{1, 3, 5, 2, 4, 6}));
  columns.impl->set_data(rows.data.data());
  EXPECT_EQ(view(rows, {3, 2}, columns), Error::InvalidArgument);
  columns.impl->set_data(nullptr);
  EXPECT_EQ(view(rows, {3, 2}, columns), Error::InvalidArgument);
}

TEST(PrimOpsTest, CopiesElementsInTheOrderOfTheirIndices) {
  SmallTensor from({2, 2, 3}, {1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12}, {0, 2, 1});
  SmallTensor to({4, 3}, std::vector<float>(12), {1, 0});
  std::vector<EValue> values = {from.value(), to.value(), to.value()};
  ASSERT_EQ(call("executorch_prim::copy_elements.out", values), Error::Ok) << last_error_message();
  EXPECT_EQ(to.data, (std::vector<float>{1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}));
  SmallTensor scalar({}, {7});
  SmallTensor one({1, 1}, {0});
  values = {scalar.value(), one.value(), one.value()};
  ASSERT_EQ(call("executorch_prim::copy_elements.out", values), Error::Ok) << last_error_message();
  EXPECT_EQ(one.data[0], 7);
  values = {from.value(), one.value(), one.value()};
  EXPECT_EQ(call("executorch_prim::copy_elements.out", values), Error::InvalidArgument);
}

}  // namespace
}  // namespace runtime
}  // namespace executorch
