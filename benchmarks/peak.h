/**
 * @file
 * What the core could do at best: the yardstick of the kernels' benchmarks.
 */
#pragma once

#include "compute/cpu/cpu.h"

namespace executorch::benchmarks {

/// Single precision operations per second of one core with the instruction set's multiply-adds, all
/// operands in registers; the best of many short trials, measured once per instruction set.
double peak_flops(compute::Isa isa);

/// The same of byte multiplications and additions, whose sums are exact in 32 bits.
double peak_byte_operations(compute::Isa isa);

}  // namespace executorch::benchmarks
