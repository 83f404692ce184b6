/**
 * @file
 * The largest rank.
 */
#pragma once

#include <cstddef>

namespace executorch::runtime {

/// Most dimensions that a tensor may have.
constexpr size_t kTensorDimensionLimit = 16;

}  // namespace executorch::runtime
