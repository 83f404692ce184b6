#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {
namespace {

/// A dense float tensor with memory of its own.
class Floats {
 public:
  explicit Floats(std::vector<Tensor::SizesType> sizes, float value) : sizes_(std::move(sizes)) {
    size_t count = 1;
    strides_.resize(sizes_.size());
    for (size_t d = sizes_.size(); d-- > 0;) {
      strides_[d] = static_cast<Tensor::StridesType>(count);
      count *= static_cast<size_t>(sizes_[d]);
    }
    for (size_t d = 0; d < sizes_.size(); ++d)
      order_.push_back(static_cast<Tensor::DimOrderType>(d));
    values.assign(count, value);
    impl_.emplace(ScalarType::Float, static_cast<ssize_t>(sizes_.size()), sizes_.data(),
                  values.data(), order_.data(), strides_.data(),
                  aten::TensorShapeDynamism::DYNAMIC_BOUND);
    value_.emplace(Tensor(&*impl_));
  }
  EValue* argument() { return &*value_; }

  std::vector<float> values;

 private:
  std::vector<Tensor::SizesType> sizes_;
  std::vector<Tensor::DimOrderType> order_;
  std::vector<Tensor::StridesType> strides_;
  std::optional<aten::TensorImpl> impl_;
  std::optional<EValue> value_;
};

// Running statistics are written element by element, whatever dimensions of size 1 they have.
TEST(BatchNorm, RunningStatisticsMayHaveMoreDimensions) {
  runtime::runtime_init();
  const auto function =
      runtime::get_op_function_from_registry("aten::_native_batch_norm_legit.out");
  ASSERT_TRUE(function.ok());
  const std::vector<Tensor::SizesType> shapes[] = {{3}, {1, 3}, {3, 1}, {1, 3, 1, 1}};
  for (const auto& shape : shapes) {
    Floats input({2, 3, 2}, 0), out({2, 3, 2}, 0), mean(shape, 1), variance(shape, 1),
        save_mean({3}, 0), save_rstd({3}, 0);
    for (size_t i = 0; i < input.values.size(); ++i) input.values[i] = static_cast<float>(i);
    EValue none, training(true), momentum(0.5), eps(1e-5);
    std::vector<EValue*> arguments = {input.argument(),
                                      &none,
                                      &none,
                                      mean.argument(),
                                      variance.argument(),
                                      &training,
                                      &momentum,
                                      &eps,
                                      out.argument(),
                                      save_mean.argument(),
                                      save_rstd.argument(),
                                      out.argument()};
    Context context;
    function.get()(context, Span<EValue*>(arguments.data(), arguments.size()));
    ASSERT_EQ(context.failure_state(), Error::Ok) << shape.size() << " dimensions";
    // Channel c holds 2c, 2c + 1, 2c + 6 and 2c + 7.
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_FLOAT_EQ(mean.values[c], 0.5f + 0.5f * (2.0f * static_cast<float>(c) + 3.5f));
      EXPECT_FLOAT_EQ(variance.values[c], 0.5f + 0.5f * 37.0f / 3.0f);
    }
  }
}

}  // namespace
}  // namespace kernels
}  // namespace executorch
