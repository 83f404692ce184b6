/**
 * @file
 * Code objects for the tests, built beside the test program.
 */
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <executorch/runtime/core/span.h>

namespace executorch::backends::aoti::testing {

/// The bytes of a file beside the tests; empty when it is not there.
inline std::vector<uint8_t> read_code(const std::string& name) {
  std::ifstream file(std::string(EXECUTORCH_AOTI_TEST_CODE) + "/lib" + name + ".so",
                     std::ios::binary);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

inline runtime::Span<const uint8_t> span_of(const std::vector<uint8_t>& bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace executorch::backends::aoti::testing
