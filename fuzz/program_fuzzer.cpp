// Input: a .pte file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <executorch/extension/data_loader/buffer_data_loader.h>

#include "run_methods.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A copy of exactly this size, aligned as a file mapping is at least.
  void* copy = nullptr;
  if (posix_memalign(&copy, 64, size + 1) != 0) return 0;
  std::memcpy(copy, data, size);
  executorch::extension::BufferDataLoader loader(copy, size);
  executorch::fuzz::run_methods(loader, nullptr);
  std::free(copy);
  return 0;
}
