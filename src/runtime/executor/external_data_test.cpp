// Tensors whose bytes come from a map of named data, as a data file gives them.
#include <executorch/runtime/executor/method.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "runtime/executor/testing/loaded_method.h"
#include "runtime/executor/testing/test_operators.h"

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Float tensors by key. Counts what was read and what of it is still held.
class TensorMap final : public NamedDataMap {
 public:
  struct Entry {
    std::vector<int32_t> sizes;
    std::vector<float> data;
    std::vector<uint8_t> dim_order;
  };

  void add(const std::string& key, std::vector<int32_t> sizes, std::vector<float> data) {
    std::vector<uint8_t> dim_order;
    for (size_t d = 0; d < sizes.size(); ++d) dim_order.push_back(static_cast<uint8_t>(d));
    entries[key] = {std::move(sizes), std::move(data), std::move(dim_order)};
  }

  Result<const TensorLayout> get_tensor_layout(std::string_view key) const override {
    const Entry* entry = find(key);
    if (entry == nullptr) return ET_ERROR(NotFound, "no such key");
    return TensorLayout::create({entry->sizes.data(), entry->sizes.size()},
                                {entry->dim_order.data(), entry->dim_order.size()},
                                executorch::aten::ScalarType::Float);
  }

  Result<FreeableBuffer> get_data(std::string_view key) const override {
    const Entry* entry = find(key);
    if (entry == nullptr) return ET_ERROR(NotFound, "no such key");
    ++reads;
    ++held;
    return FreeableBuffer(
        entry->data.data(), entry->data.size() * sizeof(float),
        [](void* map, void*, size_t) { --static_cast<TensorMap*>(map)->held; },
        const_cast<TensorMap*>(this));
  }

  Error load_data_into(std::string_view key, void* buffer, size_t size) const override {
    const Entry* entry = find(key);
    ET_REQUIRE(entry != nullptr, NotFound, "no such key");
    ET_REQUIRE(size == entry->data.size() * sizeof(float), InvalidArgument, "another size");
    std::memcpy(buffer, entry->data.data(), size);
    return Error::Ok;
  }

  Result<uint32_t> get_num_keys() const override { return static_cast<uint32_t>(entries.size()); }

  Result<const char*> get_key(uint32_t index) const override {
    if (index >= entries.size()) return ET_ERROR(InvalidArgument, "no such key");
    return std::next(entries.begin(), index)->first.c_str();
  }

  std::map<std::string, Entry> entries;
  mutable int reads = 0;
  mutable int held = 0;

 private:
  const Entry* find(std::string_view key) const {
    const auto found = entries.find(std::string(key));
    return found == entries.end() ? nullptr : &found->second;
  }
};

class ExternalDataTest : public ::testing::Test {
 protected:
  void SetUp() override { register_test_operators(); }

  static TensorSpec external(const std::string& key) {
    TensorSpec spec;
    spec.sizes = {2, 2};
    spec.name = key;
    spec.location = fb::TensorDataLocation::EXTERNAL;
    return spec;
  }

  /// out = (x + weight) + weight; the weight stands in the file as two values of one name.
  static std::vector<uint8_t> constant_twice() {
    ProgramBuilder builder;
    const int x = builder.planned({2, 2}, 0);
    const int first = builder.tensor(external("weight"));
    const int second = builder.tensor(external("weight"));
    const int middle = builder.planned({2, 2}, 64);
    const int out = builder.planned({2, 2}, 128);
    builder.kernel("test::add.out", {x, first, middle, middle});
    builder.kernel("test::add.out", {middle, second, out, out});
    builder.inputs = {x};
    builder.outputs = {out};
    return builder.build();
  }

  /// out = state + one, then state = out.
  static std::vector<uint8_t> counter() {
    ProgramBuilder builder;
    TensorSpec spec = external("state");
    spec.arena_offset = 0;
    const int state = builder.tensor(spec);
    const int one = builder.constant({1}, {1});
    const int out = builder.planned({2, 2}, 64);
    builder.kernel("test::add.out", {state, one, out, out});
    builder.kernel("test::add_", {state, one, state});
    builder.outputs = {out};
    return builder.build();
  }

  TensorMap map;
};

TEST_F(ExternalDataTest, ConstantsAreReadOnceAndUsedInPlace) {
  map.add("weight", {2, 2}, {1, 2, 3, 4});
  {
    LoadedMethod method(constant_twice(), "forward", &map);
    ASSERT_EQ(method.error(), Error::Ok) << method.text();
    EXPECT_EQ(map.reads, 1);
    EXPECT_EQ(map.held, 1);
    FloatTensor x({2, 2}, {10, 20, 30, 40});
    ASSERT_EQ(method->set_input(x.value(), 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(12, 24, 36, 48));
    const auto weight = method->get_attribute("weight");
    ASSERT_TRUE(weight.ok());
    EXPECT_EQ(weight->const_data_ptr(), map.entries["weight"].data.data());
  }
  EXPECT_EQ(map.held, 0);
}

TEST_F(ExternalDataTest, StateStartsFromTheMapAndIsTheMethodsOwn) {
  map.add("state", {2, 2}, {5, 6, 7, 8});
  for (int load = 0; load < 2; ++load) {
    LoadedMethod method(counter(), "forward", &map);
    ASSERT_EQ(method.error(), Error::Ok) << method.text();
    ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(6, 7, 8, 9));
    ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(7, 8, 9, 10));
  }
  EXPECT_THAT(map.entries["state"].data, ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(map.held, 0);
}

TEST_F(ExternalDataTest, MissingDataIsNamed) {
  LoadedMethod without_map(constant_twice());
  EXPECT_EQ(without_map.error(), Error::InvalidState);
  EXPECT_THAT(without_map.text(),
              HasSubstr("tensor 'weight' lies in a data file (.ptd), but none was given"));
  map.add("other", {2, 2}, {1, 2, 3, 4});
  LoadedMethod without_key(constant_twice(), "forward", &map);
  EXPECT_EQ(without_key.error(), Error::NotFound);
  EXPECT_THAT(without_key.text(), HasSubstr("no data file has the key 'weight'"));
}

TEST_F(ExternalDataTest, AnotherLayoutIsRefusedAndWhatWasReadIsReleased) {
  map.add("weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  LoadedMethod other_size(constant_twice(), "forward", &map);
  EXPECT_EQ(other_size.error(), Error::InvalidExternalData);
  EXPECT_THAT(other_size.text(),
              HasSubstr("dimension 1 has size 3 in the data file, the program expects 2"));
  map.add("weight", {4}, {1, 2, 3, 4});
  LoadedMethod other_rank(constant_twice(), "forward", &map);
  EXPECT_EQ(other_rank.error(), Error::InvalidExternalData);
  EXPECT_THAT(other_rank.text(),
              HasSubstr("the data file has 1 dimensions, the program expects 2"));
  map.add("weight", {2, 2}, {1, 2, 3, 4});
  map.entries["weight"].dim_order = {1, 0};
  LoadedMethod other_order(constant_twice(), "forward", &map);
  EXPECT_EQ(other_order.error(), Error::InvalidExternalData);
  EXPECT_THAT(other_order.text(),
              HasSubstr("dim_order[0] is 1 in the data file, the program expects 0"));
  map.add("weight", {2, 2}, {1, 2, 3});
  LoadedMethod too_short(constant_twice(), "forward", &map);
  EXPECT_EQ(too_short.error(), Error::InvalidExternalData);
  EXPECT_THAT(too_short.text(), HasSubstr("the data file has 12 bytes, the tensor needs 16"));
  EXPECT_EQ(map.held, 0);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
