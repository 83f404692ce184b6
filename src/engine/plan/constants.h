/**
 * @file
 * Reading constants that lie in another layout than row-major.
 */
#pragma once

#include "engine/graph/graph.h"

namespace executorch::engine {

/// Copies a constant's elements to `to` in dense row-major order; `to` has room for all of them.
void copy_constant(const Value& constant, void* to);

}  // namespace executorch::engine
