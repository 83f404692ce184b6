/**
 * @file
 * Quantised products, convolutions and the streaming of half-byte weights.
 */
#pragma once

namespace executorch::benchmarks {

void register_quantized();

}  // namespace executorch::benchmarks
