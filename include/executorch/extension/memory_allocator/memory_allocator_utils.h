/**
 * @file
 * Arithmetic shared by allocators on top of malloc().
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch::extension::utils {

/**
 * How many bytes to ask of malloc() so that `size` bytes fit behind an address aligned to
 * `alignment`, a power of two. malloc() itself aligns to alignof(std::max_align_t); beyond that,
 * `alignment - 1` bytes are added.
 *
 * @retval Error::InvalidArgument The sum does not fit into size_t.
 */
inline runtime::Result<size_t> get_aligned_size(size_t size, size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) {
    return size;
  }
  const size_t extra = alignment - 1;
  ET_REQUIRE(size < SIZE_MAX - extra, InvalidArgument,
             "an allocation of %zu bytes aligned to %zu exceeds the address space", size,
             alignment);
  return size + extra;
}

}  // namespace executorch::extension::utils
