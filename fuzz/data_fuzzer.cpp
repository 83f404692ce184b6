// Input: a .ptd file. It is read alone, then given to a program that takes its weights from data files
// (the file named by EXECUTORCH_FUZZ_PROGRAM).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>

#include "run_methods.h"

namespace {

using executorch::extension::FlatTensorDataMap;

void read_all(const FlatTensorDataMap& map) {
  const auto keys = map.get_num_keys();
  if (!keys.ok()) return;
  for (uint32_t i = 0; i < *keys && i < 1000; ++i) {
    const auto key = map.get_key(i);
    if (!key.ok()) continue;
    uint8_t sum = 0;
    auto data = map.get_data(*key);
    if (data.ok())
      for (size_t byte = 0; byte < data->size(); ++byte) sum ^= static_cast<const uint8_t*>(data->data())[byte];
    const auto layout = map.get_tensor_layout(*key);
    if (!layout.ok() || layout->nbytes() > executorch::fuzz::kMemoryLimit) continue;
    std::vector<uint8_t> buffer(layout->nbytes());
    if (map.load_data_into(*key, buffer.data(), buffer.size()) == executorch::runtime::Error::Ok && !buffer.empty())
      sum ^= buffer[0];
    volatile uint8_t used = sum;
    (void)used;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  void* copy = nullptr;
  if (posix_memalign(&copy, 64, size + 1) != 0) return 0;
  std::memcpy(copy, data, size);
  {
    executorch::extension::BufferDataLoader loader(copy, size);
    const auto map = FlatTensorDataMap::load(&loader);
    if (map.ok()) {
      read_all(*map);
      if (const char* path = std::getenv("EXECUTORCH_FUZZ_PROGRAM")) {
        auto program = executorch::extension::FileDataLoader::from(path);
        if (program.ok()) executorch::fuzz::run_methods(*program, &*map);
      }
    }
  }
  std::free(copy);
  return 0;
}
