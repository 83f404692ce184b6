#include <executorch/extension/module/planned_memory.h>

#include <algorithm>
#include <array>
#include <optional>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/error_message.h>

#include "extension/module/zeroed_memory.h"
#include "runtime/platform/memory_size.h"

namespace executorch {
namespace extension {

using ET_RUNTIME_NAMESPACE::MethodMeta;
using ET_RUNTIME_NAMESPACE::Program;
using internal::ZeroedMemory;
using runtime::DeviceMemoryBuffer;
using runtime::Error;
using runtime::HierarchicalAllocator;
using runtime::Result;
using runtime::Span;
using runtime::etensor::Device;

namespace {

struct Arena {
  size_t size;
  Device device;
};

Result<Arena> read_arena(const MethodMeta& meta, size_t index) {
  const Result<int64_t> size = meta.memory_planned_buffer_size(index);
  if (!size.ok()) {
    return size.error();
  }
  const Result<Device> device = meta.memory_planned_buffer_device(index);
  if (!device.ok()) {
    return device.error();
  }
  size_t bytes = 0;
  ET_REQUIRE(*size >= 0 && runtime::checked_cast(*size, &bytes), InvalidProgram,
             "method %s: arena %zu has the size %lld", meta.name(), index,
             static_cast<long long>(*size));
  return Arena{bytes, *device};
}

/// Adds to a total that may not exceed a limit; SIZE_MAX stands for the default one.
Error add_bytes(size_t bytes, size_t limit, size_t* total, const char* what) {
  const size_t effective_limit = limit == SIZE_MAX ? runtime::internal::default_memory_limit() : limit;
  ET_REQUIRE(runtime::range_fits(*total, bytes, effective_limit), MemoryAllocationFailed,
             "the planned arenas of %s take at least %zu + %zu bytes, the limit is %zu", what,
             *total, bytes, effective_limit);
  *total += bytes;
  return Error::Ok;
}

}  // namespace

struct SharedArenas::Storage {
  std::array<ZeroedMemory, kSharedCount> arenas;
  std::array<bool, kSharedCount> shared{};
};

Result<std::unique_ptr<SharedArenas>> SharedArenas::create(const Program& program,
                                                           size_t memory_limit) {
  std::array<size_t, kSharedCount> sizes{};
  std::array<bool, kSharedCount> on_cpu{};
  on_cpu.fill(true);
  for (size_t i = 0; i < program.num_methods(); ++i) {
    const Result<const char*> name = program.get_method_name(i);
    if (!name.ok()) {
      return name.error();
    }
    const Result<MethodMeta> meta = program.method_meta(*name);
    if (!meta.ok()) {
      return meta.error();
    }
    const size_t count = std::min(meta->num_memory_planned_buffers(), kSharedCount);
    for (size_t index = 0; index < count; ++index) {
      const Result<Arena> arena = read_arena(*meta, index);
      if (!arena.ok()) {
        return arena.error();
      }
      on_cpu[index] = on_cpu[index] && arena->device.is_cpu();
      sizes[index] = std::max(sizes[index], arena->size);
    }
  }
  auto storage = std::make_unique<Storage>();
  storage->shared = on_cpu;
  size_t total = 0;
  for (size_t index = 0; index < kSharedCount; ++index) {
    if (!on_cpu[index]) sizes[index] = 0;
    ET_TRY(add_bytes(sizes[index], memory_limit, &total, "all methods"));
  }
  for (size_t index = 0; index < kSharedCount; ++index) {
    Result<ZeroedMemory> memory = ZeroedMemory::allocate(sizes[index]);
    if (!memory.ok()) {
      return memory.error();
    }
    storage->arenas[index] = std::move(*memory);
  }
  return std::unique_ptr<SharedArenas>(new SharedArenas(std::move(storage)));
}

SharedArenas::SharedArenas(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
SharedArenas::~SharedArenas() = default;

bool SharedArenas::shares(size_t index) const {
  return index < kSharedCount && storage_->shared[index];
}

Span<uint8_t> SharedArenas::arena(size_t index) const {
  return index < kSharedCount ? storage_->arenas[index].span() : Span<uint8_t>();
}

struct PlannedMemory::Storage {
  std::vector<ZeroedMemory> host_arenas;
  std::vector<DeviceMemoryBuffer> device_arenas;
  /// What the allocator refers to: one entry per arena.
  std::vector<Span<uint8_t>> spans;
  std::vector<Device> devices;
  std::optional<HierarchicalAllocator> allocator;
  size_t nbytes = 0;

  Error add(const Arena& arena);
};

Error PlannedMemory::Storage::add(const Arena& arena) {
  devices.push_back(arena.device);
  if (arena.device.is_cpu()) {
    Result<ZeroedMemory> memory = ZeroedMemory::allocate(arena.size);
    if (!memory.ok()) {
      return memory.error();
    }
    spans.push_back(memory->span());
    host_arenas.push_back(std::move(*memory));
    return Error::Ok;
  }
  Result<DeviceMemoryBuffer> memory =
      DeviceMemoryBuffer::create(arena.size, arena.device.type(), arena.device.index());
  if (!memory.ok()) {
    return memory.error();
  }
  spans.push_back(memory->as_span());
  device_arenas.push_back(std::move(*memory));
  return Error::Ok;
}

Result<std::unique_ptr<PlannedMemory>> PlannedMemory::create(const MethodMeta& method_meta,
                                                             size_t memory_limit,
                                                             const SharedArenas* shared) {
  const size_t count = method_meta.num_memory_planned_buffers();
  const auto is_shared = [shared](size_t index) {
    return shared != nullptr && shared->shares(index);
  };
  auto storage = std::make_unique<Storage>();
  // All sizes are added up before anything is allocated.
  std::vector<Arena> arenas;
  for (size_t index = 0; index < count; ++index) {
    const Result<Arena> arena = read_arena(method_meta, index);
    if (!arena.ok()) {
      return arena.error();
    }
    if (!is_shared(index)) {
      ET_TRY(add_bytes(arena->size, memory_limit, &storage->nbytes, method_meta.name()));
    }
    arenas.push_back(*arena);
  }
  for (size_t index = 0; index < count; ++index) {
    if (is_shared(index)) {
      storage->spans.push_back(shared->arena(index));
      storage->devices.push_back(Device(runtime::etensor::DeviceType::CPU));
    } else {
      ET_TRY(storage->add(arenas[index]));
    }
  }
  const Span<Span<uint8_t>> spans(storage->spans.data(), count);
  if (storage->device_arenas.empty()) {
    storage->allocator.emplace(spans);
  } else {
    storage->allocator.emplace(spans, Span<const Device>(storage->devices.data(), count));
  }
  return std::unique_ptr<PlannedMemory>(new PlannedMemory(std::move(storage)));
}

PlannedMemory::PlannedMemory(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
PlannedMemory::~PlannedMemory() = default;

HierarchicalAllocator* PlannedMemory::allocator() const {
  return &*storage_->allocator;
}

size_t PlannedMemory::nbytes() const {
  return storage_->nbytes;
}

}  // namespace extension
}  // namespace executorch
