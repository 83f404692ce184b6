/**
 * @file
 * Writes payloads for the tests, as exporters do and as they do not.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <executorch/runtime/core/span.h>

namespace executorch::backends::aoti::testing {

class PayloadWriter {
 public:
  PayloadWriter& raw(const std::string& text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  /// In as many bytes as the type has.
  template <class T>
  PayloadWriter& number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
    }
    return *this;
  }
  PayloadWriter& text(const std::string& text) {
    return number(static_cast<uint32_t>(text.size())).raw(text);
  }
  /// Under the key "key:<fqn>".
  PayloadWriter& constant(const std::string& fqn, uint64_t nbytes, int32_t dtype, int32_t device,
                          int64_t offset, const std::vector<int64_t>& sizes,
                          const std::vector<int64_t>& strides) {
    text(fqn).text("key:" + fqn).number(nbytes).number(dtype).number(device).number(offset);
    number(static_cast<uint32_t>(sizes.size()));
    for (const int64_t size : sizes) number(size);
    for (const int64_t stride : strides) number(stride);
    return *this;
  }
  runtime::Span<const uint8_t> span() const { return {bytes_.data(), bytes_.size()}; }
  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace executorch::backends::aoti::testing
