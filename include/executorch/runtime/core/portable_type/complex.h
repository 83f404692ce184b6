/**
 * @file
 * Complex numbers.
 */
#pragma once

#include <c10/util/complex.h>

namespace executorch::runtime::etensor {
using c10::complex;
}  // namespace executorch::runtime::etensor

namespace torch::executor {
using ::executorch::runtime::etensor::complex;
}  // namespace torch::executor
