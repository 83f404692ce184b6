#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/operator_table.h>
#include <executorch/runtime/platform/runtime.h>

#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {
namespace {

using runtime::ArgumentKind;
using runtime::OperatorSchema;
using runtime::SchemaArgument;

/// A value of every kind. The tensors are alike, but one of them has no memory.
class Values {
 public:
  EValue tensor() { return EValue(Tensor(&impl_)); }
  EValue tensor_without_memory() { return EValue(Tensor(&empty_impl_)); }
  EValue tensor_list() { return EValue(&tensor_list_); }
  EValue tensor_list_without_memory() { return EValue(&empty_tensor_list_); }
  EValue optional_list() { return EValue(&optional_list_); }
  EValue optional_list_without_memory() { return EValue(&empty_optional_list_); }
  EValue int_list() { return EValue(&int_list_); }
  EValue double_list() { return EValue(&double_list_); }
  EValue bool_list() { return EValue(&bool_list_); }
  EValue string() { return EValue(&string_); }

  std::vector<EValue> all() {
    return {EValue(),     tensor(), tensor_list(), optional_list(), EValue(int64_t{1}), EValue(0.5),
            EValue(true), string(), int_list(),    double_list(),   bool_list()};
  }

 private:
  using Boxed = runtime::BoxedEvalueList<Tensor>;
  using BoxedOptional = runtime::BoxedEvalueList<std::optional<Tensor>>;

  float memory_[6] = {};
  Tensor::SizesType sizes_[2] = {2, 3};
  Tensor::DimOrderType order_[2] = {0, 1};
  Tensor::StridesType strides_[2] = {3, 1};
  aten::TensorImpl impl_{ScalarType::Float, 2, sizes_, memory_, order_, strides_};
  aten::TensorImpl empty_impl_{ScalarType::Float, 2, sizes_, nullptr, order_, strides_};
  EValue tensors_[2] = {tensor(), tensor()};
  EValue empty_tensors_[2] = {tensor(), tensor_without_memory()};
  EValue* empty_items_[2] = {&empty_tensors_[0], &empty_tensors_[1]};
  std::vector<Tensor> unwrapped_ = {Tensor(&impl_), Tensor(&impl_)};
  std::vector<Tensor> empty_unwrapped_ = unwrapped_;
  std::vector<std::optional<Tensor>> optional_unwrapped_{2}, empty_optional_unwrapped_{2};
  EValue* items_[2] = {&tensors_[0], &tensors_[1]};
  Boxed tensor_list_{items_, unwrapped_.data(), 2};
  Boxed empty_tensor_list_{empty_items_, empty_unwrapped_.data(), 2};
  BoxedOptional optional_list_{items_, optional_unwrapped_.data(), 2};
  BoxedOptional empty_optional_list_{empty_items_, empty_optional_unwrapped_.data(), 2};
  EValue ints_[2] = {EValue(int64_t{1}), EValue(int64_t{1})};
  EValue* int_pointers_[2] = {&ints_[0], &ints_[1]};
  int64_t int_unwrapped_[2] = {1, 1};
  runtime::BoxedEvalueList<int64_t> int_list_{int_pointers_, int_unwrapped_, 2};
  double doubles_[2] = {1, 1};
  aten::ArrayRef<double> double_list_{doubles_, 2};
  bool bools_[2] = {true, true};
  aten::ArrayRef<bool> bool_list_{bools_, 2};
  aten::ArrayRef<char> string_{"none", 4};
};

bool accepts(const SchemaArgument& argument, const EValue& value) {
  switch (argument.kind) {
    case ArgumentKind::Tensor:
      return value.isTensor() || (argument.optional && value.isNone());
    case ArgumentKind::TensorList:
      return value.isTensorList();
    case ArgumentKind::OptionalTensorList:
      return value.isListOptionalTensor();
    case ArgumentKind::Scalar:
      return value.isScalar() || (argument.optional && value.isNone());
    case ArgumentKind::Int:
      return value.isInt() || (argument.optional && value.isNone());
    case ArgumentKind::Double:
      return value.isDouble() || value.isInt() || (argument.optional && value.isNone());
    case ArgumentKind::Bool:
      return value.isBool() || (argument.optional && value.isNone());
    case ArgumentKind::String:
      return value.isString() || (argument.optional && value.isNone());
    case ArgumentKind::IntList:
      return value.isIntList() || (argument.optional && value.isNone());
    case ArgumentKind::DoubleList:
      return value.isDoubleList() || (argument.optional && value.isNone());
    case ArgumentKind::BoolList:
      return value.isBoolList() || (argument.optional && value.isNone());
    default:
      return true;
  }
}

/// Every operator of the library, with arguments of the right kinds.
class HostileArguments : public testing::Test {
 protected:
  static void SetUpTestSuite() { runtime::runtime_init(); }

  template <class Check>
  void for_each_operator(Check check) {
    int operators = 0;
    for (const OperatorRow& row : runtime::registered_operator_rows()) {
      if (std::string(row.name).rfind("executorch_prim::", 0) == 0) continue;
      OperatorSchema schema;
      ASSERT_EQ(runtime::parse_operator_schema(row.schema, &schema), Error::Ok) << row.name;
      std::vector<EValue> arguments;
      for (size_t i = 0; i < schema.num_arguments; ++i)
        arguments.push_back(right_kind(schema.arguments[i]));
      check(row, schema, arguments);
      ++operators;
    }
    EXPECT_GT(operators, 300);
  }

  EValue right_kind(const SchemaArgument& argument) {
    for (const EValue& value : values_.all()) {
      if (!value.isNone() && accepts(argument, value)) return value;
    }
    return EValue();
  }

  /// What the operator says of a call; empty when it accepts it.
  std::string refusal(const OperatorRow& row, std::vector<EValue> arguments) {
    std::vector<EValue*> pointers;
    for (EValue& value : arguments) pointers.push_back(&value);
    Context context;
    row.function(context, Span<EValue*>(pointers.data(), pointers.size()));
    if (context.failure_state() == Error::Ok) return "";
    return runtime::last_error_message();
  }

  void expect_refused(const OperatorRow& row, const std::vector<EValue>& arguments,
                      const std::string& what) {
    runtime::set_error_message("%s", "");
    EXPECT_NE(refusal(row, arguments), "") << row.name << " says nothing about " << what;
  }

  Values values_;
};

TEST_F(HostileArguments, MissingOnesAreCounted) {
  for_each_operator([&](const OperatorRow& row, const OperatorSchema&, const auto& arguments) {
    for (size_t count = 0; count < arguments.size(); ++count) {
      const auto end = arguments.begin() + static_cast<ptrdiff_t>(count);
      expect_refused(row, std::vector<EValue>(arguments.begin(), end),
                     std::to_string(count) + " arguments");
    }
  });
}

TEST_F(HostileArguments, WrongKindsAreNamed) {
  for_each_operator([&](const OperatorRow& row, const OperatorSchema& schema, auto arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const EValue right = arguments[i];
      for (const EValue& value : values_.all()) {
        if (accepts(schema.arguments[i], value)) continue;
        arguments[i] = value;
        expect_refused(row, arguments,
                       "a value of kind " + std::to_string(static_cast<int>(value.tag)) +
                           " as argument " + std::to_string(i));
      }
      arguments[i] = right;
    }
  });
}

TEST_F(HostileArguments, TensorsWithoutMemoryAreRefused) {
  for_each_operator([&](const OperatorRow& row, const OperatorSchema&, auto arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const EValue right = arguments[i];
      if (right.isTensor()) arguments[i] = values_.tensor_without_memory();
      if (right.isTensorList()) arguments[i] = values_.tensor_list_without_memory();
      if (right.isListOptionalTensor()) arguments[i] = values_.optional_list_without_memory();
      if (!right.isTensor() && !right.isTensorList() && !right.isListOptionalTensor()) continue;
      expect_refused(row, arguments, "argument " + std::to_string(i) + " without memory");
      arguments[i] = right;
    }
  });
}

}  // namespace
}  // namespace kernels
}  // namespace executorch
