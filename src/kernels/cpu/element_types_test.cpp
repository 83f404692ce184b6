#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {
namespace {

using testing::HasSubstr;

// Files may hold them, no operator computes with them.
TEST(ElementTypes, WithoutArithmeticAreNamed) {
  runtime::runtime_init();
  Tensor::SizesType sizes[] = {2, 3};
  Tensor::DimOrderType order[] = {0, 1};
  Tensor::StridesType strides[] = {3, 1};
  const std::pair<ScalarType, const char*> types[] = {{ScalarType::QInt8, "QInt8"},
                                                      {ScalarType::QUInt4x2, "QUInt4x2"},
                                                      {ScalarType::Bits16, "Bits16"},
                                                      {ScalarType::Float8_e5m2, "Float8_e5m2"},
                                                      {ScalarType::UInt64, "UInt64"}};
  char data[64] = {};
  for (const auto& [type, name] : types) {
    aten::TensorImpl self(type, 2, sizes, data, order, strides);
    EValue operand{Tensor(&self)};
    EValue one(int64_t{1});
    EValue no(false);
    const std::pair<const char*, std::vector<EValue*>> calls[] = {
        {"aten::relu.out", {&operand, &operand, &operand}},
        {"aten::add.out", {&operand, &operand, &one, &operand, &operand}},
        {"aten::_softmax.out", {&operand, &one, &no, &operand, &operand}},
        {"aten::argmax.out", {&operand, &one, &no, &operand, &operand}}};
    for (auto [op, arguments] : calls) {
      const auto function = runtime::get_op_function_from_registry(op);
      ASSERT_TRUE(function.ok()) << op;
      Context context;
      function.get()(context, Span<EValue*>(arguments.data(), arguments.size()));
      EXPECT_NE(context.failure_state(), Error::Ok) << op << " of " << name;
      EXPECT_THAT(runtime::last_error_message(), HasSubstr(name)) << op;
    }
  }
}

}  // namespace
}  // namespace kernels
}  // namespace executorch
