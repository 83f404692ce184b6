// Copies a tensor into another one of any strides. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {
namespace internal {

/// A dense or strided arrangement of elements. Strides count elements.
struct Arrangement {
  size_t rank;
  const int32_t* sizes;
  const int32_t* strides;
};

/// True if both arrangements, of the same sizes, put every element into the same place.
bool same_arrangement(const Arrangement& a, const Arrangement& b);

/// Copies element by element; the sizes are the same. The buffers must not overlap.
void copy_rearranged(void* to, const Arrangement& to_arrangement, const void* from,
                     const Arrangement& from_arrangement, size_t element_size);

/// Copies element by element in the order of their indices; the sizes may differ, but not the
/// number of elements. The buffers must not overlap.
void copy_reshaped(void* to, const Arrangement& to_arrangement, const void* from,
                   const Arrangement& from_arrangement, size_t element_size);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
