#include <executorch/runtime/core/error_message.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime/core/utf8.h"

namespace executorch {
namespace runtime {
namespace {

// Plain bytes, zero at thread start: no constructor, no allocation, no destructor.
thread_local char message[kMaxErrorMessageSize];

constexpr char kCutMark[] = "...";

/// Appends to the thread's text and escapes; what does not fit is replaced by a mark.
class MessageWriter {
 public:
  void append(const char* text) {
    while (*text != '\0' && !cut_) {
      const size_t length = printable_utf8_length(text);
      if (length > 0) {
        put(text, length);
        text += length;
      } else {
        put_escaped(static_cast<unsigned char>(*text));
        ++text;
      }
    }
    message[size_] = '\0';
  }

  void mark_cut() {
    if (!cut_) put(kCutMark, sizeof(kCutMark) - 1);
    cut_ = true;
    message[size_] = '\0';
  }

 private:
  static constexpr size_t kRoom = kMaxErrorMessageSize - sizeof(kCutMark);

  void put(const char* bytes, size_t count) {
    if (size_ + count > kRoom) {
      cut_ = true;
      bytes = kCutMark;
      count = sizeof(kCutMark) - 1;
    }
    std::memcpy(message + size_, bytes, count);
    size_ += count;
  }

  void put_escaped(unsigned char byte) {
    char text[8];
    switch (byte) {
      case '\n':
        std::snprintf(text, sizeof(text), "\\n");
        break;
      case '\t':
        std::snprintf(text, sizeof(text), "\\t");
        break;
      default:
        std::snprintf(text, sizeof(text), "\\x%02x", byte);
    }
    put(text, std::strlen(text));
  }

  size_t size_ = 0;
  bool cut_ = false;
};

/// A formatted text before it is escaped. Made before the thread's text changes, which may be among
/// the arguments.
struct Formatted {
  Formatted(const char* format, va_list args) {
    const int length = std::vsnprintf(text, sizeof(text), format, args);
    if (length < 0) std::snprintf(text, sizeof(text), "(a text that cannot be formatted)");
    if (length >= static_cast<int>(sizeof(text))) {
      cut = true;
      drop_broken_tail();
    }
  }

  /// Removes a UTF-8 sequence that the end of the buffer has cut.
  void drop_broken_tail() {
    size_t end = std::strlen(text);
    while (end > 0 && (static_cast<unsigned char>(text[end - 1]) & 0xc0) == 0x80) --end;
    if (end > 0 && static_cast<unsigned char>(text[end - 1]) >= 0xc0) text[end - 1] = '\0';
  }

  char text[kMaxErrorMessageSize];
  bool cut = false;
};

void write(const Formatted& first, const char* separator, const char* second) {
  MessageWriter writer;
  writer.append(first.text);
  if (first.cut) writer.mark_cut();
  writer.append(separator);
  writer.append(second);
}

void add_context(const char* format, va_list args) {
  const Formatted context(format, args);
  char previous[kMaxErrorMessageSize];
  std::memcpy(previous, message, sizeof(previous));
  write(context, previous[0] == '\0' ? "" : ": ", previous);
}

}  // namespace

const char* last_error_message() noexcept {
  return message;
}

void set_error_message(const char* format, ...) noexcept {
  va_list args;
  va_start(args, format);
  const Formatted text(format, args);
  va_end(args);
  write(text, "", "");
}

void add_error_context(const char* format, ...) noexcept {
  va_list args;
  va_start(args, format);
  add_context(format, args);
  va_end(args);
}

void clear_error_message() noexcept {
  message[0] = '\0';
}

namespace internal {

bool add_message(const char* format, ...) noexcept {
  va_list args;
  va_start(args, format);
  add_context(format, args);
  va_end(args);
  return true;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
