#include "kernels/support/scratch.h"

#include <cstdint>
#include <cstdlib>

namespace executorch {
namespace kernels {

namespace {
constexpr size_t kAlignment = 64;
}

Scratch::~Scratch() {
  std::free(heap_);
}

Error Scratch::allocate(size_t count, size_t size) {
  ET_REQUIRE(size == 0 || count <= (SIZE_MAX - kAlignment) / size, MemoryAllocationFailed,
             "scratch of %zu elements of %zu bytes is too large", count, size);
  const size_t bytes = count * size > 0 ? count * size : 1;
  Result<void*> temporary = context_.allocate_temp(bytes, kAlignment);
  if (temporary.ok()) {
    data_ = temporary.get();
    return Error::Ok;
  }
  heap_ = std::malloc(bytes + kAlignment);
  ET_REQUIRE(heap_ != nullptr, MemoryAllocationFailed, "no memory for %zu bytes of scratch", bytes);
  const uintptr_t address =
      (reinterpret_cast<uintptr_t>(heap_) + kAlignment - 1) & ~(uintptr_t{kAlignment} - 1);
  data_ = reinterpret_cast<void*>(address);
  return Error::Ok;
}

}  // namespace kernels
}  // namespace executorch
