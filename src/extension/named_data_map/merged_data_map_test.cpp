#include <executorch/extension/named_data_map/merged_data_map.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace extension {
namespace {

using merged_data_map::MergedDataMap;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::last_error_message;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;
using runtime::TensorLayout;
using ::testing::HasSubstr;

/// Every key's data is the name of the map.
class NamedMap : public NamedDataMap {
 public:
  NamedMap(std::string name, std::vector<std::string> keys)
      : name_(std::move(name)), keys_(std::move(keys)) {}

  Result<const TensorLayout> get_tensor_layout(std::string_view) const override {
    return TensorLayout::create({}, {}, executorch::aten::ScalarType::Byte);
  }
  Result<FreeableBuffer> get_data(std::string_view) const override {
    return FreeableBuffer(name_.data(), name_.size(), nullptr);
  }
  Error load_data_into(std::string_view, void* buffer, size_t size) const override {
    std::memcpy(buffer, name_.data(), size);
    return Error::Ok;
  }
  Result<uint32_t> get_num_keys() const override { return static_cast<uint32_t>(keys_.size()); }
  Result<const char*> get_key(uint32_t index) const override { return keys_[index].c_str(); }

 private:
  std::string name_;
  std::vector<std::string> keys_;
};

Result<MergedDataMap> merge(std::vector<const NamedDataMap*> maps) {
  return MergedDataMap::load(Span<const NamedDataMap*>(maps.data(), maps.size()));
}

TEST(MergedDataMapTest, FindsEachKeyInItsMap) {
  const NamedMap base("base", {"a", "b"});
  const NamedMap nothing("none", {});
  const NamedMap adapter("lora", {"c"});
  const auto merged = merge({&base, nullptr, &nothing, &adapter});
  ASSERT_TRUE(merged.ok()) << last_error_message();
  EXPECT_EQ(merged->get_num_keys().get(), 3u);
  EXPECT_STREQ(merged->get_key(0).get(), "a");
  EXPECT_STREQ(merged->get_key(2).get(), "c");
  EXPECT_EQ(merged->get_key(3).error(), Error::InvalidArgument);
  const auto data = merged->get_data("c");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(std::memcmp(data->data(), "lora", 4), 0);
  char text[4];
  EXPECT_EQ(merged->load_data_into("b", text, 4), Error::Ok);
  EXPECT_EQ(std::memcmp(text, "base", 4), 0);
  EXPECT_TRUE(merged->get_tensor_layout("a").ok());
}

TEST(MergedDataMapTest, MissingKeyIsNamed) {
  const NamedMap base("base", {"a"});
  const auto merged = merge({&base});
  ASSERT_TRUE(merged.ok());
  char text[4];
  EXPECT_EQ(merged->get_data("x").error(), Error::NotFound);
  EXPECT_EQ(merged->get_tensor_layout("x").error(), Error::NotFound);
  EXPECT_EQ(merged->load_data_into("x", text, 1), Error::NotFound);
  EXPECT_THAT(last_error_message(), HasSubstr("'x'"));
}

TEST(MergedDataMapTest, DuplicateKeyIsNamed) {
  const NamedMap base("base", {"a", "shared.key"});
  const NamedMap adapter("lora", {"shared.key"});
  EXPECT_EQ(merge({&base, &adapter}).error(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("'shared.key'"));
  EXPECT_EQ(merge({&base, &base}).error(), Error::InvalidArgument);
}

TEST(MergedDataMapTest, NothingToMergeIsAnError) {
  const NamedMap nothing("none", {});
  EXPECT_EQ(merge({}).error(), Error::InvalidArgument);
  EXPECT_EQ(merge({&nothing, nullptr}).error(), Error::InvalidArgument);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
