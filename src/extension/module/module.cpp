#include <executorch/extension/module/module.h>

#include <algorithm>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace ET_MODULE_NAMESPACE {

using ET_MERGED_DATA_MAP_NAMESPACE::MergedDataMap;
using runtime::BackendOption;
using runtime::DataLoader;
using runtime::Error;
using runtime::EventTracer;
using runtime::MemoryAllocator;
using runtime::Result;
using runtime::Span;

namespace {

MmapDataLoader::MlockConfig lock_config(Module::LoadMode load_mode) {
  switch (load_mode) {
    case Module::LoadMode::MmapUseMlock:
      return MmapDataLoader::MlockConfig::UseMlock;
    case Module::LoadMode::MmapUseMlockIgnoreErrors:
      return MmapDataLoader::MlockConfig::UseMlockIgnoreErrors;
    case Module::LoadMode::MmapUseMadvise:
      return MmapDataLoader::MlockConfig::UseMadvise;
    case Module::LoadMode::File:
    case Module::LoadMode::Mmap:
      break;
  }
  return MmapDataLoader::MlockConfig::NoMlock;
}

template <typename Loader>
Result<std::unique_ptr<DataLoader>> on_heap(Result<Loader> loader) {
  if (!loader.ok()) {
    return loader.error();
  }
  return std::unique_ptr<DataLoader>(std::make_unique<Loader>(std::move(*loader)));
}

Result<std::unique_ptr<DataLoader>> open_file(const std::string& path, Module::LoadMode load_mode) {
  if (load_mode == Module::LoadMode::File) {
    return on_heap(FileDataLoader::from(path.c_str()));
  }
  return on_heap(MmapDataLoader::from(path.c_str(), lock_config(load_mode)));
}

/// A data map and the loader that it reads from.
struct LoadedDataMap {
  std::shared_ptr<DataLoader> loader;
  FlatTensorDataMap map;
};

Result<std::shared_ptr<const NamedDataMap>> load_data_map(std::shared_ptr<DataLoader> loader) {
  Result<FlatTensorDataMap> map = FlatTensorDataMap::load(loader.get());
  if (!map.ok()) {
    return map.error();
  }
  auto loaded =
      std::shared_ptr<LoadedDataMap>(new LoadedDataMap{std::move(loader), std::move(*map)});
  const NamedDataMap* const view = &loaded->map;
  return std::shared_ptr<const NamedDataMap>(std::move(loaded), view);
}

/// A program and the loader that it reads from.
struct LoadedProgram {
  std::unique_ptr<DataLoader> loader;
  Program program;
};

using DataMaps = std::vector<std::shared_ptr<const NamedDataMap>>;

/// A merged map and the maps under it.
struct MergedMaps {
  DataMaps maps;
  MergedDataMap merged;
};

/// All maps as one; null when there are none. `names` says what the first maps are, for errors.
Result<std::shared_ptr<const NamedDataMap>> merge(const DataMaps& file_maps,
                                                  const DataMaps& other_maps,
                                                  const std::vector<std::string>& names) {
  DataMaps maps = file_maps;
  maps.insert(maps.end(), other_maps.begin(), other_maps.end());
  if (maps.empty()) {
    return std::shared_ptr<const NamedDataMap>();
  }
  std::vector<const NamedDataMap*> views;
  for (const auto& map : maps) {
    views.push_back(map.get());
  }
  Result<MergedDataMap> merged =
      MergedDataMap::load(Span<const NamedDataMap*>(views.data(), views.size()));
  if (!merged.ok()) {
    std::string list;
    for (const std::string& name : names) {
      list += (list.empty() ? "data files " : ", ") + name;
    }
    if (!list.empty()) {
      runtime::add_error_context("%s", list.c_str());
    }
    return merged.error();
  }
  auto owner = std::shared_ptr<MergedMaps>(new MergedMaps{std::move(maps), std::move(*merged)});
  const NamedDataMap* const view = &owner->merged;
  return std::shared_ptr<const NamedDataMap>(std::move(owner), view);
}

/// Backend options with their arrays, detached from the caller's.
struct OwnedBackendOptions {
  std::vector<std::vector<BackendOption>> storage;
  LoadBackendOptionsMap map;
};

Error copy_options(const LoadBackendOptionsMap& source, OwnedBackendOptions& copy) {
  copy.storage.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    const auto entry = source.entry_at(i);
    copy.storage.emplace_back(entry.options.begin(), entry.options.end());
    std::vector<BackendOption>& options = copy.storage.back();
    ET_TRY(copy.map.set_options(entry.backend_id,
                                Span<BackendOption>(options.data(), options.size())));
  }
  return Error::Ok;
}

}  // namespace

Module::Module(const std::string& file_path, const LoadMode load_mode,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path, std::vector<std::string>(), load_mode, std::move(event_tracer),
             std::move(memory_allocator), std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path, const std::string& data_map_path,
               const LoadMode load_mode, std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path,
             data_map_path.empty() ? std::vector<std::string>()
                                   : std::vector<std::string>{data_map_path},
             load_mode, std::move(event_tracer), std::move(memory_allocator),
             std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path, std::vector<std::string> data_files,
               const LoadMode load_mode, std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : file_path_(file_path),
      load_mode_(load_mode),
      share_memory_arenas_(share_memory_arenas),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(std::move(temp_allocator)),
      event_tracer_(std::move(event_tracer)),
      data_files_(std::move(data_files)) {
  runtime::runtime_init();
}

Module::Module(std::unique_ptr<DataLoader> data_loader,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<DataLoader> data_map_loader, bool share_memory_arenas)
    : share_memory_arenas_(share_memory_arenas),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(std::move(temp_allocator)),
      event_tracer_(std::move(event_tracer)),
      data_loader_(std::move(data_loader)),
      data_map_loader_(std::move(data_map_loader)) {
  runtime::runtime_init();
}

Module::Module(std::shared_ptr<Program> program, std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<DataLoader> data_map_loader, bool share_memory_arenas)
    : share_memory_arenas_(share_memory_arenas),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(std::move(temp_allocator)),
      event_tracer_(std::move(event_tracer)),
      program_(std::move(program)),
      data_map_loader_(std::move(data_map_loader)) {
  runtime::runtime_init();
}

Module::~Module() = default;

Error Module::load(const Program::Verification verification) {
  ET_TRY(load_data_maps());
  return program_ != nullptr ? Error::Ok : load_program(verification);
}

Error Module::load(const LoadBackendOptionsMap& backend_options,
                   const Program::Verification verification) {
  OwnedBackendOptions options;
  ET_TRY(copy_options(backend_options, options));
  ET_TRY(load(verification));
  backend_options_storage_ = std::move(options.storage);
  backend_options_map_ = options.map;
  return Error::Ok;
}

Error Module::load_program(Program::Verification verification) {
  if (data_loader_ == nullptr) {
    ET_REQUIRE(!file_path_.empty(), InvalidArgument,
               "module: neither a program file nor a loader nor a program was given");
    Result<std::unique_ptr<DataLoader>> opened = open_file(file_path_, load_mode_);
    if (!opened.ok()) {
      return opened.error();
    }
    data_loader_ = std::move(*opened);
  }
  Result<Program> program = Program::load(data_loader_.get(), verification);
  if (!program.ok()) {
    if (!file_path_.empty()) {
      runtime::add_error_context("%s", file_path_.c_str());
    }
    return program.error();
  }
  auto loaded = std::shared_ptr<LoadedProgram>(
      new LoadedProgram{std::move(data_loader_), std::move(*program)});
  Program* const view = &loaded->program;
  program_ = std::shared_ptr<Program>(std::move(loaded), view);
  return Error::Ok;
}

Error Module::load_data_maps() {
  if (data_maps_loaded_) {
    return Error::Ok;
  }
  return replace_data_files(data_files_);
}

Result<std::shared_ptr<const NamedDataMap>> Module::open_data_map(const std::string& path,
                                                                  LoadMode load_mode) {
  Result<std::unique_ptr<DataLoader>> opened = open_file(path, load_mode);
  if (!opened.ok()) {
    return opened.error();
  }
  Result<DataMapPtr> map = load_data_map(std::move(*opened));
  if (!map.ok()) {
    runtime::add_error_context("%s", path.c_str());
  }
  return map;
}

Error Module::add_data_map(std::shared_ptr<const NamedDataMap> data_map) {
  ET_REQUIRE(data_map != nullptr, InvalidArgument, "module: the data map to add is null");
  DataMaps other_maps = other_maps_;
  other_maps.push_back(std::move(data_map));
  if (data_maps_loaded_) {
    Result<DataMapPtr> merged = merge(file_maps_, other_maps, data_files_);
    if (!merged.ok()) {
      return merged.error();
    }
    merged_data_map_ = std::move(*merged);
  }
  other_maps_ = std::move(other_maps);
  return Error::Ok;
}

Error Module::replace_data_files(const std::vector<std::string>& data_files) {
  DataMaps file_maps;
  for (const std::string& path : data_files) {
    const auto earlier = std::find(data_files_.begin(), data_files_.end(), path);
    if (data_maps_loaded_ && earlier != data_files_.end()) {
      file_maps.push_back(file_maps_[static_cast<size_t>(earlier - data_files_.begin())]);
      continue;
    }
    Result<DataMapPtr> map = open_data_map(path, load_mode_);
    if (!map.ok()) {
      return map.error();
    }
    file_maps.push_back(std::move(*map));
  }
  DataMaps other_maps = other_maps_;
  if (!data_maps_loaded_ && data_map_loader_ != nullptr) {
    Result<DataMapPtr> map = load_data_map(data_map_loader_);
    if (!map.ok()) {
      return map.error();
    }
    other_maps.push_back(std::move(*map));
  }
  Result<DataMapPtr> merged = merge(file_maps, other_maps, data_files);
  if (!merged.ok()) {
    return merged.error();
  }
  methods_.clear();
  data_files_ = data_files;
  file_maps_ = std::move(file_maps);
  other_maps_ = std::move(other_maps);
  merged_data_map_ = std::move(*merged);
  data_maps_loaded_ = true;
  return Error::Ok;
}

}  // namespace ET_MODULE_NAMESPACE
}  // namespace extension
}  // namespace executorch
