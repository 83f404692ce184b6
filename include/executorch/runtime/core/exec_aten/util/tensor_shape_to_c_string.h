/**
 * @file
 * Shapes as text.
 */
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>

namespace executorch::runtime {

/// Room for the text of every shape with up to kTensorDimensionLimit sizes: brackets, ten digits
/// and a separator per size, and the terminating zero.
constexpr size_t kTensorShapeStringSizeLimit =
    1 + 10 * kTensorDimensionLimit + 2 * kTensorDimensionLimit + 1;

namespace internal {
/// Sizes above it are shown as "ERR", as are negative ones.
constexpr size_t kMaximumPrintableTensorShapeElement = std::numeric_limits<int32_t>::max();
}  // namespace internal

/**
 * Shows a shape as "(1, 2, 3)", or says that it has too many dimensions. Allocates nothing.
 *
 * @returns The text with its terminating zero.
 */
EXECUTORCH_API std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(
    executorch::runtime::Span<const std::int32_t> shape);
EXECUTORCH_API std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(
    executorch::runtime::Span<const std::int64_t> shape);

}  // namespace executorch::runtime
