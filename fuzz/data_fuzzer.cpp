// Input: a .ptd file. It is read alone, then given to a program that takes its weights from data
// files (the file named by EXECUTORCH_FUZZ_PROGRAM), by itself and together with each data file in
// the program's folder.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>

#include "run_methods.h"

namespace {

using executorch::extension::FileDataLoader;
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
      for (size_t byte = 0; byte < data->size(); ++byte)
        sum ^= static_cast<const uint8_t*>(data->data())[byte];
    const auto layout = map.get_tensor_layout(*key);
    if (!layout.ok() || layout->nbytes() > executorch::fuzz::kMemoryLimit) continue;
    std::vector<uint8_t> buffer(layout->nbytes());
    if (map.load_data_into(*key, buffer.data(), buffer.size()) == executorch::runtime::Error::Ok &&
        !buffer.empty())
      sum ^= buffer[0];
    volatile uint8_t used = sum;
    (void)used;
  }
}

void run_program(const std::filesystem::path& path, const FlatTensorDataMap& map) {
  auto program = FileDataLoader::from(path.c_str());
  if (!program.ok()) return;
  executorch::fuzz::run_methods(*program, &map);
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    if (entry.path().extension() != ".ptd") continue;
    auto loader = FileDataLoader::from(entry.path().c_str());
    if (!loader.ok()) continue;
    const auto other = FlatTensorDataMap::load(&*loader);
    if (!other.ok()) continue;
    const executorch::runtime::NamedDataMap* maps[] = {&map, &*other};
    const auto merged = executorch::extension::merged_data_map::MergedDataMap::load({maps, 2});
    if (merged.ok()) executorch::fuzz::run_methods(*program, &*merged);
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
      if (const char* path = std::getenv("EXECUTORCH_FUZZ_PROGRAM")) run_program(path, *map);
    }
  }
  std::free(copy);
  return 0;
}
