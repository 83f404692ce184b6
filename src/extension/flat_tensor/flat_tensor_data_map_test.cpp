#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <random>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/error_message.h>

#include "extension/flat_tensor/testing/data_file_builder.h"

namespace executorch {
namespace extension {
namespace {

using runtime::Error;
using runtime::last_error_message;
using runtime::Result;
using testing::DataFileBuilder;
using ::testing::HasSubstr;

/// A copy of bytes at an aligned address, with a loader and, where it loads, a map over it.
struct OpenFile {
  explicit OpenFile(const std::vector<uint8_t>& bytes)
      : memory(static_cast<uint8_t*>(::operator new(bytes.size() + 1, std::align_val_t{64}))),
        loader((std::copy(bytes.begin(), bytes.end(), memory), memory), bytes.size()),
        map(FlatTensorDataMap::load(&loader)) {}
  OpenFile(const OpenFile&) = delete;
  ~OpenFile() { ::operator delete(memory, std::align_val_t{64}); }

  uint8_t* memory;
  BufferDataLoader loader;
  Result<FlatTensorDataMap> map;
};

DataFileBuilder two_tensors() {
  DataFileBuilder builder;
  builder.add("weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  builder.add("bias", {3}, {7, 8, 9});
  return builder;
}

void expect_refused(const DataFileBuilder& builder, Error error, const char* text) {
  OpenFile file(builder.finish());
  EXPECT_EQ(file.map.error(), error) << text;
  EXPECT_THAT(last_error_message(), HasSubstr(text));
}

TEST(FlatTensorDataMapTest, GivesKeysLayoutsAndData) {
  DataFileBuilder builder = two_tensors();
  builder.add_blob("blob", {1, 2, 3, 4, 5});
  OpenFile file(builder.finish());
  ASSERT_TRUE(file.map.ok()) << last_error_message();
  EXPECT_EQ(file.map->get_num_keys().get(), 3u);
  EXPECT_STREQ(file.map->get_key(1).get(), "bias");
  EXPECT_EQ(file.map->get_key(3).error(), Error::InvalidArgument);

  const auto layout = file.map->get_tensor_layout("weight");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->scalar_type(), executorch::aten::ScalarType::Float);
  EXPECT_EQ(layout->sizes().size(), 2u);
  EXPECT_EQ(layout->nbytes(), 24u);

  const auto data = file.map->get_data("bias");
  ASSERT_TRUE(data.ok());
  ASSERT_EQ(data->size(), 12u);
  EXPECT_EQ(static_cast<const float*>(data->data())[2], 9.0f);

  EXPECT_EQ(file.map->get_data("blob")->size(), 5u);
  EXPECT_EQ(file.map->get_tensor_layout("blob").error(), Error::InvalidExternalData);
  EXPECT_THAT(last_error_message(), HasSubstr("blob"));
}

TEST(FlatTensorDataMapTest, MissingKeyIsNamed) {
  OpenFile file(two_tensors().finish());
  ASSERT_TRUE(file.map.ok());
  EXPECT_EQ(file.map->get_data("no.such").error(), Error::NotFound);
  EXPECT_THAT(last_error_message(), HasSubstr("'no.such'"));
  EXPECT_EQ(file.map->get_tensor_layout("no.such").error(), Error::NotFound);
}

TEST(FlatTensorDataMapTest, LoadsIntoMemoryOfTheCaller) {
  OpenFile file(two_tensors().finish());
  ASSERT_TRUE(file.map.ok());
  float values[3] = {0, 0, -1};
  EXPECT_EQ(file.map->load_data_into("bias", values, 8), Error::Ok);
  EXPECT_EQ(values[1], 8.0f);
  EXPECT_EQ(values[2], -1.0f);
  EXPECT_EQ(file.map->load_data_into("bias", values, 13), Error::InvalidArgument);
  EXPECT_EQ(file.map->load_data_into("bias", nullptr, 4), Error::InvalidArgument);
}

TEST(FlatTensorDataMapTest, ScalarsAndEmptyTensorsAreOrdinary) {
  DataFileBuilder builder;
  builder.add("scalar", {}, {5});
  builder.add("empty", {0, 4}, {});
  OpenFile file(builder.finish());
  ASSERT_TRUE(file.map.ok()) << last_error_message();
  EXPECT_EQ(file.map->get_tensor_layout("scalar")->nbytes(), 4u);
  EXPECT_EQ(file.map->get_tensor_layout("empty")->nbytes(), 0u);
  EXPECT_EQ(file.map->get_data("empty")->size(), 0u);
}

TEST(FlatTensorDataMapTest, TwoKeysMayShareASegment) {
  DataFileBuilder builder = two_tensors();
  builder.entries[1].segment = 0;
  OpenFile file(builder.finish());
  ASSERT_TRUE(file.map.ok()) << last_error_message();
  EXPECT_EQ(file.map->get_data("bias")->data(), file.map->get_data("weight")->data());
}

TEST(FlatTensorDataMapTest, RefusesBadTables) {
  DataFileBuilder builder = two_tensors();
  builder.version = 1;
  expect_refused(builder, Error::InvalidExternalData, "version 1");

  builder = two_tensors();
  builder.without_segment_table = true;
  expect_refused(builder, Error::InvalidExternalData, "segments is missing");

  builder = two_tensors();
  builder.without_entry_table = true;
  expect_refused(builder, Error::InvalidExternalData, "named data is missing");

  builder = two_tensors();
  builder.entries[1].key.reset();
  expect_refused(builder, Error::InvalidExternalData, "named data 1 has no key");

  builder = two_tensors();
  builder.entries[1].key = std::string("a\0b", 3);
  expect_refused(builder, Error::InvalidExternalData, "zero byte");

  builder = two_tensors();
  builder.entries[1].key = "weight";
  expect_refused(builder, Error::InvalidArgument, "'weight' occurs twice");

  builder = two_tensors();
  builder.entries[1].segment = 2;
  expect_refused(builder, Error::InvalidExternalData, "its segment is 2");
}

TEST(FlatTensorDataMapTest, RefusesBadSegments) {
  DataFileBuilder builder = two_tensors();
  builder.first_segment_offset = 1000;
  expect_refused(builder, Error::InvalidExternalData, "segment 0");

  builder = two_tensors();
  builder.first_segment_size = UINT64_MAX - 8;
  expect_refused(builder, Error::InvalidExternalData, "segment 0");

  builder = two_tensors();
  builder.first_segment_size = 23;
  expect_refused(builder, Error::InvalidExternalData, "takes 24 bytes, segment 0 has 23");
}

TEST(FlatTensorDataMapTest, RefusesBadLayouts) {
  DataFileBuilder builder = two_tensors();
  builder.entries[0].layout->sizes = {1 << 30, 1 << 30, 1 << 30};
  builder.entries[0].layout->dim_order = {0, 1, 2};
  expect_refused(builder, Error::InvalidExternalData, "key 'weight'");

  builder = two_tensors();
  builder.entries[0].layout->sizes = {-2, -3};
  expect_refused(builder, Error::InvalidExternalData, "key 'weight'");

  builder = two_tensors();
  builder.entries[0].layout->dim_order = {0, 0};
  expect_refused(builder, Error::InvalidExternalData, "key 'weight'");

  builder = two_tensors();
  builder.entries[0].layout->dim_order = {0};
  expect_refused(builder, Error::InvalidExternalData, "dim order of 1");

  builder = two_tensors();
  builder.entries[0].layout->sizes.assign(17, 1);
  builder.entries[0].layout->dim_order.assign(17, 0);
  expect_refused(builder, Error::InvalidExternalData, "17 dimensions");

  builder = two_tensors();
  builder.entries[0].layout->type = static_cast<executorch_flatbuffer::ScalarType>(99);
  expect_refused(builder, Error::InvalidExternalData, "scalar type");
}

TEST(FlatTensorDataMapTest, RefusesMisalignedMemory) {
  const std::vector<uint8_t> bytes = two_tensors().finish();
  std::vector<uint64_t> memory(bytes.size() / 8 + 3);
  uint8_t* start = reinterpret_cast<uint8_t*>(memory.data());
  while (reinterpret_cast<uintptr_t>(start) % 16 != 4) {
    start += 4;
  }
  std::memcpy(start, bytes.data(), bytes.size() - 8);
  BufferDataLoader loader(start, bytes.size() - 8);
  EXPECT_FALSE(FlatTensorDataMap::load(&loader).ok());
  EXPECT_EQ(FlatTensorDataMap::load(nullptr).error(), Error::InvalidArgument);
}

TEST(FlatTensorDataMapTest, EveryTruncationIsRefusedOrHarmless) {
  const std::vector<uint8_t> bytes = two_tensors().finish();
  for (size_t size = 0; size < bytes.size(); ++size) {
    OpenFile file(std::vector<uint8_t>(bytes.begin(), bytes.begin() + size));
    EXPECT_FALSE(file.map.ok()) << size;
  }
}

TEST(FlatTensorDataMapTest, DamagedBytesNeverLeaveTheFile) {
  const std::vector<uint8_t> bytes = two_tensors().finish();
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> damaged = bytes;
    for (int i = 0; i < 1 + round % 4; ++i) {
      damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    }
    OpenFile file(damaged);
    if (!file.map.ok()) {
      EXPECT_STRNE(last_error_message(), "");
      continue;
    }
    const uint32_t count = file.map->get_num_keys().get();
    for (uint32_t i = 0; i < count; ++i) {
      const char* key = file.map->get_key(i).get();
      const auto data = file.map->get_data(key);
      ASSERT_TRUE(data.ok());
      const auto* first = static_cast<const uint8_t*>(data->data());
      ASSERT_GE(first, file.memory);
      ASSERT_LE(first + data->size(), file.memory + bytes.size());
      const auto layout = file.map->get_tensor_layout(key);
      ASSERT_TRUE(!layout.ok() || layout->nbytes() <= data->size());
    }
  }
}

TEST(FlatTensorHeaderTest, RefusesWhatIsNoHeader) {
  std::vector<uint8_t> bytes = two_tensors().finish();
  EXPECT_TRUE(FlatTensorHeader::Parse(bytes.data(), bytes.size()).ok());
  EXPECT_EQ(FlatTensorHeader::Parse(bytes.data(), 63).error(), Error::InvalidArgument);
  EXPECT_EQ(FlatTensorHeader::Parse(nullptr, 64).error(), Error::InvalidArgument);
  bytes[12] = 39;
  EXPECT_EQ(FlatTensorHeader::Parse(bytes.data(), bytes.size()).error(),
            Error::InvalidExternalData);
  bytes[12] = 48;
  EXPECT_TRUE(FlatTensorHeader::Parse(bytes.data(), bytes.size()).ok());
  std::memset(bytes.data() + 16, 0xff, 16);
  EXPECT_EQ(FlatTensorHeader::Parse(bytes.data(), bytes.size()).error(),
            Error::InvalidExternalData);
  bytes[8] = 'X';
  EXPECT_EQ(FlatTensorHeader::Parse(bytes.data(), bytes.size()).error(),
            Error::InvalidExternalData);
  EXPECT_THAT(last_error_message(), HasSubstr("FH01"));
}

}  // namespace
}  // namespace extension
}  // namespace executorch
