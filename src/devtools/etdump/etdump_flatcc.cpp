#include <executorch/devtools/etdump/etdump_flatcc.h>

#include <utility>
#include <vector>

#include <executorch/devtools/etdump/emitter.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include "devtools/etdump/recorded_events.h"

namespace executorch {
namespace etdump {

using ::executorch::aten::ArrayRef;
using ::executorch::aten::ScalarType;
using ::executorch::aten::Tensor;
using ::executorch::runtime::AllocatorID;
using ::executorch::runtime::ChainID;
using ::executorch::runtime::DebugHandle;
using ::executorch::runtime::DelegateDebugIdType;
using ::executorch::runtime::Error;
using ::executorch::runtime::EValue;
using ::executorch::runtime::EventTracerEntry;
using ::executorch::runtime::LoggedEValueType;
using ::executorch::runtime::Span;
using namespace internal;

namespace {

/// What Inspector can read back.
bool is_readable(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
    case ScalarType::Half:
    case ScalarType::Float:
    case ScalarType::Double:
    case ScalarType::Bool:
    case ScalarType::Bits16:
    case ScalarType::UInt16:
      return true;
    default:
      return false;
  }
}

Result<LoggedTensor> log_tensor(const Tensor& tensor, DataSinkBase* sink) {
  ET_REQUIRE(sink != nullptr, InvalidState, "profiler: a tensor was logged without a data sink");
  ET_REQUIRE(is_readable(tensor.scalar_type()), InvalidArgument,
             "profiler: tensors of type %s cannot be logged",
             ::executorch::runtime::toString(tensor.scalar_type()));
  LoggedTensor logged{tensor.scalar_type(),
                      {tensor.sizes().begin(), tensor.sizes().end()},
                      {tensor.strides().begin(), tensor.strides().end()},
                      /*offset=*/-1};
  if (tensor.nbytes() > 0) {
    const Result<size_t> offset = sink->write(tensor.const_data_ptr(), tensor.nbytes());
    if (!offset.ok()) {
      return offset.error();
    }
    logged.offset = static_cast<int64_t>(*offset);
  }
  return logged;
}

Result<LoggedValue> to_logged(const Tensor& tensor, DataSinkBase* sink) {
  Result<LoggedTensor> logged = log_tensor(tensor, sink);
  if (!logged.ok()) {
    return logged.error();
  }
  return LoggedValue(std::move(*logged));
}

Result<LoggedValue> to_logged(const ArrayRef<Tensor>& tensors, DataSinkBase* sink) {
  std::vector<LoggedTensor> list;
  for (const Tensor& tensor : tensors) {
    Result<LoggedTensor> logged = log_tensor(tensor, sink);
    if (!logged.ok()) {
      return logged.error();
    }
    list.push_back(std::move(*logged));
  }
  return LoggedValue(std::move(list));
}

Result<LoggedValue> to_logged(const int& number, DataSinkBase*) {
  return LoggedValue(static_cast<int64_t>(number));
}

Result<LoggedValue> to_logged(const bool& truth, DataSinkBase*) {
  return LoggedValue(truth);
}

Result<LoggedValue> to_logged(const double& number, DataSinkBase*) {
  return LoggedValue(number);
}

Result<LoggedValue> to_logged(const EValue& value, DataSinkBase* sink) {
  if (value.isTensor()) {
    return to_logged(value.toTensor(), sink);
  }
  if (value.isTensorList()) {
    auto tensors = value.tryToTensorList();
    return tensors.ok() ? to_logged(*tensors, sink) : Result<LoggedValue>(tensors.error());
  }
  if (value.isInt()) {
    return LoggedValue(value.toInt());
  }
  if (value.isDouble()) {
    return LoggedValue(value.toDouble());
  }
  if (value.isBool()) {
    return LoggedValue(value.toBool());
  }
  return ET_ERROR(InvalidArgument, "profiler: values of kind %u cannot be logged",
                  static_cast<unsigned>(value.tag));
}

}  // namespace

/// Blocks and events since the last dump.
struct ETDumpGen::Recording {
  RecordedEvents events;
  /// The dump has been taken: the next block begins another.
  bool finished = false;

  void begin_block(const char* name, int bundled_input_index) {
    if (finished) {
      events = RecordedEvents();
      finished = false;
    }
    events.blocks.push_back(EventBlock{events.strings.intern(name), bundled_input_index, {}, {}});
  }

  EventBlock& current_block(int bundled_input_index) {
    if (finished || events.blocks.empty()) {
      begin_block("Default", bundled_input_index);
    }
    return events.blocks.back();
  }
};

ETDumpGen::ETDumpGen(Span<uint8_t> buffer)
    : recording_(std::make_unique<Recording>()), result_buffer_(buffer) {}

ETDumpGen::~ETDumpGen() = default;

void ETDumpGen::clear_builder() {
  *recording_ = Recording();
}

void ETDumpGen::reset() {
  clear_builder();
  data_sink_ = nullptr;
}

void ETDumpGen::create_event_block(const char* name) {
  recording_->begin_block(name, bundled_input_index_);
}

EventTracerEntry ETDumpGen::start_profiling(const char* name, ChainID chain_id,
                                            DebugHandle debug_handle) {
  // The block first: it may begin a new table of strings.
  recording_->current_block(bundled_input_index_);
  EventTracerEntry entry;
  entry.event_id = recording_->events.strings.intern(name);
  entry.delegate_event_id_type = DelegateDebugIdType::kNone;
  const bool has_place = chain_id != ::executorch::runtime::kUnsetChainId;
  entry.chain_id = has_place ? chain_id : chain_id_;
  entry.debug_handle = has_place ? debug_handle : debug_handle_;
  entry.start_time = ::executorch::runtime::pal_current_ticks();
  return entry;
}

void ETDumpGen::end_profiling(EventTracerEntry prof_entry) {
  end_profiling_delegate(prof_entry, nullptr, 0);
}

EventTracerEntry ETDumpGen::start_profiling_delegate(const char* name,
                                                     DelegateDebugIntId delegate_debug_index) {
  recording_->current_block(bundled_input_index_);
  EventTracerEntry entry;
  if (name != nullptr) {
    entry.delegate_event_id_type = DelegateDebugIdType::kStr;
    entry.event_id = recording_->events.strings.intern(name);
  } else {
    entry.delegate_event_id_type = DelegateDebugIdType::kInt;
    entry.event_id = delegate_debug_index;
  }
  entry.chain_id = chain_id_;
  entry.debug_handle = debug_handle_;
  entry.start_time = ::executorch::runtime::pal_current_ticks();
  return entry;
}

void ETDumpGen::end_profiling_delegate(EventTracerEntry prof_entry, const void* metadata,
                                       size_t metadata_len) {
  const et_timestamp_t now = ::executorch::runtime::pal_current_ticks();
  TimedEvent event;
  event.place.chain = prof_entry.chain_id;
  event.place.instruction = static_cast<int32_t>(prof_entry.debug_handle);
  event.start = prof_entry.start_time;
  event.end = now;
  const bool is_known_string =
      prof_entry.event_id >= 0 &&
      static_cast<size_t>(prof_entry.event_id) < recording_->events.strings.size();
  const StringIndex text = is_known_string ? prof_entry.event_id : kNoString;
  switch (prof_entry.delegate_event_id_type) {
    case DelegateDebugIdType::kNone:
      event.name = text;
      break;
    case DelegateDebugIdType::kInt:
      event.place.delegate_number = static_cast<int32_t>(prof_entry.event_id);
      break;
    case DelegateDebugIdType::kStr:
      event.place.delegate_name = text;
      break;
  }
  event.has_metadata = prof_entry.delegate_event_id_type != DelegateDebugIdType::kNone;
  if (metadata != nullptr) {
    const uint8_t* bytes = static_cast<const uint8_t*>(metadata);
    event.metadata.assign(bytes, bytes + metadata_len);
  }
  recording_->current_block(bundled_input_index_).events.emplace_back(std::move(event));
}

void ETDumpGen::log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index,
                                       et_timestamp_t start_time, et_timestamp_t end_time,
                                       const void* metadata, size_t metadata_len) {
  EventTracerEntry entry = start_profiling_delegate(name, delegate_debug_index);
  entry.start_time = start_time;
  end_profiling_delegate(entry, metadata, metadata_len);
  std::get<TimedEvent>(recording_->events.blocks.back().events.back()).end = end_time;
}

void ETDumpGen::track_allocation(AllocatorID id, size_t size) {
  recording_->current_block(bundled_input_index_).events.emplace_back(AllocationRecord{id, size});
}

AllocatorID ETDumpGen::track_allocator(const char* name) {
  EventBlock& block = recording_->current_block(bundled_input_index_);
  block.allocators.push_back(recording_->events.strings.intern(name));
  return static_cast<AllocatorID>(block.allocators.size());
}

Result<bool> ETDumpGen::log_evalue(const EValue& evalue, LoggedEValueType evalue_type) {
  Result<LoggedValue> value = to_logged(evalue, data_sink_);
  if (!value.ok()) {
    return value.error();
  }
  ValueEvent event;
  event.place.chain = chain_id_;
  event.place.instruction = static_cast<int32_t>(debug_handle_);
  event.value = std::move(*value);
  event.is_program_output = evalue_type == LoggedEValueType::kProgramOutput;
  recording_->current_block(bundled_input_index_).events.emplace_back(std::move(event));
  return true;
}

template <typename T>
Result<bool> ETDumpGen::log_delegate_output(const char* name,
                                            DelegateDebugIntId delegate_debug_index,
                                            const T& output) {
  const bool has_number = delegate_debug_index != ::executorch::runtime::kUnsetDelegateDebugIntId;
  ET_REQUIRE((name != nullptr) != has_number, InvalidArgument,
             "profiler: an output inside a delegate needs either a name or a number");
  if (filter_ != nullptr) {
    const Result<bool> wanted = filter_->filter(name, delegate_debug_index);
    if (!wanted.ok() || !*wanted) {
      return wanted.ok() ? Result<bool>(false) : Result<bool>(wanted.error());
    }
  }
  Result<LoggedValue> value = to_logged(output, data_sink_);
  if (!value.ok()) {
    return value.error();
  }
  EventBlock& block = recording_->current_block(bundled_input_index_);
  ValueEvent event;
  event.place.chain = chain_id_;
  event.place.instruction = static_cast<int32_t>(debug_handle_);
  event.place.delegate_number = delegate_debug_index;
  event.place.delegate_name = recording_->events.strings.intern(name);
  event.value = std::move(*value);
  block.events.emplace_back(std::move(event));
  return true;
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const Tensor& output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const ArrayRef<Tensor> output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const int& output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const bool& output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name,
                                                         DelegateDebugIntId delegate_debug_index,
                                                         const double& output) {
  return log_delegate_output(name, delegate_debug_index, output);
}

void ETDumpGen::set_delegation_intermediate_output_filter(
    EventTracerFilterBase* event_tracer_filter) {
  filter_ = event_tracer_filter;
}

Result<bool> ETDumpGen::set_debug_buffer(Span<uint8_t> buffer) {
  Result<BufferDataSink> sink = BufferDataSink::create(buffer);
  if (!sink.ok()) {
    return sink.error();
  }
  buffer_data_sink_ = std::move(*sink);
  data_sink_ = &buffer_data_sink_;
  return true;
}

void ETDumpGen::set_data_sink(DataSinkBase* data_sink) {
  data_sink_ = data_sink;
}

ETDumpResult ETDumpGen::get_etdump_data() {
  if (recording_->events.blocks.empty()) {
    return {nullptr, 0};
  }
  recording_->finished = true;
  const std::vector<uint8_t> bytes = serialize(recording_->events);
  const Result<ETDumpResult> result =
      emit_dump(Span<const uint8_t>(bytes.data(), bytes.size()), result_buffer_);
  return result.ok() ? *result : ETDumpResult{nullptr, 0};
}

size_t ETDumpGen::get_num_blocks() {
  return recording_->events.blocks.size();
}

DataSinkBase* ETDumpGen::get_data_sink() {
  return data_sink_;
}

bool ETDumpGen::is_static_etdump() {
  return result_buffer_.data() != nullptr;
}

}  // namespace etdump
}  // namespace executorch
