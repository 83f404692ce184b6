/**
 * @file
 * Options of a backend: short keys with a bool, an int or a text.
 */
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <variant>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// Bytes of a key, with its terminating zero.
static constexpr size_t kMaxOptionKeyLength = 64;
/// Bytes of a text value, with its terminating zero.
static constexpr size_t kMaxOptionValueLength = 256;

/// Value of an option. A text is kept in the array, terminated.
using OptionValue = std::variant<bool, int, std::array<char, kMaxOptionValueLength>>;

/// A key and its value.
struct BackendOption {
  char key[kMaxOptionKeyLength]{};
  OptionValue value;
};

namespace internal {

/// Reads an option as bool, int or `const char*`. InvalidArgument when it is of another type.
template <typename T>
Error read_option(const BackendOption& option, T& out) {
  if constexpr (std::is_same_v<T, const char*>) {
    const auto* text = std::get_if<std::array<char, kMaxOptionValueLength>>(&option.value);
    ET_REQUIRE(text != nullptr, InvalidArgument, "backend option '%s' is not a text", option.key);
    out = text->data();
  } else {
    const T* value = std::get_if<T>(&option.value);
    ET_REQUIRE(value != nullptr, InvalidArgument, "backend option '%s' is not %s", option.key,
               std::is_same_v<T, bool> ? "a bool" : "an int");
    out = *value;
  }
  return Error::Ok;
}

}  // namespace internal

/// A list of at most `MaxCapacity` options with distinct keys. Not thread-safe.
template <size_t MaxCapacity>
class BackendOptions {
 public:
  BackendOptions() : size_(0) {}

  BackendOptions(const BackendOptions& other) : size_(0) { *this = other; }

  BackendOptions& operator=(const BackendOptions& other) {
    if (this == &other) return *this;
    size_ = other.size_;
    for (size_t i = 0; i < size_; ++i) options_[i] = other.options_[i];
    return *this;
  }

  /// The options, in place.
  Span<BackendOption> view() { return Span<BackendOption>(options_, size_); }

  /// Sets or replaces an option. InvalidArgument when the list is full.
  template <size_t N>
  Error set_option(const char (&key)[N], bool value) noexcept {
    static_assert(N <= kMaxOptionKeyLength, "the option's key is too long");
    return store(key, OptionValue(value));
  }
  template <size_t N>
  Error set_option(const char (&key)[N], int value) noexcept {
    static_assert(N <= kMaxOptionKeyLength, "the option's key is too long");
    return store(key, OptionValue(value));
  }
  /// A text over the limit is cut.
  template <size_t N>
  Error set_option(const char (&key)[N], const char* value) noexcept {
    static_assert(N <= kMaxOptionKeyLength, "the option's key is too long");
    std::array<char, kMaxOptionValueLength> text{};
    for (size_t i = 0; i + 1 < text.size() && value[i] != '\0'; ++i) text[i] = value[i];
    return store(key, OptionValue(text));
  }

  /// Reads an option as bool, int or `const char*` (valid as long as the list). NotFound without
  /// such a key, InvalidArgument when it has another type.
  template <typename T, size_t KeyLen>
  Error get_option(const char (&key)[KeyLen], T& out) const {
    static_assert(KeyLen <= kMaxOptionKeyLength, "the option's key is too long");
    for (size_t i = 0; i < size_; ++i) {
      if (std::strcmp(options_[i].key, key) == 0) return internal::read_option(options_[i], out);
    }
    return ET_ERROR(NotFound, "there is no backend option '%s'", key);
  }

 private:
  Error store(const char* key, const OptionValue& value) {
    size_t place = 0;
    while (place < size_ && std::strcmp(options_[place].key, key) != 0) ++place;
    ET_REQUIRE(place < MaxCapacity, InvalidArgument,
               "backend option '%s' does not fit: the list holds %zu options", key, MaxCapacity);
    if (place == size_) {
      // Keys are literals of at most kMaxOptionKeyLength bytes with their terminator.
      std::memcpy(options_[place].key, key, std::strlen(key) + 1);
      ++size_;
    }
    options_[place].value = value;
    return Error::Ok;
  }

  BackendOption options_[MaxCapacity]{};
  size_t size_;
};

}  // namespace runtime
}  // namespace executorch
