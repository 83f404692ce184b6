/**
 * @file
 * A program with test inputs and expected outputs (.bpte), read from bytes that nobody has checked.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>

namespace executorch::bundled_program {

/// A value of a test case. A tensor has memory of its own, which methods may write into.
struct BundledValue {
  runtime::EValue value;
  extension::TensorPtr tensor;  ///< what `value` refers to; null for other kinds
};

/// A verified bundle. Refers to bytes that must outlive it and must not change.
class EXECUTORCH_BUNDLED_PROGRAM_API Bundle {
 public:
  /// Checks every table and every value of the bundle. The program inside is checked when it is
  /// loaded. Error::InvalidArgument: the bytes are no bundle, or a damaged one.
  static runtime::Result<Bundle> read(const void* data, size_t size);

  /// A bundle whose bytes read() has accepted before.
  static Bundle of_checked(const void* data);

  /// The program file that the bundle contains, and where it begins.
  runtime::Span<const uint8_t> program() const { return program_; }
  size_t program_offset() const { return static_cast<size_t>(program_.data() - data_); }

  /// Inputs of a test case. Error::InvalidArgument: no such method or test case.
  runtime::Result<std::vector<BundledValue>> inputs(const std::string& method,
                                                    int64_t test_case) const;
  /// Where the elements of an input lie in the bundle; null when it is no tensor or does not exist.
  const void* input_bytes(const std::string& method, int64_t test_case, size_t input) const;
  /// As inputs().
  runtime::Result<std::vector<BundledValue>> expected_outputs(const std::string& method,
                                                              int64_t test_case) const;

 private:
  explicit Bundle(const uint8_t* data) : data_(data) {}

  const uint8_t* data_;
  runtime::Span<const uint8_t> program_;
};

}  // namespace executorch::bundled_program
