#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_table.h>
#include <executorch/runtime/platform/log.h>

namespace executorch::runtime {
namespace {

void first_kernel(KernelRuntimeContext&, Span<EValue*>) {}
void second_kernel(KernelRuntimeContext&, Span<EValue*>) {}

constexpr char kSchema[] = "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)";

class OperatorLibraryTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_level(LogLevel::NumLevels); }
  void TearDown() override { set_log_level(LogLevel::Debug); }
};

TEST_F(OperatorLibraryTest, RegistersRowsWithSchemas) {
  static const OperatorRow rows[] = {{"lib1::x.out", kSchema, first_kernel},
                                     {"lib1::y.out", kSchema, second_kernel}};
  const size_t before = registered_operator_rows().size();
  ASSERT_EQ(register_operator_library("library 1", {rows, 2}), Error::Ok);
  EXPECT_EQ(*get_op_function_from_registry("lib1::y.out"), &second_kernel);
  EXPECT_EQ(find_operator_schema("lib1::x.out"), kSchema);
  EXPECT_EQ(find_operator_schema("lib1::z.out"), nullptr);
  EXPECT_STREQ(find_operator_library("lib1::x.out"), "library 1");
  EXPECT_EQ(find_operator_library("lib1::z.out"), nullptr);
  ASSERT_EQ(registered_operator_rows().size(), before + 2);
  EXPECT_STREQ(registered_operator_rows()[before].name, "lib1::x.out");

  // The same table again is refused, but is no second copy.
  EXPECT_EQ(register_operator_library("library 1", {rows, 2}),
            Error::RegistrationAlreadyRegistered);
  EXPECT_EQ(registered_operator_rows().size(), before + 2);
}

TEST_F(OperatorLibraryTest, OverrideStaysWhenTheLibraryComesLater) {
  static const OperatorRow rows[] = {{"lib2::x.out", kSchema, first_kernel},
                                     {"lib2::y.out", kSchema, first_kernel}};
  ASSERT_EQ(override_kernel(Kernel("lib2::x.out", second_kernel)), Error::Ok);
  ASSERT_EQ(register_operator_library("library 2", {rows, 2}), Error::Ok);
  EXPECT_EQ(*get_op_function_from_registry("lib2::x.out"), &second_kernel);
  EXPECT_EQ(find_operator_schema("lib2::x.out"), kSchema);
}

TEST_F(OperatorLibraryTest, OverrideReplacesOnceAndRegisterNever) {
  static const OperatorRow rows[] = {{"lib6::x.out", kSchema, first_kernel}};
  ASSERT_EQ(register_operator_library("library 6", {rows, 1}), Error::Ok);
  EXPECT_EQ(register_kernel(Kernel("lib6::x.out", second_kernel)),
            Error::RegistrationAlreadyRegistered);
  EXPECT_EQ(*get_op_function_from_registry("lib6::x.out"), &first_kernel);
  EXPECT_EQ(override_kernel(Kernel("lib6::x.out", second_kernel)), Error::Ok);
  EXPECT_EQ(*get_op_function_from_registry("lib6::x.out"), &second_kernel);
  EXPECT_EQ(override_kernel(Kernel("lib6::x.out", first_kernel)),
            Error::RegistrationAlreadyRegistered);
  EXPECT_NE(std::string(last_error_message()).find("overridden twice"), std::string::npos);
  EXPECT_EQ(override_kernel(Kernel("lib6::x.out", nullptr)), Error::InvalidArgument);
}

TEST_F(OperatorLibraryTest, TableWithARepeatedNameIsRefusedWhole) {
  static const OperatorRow rows[] = {{"lib3::x.out", kSchema, first_kernel},
                                     {"lib3::own.out", kSchema, first_kernel},
                                     {"lib3::x.out", kSchema, first_kernel}};
  ASSERT_EQ(override_kernel(Kernel("lib3::own.out", second_kernel)), Error::Ok);
  EXPECT_EQ(register_operator_library("library 3", {rows, 3}),
            Error::RegistrationAlreadyRegistered);
  EXPECT_FALSE(registry_has_op_function("lib3::x.out"));
  EXPECT_EQ(find_operator_schema("lib3::own.out"), nullptr);
}

TEST_F(OperatorLibraryTest, IncompleteRowsAreRefused) {
  static const OperatorRow rows[] = {{"lib4::x.out", kSchema, first_kernel},
                                     {"lib4::y.out", nullptr, first_kernel}};
  EXPECT_EQ(register_operator_library("library 4", {rows, 2}), Error::InvalidArgument);
  EXPECT_FALSE(registry_has_op_function("lib4::x.out"));
}

/// Registers an operator through `register_first`, then a library that has it too, prints the
/// conflict and ends the process: 0 when all is as it should be.
[[noreturn]] void register_two_copies(Error (*register_first)()) {
  static const OperatorRow other[] = {{"lib5::new.out", kSchema, second_kernel},
                                      {"lib5::x.out", kSchema, second_kernel}};
  const bool clean = operator_library_conflict() == nullptr;
  const Error first = register_first();
  const Error second = register_operator_library("copy", {other, 2});
  const char* const text = operator_library_conflict();
  const bool whole = !registry_has_op_function("lib5::new.out");
  const bool good = clean && first == Error::Ok && second == Error::RegistrationAlreadyRegistered &&
                    text != nullptr && whole;
  std::fputs(text == nullptr ? "no conflict" : text, stderr);
  std::exit(good ? 0 : 1);
}

// In a process of its own: a conflict lasts.
TEST_F(OperatorLibraryTest, SecondCopyIsRefusedAndRemembered) {
  const auto register_library = [] {
    static const OperatorRow rows[] = {{"lib5::x.out", kSchema, first_kernel}};
    return register_operator_library("library 5", {rows, 1});
  };
  EXPECT_EXIT(register_two_copies(register_library), ::testing::ExitedWithCode(0),
              "lib5::x.out.*runtime_tests and .*runtime_tests");
}

TEST_F(OperatorLibraryTest, PlainRegistrationOverridesNoLibrary) {
  const auto register_alone = [] { return register_kernel(Kernel("lib5::x.out", first_kernel)); };
  EXPECT_EXIT(register_two_copies(register_alone), ::testing::ExitedWithCode(0),
              "lib5::x.out.*runtime_tests and .*runtime_tests.*override_kernel");
}

}  // namespace
}  // namespace executorch::runtime
