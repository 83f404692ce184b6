/**
 * @file
 * Reads little-endian numbers and counted texts from bytes that nobody vouches for.
 */
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

namespace executorch::backends::aoti {

using runtime::Error;

/// A position in bytes that it does not own. Every failure is InvalidProgram with the place.
class ByteReader {
 public:
  explicit ByteReader(runtime::Span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

  /// True, and the text is passed over, when the bytes go on with it.
  bool skip(const char* text) {
    const size_t size = std::strlen(text);
    if (remaining() < size || std::memcmp(bytes_.data() + position_, text, size) != 0) return false;
    position_ += size;
    return true;
  }

  Error read(uint32_t* value, const char* what) { return read_number(value, what); }
  Error read(int32_t* value, const char* what) { return read_number(value, what); }
  Error read(uint64_t* value, const char* what) { return read_number(value, what); }
  Error read(int64_t* value, const char* what) { return read_number(value, what); }

  /// A u32 byte count and the bytes.
  Error read(std::string* text, const char* what) {
    uint32_t size = 0;
    ET_TRY(read_number(&size, what));
    ET_REQUIRE(size <= remaining(), InvalidProgram,
               "the payload ends within %s at byte %zu: %u bytes are announced, %zu are left", what,
               position_, size, remaining());
    text->assign(reinterpret_cast<const char*>(bytes_.data() + position_), size);
    position_ += size;
    return Error::Ok;
  }

  /// A u32 count of things that take at least `least_bytes` each.
  Error read_count(uint32_t* count, uint32_t most, size_t least_bytes, const char* what) {
    ET_TRY(read_number(count, what));
    ET_REQUIRE(*count <= most && *count <= remaining() / least_bytes, InvalidProgram,
               "the payload announces %u %s at byte %zu: at most %u are allowed, and %zu bytes are "
               "left",
               *count, what, position_, most, remaining());
    return Error::Ok;
  }

 private:
  template <class T>
  Error read_number(T* value, const char* what) {
    ET_REQUIRE(sizeof(T) <= remaining(), InvalidProgram,
               "the payload ends within %s at byte %zu of %zu", what, position_, bytes_.size());
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      bits |= uint64_t{bytes_[position_ + i]} << (8 * i);
    }
    *value = static_cast<T>(bits);
    position_ += sizeof(T);
    return Error::Ok;
  }

  runtime::Span<const uint8_t> bytes_;
  size_t position_ = 0;
};

}  // namespace executorch::backends::aoti
