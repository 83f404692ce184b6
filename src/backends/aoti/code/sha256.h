/**
 * @file
 * SHA-256 (FIPS 180-4), by which code objects are known.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace executorch::backends::aoti {

/// The digest of `size` bytes, in 64 lower-case hexadecimal digits.
std::string sha256_hex(const void* data, size_t size);

}  // namespace executorch::backends::aoti
