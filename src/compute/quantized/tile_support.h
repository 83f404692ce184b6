/**
 * @file
 * Whether the CPU multiplies tiles of bytes (AMX) beside Isa::avx512. Results are the same with and
 * without.
 */
#pragma once

#include <executorch/runtime/platform/export.h>

namespace executorch::compute {

/// The CPU has them, the operating system lets this process use them (it is asked once), and they
/// are allowed.
EXECUTORCH_COMPUTE_API bool byte_tiles_usable() noexcept;

/// Allows them, as at first, or not. For tests; plans made before keep their scratch sizes.
EXECUTORCH_COMPUTE_API void allow_byte_tiles(bool allowed) noexcept;

}  // namespace executorch::compute
