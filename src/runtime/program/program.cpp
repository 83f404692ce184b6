#include <executorch/runtime/executor/program.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/kernel/operator_table.h>
#include <schema/program_generated.h>

#include "runtime/loading/method_loader.h"
#include "runtime/program/extended_header.h"
#include "runtime/program/table_checks.h"

namespace executorch {
namespace runtime {

namespace fb = executorch_flatbuffer;
using internal::FileLayout;
using SegmentInfo = DataLoader::SegmentInfo;

namespace {

/// Alignment of the tables in memory, which their content relies on.
constexpr size_t kTableAlignment = 16;
/// Tables nest a dozen deep; the verifier recurses.
constexpr size_t kMaxTableDepth = 64;

Error check_identifier(const uint8_t* head) {
  const char* found = reinterpret_cast<const char*>(head) + 4;
  ET_REQUIRE(std::memcmp(found, fb::ProgramIdentifier(), 4) == 0, InvalidProgram,
             "no program file: the identifier at offset 4 is '%.4s', expected '%s'", found,
             fb::ProgramIdentifier());
  return Error::Ok;
}

/// Offsets and lengths inside the tables.
Error verify_tables(const uint8_t* data, size_t size) {
  flatbuffers::Verifier::Options options;
  options.max_depth = kMaxTableDepth;
  // A file that stores each table once has no more; sharing must not multiply the work.
  options.max_tables = static_cast<flatbuffers::uoffset_t>(size / 4 + 64);
  options.max_size = FLATBUFFERS_MAX_BUFFER_SIZE;
  ET_REQUIRE(size < FLATBUFFERS_MAX_BUFFER_SIZE, InvalidProgram,
             "tables of %zu bytes, the format allows less than %zu", size,
             static_cast<size_t>(FLATBUFFERS_MAX_BUFFER_SIZE));
  flatbuffers::Verifier verifier(data, size, options);
  ET_REQUIRE(fb::VerifyProgramBuffer(verifier), InvalidProgram,
             "the tables are damaged: an offset or length leads out of the file");
  return Error::Ok;
}

bool has_constants(const fb::Program& program) {
  const auto* constants = program.constant_segment();
  return constants != nullptr && constants->offsets() != nullptr &&
         constants->offsets()->size() > 1;
}

Error check_constant_storage(const fb::Program& program) {
  const auto* constants = program.constant_segment();
  ET_REQUIRE(
      constants != nullptr && constants->offsets() != nullptr && constants->offsets()->size() > 0,
      InvalidProgram,
      "constant_segment is missing: the file uses the old form with constants in the tables");
  return Error::Ok;
}

/// Every segment must lie inside the file, and inside the data that the header states.
Error check_segments(const fb::Program& program, const FileLayout& layout, size_t file_size) {
  const size_t count = program.segments() == nullptr ? 0 : program.segments()->size();
  bool has_bytes = false;
  const uint64_t behind_base = file_size - layout.segment_base_offset;
  const uint64_t limit = layout.segment_data_size > 0 ? layout.segment_data_size : behind_base;
  for (uint32_t i = 0; i < count; ++i) {
    const auto& segment = *program.segments()->Get(i);
    ET_REQUIRE(range_fits(segment.offset(), segment.size(), limit), InvalidProgram,
               "segments[%u]: %llu bytes at offset %llu, the file has %llu bytes of segments", i,
               static_cast<unsigned long long>(segment.size()),
               static_cast<unsigned long long>(segment.offset()),
               static_cast<unsigned long long>(limit));
    has_bytes = has_bytes || segment.size() > 0;
  }
  ET_REQUIRE(layout.segment_base_offset > 0 || !(has_bytes || has_constants(program)),
             InvalidProgram, "the file has segments, but its header does not say where they begin");
  return Error::Ok;
}

Error check_version(const fb::Program& program) {
  ET_REQUIRE(program.version() <= Program::kMaxSupportedSchemaVersion, InvalidProgram,
             "the file has version %u, this runtime reads up to %u", program.version(),
             Program::kMaxSupportedSchemaVersion);
  return Error::Ok;
}

Error check_program(const FreeableBuffer& tables, const FileLayout& layout, size_t file_size) {
  const auto* data = static_cast<const uint8_t*>(tables.data());
  ET_REQUIRE(tables.size() >= layout.program_size && layout.program_size >= 8, InvalidProgram,
             "tables of %zu bytes, of which %zu could be read", layout.program_size, tables.size());
  ET_REQUIRE(reinterpret_cast<uintptr_t>(data) % kTableAlignment == 0, InvalidArgument,
             "the loader put the tables at an address that is no multiple of %zu", kTableAlignment);
  ET_TRY(check_identifier(data));
  ET_TRY(verify_tables(data, layout.program_size));
  const fb::Program& program = *fb::GetProgram(data);
  ET_TRY(check_version(program));
  ET_REQUIRE(program.named_data() == nullptr || program.named_data()->size() == 0 ||
                 program.segments() != nullptr,
             InvalidArgument, "named_data refer to segments, but the file has none");
  ET_TRY(internal::check_tables(program, layout.program_size));
  ET_TRY(check_constant_storage(program));
  return check_segments(program, layout, file_size);
}

Result<FreeableBuffer> load_constants(DataLoader* loader, const fb::Program& program,
                                      const FileLayout& layout) {
  if (!has_constants(program)) return FreeableBuffer();
  const uint32_t index = program.constant_segment()->segment_index();
  const auto& segment = *program.segments()->Get(index);
  auto data = loader->load(layout.segment_base_offset + static_cast<size_t>(segment.offset()),
                           static_cast<size_t>(segment.size()),
                           SegmentInfo(SegmentInfo::Type::Constant, index));
  if (!data.ok()) return data.error();
  if (data->size() < segment.size()) {
    return ET_ERROR(InvalidProgram, "segments[%u] has %llu bytes, of which %zu could be read",
                    index, static_cast<unsigned long long>(segment.size()), data->size());
  }
  return data;
}

Result<std::optional<internal::PteDataMap>> load_named_data(DataLoader* loader,
                                                            const fb::Program& program,
                                                            const FileLayout& layout) {
  using OptionalMap = std::optional<internal::PteDataMap>;
  if (program.named_data() == nullptr || program.named_data()->size() == 0) return OptionalMap();
  auto map = internal::PteDataMap::create(loader, layout.segment_base_offset, program.named_data(),
                                          program.segments());
  if (!map.ok()) return map.error();
  return OptionalMap(std::move(map.get()));
}

const fb::ExecutionPlan* find_plan(const fb::Program& program, const char* name) {
  for (const auto* plan : *program.execution_plan()) {
    if (std::strcmp(plan->name()->c_str(), name) == 0) return plan;
  }
  set_error_message("the program has no method '%.200s'", name);
  return nullptr;
}

}  // namespace

Result<Program> Program::load(DataLoader* loader, Verification verification) {
  // Both levels check the same: what a level may add is nothing that a damaged file could live
  // without.
  static_cast<void>(verification);
  if (loader == nullptr) return ET_ERROR(InvalidArgument, "no data loader was given");
  auto file_size = loader->size();
  if (!file_size.ok()) return file_size.error();
  size_t program_size = 0;
  FileLayout layout{};
  {
    auto head = loader->load(0, kMinHeadBytes, SegmentInfo(SegmentInfo::Type::Program));
    if (!head.ok()) return head.error();
    if (head->size() < kMinHeadBytes) {
      return ET_ERROR(InvalidProgram, "the file has %zu bytes, a program has at least %zu",
                      head->size(), kMinHeadBytes);
    }
    auto read =
        internal::read_file_layout(static_cast<const uint8_t*>(head->data()), file_size.get());
    if (!read.ok()) return read.error();
    layout = read.get();
    program_size = layout.program_size;
  }
  auto tables = loader->load(0, program_size, SegmentInfo(SegmentInfo::Type::Program));
  if (!tables.ok()) return tables.error();
  const Error error = check_program(tables.get(), layout, file_size.get());
  if (error != Error::Ok) return error;

  const fb::Program* program = fb::GetProgram(tables->data());
  auto constants = load_constants(loader, *program, layout);
  if (!constants.ok()) return constants.error();
  auto named_data = load_named_data(loader, *program, layout);
  if (!named_data.ok()) return named_data.error();
  return Program(loader, layout.segment_base_offset, std::move(tables.get()), program,
                 std::move(constants.get()), std::move(named_data.get()));
}

Result<const void*> Program::get_constant_buffer_data(size_t buffer_idx, size_t nbytes) const {
  const auto* constants = tables_->constant_segment();
  const size_t count =
      constants == nullptr || constants->offsets() == nullptr ? 0 : constants->offsets()->size();
  if (buffer_idx >= count) {
    return ET_ERROR(InvalidArgument, "constant %zu does not exist, the program has %zu", buffer_idx,
                    count);
  }
  const uint64_t offset = constants->offsets()->Get(static_cast<uint32_t>(buffer_idx));
  if (!range_fits(offset, uint64_t{nbytes}, uint64_t{constant_segment_.size()})) {
    return ET_ERROR(
        InvalidArgument, "constant %zu: %zu bytes at offset %llu, the constant segment has %zu",
        buffer_idx, nbytes, static_cast<unsigned long long>(offset), constant_segment_.size());
  }
  return static_cast<const void*>(static_cast<const uint8_t*>(constant_segment_.data()) + offset);
}

Result<const NamedDataMap*> Program::get_named_data_map() const {
  if (!named_data_.has_value()) return ET_ERROR(NotFound, "the program has no named data");
  return static_cast<const NamedDataMap*>(&*named_data_);
}

size_t Program::num_methods() const {
  return tables_->execution_plan()->size();
}

Result<const char*> Program::get_method_name(size_t method_index) const {
  if (method_index >= num_methods()) {
    return ET_ERROR(InvalidArgument, "method %zu does not exist, the program has %zu", method_index,
                    num_methods());
  }
  return tables_->execution_plan()->Get(static_cast<uint32_t>(method_index))->name()->c_str();
}

Result<Method> Program::load_method(const char* method_name, MemoryManager* memory_manager,
                                    EventTracer* event_tracer, const NamedDataMap* named_data_map,
                                    const LoadBackendOptionsMap* backend_options,
                                    Span<const Kernel> kernel_registry,
                                    const LoadOptions& options) const {
  if (method_name == nullptr || memory_manager == nullptr ||
      memory_manager->method_allocator() == nullptr) {
    return ET_ERROR(InvalidArgument,
                    "load_method needs a method name and a memory manager with a method allocator");
  }
  internal::event_tracer_create_event_block(event_tracer, "Default");
  internal::EventTracerProfileMethodScope scope(event_tracer, "Program::load_method");
  if (operator_library_conflict() != nullptr) {
    return ET_ERROR(RegistrationAlreadyRegistered, "%s", operator_library_conflict());
  }
  const fb::ExecutionPlan* plan = find_plan(*tables_, method_name);
  if (plan == nullptr) return Error::InvalidArgument;
  const internal::LoadRequest request{memory_manager,  event_tracer,    named_data_map,
                                      backend_options, kernel_registry, options};
  auto method = [&] {
    internal::EventTracerProfileMethodScope init_scope(event_tracer, "Method::init");
    return internal::MethodLoader::load(*this, *plan, request);
  }();
  if (!method.ok()) add_error_context("method '%.100s' cannot be loaded", method_name);
  return method;
}

Result<MethodMeta> Program::method_meta(const char* method_name) const {
  if (method_name == nullptr) return ET_ERROR(InvalidArgument, "no method name was given");
  const fb::ExecutionPlan* plan = find_plan(*tables_, method_name);
  if (plan == nullptr) return Error::InvalidArgument;
  return MethodMeta(plan);
}

Result<const char*> Program::get_output_flattening_encoding(const char* method_name) const {
  if (method_name == nullptr) return ET_ERROR(InvalidArgument, "no method name was given");
  const fb::ExecutionPlan* plan = find_plan(*tables_, method_name);
  if (plan == nullptr) return Error::InvalidArgument;
  const auto* meta = plan->container_meta_type();
  if (meta == nullptr || meta->encoded_out_str() == nullptr) {
    return ET_ERROR(InvalidProgram,
                    "method '%.100s' does not describe the structure of its outputs", method_name);
  }
  return meta->encoded_out_str()->c_str();
}

Program::HeaderStatus Program::check_header(const void* data, size_t size) {
  if (data == nullptr || size < kMinHeadBytes) return HeaderStatus::ShortData;
  const char* identifier = static_cast<const char*>(data) + 4;
  if (std::memcmp(identifier, fb::ProgramIdentifier(), 4) == 0)
    return HeaderStatus::CompatibleVersion;
  return std::memcmp(identifier, "ET", 2) == 0 ? HeaderStatus::IncompatibleVersion
                                               : HeaderStatus::NotPresent;
}

Result<FreeableBuffer> Program::load_segment(const SegmentInfo& info) const {
  const size_t count = tables_->segments() == nullptr ? 0 : tables_->segments()->size();
  if (info.segment_index >= count) {
    return ET_ERROR(NotFound, "segment %zu does not exist, the program has %zu", info.segment_index,
                    count);
  }
  const auto& segment = *tables_->segments()->Get(static_cast<uint32_t>(info.segment_index));
  auto data = loader_->load(segment_base_offset_ + static_cast<size_t>(segment.offset()),
                            static_cast<size_t>(segment.size()), info);
  if (data.ok() && data->size() < segment.size()) {
    return ET_ERROR(InvalidProgram, "segment %zu has %llu bytes, of which %zu could be read",
                    info.segment_index, static_cast<unsigned long long>(segment.size()),
                    data->size());
  }
  return data;
}

Error Program::load_initial_value(size_t offset_index, size_t nbytes, void* buffer) const {
  const auto* tables = tables_->mutable_data_segments();
  ET_REQUIRE(tables != nullptr && tables->size() > 0, NotFound,
             "it has initial value %zu, but the program has no mutable_data_segments",
             offset_index);
  const auto& offsets = *tables->Get(0);
  const size_t count = offsets.offsets() == nullptr ? 0 : offsets.offsets()->size();
  ET_REQUIRE(offset_index < count, NotFound,
             "initial value %zu does not exist, the program has %zu", offset_index, count);
  const size_t num_segments = tables_->segments() == nullptr ? 0 : tables_->segments()->size();
  ET_REQUIRE(offsets.segment_index() < num_segments, NotFound,
             "initial values lie in segment %u, the program has %zu", offsets.segment_index(),
             num_segments);
  const auto& segment = *tables_->segments()->Get(offsets.segment_index());
  const uint64_t offset = offsets.offsets()->Get(static_cast<uint32_t>(offset_index));
  ET_REQUIRE(range_fits(offset, uint64_t{nbytes}, segment.size()), InvalidArgument,
             "initial value %zu: %zu bytes at offset %llu, its segment has %llu", offset_index,
             nbytes, static_cast<unsigned long long>(offset),
             static_cast<unsigned long long>(segment.size()));
  const SegmentInfo info(SegmentInfo::Type::Mutable, offsets.segment_index());
  const size_t position = segment_base_offset_ + static_cast<size_t>(segment.offset() + offset);
  const Error error = loader_->load_into(position, nbytes, info, buffer);
  if (error != Error::NotImplemented) return error;
  auto data = loader_->load(position, nbytes, info);
  if (!data.ok()) return data.error();
  ET_REQUIRE(data->size() >= nbytes, InvalidProgram, "initial value %zu could not be read",
             offset_index);
  std::memcpy(buffer, data->data(), nbytes);
  return Error::Ok;
}

Error Program::get_inline_delegate_data(size_t index, const void** data, size_t* size) const {
  const auto* blobs = tables_->backend_delegate_data();
  const size_t count = blobs == nullptr ? 0 : blobs->size();
  ET_REQUIRE(index < count, NotFound, "delegate data %zu do not exist, the program has %zu", index,
             count);
  const auto* blob = blobs->Get(static_cast<uint32_t>(index));
  ET_REQUIRE(blob != nullptr && blob->data() != nullptr, NotFound, "delegate data %zu are empty",
             index);
  *data = blob->data()->data();
  *size = blob->data()->size();
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch
