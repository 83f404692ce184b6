#include "backends/aoti/shims/cpu/cpu_table.h"

#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace executorch::backends::aoti {
namespace {

using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;
using aten::ScalarType;

constexpr int32_t kFloat = 6, kDouble = 7, kLong = 4, kChar = 1, kBFloat16 = 15, kBool = 11;

/// A tensor of the shims, deleted at the end of its scope.
class Handle {
 public:
  Handle() = default;
  explicit Handle(ShimTensor* tensor) : tensor_(tensor) {}
  Handle(Handle&& other) noexcept : tensor_(std::exchange(other.tensor_, nullptr)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (tensor_ != nullptr) AOTI_SHIM(delete_tensor_object)(tensor_);
  }
  operator ShimTensor*() const { return tensor_; }
  ShimTensor* operator->() const { return tensor_; }
  ShimTensor** out() { return &tensor_; }

 private:
  ShimTensor* tensor_ = nullptr;
};

Handle empty(const Ints& sizes, const Ints& strides, int32_t dtype = kFloat) {
  Handle tensor;
  EXPECT_EQ(AOTI_SHIM(empty_strided)(static_cast<int64_t>(sizes.size()), sizes.data(),
                                     strides.data(), dtype, 0, 0, tensor.out()),
            0)
      << runtime::last_error_message();
  return tensor;
}

Handle empty(const Ints& sizes, int32_t dtype = kFloat) {
  Ints strides(sizes.size());
  contiguous_strides({sizes.data(), sizes.size()}, strides.data());
  return empty(sizes, strides, dtype);
}

/// Elements by coordinate, as double, of any type that the tests use.
template <class Visit>
void visit(ShimTensor* tensor, Visit&& body) {
  Ints at(tensor->rank(), 0);
  for (int64_t i = 0; i < tensor->numel(); ++i) {
    int64_t place = 0, rest = i;
    for (size_t d = tensor->rank(); d-- > 0;) {
      at[d] = rest % tensor->sizes()[d];
      rest /= tensor->sizes()[d];
      place += at[d] * tensor->strides()[d];
    }
    body(at,
         static_cast<char*>(tensor->data()) + place * static_cast<int64_t>(tensor->element_size()));
  }
}

double get(ShimTensor* tensor, const char* place) {
  switch (static_cast<int32_t>(tensor->dtype())) {
    case kFloat:
      return *reinterpret_cast<const float*>(place);
    case kDouble:
      return *reinterpret_cast<const double*>(place);
    case kLong:
      return static_cast<double>(*reinterpret_cast<const int64_t*>(place));
    case kChar:
      return *reinterpret_cast<const int8_t*>(place);
    default:
      return static_cast<float>(*reinterpret_cast<const aten::BFloat16*>(place));
  }
}

void put(ShimTensor* tensor, char* place, double value) {
  switch (static_cast<int32_t>(tensor->dtype())) {
    case kFloat:
      *reinterpret_cast<float*>(place) = static_cast<float>(value);
      break;
    case kDouble:
      *reinterpret_cast<double*>(place) = value;
      break;
    case kLong:
      *reinterpret_cast<int64_t*>(place) = static_cast<int64_t>(value);
      break;
    case kChar:
      *reinterpret_cast<int8_t*>(place) = static_cast<int8_t>(value);
      break;
    default:
      *reinterpret_cast<aten::BFloat16*>(place) = aten::BFloat16(static_cast<float>(value));
  }
}

/// Small whole numbers, so that sums are exact in every type.
void fill(ShimTensor* tensor, unsigned seed) {
  std::mt19937 random(seed);
  visit(tensor, [&](const Ints&, char* place) {
    put(tensor, place, static_cast<double>(random() % 5) - 2);
  });
}

double element(ShimTensor* tensor, const Ints& at) {
  int64_t place = 0;
  for (size_t d = 0; d < at.size(); ++d) place += at[d] * tensor->strides()[d];
  return get(tensor, static_cast<char*>(tensor->data()) +
                         place * static_cast<int64_t>(tensor->element_size()));
}

class CpuShimsTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(AOTI_SHIM(live_tensors)(), 0u); }
};

class ProductTest : public CpuShimsTest, public ::testing::WithParamInterface<int32_t> {};

TEST_P(ProductTest, StridedOperands) {
  const int32_t dtype = GetParam();
  const Handle a = empty({5, 7}, {1, 5}, dtype);
  const Handle b = empty({7, 9}, {20, 2}, dtype);
  const Handle out = empty({5, 9}, {11, 1}, dtype);
  fill(a, 1);
  fill(b, 2);
  ASSERT_EQ(AOTI_SHIM(cpu_mm_out)(out, a, b), 0) << runtime::last_error_message();
  visit(out, [&](const Ints& at, char* place) {
    double expected = 0;
    for (int64_t k = 0; k < 7; ++k) expected += element(a, {at[0], k}) * element(b, {k, at[1]});
    EXPECT_EQ(get(out, place), expected) << at[0] << "," << at[1];
  });
}

TEST_P(ProductTest, AddsWhatBroadcasts) {
  const int32_t dtype = GetParam();
  const Handle a = empty({4, 6}, dtype);
  const Handle b = empty({6, 3}, {1, 6}, dtype);
  fill(a, 1);
  fill(b, 2);
  const std::vector<std::pair<Ints, Ints>> shapes = {
      {{3}, {1}}, {{1, 3}, {3, 1}}, {{4, 1}, {1, 1}}, {{4, 3}, {1, 4}}, {{}, {}}};
  for (const auto& [sizes, strides] : shapes) {
    const Handle self = empty(sizes, strides, dtype);
    fill(self, 3);
    for (const auto& [beta, alpha] : {std::pair<double, double>{1, 1}, {2, 3}, {0, 1}}) {
      const Handle out = empty({4, 3}, dtype);
      ASSERT_EQ(AOTI_SHIM(cpu_addmm_out)(out, self, a, b, beta, alpha), 0)
          << runtime::last_error_message();
      visit(out, [&](const Ints& at, char* place) {
        double sum = 0;
        for (int64_t k = 0; k < 6; ++k) sum += element(a, {at[0], k}) * element(b, {k, at[1]});
        Ints from;
        for (size_t d = 0; d < sizes.size(); ++d) {
          from.push_back(sizes[d] == 1 ? 0 : at[2 - sizes.size() + d]);
        }
        EXPECT_EQ(get(out, place), beta * element(self, from) + alpha * sum);
      });
    }
  }
}

TEST_P(ProductTest, Batches) {
  const int32_t dtype = GetParam();
  const Handle a = empty({3, 4, 5}, {5, 15, 1}, dtype);
  const Handle b = empty({3, 5, 6}, {0, 6, 1}, dtype);
  const Handle self = empty({6}, dtype);
  const Handle out = empty({3, 4, 6}, dtype);
  const Handle sum = empty({3, 4, 6}, {24, 1, 4}, dtype);
  fill(a, 1);
  fill(b, 2);
  fill(self, 3);
  ASSERT_EQ(AOTI_SHIM(cpu_bmm_out)(out, a, b), 0) << runtime::last_error_message();
  ASSERT_EQ(AOTI_SHIM(cpu_baddbmm_out)(sum, self, a, b, 2, 1), 0) << runtime::last_error_message();
  visit(out, [&](const Ints& at, char* place) {
    double expected = 0;
    for (int64_t k = 0; k < 5; ++k) {
      expected += element(a, {at[0], at[1], k}) * element(b, {at[0], k, at[2]});
    }
    EXPECT_EQ(get(out, place), expected);
    EXPECT_EQ(element(sum, at), expected + 2 * element(self, {at[2]}));
  });
}

INSTANTIATE_TEST_SUITE_P(Types, ProductTest,
                         ::testing::Values(kFloat, kDouble, kLong, kChar, kBFloat16));

TEST_F(CpuShimsTest, ProductsWithoutElements) {
  const Handle a = empty({4, 0}), b = empty({0, 3}), out = empty({4, 3}), self = empty({3});
  fill(self, 1);
  ASSERT_EQ(AOTI_SHIM(cpu_addmm_out)(out, self, a, b, 1, 1), 0) << runtime::last_error_message();
  EXPECT_EQ(element(out, {3, 2}), element(self, {2}));
  const Handle none = empty({0, 4}), result = empty({0, 0});
  EXPECT_EQ(AOTI_SHIM(cpu_mm_out)(result, none, a), 0);
}

TEST_F(CpuShimsTest, ProductsThatDoNotFitAreRefused) {
  const Handle a = empty({4, 5}), b = empty({6, 3}), out = empty({4, 3}),
               flags = empty({5, 3}, kBool);
  EXPECT_NE(AOTI_SHIM(cpu_mm_out)(out, a, b), 0);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("do not multiply"));
  EXPECT_NE(AOTI_SHIM(cpu_mm_out)(out, a, flags), 0);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("types 6 and 11"));
  EXPECT_NE(AOTI_SHIM(cpu_bmm_out)(out, a, b), 0);
  EXPECT_NE(AOTI_SHIM(cpu_mm_out)(nullptr, a, b), 0);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("'out' is null"));
  const Handle c = empty({5, 3}), two = empty({2});
  EXPECT_NE(AOTI_SHIM(cpu_addmm_out)(out, two, a, c, 1, 1), 0);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("does not broadcast"));
}

/// Sizes of a convolution with equal arguments along all dimensions.
struct ConvCase {
  size_t dims;
  int64_t batch, in, out, groups, size, kernel, stride, padding, dilation;
  bool transposed;
  bool channels_last;
  int32_t dtype;
};

std::ostream& operator<<(std::ostream& stream, const ConvCase& c) {
  return stream << c.dims << "d " << c.in << "->" << c.out << " k" << c.kernel << " s" << c.stride
                << (c.transposed ? " transposed" : "") << (c.channels_last ? " last" : "") << " t"
                << c.dtype;
}

class ConvolutionTest : public CpuShimsTest, public ::testing::WithParamInterface<ConvCase> {};

Handle image(const Ints& sizes, bool channels_last, int32_t dtype) {
  Ints strides(sizes.size());
  contiguous_strides({sizes.data(), sizes.size()}, strides.data());
  if (channels_last) {
    int64_t stride = sizes[1];
    strides[1] = 1;
    for (size_t d = sizes.size(); d-- > 2;) {
      strides[d] = stride;
      stride *= sizes[d];
    }
    strides[0] = stride;
  }
  return empty(sizes, strides, dtype);
}

/// The definition: every product of an input element, a weight element and its place in the result.
std::vector<double> convolve(const ConvCase& c, ShimTensor* input, ShimTensor* weight,
                             ShimTensor* bias, const Ints& sizes) {
  int64_t numel = 1;
  for (const int64_t size : sizes) numel *= size;
  std::vector<double> result(static_cast<size_t>(numel));
  const auto place = [&](const Ints& at) {
    int64_t index = 0;
    for (size_t d = 0; d < at.size(); ++d) index = index * sizes[d] + at[d];
    return static_cast<size_t>(index);
  };
  const int64_t cells = numel / (sizes[0] * sizes[1]);
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = element(bias, {static_cast<int64_t>(i) / cells % sizes[1]});
  }
  visit(input, [&](const Ints& from, char* value) {
    visit(weight, [&](const Ints& tap, char* factor) {
      const int64_t in_channel = from[1];
      Ints to(from.size());
      to[0] = from[0];
      if (c.transposed) {
        if (tap[0] != in_channel) return;
        to[1] = in_channel / (c.in / c.groups) * (c.out / c.groups) + tap[1];
      } else {
        to[1] = tap[0];
        if (to[1] / (c.out / c.groups) * (c.in / c.groups) + tap[1] != in_channel) return;
      }
      for (size_t d = 2; d < from.size(); ++d) {
        if (c.transposed) {
          to[d] = from[d] * c.stride - c.padding + tap[d] * c.dilation;
        } else {
          const int64_t moved = from[d] + c.padding - tap[d] * c.dilation;
          if (moved % c.stride != 0) return;
          to[d] = moved / c.stride;
        }
        if (to[d] < 0 || to[d] >= sizes[d]) return;
      }
      result[place(to)] += get(input, value) * get(weight, factor);
    });
  });
  return result;
}

TEST_P(ConvolutionTest, IsTheDefinition) {
  const ConvCase& c = GetParam();
  Ints in_sizes{c.batch, c.in}, kernel_sizes;
  kernel_sizes = c.transposed ? Ints{c.in, c.out / c.groups} : Ints{c.out, c.in / c.groups};
  Ints sizes{c.batch, c.out};
  for (size_t d = 0; d < c.dims; ++d) {
    const int64_t size = c.size + static_cast<int64_t>(d), reach = c.dilation * (c.kernel - 1) + 1;
    in_sizes.push_back(size);
    kernel_sizes.push_back(c.kernel);
    sizes.push_back(c.transposed ? (size - 1) * c.stride - 2 * c.padding + reach
                                 : (size + 2 * c.padding - reach) / c.stride + 1);
  }
  const Handle input = image(in_sizes, c.channels_last, c.dtype);
  const Handle weight = image(kernel_sizes, c.channels_last, c.dtype);
  Handle bias = empty({c.out}, c.dtype);
  fill(input, 1);
  fill(weight, 2);
  fill(bias, 3);
  Handle result;
  const Ints zero{0};
  ASSERT_EQ(AOTI_SHIM(cpu_convolution)(input, weight, bias.out(), &c.stride, 1, &c.padding, 1,
                                       &c.dilation, 1, c.transposed, zero.data(), 1, c.groups,
                                       result.out()),
            0)
      << runtime::last_error_message();
  ASSERT_EQ(Ints(result->sizes(), result->sizes() + result->rank()), sizes);
  EXPECT_EQ(result->strides()[1] == 1, c.channels_last && c.dims > 1);
  const std::vector<double> expected = convolve(c, input, weight, bias, sizes);
  size_t next = 0;
  visit(result, [&](const Ints&, char* place) { EXPECT_EQ(get(result, place), expected[next++]); });
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ConvolutionTest,
    ::testing::Values(
        // dims, batch, in, out, groups, size, kernel, stride, padding, dilation
        ConvCase{1, 2, 4, 6, 1, 9, 3, 1, 1, 1, false, false, kFloat},
        ConvCase{1, 2, 4, 6, 2, 9, 3, 2, 0, 2, false, false, kFloat},
        ConvCase{1, 2, 4, 6, 2, 9, 3, 2, 1, 1, true, false, kFloat},
        ConvCase{2, 2, 4, 6, 1, 7, 3, 1, 1, 1, false, false, kFloat},
        ConvCase{2, 2, 4, 6, 1, 7, 3, 2, 1, 1, false, true, kFloat},
        ConvCase{2, 1, 8, 8, 8, 7, 3, 1, 1, 1, false, true, kFloat},
        ConvCase{2, 2, 4, 6, 1, 7, 1, 1, 0, 1, false, true, kFloat},
        ConvCase{2, 2, 4, 6, 2, 5, 3, 2, 1, 1, true, false, kFloat},
        ConvCase{2, 2, 4, 6, 1, 5, 3, 2, 1, 1, true, true, kFloat},
        ConvCase{3, 1, 2, 4, 1, 4, 2, 1, 1, 1, false, false, kFloat},
        ConvCase{3, 1, 2, 4, 1, 4, 2, 1, 0, 1, false, true, kFloat},
        ConvCase{3, 1, 2, 4, 1, 3, 2, 2, 0, 1, true, false, kFloat},
        ConvCase{2, 2, 4, 6, 1, 7, 3, 1, 1, 1, false, true, kBFloat16},
        ConvCase{2, 2, 4, 6, 2, 7, 3, 2, 1, 1, false, false, kDouble},
        ConvCase{2, 2, 4, 6, 1, 5, 3, 2, 1, 1, true, true, kDouble},
        ConvCase{1, 2, 4, 6, 1, 9, 3, 1, 1, 1, false, false, kLong}));

TEST_F(CpuShimsTest, ConvolutionsThatDoNotFitAreRefused) {
  const Handle input = empty({1, 3, 4, 4}), weight = empty({5, 3, 3, 3}),
               other = empty({5, 2, 3, 3});
  const auto refuse = [&](ShimTensor* kernel, int64_t stride, int64_t padding, int64_t dilation,
                          int64_t groups, const char* reason) {
    ShimTensor* result = nullptr;
    const int64_t zero = 0;
    EXPECT_NE(AOTI_SHIM(cpu_convolution)(input, kernel, nullptr, &stride, 1, &padding, 1, &dilation,
                                         1, 0, &zero, 1, groups, &result),
              0);
    EXPECT_THAT(runtime::last_error_message(), HasSubstr(reason));
    EXPECT_EQ(result, nullptr);
  };
  refuse(other, 1, 0, 1, 1, "channels of 'input'");
  refuse(weight, 0, 0, 1, 1, "argument 'stride'");
  refuse(weight, 1, -1, 1, 1, "argument 'padding'");
  refuse(weight, 1, 0, 2, 1, "kernel reaches over 5 elements");
  refuse(weight, 1, 0, 1, 0, "argument 'groups'");
  refuse(nullptr, 1, 0, 1, 1, "'weight' is null");
}

TEST_F(CpuShimsTest, ConstantsAreKeptPacked) {
  std::vector<float> numbers(24);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 5) - 2;
  const Ints sizes{4, 6}, strides{6, 1};
  for (const size_t least : {size_t{0}, size_t{1} << 20}) {
    size_t budget = least;
    Handle weight, turned;
    ASSERT_EQ(AOTI_SHIM(create_constant)(numbers.data(), 2, sizes.data(), strides.data(), 0, kFloat,
                                         &budget, weight.out()),
              0);
    const Ints turned_sizes{6, 4}, turned_strides{1, 6};
    ASSERT_EQ(AOTI_SHIM(_reinterpret_tensor)(weight, 2, turned_sizes.data(), turned_strides.data(),
                                             0, turned.out()),
              0);
    size_t after_first = 0;
    for (int round = 0; round < 3; ++round) {
      for (const bool transposed : {false, true}) {
        const Handle a = transposed ? empty({3, 6}) : empty({3, 4});
        const Handle out = transposed ? empty({3, 4}) : empty({3, 6});
        ShimTensor* b = transposed ? turned : weight;
        fill(a, 1);
        ASSERT_EQ(AOTI_SHIM(cpu_mm_out)(out, a, b), 0) << runtime::last_error_message();
        visit(out, [&](const Ints& at, char* place) {
          double expected = 0;
          for (int64_t k = 0; k < a->sizes()[1]; ++k) {
            expected += element(a, {at[0], k}) * element(b, {k, at[1]});
          }
          EXPECT_EQ(get(out, place), expected);
        });
      }
      if (round == 0) after_first = budget;
    }
    EXPECT_EQ(budget, after_first);
    EXPECT_EQ(budget < least, least > 0);
  }
}

TEST_F(CpuShimsTest, ConstantKernelsAreKeptPacked) {
  std::vector<float> numbers(6 * 4 * 3 * 3);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) - 3;
  const Ints sizes{6, 4, 3, 3}, strides{36, 1, 12, 4}, one{1}, zero{0};
  size_t budget = size_t{1} << 20;
  Handle weight;
  ASSERT_EQ(AOTI_SHIM(create_constant)(numbers.data(), 4, sizes.data(), strides.data(), 0, kFloat,
                                       &budget, weight.out()),
            0);
  Handle copy;
  ASSERT_EQ(AOTI_SHIM(clone)(weight, copy.out()), 0);
  size_t after_first = 0;
  for (const int64_t size : {5, 9, 5}) {
    const Handle input = image({1, 4, size, size}, true, kFloat);
    fill(input, 1);
    Handle kept, fresh;
    for (const auto& [kernel, result] :
         {std::pair<ShimTensor*, Handle*>{weight, &kept}, {copy, &fresh}}) {
      ASSERT_EQ(AOTI_SHIM(cpu_convolution)(input, kernel, nullptr, one.data(), 1, one.data(), 1,
                                           one.data(), 1, 0, zero.data(), 1, 1, result->out()),
                0)
          << runtime::last_error_message();
    }
    visit(kept,
          [&](const Ints& at, char* place) { EXPECT_EQ(get(kept, place), element(fresh, at)); });
    if (after_first == 0) after_first = budget;
  }
  EXPECT_LT(budget, size_t{1} << 20);
  EXPECT_EQ(budget, after_first);
}

TEST_F(CpuShimsTest, RunsUseTheSameMemoryAgain) {
  RunMemory* memory = AOTI_SHIM(make_run_memory)();
  const auto run = [&](const Ints& sizes) {
    AOTI_SHIM(enter_run)(memory);
    const void* data = empty(sizes)->data();
    AOTI_SHIM(leave_run)();
    return data;
  };
  const void* first = run({1000, 100});
  EXPECT_EQ(run({1000, 100}), first);
  EXPECT_EQ(run({1000, 100}), first);
  // Left alone for a run, it is freed.
  run({10});
  AOTI_SHIM(enter_run)(memory);
  ShimTensor* forgotten = nullptr;
  const Ints two{2}, one{1};
  EXPECT_EQ(AOTI_SHIM(empty_strided)(1, two.data(), one.data(), kFloat, 0, 0, &forgotten), 0);
  AOTI_SHIM(leave_run)();
  EXPECT_EQ(AOTI_SHIM(live_tensors)(), 1u);
  AOTI_SHIM(delete_run_memory)(memory);
}

TEST_F(CpuShimsTest, CopiesKeepDenseStridesOnly) {
  const Handle turned = empty({3, 4}, {1, 3}), gappy = empty({3, 4}, {8, 1});
  fill(turned, 1);
  fill(gappy, 2);
  Handle same, packed, kept;
  ASSERT_EQ(AOTI_SHIM(clone)(turned, same.out()), 0);
  ASSERT_EQ(AOTI_SHIM(clone)(gappy, packed.out()), 0);
  ASSERT_EQ(AOTI_SHIM(clone_preserve_strides)(gappy, kept.out()), 0);
  EXPECT_EQ(same->strides()[0], 1);
  EXPECT_EQ(packed->strides()[0], 4);
  EXPECT_EQ(kept->strides()[0], 8);
  visit(turned,
        [&](const Ints& at, char* place) { EXPECT_EQ(element(same, at), get(turned, place)); });
  visit(gappy, [&](const Ints& at, char* place) {
    EXPECT_EQ(element(packed, at), get(gappy, place));
    EXPECT_EQ(element(kept, at), get(gappy, place));
  });
  const Handle halves = empty({3, 4}, kBFloat16), wrong = empty({4, 3});
  EXPECT_EQ(AOTI_SHIM(copy_)(halves, turned, 0), 0);
  EXPECT_EQ(element(halves, {2, 3}), element(turned, {2, 3}));
  EXPECT_NE(AOTI_SHIM(copy_)(wrong, turned, 0), 0);
}

TEST_F(CpuShimsTest, ViewsStayWithinTheirStorage) {
  const Handle base = empty({4, 6});
  const Ints sizes{2, 3}, strides{6, 1};
  Handle view, handle;
  ASSERT_EQ(AOTI_SHIM(_reinterpret_tensor)(base, 2, sizes.data(), strides.data(), 7, view.out()),
            0);
  void *data = nullptr, *base_data = nullptr;
  int64_t offset = 0, nbytes = 0;
  AOTI_SHIM(get_data_ptr)(view, &data);
  AOTI_SHIM(get_data_ptr)(base, &base_data);
  AOTI_SHIM(get_storage_offset)(view, &offset);
  AOTI_SHIM(get_storage_size)(view, &nbytes);
  EXPECT_EQ(static_cast<char*>(data) - static_cast<char*>(base_data), 28);
  EXPECT_EQ(offset, 7);
  EXPECT_EQ(nbytes, 96);
  EXPECT_NE(AOTI_SHIM(_reinterpret_tensor)(base, 2, sizes.data(), strides.data(), 16, handle.out()),
            0);
  // The offset counts from the tensor's own, as in PyTorch.
  const std::array<int64_t, 1> one{1};
  Handle further;
  ASSERT_EQ(AOTI_SHIM(_reinterpret_tensor)(view, 1, one.data(), one.data(), 2, further.out()), 0);
  EXPECT_EQ(further->offset(), 9);
  EXPECT_NE(
      AOTI_SHIM(_reinterpret_tensor)(view, 1, one.data(), one.data(), INT64_MAX, further.out()), 0);
  const Handle pool = empty({64}, 0);
  Handle part;
  ASSERT_EQ(
      AOTI_SHIM(_alloc_from_pool)(pool, 16, kFloat, 2, sizes.data(), strides.data(), part.out()),
      0);
  EXPECT_EQ(part->offset(), 4);
  ShimTensor* refused = nullptr;
  EXPECT_NE(AOTI_SHIM(_alloc_from_pool)(pool, 2, kFloat, 2, sizes.data(), strides.data(), &refused),
            0);
  EXPECT_NE(
      AOTI_SHIM(_alloc_from_pool)(pool, 32, kFloat, 2, sizes.data(), strides.data(), &refused), 0);
}

TEST_F(CpuShimsTest, ScalarsAndTensors) {
  Handle number, flag;
  ASSERT_EQ(AOTI_SHIM(scalar_to_tensor_float32)(2.5f, number.out()), 0);
  ASSERT_EQ(AOTI_SHIM(scalar_to_tensor_bool)(true, flag.out()), 0);
  float value = 0;
  bool truth = false;
  int64_t integer = 0;
  EXPECT_EQ(AOTI_SHIM(item_float32)(number, &value), 0);
  EXPECT_EQ(AOTI_SHIM(item_bool)(flag, &truth), 0);
  EXPECT_EQ(value, 2.5f);
  EXPECT_TRUE(truth);
  EXPECT_NE(AOTI_SHIM(item_int64)(number, &integer), 0);
  const Handle many = empty({2});
  EXPECT_NE(AOTI_SHIM(item_float32)(many, &value), 0);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("one element"));
}

TEST_F(CpuShimsTest, WhatCannotBeIsRefused) {
  ShimTensor* tensor = nullptr;
  const Ints two{2}, negative{-2};
  EXPECT_NE(AOTI_SHIM(empty_strided)(1, negative.data(), two.data(), kFloat, 0, 0, &tensor), 0);
  EXPECT_NE(AOTI_SHIM(empty_strided)(65, two.data(), two.data(), kFloat, 0, 0, &tensor), 0);
  EXPECT_NE(AOTI_SHIM(empty_strided)(1, two.data(), two.data(), 99, 0, 0, &tensor), 0);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("type number 99"));
  EXPECT_NE(AOTI_SHIM(empty_strided)(1, two.data(), two.data(), kFloat, 1, 0, &tensor), 0);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("CPU only"));
  EXPECT_NE(AOTI_SHIM(empty_strided)(1, two.data(), two.data(), kFloat, 7, 0, &tensor), 0);
  const Ints huge{INT64_MAX / 4};
  EXPECT_NE(AOTI_SHIM(empty_strided)(1, huge.data(), two.data(), kFloat, 0, 0, &tensor), 0);
  EXPECT_NE(AOTI_SHIM(delete_tensor_object)(nullptr), 0);
  EXPECT_NE(AOTI_SHIM(get_sizes)(nullptr, nullptr), 0);
  EXPECT_NE(AOTI_SHIM(grad_mode_set_enabled)(true), 0);
  EXPECT_EQ(AOTI_SHIM(grad_mode_set_enabled)(false), 0);
  EXPECT_FALSE(AOTI_SHIM(grad_mode_is_enabled)());
  EXPECT_NE(AOTI_SHIM(create_tensor_from_blob_v2)(nullptr, 0, nullptr, nullptr, 0, kFloat, 0, 0,
                                                  &tensor, 1, nullptr, 0),
            0);
}

TEST_F(CpuShimsTest, FailedConditionsAreExceptions) {
  AOTI_SHIM(check)(true, "f", "g", 1, "holds");
  AOTI_SHIM(warn)("f", "g", 1, "a warning");
  EXPECT_THROW(AOTI_SHIM(check)(false, "f", "model.cpp", 7, "index out of bounds"),
               std::runtime_error);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("index out of bounds (f, model.cpp:7)"));
}

}  // namespace
}  // namespace executorch::backends::aoti
