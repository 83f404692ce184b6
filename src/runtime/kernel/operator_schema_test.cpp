#include <gtest/gtest.h>

#include <string>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/operator_table.h>

namespace executorch::runtime {
namespace {

std::string name_of(const SchemaArgument& argument) {
  return std::string(argument.name, argument.name_length);
}

OperatorSchema parsed(const char* text) {
  OperatorSchema schema;
  EXPECT_EQ(parse_operator_schema(text, &schema), Error::Ok) << last_error_message();
  return schema;
}

TEST(OperatorSchema, ReadsArguments) {
  const OperatorSchema schema =
      parsed("(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)");
  ASSERT_EQ(schema.num_arguments, 4u);
  EXPECT_EQ(schema.num_returns, 1u);
  EXPECT_EQ(name_of(schema.arguments[1]), "other");
  EXPECT_EQ(schema.arguments[2].kind, ArgumentKind::Scalar);
  EXPECT_FALSE(schema.arguments[2].out);
  EXPECT_EQ(name_of(schema.arguments[3]), "out");
  EXPECT_TRUE(schema.arguments[3].out);
  EXPECT_TRUE(schema.arguments[3].written);
}

TEST(OperatorSchema, ReadsEveryType) {
  const struct {
    const char* type;
    ArgumentKind kind;
    bool optional;
  } cases[] = {
      {"Tensor", ArgumentKind::Tensor, false},
      {"Tensor?", ArgumentKind::Tensor, true},
      {"Tensor[]", ArgumentKind::TensorList, false},
      {"Tensor(a!)[]", ArgumentKind::TensorList, false},
      {"Tensor?[]", ArgumentKind::OptionalTensorList, false},
      {"Scalar?", ArgumentKind::Scalar, true},
      {"int", ArgumentKind::Int, false},
      {"SymInt?", ArgumentKind::Int, true},
      {"ScalarType?", ArgumentKind::Int, true},
      {"MemoryFormat?", ArgumentKind::Int, true},
      {"float?", ArgumentKind::Double, true},
      {"bool", ArgumentKind::Bool, false},
      {"str?", ArgumentKind::String, true},
      {"int[1]?", ArgumentKind::IntList, true},
      {"SymInt[2]", ArgumentKind::IntList, false},
      {"float[]?", ArgumentKind::DoubleList, true},
      {"bool[3]", ArgumentKind::BoolList, false},
      {"Device?", ArgumentKind::Device, true},
      {"Generator?", ArgumentKind::Unknown, true},
      {"Scalar[]", ArgumentKind::Unknown, false},
  };
  for (const auto& c : cases) {
    const std::string text = "(" + std::string(c.type) + " x) -> ()";
    const OperatorSchema schema = parsed(text.c_str());
    ASSERT_EQ(schema.num_arguments, 1u) << text;
    EXPECT_EQ(schema.arguments[0].kind, c.kind) << text;
    EXPECT_EQ(schema.arguments[0].optional, c.optional) << text;
    EXPECT_EQ(schema.num_returns, 0u) << text;
  }
}

TEST(OperatorSchema, SkipsDefaults) {
  const OperatorSchema schema = parsed(
      "(int a=-1, int[] b=[], int[2] c=[0, 1], float d=2., float e=1e-05, Tensor? f=None, "
      "str g=\"a,b)\", str h='none', bool i=False, int j=9223372036854775807) -> (int, int)");
  EXPECT_EQ(schema.num_arguments, 10u);
  EXPECT_EQ(name_of(schema.arguments[9]), "j");
  EXPECT_EQ(schema.num_returns, 2u);
}

TEST(OperatorSchema, CountsReturns) {
  EXPECT_EQ(parsed("() -> ()").num_returns, 0u);
  EXPECT_EQ(parsed("() -> Tensor").num_returns, 1u);
  EXPECT_EQ(parsed("() -> Tensor(a!)[]").num_returns, 1u);
  EXPECT_EQ(parsed("() -> (Tensor(a!) values, Tensor(b!) indices)").num_returns, 2u);
}

TEST(OperatorSchema, WrittenWithoutBeingOut) {
  const OperatorSchema schema = parsed("(Tensor(a!) self, Tensor(b) v) -> Tensor(a!)");
  EXPECT_TRUE(schema.arguments[0].written);
  EXPECT_FALSE(schema.arguments[0].out);
  EXPECT_FALSE(schema.arguments[1].written);
}

TEST(OperatorSchema, RefusesMalformedTexts) {
  const char* const texts[] = {
      "",
      "Tensor self",
      "(Tensor self",
      "(Tensor) -> ()",
      "(Tensor x) ()",
      "(int[ x) -> ()",
      "(int x=) -> () x",
      "(str s=\"a) -> ()",
      "(*, *, int a) -> ()",
      "(int a,) -> ()",
      "(Tensor(a x",
      "() -> (Tensor",
      "(int x=]) -> ()",
  };
  for (const char* text : texts) {
    OperatorSchema schema;
    EXPECT_EQ(parse_operator_schema(text, &schema), Error::InvalidArgument) << text;
    EXPECT_NE(std::string(last_error_message()).find("malformed"), std::string::npos) << text;
  }
}

TEST(OperatorSchema, RefusesTooManyArguments) {
  std::string text = "(int a0";
  for (size_t i = 1; i < kMaxSchemaArguments; ++i) text += ", int a" + std::to_string(i);
  OperatorSchema schema;
  EXPECT_EQ(parse_operator_schema((text + ") -> ()").c_str(), &schema), Error::Ok);
  EXPECT_EQ(parse_operator_schema((text + ", int more) -> ()").c_str(), &schema),
            Error::InvalidArgument);
}

TEST(OperatorHint, NamesTheComponent) {
  EXPECT_NE(std::string(operator_component_hint("llama::custom_sdpa.out")).find("kernels_llm"),
            std::string::npos);
  EXPECT_NE(std::string(operator_component_hint("aten::add.out")).find("executorch::kernels"),
            std::string::npos);
  EXPECT_EQ(operator_component_hint("custom::op.out"), nullptr);
}

}  // namespace
}  // namespace executorch::runtime
