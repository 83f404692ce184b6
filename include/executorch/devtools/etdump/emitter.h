/**
 * @file
 * The last step of the profiler: a finished dump goes to where its user takes it from.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace etdump {
namespace internal {

/**
 * Copies a dump.
 *
 * @param[in] bytes The dump.
 * @param[in] buffer Where to put it; empty: into memory from malloc().
 * @retval Error::OutOfResources It does not fit into the buffer.
 * @retval Error::MemoryAllocationFailed
 */
EXECUTORCH_ETDUMP_API Result<ETDumpResult> emit_dump(
    ::executorch::runtime::Span<const uint8_t> bytes, ::executorch::runtime::Span<uint8_t> buffer);

}  // namespace internal
}  // namespace etdump
}  // namespace executorch
