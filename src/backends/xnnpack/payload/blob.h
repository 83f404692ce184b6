/**
 * @file
 * The container of a payload: where its tables and inline constants lie.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

namespace executorch::backends::xnnpack {

struct BlobRegions {
  runtime::Span<const uint8_t> tables;
  /// Inline constants; empty when there are none.
  runtime::Span<const uint8_t> constants;
};

/// A blob without the container's mark is taken as tables throughout. InvalidArgument when a region
/// leaves the blob or they overlap.
runtime::Error find_regions(runtime::Span<const uint8_t> blob, BlobRegions* regions);

}  // namespace executorch::backends::xnnpack
