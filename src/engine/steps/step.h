/**
 * @file
 * A step: one piece of work of a plan, over storages whose addresses are known when the plan runs.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/error_message.h>

#include "engine/graph/dims.h"

namespace executorch::engine {

using runtime::Error;

/// Where a tensor lies: a storage of the plan and the bytes from its start.
struct Place {
  int32_t storage = -1;
  int64_t offset = 0;
};

/// What a step sees of a run.
struct RunContext {
  /// First byte of each storage.
  char* const* addresses;
  /// Shared by all steps, of the size that the largest asks for.
  void* scratch;
  size_t scratch_bytes;
  /// Passed through to foreign calls.
  void* user;

  template <class T>
  T* at(const Place& place) const {
    return reinterpret_cast<T*>(addresses[place.storage] + place.offset);
  }
};

class Step {
 public:
  virtual ~Step() = default;
  /// Allocates nothing. Errors carry a text.
  virtual Error run(const RunContext& context) = 0;
  /// Scratch memory needed, for the pool as it is now.
  virtual size_t scratch_bytes() const { return 0; }
  /// One line: "matmul 8x1024x256 + bias + relu".
  virtual std::string describe() const = 0;
};

/// A tensor operand of a step. Strides in elements.
struct TensorPlace {
  Place place;
  DType dtype = DType::f32;
  Dims sizes;
  Dims strides;
};

/// "[2, 3]"
EXECUTORCH_COMPUTE_API std::string to_text(const Dims& dims);
/// "f32"
EXECUTORCH_COMPUTE_API const char* dtype_text(DType dtype);

}  // namespace executorch::engine
