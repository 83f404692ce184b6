#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>
#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>
#include <executorch/devtools/etdump/utils.h>
#include <executorch/runtime/core/error_message.h>

#include "runtime/platform/testing/process.h"

namespace executorch {
namespace etdump {
namespace {

using ::executorch::runtime::Error;
using ::executorch::runtime::last_error_message;
using ::testing::HasSubstr;

TEST(BufferDataSinkTest, AlignsAddressesAndZeroesGaps) {
  alignas(64) uint8_t storage[256];
  std::fill(std::begin(storage), std::end(storage), uint8_t{0xEE});
  auto sink = BufferDataSink::create(storage + 16, 240);
  ASSERT_TRUE(sink.ok());
  EXPECT_EQ(sink->write("abc", 3).get(), 48u);
  EXPECT_EQ(storage[63], 0);
  EXPECT_EQ(storage[64], 'a');
  EXPECT_EQ(sink->write("d", 1).get(), 112u);
  EXPECT_EQ(storage[70], 0);
  EXPECT_EQ(sink->get_used_bytes(), 113u);
  EXPECT_EQ(sink->get_storage_size().get(), 240u);
}

TEST(BufferDataSinkTest, RefusesWhatDoesNotFit) {
  alignas(64) uint8_t storage[128];
  auto sink = BufferDataSink::create(storage, sizeof(storage));
  ASSERT_TRUE(sink.ok());
  EXPECT_EQ(sink->write(storage, 129).error(), Error::OutOfResources);
  EXPECT_THAT(last_error_message(), HasSubstr("129 bytes"));
  EXPECT_EQ(sink->write(storage, SIZE_MAX - 3).error(), Error::OutOfResources);
  EXPECT_TRUE(sink->write("x", 1).ok());
  EXPECT_TRUE(sink->write("x", 1).ok());
  EXPECT_EQ(sink->write("x", 1).error(), Error::OutOfResources);
  EXPECT_EQ(sink->write(nullptr, 1).error(), Error::InvalidArgument);
  EXPECT_TRUE(sink->write(nullptr, 0).ok());
  EXPECT_EQ(BufferDataSink::create(storage, 128, 3).error(), Error::InvalidArgument);
  EXPECT_EQ(BufferDataSink::create(storage, 128, 0).error(), Error::InvalidArgument);
  BufferDataSink empty;
  EXPECT_EQ(empty.write("x", 1).error(), Error::OutOfResources);
}

TEST(FileDataSinkTest, AppendsToAFile) {
  const std::string path = test_support::temporary_path("data_sinks_test");
  {
    auto sink = FileDataSink::create(path.c_str());
    ASSERT_TRUE(sink.ok()) << last_error_message();
    FileDataSink moved(std::move(*sink));
    EXPECT_EQ(moved.write("abc", 3).get(), 0u);
    EXPECT_EQ(moved.write("de", 2).get(), 3u);
    EXPECT_EQ(moved.get_used_bytes(), 5u);
    EXPECT_EQ(sink->write("x", 1).error(), Error::AccessFailed);
    moved.close();
    EXPECT_EQ(moved.write("x", 1).error(), Error::AccessFailed);
  }
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "abcde");
  std::remove(path.c_str());
  EXPECT_EQ(FileDataSink::create("/no/such/folder/file").error(), Error::AccessFailed);
  EXPECT_EQ(FileDataSink::create(nullptr).error(), Error::InvalidArgument);
}

TEST(AlignPointerTest, RoundsUp) {
  EXPECT_EQ(internal::align_pointer(reinterpret_cast<void*>(65), 64),
            reinterpret_cast<uint8_t*>(128));
  EXPECT_EQ(internal::align_pointer(reinterpret_cast<void*>(128), 64),
            reinterpret_cast<uint8_t*>(128));
}

}  // namespace
}  // namespace etdump
}  // namespace executorch
