#include <executorch/runtime/kernel/operator_registry.h>

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_table.h>
#include <executorch/runtime/platform/log.h>

namespace executorch::runtime {
namespace {

using aten::DimOrderType;
using aten::ScalarType;

void kernel_a(KernelRuntimeContext&, Span<EValue*>) {}
void kernel_b(KernelRuntimeContext&, Span<EValue*>) {}
void kernel_c(KernelRuntimeContext&, Span<EValue*>) {}

class OperatorRegistryTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_level(LogLevel::NumLevels); }
  void TearDown() override { set_log_level(LogLevel::Debug); }
};

DimOrderType contiguous[] = {0, 1, 2, 3};
DimOrderType channels_last[] = {0, 2, 3, 1};

TEST_F(OperatorRegistryTest, WritesKeys) {
  const TensorMeta metas[] = {{ScalarType::Float, {contiguous, 2}},
                              {ScalarType::Long, {channels_last, 4}},
                              {ScalarType::BFloat16, {contiguous, size_t{0}}}};
  char key[internal::kKernelKeyBufSize];
  ASSERT_EQ(internal::make_kernel_key_string({metas, 3}, key, sizeof(key)), Error::Ok);
  EXPECT_STREQ(key, "v1/6;0,1|4;0,2,3,1|15;");
  ASSERT_EQ(internal::make_kernel_key_string({}, key, sizeof(key)), Error::Ok);
  EXPECT_STREQ(key, "");
}

TEST_F(OperatorRegistryTest, RefusesKeysThatDoNotFit) {
  const TensorMeta meta(ScalarType::Float, {contiguous, 4});
  const TensorMeta unknown(static_cast<ScalarType>(-3), {contiguous, 4});
  char key[13];  // "v1/6;0,1,2,3" and its terminator
  EXPECT_EQ(internal::make_kernel_key_string({&meta, 1}, key, 13), Error::Ok);
  EXPECT_EQ(internal::make_kernel_key_string({&meta, 1}, key, 12), Error::InvalidArgument);
  EXPECT_EQ(internal::make_kernel_key_string({&meta, 1}, key, 1), Error::InvalidArgument);
  EXPECT_EQ(internal::make_kernel_key_string({&meta, 1}, key, 0), Error::InvalidArgument);
  EXPECT_EQ(internal::make_kernel_key_string({&unknown, 1}, key, 13), Error::InvalidArgument);
}

TEST_F(OperatorRegistryTest, SpecialisedKernelBeatsFallback) {
  const Kernel kernels[] = {Kernel("test::choose.out", kernel_a),
                            Kernel("test::choose.out", "v1/6;0,1", kernel_b)};
  ASSERT_EQ(register_kernels({kernels, 2}), Error::Ok);
  const TensorMeta floats(ScalarType::Float, {contiguous, 2});
  const TensorMeta longs(ScalarType::Long, {contiguous, 2});
  EXPECT_EQ(*get_op_function_from_registry("test::choose.out", {&floats, 1}), &kernel_b);
  EXPECT_EQ(*get_op_function_from_registry("test::choose.out", {&longs, 1}), &kernel_a);
  EXPECT_EQ(*get_op_function_from_registry("test::choose.out"), &kernel_a);

  const Kernel own("test::choose.out", kernel_c);
  EXPECT_EQ(*get_op_function_from_registry("test::choose.out", {&floats, 1}, {&own, 1}), &kernel_c);
}

TEST_F(OperatorRegistryTest, MissingOperatorsAreExplained) {
  EXPECT_FALSE(registry_has_op_function("test::absent.out"));
  EXPECT_EQ(get_op_function_from_registry("quantized_decomposed::absent.out").error(),
            Error::OperatorMissing);
  const std::string text = last_error_message();
  EXPECT_NE(text.find("quantized_decomposed::absent.out"), std::string::npos) << text;
  EXPECT_NE(text.find("executorch::kernels_quantized"), std::string::npos) << text;

  ASSERT_EQ(register_kernel(Kernel("test::only_float.out", "v1/6;0", kernel_a)), Error::Ok);
  const TensorMeta longs(ScalarType::Long, {contiguous, 1});
  EXPECT_EQ(get_op_function_from_registry("test::only_float.out", {&longs, 1}).error(),
            Error::OperatorMissing);
  EXPECT_NE(std::string(last_error_message()).find("v1/4;0"), std::string::npos);
}

TEST_F(OperatorRegistryTest, DuplicatesAreRefusedWhole) {
  ASSERT_EQ(register_kernel(Kernel("test::once.out", kernel_a)), Error::Ok);
  const size_t before = get_registered_kernels().size();
  const Kernel batch[] = {Kernel("test::new.out", kernel_b), Kernel("test::once.out", kernel_b)};
  EXPECT_EQ(register_kernels({batch, 2}), Error::RegistrationAlreadyRegistered);
  EXPECT_NE(std::string(last_error_message()).find("test::once.out"), std::string::npos);
  const Kernel twice[] = {Kernel("test::new.out", kernel_b), Kernel("test::new.out", kernel_b)};
  EXPECT_EQ(register_kernels({twice, 2}), Error::RegistrationAlreadyRegistered);
  EXPECT_EQ(get_registered_kernels().size(), before);
  EXPECT_FALSE(registry_has_op_function("test::new.out"));
  EXPECT_EQ(*get_op_function_from_registry("test::once.out"), &kernel_a);
}

TEST_F(OperatorRegistryTest, IncompleteKernelsAreRefused) {
  EXPECT_EQ(register_kernel(Kernel()), Error::InvalidArgument);
  EXPECT_EQ(register_kernel(Kernel("test::null.out", nullptr)), Error::InvalidArgument);
  EXPECT_EQ(get_op_function_from_registry(nullptr).error(), Error::InvalidArgument);
}

TEST_F(OperatorRegistryTest, SignaturesAreFound) {
  static constexpr KernelArgument arguments[] = {{ArgumentKind::Tensor, false}};
  static constexpr KernelSignature signature{arguments, 1};
  ASSERT_EQ(register_kernel(Kernel("test::signed.out", kernel_a, &signature)), Error::Ok);
  EXPECT_EQ(find_kernel_signature("test::signed.out"), &signature);
  EXPECT_EQ(find_kernel_signature("test::absent.out"), nullptr);
}

TEST_F(OperatorRegistryTest, GrowsWhileItIsRead) {
  static std::vector<std::string> names;
  constexpr size_t count = 5000;
  for (size_t i = 0; i < count; ++i) names.push_back("test::many_" + std::to_string(i));
  const Span<const Kernel> former = get_registered_kernels();
  const size_t former_size = former.size();
  std::thread reader([&former] {
    for (int round = 0; round < 200; ++round) {
      for (const Kernel& kernel : former) EXPECT_NE(kernel.name_, nullptr);
      EXPECT_FALSE(registry_has_op_function("test::absent.out"));
    }
  });
  for (const std::string& name : names) {
    ASSERT_EQ(register_kernel(Kernel(name.c_str(), kernel_a)), Error::Ok);
  }
  reader.join();
  EXPECT_EQ(former.size(), former_size);
  for (const std::string& name : names) EXPECT_TRUE(registry_has_op_function(name.c_str()));
}

}  // namespace
}  // namespace executorch::runtime
