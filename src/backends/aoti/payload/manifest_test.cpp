#include "backends/aoti/payload/manifest.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/aoti/testing/payload_writer.h"

namespace executorch::backends::aoti {
namespace {

using runtime::Span;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Writer = testing::PayloadWriter;

Writer list_of(uint32_t count) {
  Writer writer;
  writer.raw("ETCUDAFQN3").text("abc_so_blob").number(count);
  return writer;
}

Error read(const Writer& writer, Manifest* manifest, const char* method = "forward") {
  runtime::clear_error_message();
  return read_manifest(writer.span(), method, manifest);
}

void expect_refused(const Writer& writer, const char* reason) {
  Manifest manifest;
  EXPECT_EQ(read(writer, &manifest), Error::InvalidProgram);
  EXPECT_THAT(runtime::last_error_message(), HasSubstr(reason));
}

TEST(ManifestTest, KeysFollowFromTheMethodWhereThePayloadIsEmpty) {
  Manifest manifest;
  ASSERT_EQ(read(Writer(), &manifest), Error::Ok);
  EXPECT_EQ(manifest.code_key, "forward_so_blob");
  EXPECT_EQ(manifest.blob_key, "forward_weights_blob");
  EXPECT_EQ(manifest.layout, ConstantLayout::blob);
  for (const char* no_name : {static_cast<const char*>(nullptr), ""}) {
    ASSERT_EQ(read(Writer(), &manifest, no_name), Error::Ok);
    EXPECT_EQ(manifest.code_key, "so_blob");
    EXPECT_EQ(manifest.blob_key, "weights_blob");
  }
}

TEST(ManifestTest, TwoLinesAreTwoKeys) {
  Manifest manifest;
  ASSERT_EQ(read(Writer().raw("aa_so_blob\nbb_weights_blob"), &manifest), Error::Ok);
  EXPECT_EQ(manifest.code_key, "aa_so_blob");
  EXPECT_EQ(manifest.blob_key, "bb_weights_blob");
  EXPECT_EQ(manifest.layout, ConstantLayout::blob);
  expect_refused(Writer().raw("\nbb"), "names no code object");
  expect_refused(Writer().raw("aa_so_blob"), "no manifest");
}

TEST(ManifestTest, ListsConstants) {
  Writer writer = list_of(2);
  writer.constant("layer.weight", 48, 6, 1, 0, {3, 4}, {4, 1});
  writer.constant("layer.scale", 8, 15, 0, 3, {}, {});
  Manifest manifest;
  ASSERT_EQ(read(writer, &manifest), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(manifest.layout, ConstantLayout::apart);
  EXPECT_EQ(manifest.code_key, "abc_so_blob");
  ASSERT_EQ(manifest.constants.size(), 2u);
  const Constant& weight = manifest.constants[0];
  EXPECT_EQ(weight.fqn, "layer.weight");
  EXPECT_EQ(weight.key, "key:layer.weight");
  EXPECT_EQ(weight.nbytes, 48u);
  EXPECT_EQ(weight.dtype, aten::ScalarType::Float);
  EXPECT_EQ(weight.device, DeviceType::cuda);
  EXPECT_THAT(weight.sizes, ElementsAre(3, 4));
  EXPECT_THAT(weight.strides, ElementsAre(4, 1));
  EXPECT_EQ(manifest.constants[1].dtype, aten::ScalarType::BFloat16);
  EXPECT_EQ(manifest.constants[1].device, DeviceType::cpu);
  EXPECT_EQ(manifest.constants[1].offset, 3);
}

TEST(ManifestTest, AnyStartOfAListIsRefused) {
  Writer writer = list_of(1);
  writer.constant("layer.weight", 48, 6, 1, 0, {3, 4}, {4, 1});
  const std::vector<uint8_t> whole = writer.bytes();
  // Without its magic it is another kind of payload.
  for (size_t size = 10; size < whole.size(); ++size) {
    Manifest manifest;
    EXPECT_EQ(read_manifest({whole.data(), size}, "forward", &manifest), Error::InvalidProgram)
        << size;
  }
  writer.number(uint8_t{0});
  expect_refused(writer, "1 bytes follow");
}

TEST(ManifestTest, RefusesWhatMakesNoSense) {
  const auto with = [](uint64_t nbytes, int32_t dtype, int32_t device, int64_t offset,
                       const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
    Writer writer = list_of(1);
    writer.constant("w", nbytes, dtype, device, offset, sizes, strides);
    return writer;
  };
  expect_refused(with(4, 8, 0, 0, {1}, {1}), "constant 0 'w': type number 8");
  expect_refused(with(4, -1, 0, 0, {1}, {1}), "type number -1");
  expect_refused(with(4, 6, 2, 0, {1}, {1}), "device number 2");
  expect_refused(with(4, 6, 0, -1, {1}, {1}), "offset is -1");
  expect_refused(with(4, 6, 0, 0, {-1}, {1}), "sizes is -1");
  expect_refused(with(4, 6, 0, 0, {1}, {-1}), "strides is -1");
  expect_refused(with(47, 6, 0, 0, {3, 4}, {4, 1}), "reach to byte 48");
  expect_refused(with(48, 6, 0, 1, {3, 4}, {4, 1}), "reach to byte 52");
  expect_refused(with(48, 6, 0, 0, {INT64_MAX, INT64_MAX}, {INT64_MAX, 1}), "storage has 48");
  expect_refused(list_of(kMaxEntries + 1), "constants");
  expect_refused(list_of(1000), "announces 1000 constants");
  expect_refused(Writer().raw("ETCUDAFQN3").text("").number(0u), "key is empty");
  Writer many = list_of(1);
  many.constant("w", 4, 6, 0, 0, std::vector<int64_t>(65, 1), std::vector<int64_t>(65, 1));
  expect_refused(many, "announces 65 dimensions");
}

TEST(ManifestTest, AnEmptyConstantNeedsNoBytes) {
  Writer writer = list_of(1);
  writer.constant("w", 0, 6, 0, 0, {0, 4}, {4, 1});
  Manifest manifest;
  EXPECT_EQ(read(writer, &manifest), Error::Ok) << runtime::last_error_message();
}

TEST(ManifestTest, DamagedListsAreReadOrRefused) {
  Writer writer = list_of(2);
  writer.constant("layer.weight", 48, 6, 1, 0, {3, 4}, {4, 1});
  writer.constant("layer.bias", 12, 6, 0, 0, {3}, {1});
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    Writer damaged = writer;
    for (int i = 0; i < 3; ++i) {
      damaged.bytes()[10 + random() % (damaged.bytes().size() - 10)] =
          static_cast<uint8_t>(random());
    }
    Manifest manifest;
    const Error error = read(damaged, &manifest);
    EXPECT_TRUE(error == Error::Ok || error == Error::InvalidProgram);
    if (error != Error::Ok) continue;
    for (const Constant& constant : manifest.constants) {
      EXPECT_LE(constant.sizes.size(), kMaxRank);
    }
  }
}

}  // namespace
}  // namespace executorch::backends::aoti
