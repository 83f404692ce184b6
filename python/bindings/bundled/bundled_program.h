// A program with test inputs and expected outputs (.bpte), read from bytes that nobody has checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include "tensors.h"

namespace executorch::python {

/// A verified bundle. Refers to bytes that must outlive it and must not change.
class BundledProgram {
 public:
  /// Checks every table and every value of the bundle. The program inside is checked when it is
  /// loaded. Error::InvalidArgument: the bytes are no bundle, or a damaged one.
  static runtime::Result<BundledProgram> read(const void* data, size_t size);

  /// The program file that the bundle contains, and where it begins.
  runtime::Span<const uint8_t> program() const { return program_; }
  size_t program_offset() const { return static_cast<size_t>(program_.data() - data_); }

  /// Inputs of a test case, with memory of their own: methods may write into their inputs.
  /// Error::InvalidArgument: no such method or test case.
  runtime::Result<std::vector<Input>> inputs(const std::string& method, int64_t test_case) const;
  /// As inputs().
  runtime::Result<std::vector<Input>> expected_outputs(const std::string& method,
                                                       int64_t test_case) const;

 private:
  explicit BundledProgram(const uint8_t* data) : data_(data) {}

  const uint8_t* data_;
  runtime::Span<const uint8_t> program_;
};

}  // namespace executorch::python
