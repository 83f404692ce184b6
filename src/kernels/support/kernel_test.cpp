#include "kernels/support/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/platform/runtime.h>

#include "kernels/support/scratch.h"
#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {
namespace {

using testing::HasSubstr;

struct Seen {
  int64_t integer;
  double number;
  bool has_optional;
  size_t list;
} seen;

Error probe(Context&, const Tensor& self, int64_t integer, double number, std::optional<bool> flag,
            IntList list, Tensor& out) {
  seen = {integer, number, flag.has_value(), list.size()};
  ET_REQUIRE(integer >= 0, InvalidArgument, "argument 'integer': %lld is negative",
             static_cast<long long>(integer));
  return resize_output_like(out, self);
}

constexpr OperatorRow kProbe = row<"test::probe.out", probe>(
    "(Tensor self, int integer, float number, bool? flag, int[] list, *, Tensor(a!) out) -> "
    "Tensor(a!)");

class KernelTest : public testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  Error call(size_t count = 6) {
    Context context;
    kProbe.function(context, Span<EValue*>(pointers_, count));
    return context.failure_state();
  }

  Tensor::SizesType sizes_[2] = {2, 3};
  Tensor::DimOrderType order_[2] = {0, 1};
  Tensor::StridesType strides_[2] = {3, 1};
  float memory_[6] = {};
  aten::TensorImpl self_{ScalarType::Float, 2, sizes_, memory_, order_, strides_};
  Tensor::SizesType out_sizes_[2] = {2, 3};
  Tensor::StridesType out_strides_[2] = {3, 1};
  float out_memory_[6] = {};
  aten::TensorImpl out_{ScalarType::Float, 2, out_sizes_, out_memory_, order_, out_strides_};
  EValue items_[2] = {EValue(int64_t{4}), EValue(int64_t{5})};
  EValue* item_pointers_[2] = {&items_[0], &items_[1]};
  int64_t unwrapped_[2] = {};
  runtime::BoxedEvalueList<int64_t> list_{item_pointers_, unwrapped_, 2};
  EValue values_[6] = {EValue(Tensor(&self_)), EValue(int64_t{7}),   EValue(int64_t{2}), EValue(),
                       EValue(&list_),         EValue(Tensor(&out_))};
  EValue* pointers_[6] = {&values_[0], &values_[1], &values_[2],
                          &values_[3], &values_[4], &values_[5]};
};

TEST_F(KernelTest, UnboxesEveryKind) {
  EXPECT_EQ(call(), Error::Ok);
  EXPECT_EQ(seen.integer, 7);
  EXPECT_EQ(seen.number, 2.0);
  EXPECT_FALSE(seen.has_optional);
  EXPECT_EQ(seen.list, 2u);
}

TEST_F(KernelTest, NamesOperatorAndKindsOnMismatch) {
  values_[4] = EValue(int64_t{1});
  EXPECT_EQ(call(), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("test::probe.out"));
  EXPECT_THAT(runtime::last_error_message(),
              HasSubstr("expected a list of integers, found an integer"));
}

TEST_F(KernelTest, NamesOperatorBeforeItsOwnError) {
  values_[1] = EValue(int64_t{-1});
  EXPECT_EQ(call(), Error::InvalidArgument);
  EXPECT_STREQ(runtime::last_error_message(),
               "test::probe.out: argument 'integer': -1 is negative");
}

TEST_F(KernelTest, RefusesMissingArguments) {
  EXPECT_EQ(call(3), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("expected 6 arguments, found 3"));
}

TEST_F(KernelTest, ResizeNamesBothShapes) {
  Sizes sizes;
  sizes.push(4);
  sizes.push(3);
  EXPECT_EQ(resize_output(Tensor(&out_), sizes), Error::InvalidArgument);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("[4, 3]"));
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("float32 [2, 3]"));
}

TEST_F(KernelTest, SliceBoundsWrapAndClamp) {
  Slice slice;
  ASSERT_EQ(normalize_slice(Tensor(&self_), 1, -2, INT64_MAX, 1, &slice), Error::Ok);
  EXPECT_EQ(slice.start, 1);
  EXPECT_EQ(slice.length, 2);
  ASSERT_EQ(normalize_slice(Tensor(&self_), -1, INT64_MIN, 2, INT64_MAX, &slice), Error::Ok);
  EXPECT_EQ(slice.start, 0);
  EXPECT_EQ(slice.length, 1);
  EXPECT_EQ(normalize_slice(Tensor(&self_), 2, 0, 1, 1, &slice), Error::InvalidArgument);
  EXPECT_EQ(normalize_slice(Tensor(&self_), 0, 0, 1, 0, &slice), Error::InvalidArgument);
}

TEST_F(KernelTest, NumelChecksOverflowAndSign) {
  int64_t numel = 0;
  Sizes sizes;
  sizes.push(int64_t{1} << 40);
  sizes.push(int64_t{1} << 40);
  EXPECT_EQ(checked_numel(sizes, "size", &numel), Error::InvalidArgument);
  sizes[1] = 0;
  EXPECT_EQ(checked_numel(sizes, "size", &numel), Error::Ok);
  EXPECT_EQ(numel, 0);
  sizes[1] = -1;
  EXPECT_EQ(checked_numel(sizes, "size", &numel), Error::InvalidArgument);
}

TEST_F(KernelTest, ScratchComesFromTheHeapWithoutAnAllocator) {
  Context context;
  Scratch scratch(context);
  ASSERT_EQ(scratch.allocate(10, 8), Error::Ok);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch.data()) % 64, 0u);
  Scratch huge(context);
  EXPECT_EQ(huge.allocate(SIZE_MAX / 2, 8), Error::MemoryAllocationFailed);
}

}  // namespace
}  // namespace kernels
}  // namespace executorch
