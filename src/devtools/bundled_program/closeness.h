/**
 * @file
 * Comparing results with what a test case expects.
 */
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/platform/export.h>

namespace executorch::bundled_program {

/// Ok when both have the same kind, type and shape and every element of `found` is within
/// atol + rtol * |expected|; integers and booleans must be equal, NaN is close to NaN, layouts may
/// differ. Error::NotFound, as the original gives, with a text that names the first element that
/// differs. Error::NotSupported: a kind of value that bundles cannot hold.
EXECUTORCH_BUNDLED_PROGRAM_API runtime::Error check_close(const runtime::EValue& found,
                                                          const runtime::EValue& expected,
                                                          double rtol, double atol);

}  // namespace executorch::bundled_program
