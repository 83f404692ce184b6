#include <executorch/runtime/platform/platform.h>

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/clock.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>

#include "runtime/platform/library_path.h"

namespace executorch::runtime {
namespace {

std::vector<std::string> messages;
et_pal_log_level_t last_level;

void keep_message(et_timestamp_t, et_pal_log_level_t level, const char*, const char*, size_t,
                  const char* message, size_t length) {
  last_level = level;
  messages.emplace_back(message, length);
}

/// Redirects messages into `messages` and restores what was there.
class PlatformTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime_init();
    before_ = *get_pal_impl();
    level_ = log_level();
    set_log_level(LogLevel::Debug);
    messages.clear();
    ASSERT_TRUE(register_pal(PalImpl::create(keep_message, __FILE__)));
  }
  void TearDown() override {
    register_pal(before_);
    set_log_level(level_);
  }

  PalImpl before_;
  LogLevel level_;
};

TEST_F(PlatformTest, RegisteringKeepsEntriesThatAreNull) {
  EXPECT_EQ(get_pal_impl()->emit_log_message, &keep_message);
  EXPECT_EQ(get_pal_impl()->allocate, before_.allocate);
  EXPECT_EQ(get_pal_impl()->current_ticks, before_.current_ticks);
  EXPECT_STREQ(get_pal_impl()->source_filename, __FILE__);
}

TEST_F(PlatformTest, FormerTablesStayReadable) {
  const PalImpl* const former = get_pal_impl();
  register_pal(before_);
  EXPECT_EQ(former->emit_log_message, &keep_message);
}

TEST_F(PlatformTest, LogFormatsAndTellsTheLevel) {
  ET_LOG(Info, "%d of %s", 3, "four");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "3 of four");
  EXPECT_EQ(last_level, kInfo);
  ET_LOG(Debug, "below the compiled level");
  EXPECT_EQ(messages.size(), 1u);
}

TEST_F(PlatformTest, LevelCanBeRaisedAtRunTime) {
  set_log_level(LogLevel::Error);
  ET_LOG(Info, "dropped");
  ET_LOG(Error, "kept");
  set_log_level(LogLevel::NumLevels);
  ET_LOG(Error, "dropped");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "kept");
}

TEST_F(PlatformTest, LongMessagesAreCut) {
  const std::string text(5000, 'x');
  ET_LOG(Error, "%s", text.c_str());
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], std::string(1023, 'x'));
}

TEST_F(PlatformTest, PercentSignsInArgumentsAreText) {
  ET_LOG(Error, "%s", "100%n%s");
  EXPECT_EQ(messages.at(0), "100%n%s");
}

TEST_F(PlatformTest, ConcurrentRegistrationAndUse) {
  std::thread registrar([this] {
    for (int i = 0; i < 200; ++i) register_pal(before_);
  });
  for (int i = 0; i < 2000; ++i) pal_free(pal_allocate(8));
  registrar.join();
}

TEST(Clock, IsMonotonicAndConverts) {
  const et_timestamp_t first = pal_current_ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const et_timestamp_t second = pal_current_ticks();
  EXPECT_GE(ticks_to_ns(second) - ticks_to_ns(first), 1'000'000u);
}

TEST(CheckDeathTest, AbortsWithConditionAndText) {
  EXPECT_DEATH(ET_CHECK_MSG(1 > 2, "number %d", 7), "1 > 2.*number 7");
  EXPECT_DEATH(ET_CHECK(false), "assert failed: false");
}

TEST(LibraryPath, NamesTheProgram) {
  const internal::LibraryPath own(reinterpret_cast<const void*>(&keep_message));
  EXPECT_NE(std::strstr(own.text, "runtime_tests"), nullptr) << own.text;
  int on_stack = 0;
  EXPECT_STREQ(internal::LibraryPath(&on_stack).text, "(unknown file)");
}

}  // namespace
}  // namespace executorch::runtime
