// Delegates of a method: their blob, their settings, their handle.
#include <executorch/runtime/core/error_message.h>

#include "runtime/loading/method_loader.h"
#include "runtime/loading/shared_data_map.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

namespace {

void keep_inline_data(void*, void*, size_t) {}

}  // namespace

Error MethodLoader::load_delegates() {
  const size_t count = plan_.delegates()->size();
  if (count == 0) return Error::Ok;
  ET_TRY(prepare_delegate_data(&delegate_data_));
  if (count > 1 && delegate_data_ != nullptr) ET_TRY(share_delegate_data(&delegate_data_));
  auto* delegates = make_list<LoadedDelegate>(method_.heap, count);
  ET_REQUIRE(delegates != nullptr, MemoryAllocationFailed, "no memory for %zu delegates", count);
  method_.delegates = {delegates, count};
  for (uint32_t i = 0; i < count; ++i) {
    const auto& table = *plan_.delegates()->Get(i);
    const Error error = load_delegate(table, delegates[i]);
    if (error != Error::Ok) {
      add_error_context("delegates[%u], backend '%.100s'", i, table.id()->c_str());
      return error;
    }
  }
  return Error::Ok;
}

/// Delegates see one map: the data files, the program's named data, or both.
Error MethodLoader::prepare_delegate_data(const NamedDataMap** map) {
  auto named = program_.get_named_data_map();
  if (!named.ok()) {
    *map = request_.external_data;
    return Error::Ok;
  }
  if (request_.external_data == nullptr) {
    *map = named.get();
    return Error::Ok;
  }
  auto merged = MergedDataMap::load(request_.external_data, named.get());
  if (!merged.ok()) return merged.error();
  void* room = method_.heap.allocateInstance<MergedDataMap>();
  ET_REQUIRE(room != nullptr, MemoryAllocationFailed, "no memory for a data map");
  method_.merged_data = new (room) MergedDataMap(std::move(merged.get()));
  *map = method_.merged_data;
  return Error::Ok;
}

/// Unrolled layers are many delegates that hold the same weights.
Error MethodLoader::share_delegate_data(const NamedDataMap** map) {
  void* room = method_.heap.allocateInstance<SharedDataMap>();
  ET_REQUIRE(room != nullptr, MemoryAllocationFailed, "no memory for a data map");
  method_.shared_data = new (room) SharedDataMap(**map);
  ET_REQUIRE(method_.shared_data->prepare(), MemoryAllocationFailed, "no memory for a data map");
  *map = method_.shared_data;
  return Error::Ok;
}

Error MethodLoader::load_delegate_blob(const fb::BackendDelegate& table, FreeableBuffer** blob) {
  void* room = method_.heap.allocateInstance<FreeableBuffer>();
  ET_REQUIRE(room != nullptr, MemoryAllocationFailed, "no memory for a delegate");
  const auto& processed = *table.processed();
  if (processed.location() == fb::DataLocation::INLINE) {
    const void* data = nullptr;
    size_t size = 0;
    ET_TRY(program_.get_inline_delegate_data(processed.index(), &data, &size));
    *blob = new (room) FreeableBuffer(data, size, keep_inline_data);
    return Error::Ok;
  }
  auto segment = program_.load_segment(DataLoader::SegmentInfo(
      DataLoader::SegmentInfo::Type::Backend, processed.index(), table.id()->c_str()));
  if (!segment.ok()) return segment.error();
  *blob = new (room) FreeableBuffer(std::move(segment.get()));
  return Error::Ok;
}

Error MethodLoader::load_delegate(const fb::BackendDelegate& table, LoadedDelegate& delegate) {
  delegate.id = table.id()->c_str();
  delegate.backend = get_backend_class(delegate.id);
  if (delegate.backend == nullptr) return Error::NotFound;
  ET_REQUIRE(delegate.backend->is_available(), NotFound,
             "the backend cannot run here: a driver or device is missing");
  ET_TRY(load_delegate_blob(table, &delegate.blob));

  const size_t num_specs = table.compile_specs() == nullptr ? 0 : table.compile_specs()->size();
  auto* specs = make_list<CompileSpec>(method_.heap, num_specs);
  ET_REQUIRE(specs != nullptr, MemoryAllocationFailed, "no memory for %zu compile specs",
             num_specs);
  for (uint32_t i = 0; i < num_specs; ++i) {
    const auto& spec = *table.compile_specs()->Get(i);
    const auto* value = spec.value();
    specs[i] = {spec.key()->c_str(),
                {value == nullptr ? nullptr : const_cast<uint8_t*>(value->data()),
                 value == nullptr ? 0 : value->size()}};
  }

  const Span<const BackendOption> options =
      request_.backend_options == nullptr ? Span<const BackendOption>()
                                          : request_.backend_options->get_options(delegate.id);
  BackendInitContext context(request_.memory->method_allocator(), request_.tracer, method_.name(),
                             delegate_data_, options, plan_limit(method_, request_.options),
                             cache_dir(request_.options), request_.options.cache_limit,
                             is_planned(request_.options));
  clear_error_message();
  auto handle =
      delegate.backend->init(context, delegate.blob, ArrayRef<CompileSpec>(specs, num_specs));
  if (!handle.ok()) {
    if (last_error_message()[0] == '\0')
      set_error_message("its data was refused (%s)", to_string(handle.error()));
    return handle.error();
  }
  delegate.handle = handle.get();
  delegate.initialized = true;
  delegate.num_inputs = delegate.backend->num_inputs(delegate.handle);
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
