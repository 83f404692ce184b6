#include <executorch/extension/tensor/tensor_ptr_maker.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include <executorch/runtime/core/checked_math.h>

#include "extension/tensor/element_types.h"

namespace executorch {
namespace extension {

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::TensorShapeDynamism;

namespace {

using Generator = std::mt19937_64;

Generator seeded_generator() {
  std::random_device entropy;
  std::seed_seq seed{entropy(), entropy(), entropy(), entropy()};
  return Generator(seed);
}

template <typename T>
constexpr int significand_bits() {
  if constexpr (std::is_same_v<T, Half>) {
    return 11;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return 8;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::digits;
  } else {
    return std::numeric_limits<double>::digits;
  }
}

/// Sets each element to `next(T{})`.
template <typename Next>
TensorPtr fill(TensorPtr tensor, const char* maker, Next&& next) {
  const bool known = internal::visit_element_type(tensor->scalar_type(), [&](auto tag) {
    using T = decltype(tag);
    T* elements = static_cast<T*>(tensor->mutable_data_ptr());
    std::generate_n(elements, tensor->numel(), [&] { return next(T{}); });
  });
  ET_CHECK_MSG(known, "%s: elements of type %s are not supported", maker,
               runtime::toString(tensor->scalar_type()));
  return tensor;
}

template <typename T>
T scalar_as(const Scalar& value) {
  if (value.isFloatingPoint()) {
    return static_cast<T>(value.to<double>());
  }
  if (value.isBoolean()) {
    return static_cast<T>(value.to<bool>());
  }
  return static_cast<T>(value.to<int64_t>());
}

}  // namespace

TensorPtr empty_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                        ScalarType type, TensorShapeDynamism dynamism) {
  size_t nbytes = 0;
  ET_CHECK_MSG(runtime::checked_mul<size_t>(internal::checked_numel(sizes),
                                            executorch::aten::elementSize(type), &nbytes),
               "empty_strided: the shape exceeds the address space");
  return make_tensor_ptr(std::move(sizes), std::vector<uint8_t>(nbytes), {}, std::move(strides),
                         type, dynamism);
}

TensorPtr full_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                       Scalar fill_value, ScalarType type, TensorShapeDynamism dynamism) {
  return fill(empty_strided(std::move(sizes), std::move(strides), type, dynamism), "full_strided",
              [&](auto tag) { return scalar_as<decltype(tag)>(fill_value); });
}

TensorPtr rand_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                       ScalarType type, TensorShapeDynamism dynamism) {
  Generator generator = seeded_generator();
  return fill(
      empty_strided(std::move(sizes), std::move(strides), type, dynamism), "rand_strided",
      [&](auto tag) {
        using T = decltype(tag);
        // As many bits as the type holds exactly: nothing rounds up to 1.
        constexpr int bits = significand_bits<T>();
        return static_cast<T>(std::ldexp(static_cast<double>(generator() >> (64 - bits)), -bits));
      });
}

TensorPtr randn_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                        ScalarType type, TensorShapeDynamism dynamism) {
  Generator generator = seeded_generator();
  std::normal_distribution<double> normal;
  return fill(empty_strided(std::move(sizes), std::move(strides), type, dynamism), "randn_strided",
              [&](auto tag) { return static_cast<decltype(tag)>(normal(generator)); });
}

TensorPtr randint_strided(int64_t low, int64_t high, std::vector<SizesType> sizes,
                          std::vector<StridesType> strides, ScalarType type,
                          TensorShapeDynamism dynamism) {
  ET_CHECK_MSG(low < high, "randint: the range [%lld, %lld) is empty", static_cast<long long>(low),
               static_cast<long long>(high));
  Generator generator = seeded_generator();
  std::uniform_int_distribution<int64_t> uniform(low, high - 1);
  return fill(empty_strided(std::move(sizes), std::move(strides), type, dynamism),
              "randint_strided",
              [&](auto tag) { return static_cast<decltype(tag)>(uniform(generator)); });
}

}  // namespace extension
}  // namespace executorch
