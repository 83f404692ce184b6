#include <executorch/runtime/core/error_message.h>

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

#include "runtime/core/utf8.h"

namespace executorch::runtime {
namespace {

/// The checking macros log at level Error; these tests look at the text only.
class ErrorMessageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::NumLevels);
    clear_error_message();
  }
  void TearDown() override { set_log_level(LogLevel::Debug); }
};

TEST_F(ErrorMessageTest, KeepsTheLatestText) {
  EXPECT_STREQ(last_error_message(), "");
  set_error_message("first %d", 1);
  set_error_message("value %zu of '%s'", size_t{3}, "forward");
  EXPECT_STREQ(last_error_message(), "value 3 of 'forward'");
}

TEST_F(ErrorMessageTest, ContextGoesBefore) {
  set_error_message("inner");
  add_error_context("method '%s'", "forward");
  add_error_context("file.pte");
  EXPECT_STREQ(last_error_message(), "file.pte: method 'forward': inner");
}

TEST_F(ErrorMessageTest, ContextWithoutATextStandsAlone) {
  add_error_context("only this");
  EXPECT_STREQ(last_error_message(), "only this");
}

TEST_F(ErrorMessageTest, TheTextMayBeAnArgument) {
  set_error_message("inner");
  set_error_message("outer (%s)", last_error_message());
  EXPECT_STREQ(last_error_message(), "outer (inner)");
}

TEST_F(ErrorMessageTest, EscapesWhatIsNotPrintable) {
  set_error_message("%s", "a\nb\x01\x7f\xff \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xc0\x80");
  EXPECT_STREQ(last_error_message(),
               "a\\nb\\x01\\x7f\\xff \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \\xc0\\x80");
}

TEST_F(ErrorMessageTest, CutsLongTextsAtACharacter) {
  std::string text;
  while (text.size() < 2 * kMaxErrorMessageSize) text += "\xe2\x82\xac";
  set_error_message("%s", text.c_str());
  const std::string kept = last_error_message();
  EXPECT_LT(kept.size(), kMaxErrorMessageSize);
  EXPECT_EQ(kept.substr(kept.size() - 3), "...");
  EXPECT_EQ((kept.size() - 3) % 3, 0u);
  EXPECT_EQ(kept.find('\\'), std::string::npos);
}

TEST_F(ErrorMessageTest, EscapesNeverOverflow) {
  const std::string text(kMaxErrorMessageSize - 1, '\x01');
  set_error_message("%s", text.c_str());
  EXPECT_LT(std::strlen(last_error_message()), kMaxErrorMessageSize);
  add_error_context("%s", text.c_str());
  EXPECT_LT(std::strlen(last_error_message()), kMaxErrorMessageSize);
}

TEST_F(ErrorMessageTest, BelongsToTheThread) {
  set_error_message("mine");
  std::string other = "unset";
  std::thread([&other] { other = last_error_message(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STREQ(last_error_message(), "mine");
}

Error check_number(int number) {
  ET_CHECK_OR_RETURN_ERROR(number > 0, InvalidArgument, "%d is not positive", number);
  return Error::Ok;
}

bool check_flag(bool flag) {
  ET_CHECK_OR_RETURN_FALSE(flag, "number %d", 5);
  return true;
}

Error forward(int number) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_number(number));
  return Error::Ok;
}

Error forward_with_text(int number) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_number(number), "argument '%s'", "n");
  return Error::Ok;
}

TEST_F(ErrorMessageTest, ChecksLeaveATextAndTheCode) {
  EXPECT_EQ(check_number(1), Error::Ok);
  EXPECT_EQ(check_number(-2), Error::InvalidArgument);
  EXPECT_STREQ(last_error_message(), "-2 is not positive");
  EXPECT_TRUE(check_flag(true));
  EXPECT_FALSE(check_flag(false));
  EXPECT_STREQ(last_error_message(), "Check failed (flag): number 5");
  EXPECT_EQ(forward(-3), Error::InvalidArgument);
  EXPECT_STREQ(last_error_message(), "-3 is not positive");
  EXPECT_EQ(forward_with_text(-4), Error::InvalidArgument);
  EXPECT_STREQ(last_error_message(), "argument 'n': -4 is not positive");
  EXPECT_EQ(forward_with_text(4), Error::Ok);
}

Result<int> half(int number) {
  ET_REQUIRE(number % 2 == 0, InvalidArgument, "%d is odd", number);
  return number / 2;
}

Result<int> quarter(int number) {
  ET_ASSIGN_OR_RETURN(once, half(number));
  ET_ASSIGN_OR_RETURN(twice, half(once), "half of %d", number);
  return twice;
}

Result<int> eighth(int number) {
  const int once = ET_UNWRAP(quarter(number), "eighth");
  return ET_UNWRAP(half(once));
}

TEST_F(ErrorMessageTest, ResultsCarryValueOrError) {
  EXPECT_EQ(quarter(12).get(), 3);
  EXPECT_EQ(quarter(7).error(), Error::InvalidArgument);
  EXPECT_STREQ(last_error_message(), "7 is odd");
  EXPECT_EQ(quarter(6).error(), Error::InvalidArgument);
  EXPECT_STREQ(last_error_message(), "half of 6: 3 is odd");
  EXPECT_EQ(*eighth(16), 2);
  EXPECT_EQ(eighth(2).error(), Error::InvalidArgument);
  EXPECT_STREQ(last_error_message(), "eighth: half of 2: 1 is odd");
  EXPECT_EQ(Result<int>(Error::Ok).error(), Error::Internal);
}

TEST_F(ErrorMessageTest, ResultMovesItsValue) {
  Result<std::string> first(std::string(100, 'x'));
  const Result<std::string> second(std::move(first));
  EXPECT_EQ(second->size(), 100u);
}

TEST(ResultDeathTest, UsingAFailedResultAborts) {
  const Result<int> failed = half(5);
  EXPECT_DEATH((void)failed.get(), "failed Result.*InvalidArgument.*5 is odd");
}

TEST(ErrorNames, AreSpelledOut) {
  EXPECT_STREQ(to_string(Error::OperatorMissing), "Error::OperatorMissing");
  EXPECT_STREQ(to_string(static_cast<Error>(0x99)), "Error::Unknown");
  static_assert(static_cast<uint32_t>(Error::DelegateInvalidHandle) == 0x32);
}

TEST(Utf8, RefusesMalformedSequences) {
  EXPECT_EQ(printable_utf8_length("a"), 1u);
  EXPECT_EQ(printable_utf8_length(""), 0u);
  EXPECT_EQ(printable_utf8_length("\xe2\x82\xac"), 3u);
  EXPECT_EQ(printable_utf8_length("\xe2\x82"), 0u);          // cut
  EXPECT_EQ(printable_utf8_length("\x80"), 0u);              // continuation alone
  EXPECT_EQ(printable_utf8_length("\xe0\x80\x80"), 0u);      // overlong
  EXPECT_EQ(printable_utf8_length("\xed\xa0\x80"), 0u);      // surrogate
  EXPECT_EQ(printable_utf8_length("\xf5\x80\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(printable_utf8_length("\xc2\x85"), 0u);          // control character
}

}  // namespace
}  // namespace executorch::runtime
