/**
 * @file
 * How the runtime and kernels call an event tracer. Every hook accepts a null tracer, and all of
 * them are empty unless ET_EVENT_TRACER_ENABLED is defined.
 */
#pragma once

#include <executorch/runtime/core/event_tracer.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Whether the hooks were compiled in.
inline constexpr bool event_tracer_enabled() {
#ifdef ET_EVENT_TRACER_ENABLED
  return true;
#else
  return false;
#endif
}

/// `tracer`, or null when the hooks are empty: the compiler then drops what depends on it.
inline EventTracer* active_event_tracer(EventTracer* tracer) {
  return event_tracer_enabled() ? tracer : nullptr;
}

/// Times an operator call from construction to destruction, unless only methods are profiled.
class EventTracerProfileOpScope final {
 public:
  EventTracerProfileOpScope(EventTracer* event_tracer, const char* name)
      : event_tracer_(active_event_tracer(event_tracer)), event_entry_() {
    if (event_tracer_ != nullptr && event_tracer_->event_tracer_profiling_level() ==
                                        EventTracerProfilingLevel::kProfileMethodOnly) {
      event_tracer_ = nullptr;
    }
    if (event_tracer_ != nullptr) event_entry_ = event_tracer_->start_profiling(name);
  }

  EventTracerProfileOpScope(const EventTracerProfileOpScope&) = delete;
  EventTracerProfileOpScope& operator=(const EventTracerProfileOpScope&) = delete;

  ~EventTracerProfileOpScope() {
    if (event_tracer_ != nullptr) event_tracer_->end_profiling(event_entry_);
  }

 private:
  EventTracer* event_tracer_;
  EventTracerEntry event_entry_;
};

using EventTracerProfileScope = EventTracerProfileOpScope;

/// Times a method from construction to destruction, at every profiling level.
class EventTracerProfileMethodScope final {
 public:
  EventTracerProfileMethodScope(EventTracer* event_tracer, const char* name)
      : event_tracer_(active_event_tracer(event_tracer)), event_entry_() {
    if (event_tracer_ != nullptr) event_entry_ = event_tracer_->start_profiling(name);
  }

  EventTracerProfileMethodScope(const EventTracerProfileMethodScope&) = delete;
  EventTracerProfileMethodScope& operator=(const EventTracerProfileMethodScope&) = delete;

  ~EventTracerProfileMethodScope() {
    if (event_tracer_ != nullptr) event_tracer_->end_profiling(event_entry_);
  }

 private:
  EventTracer* event_tracer_;
  EventTracerEntry event_entry_;
};

/// Tells the tracer which instruction runs, from construction to destruction.
class EventTracerProfileInstructionScope final {
 public:
  EventTracerProfileInstructionScope(EventTracer* event_tracer, ChainID chain_idx,
                                     DebugHandle debug_handle)
      : event_tracer_(active_event_tracer(event_tracer)) {
    if (event_tracer_ != nullptr) event_tracer_->set_chain_debug_handle(chain_idx, debug_handle);
  }

  EventTracerProfileInstructionScope(const EventTracerProfileInstructionScope&) = delete;
  EventTracerProfileInstructionScope& operator=(const EventTracerProfileInstructionScope&) = delete;

  ~EventTracerProfileInstructionScope() {
    if (event_tracer_ != nullptr) {
      event_tracer_->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
    }
  }

 private:
  EventTracer* event_tracer_;
};

/// See EventTracer::create_event_block().
inline void event_tracer_create_event_block(EventTracer* event_tracer, char const* name) {
  event_tracer = active_event_tracer(event_tracer);
  if (event_tracer != nullptr) event_tracer->create_event_block(name);
}

/// See EventTracer::start_profiling(). An empty entry without a tracer.
inline EventTracerEntry event_tracer_begin_profiling_event(EventTracer* event_tracer,
                                                           char const* name) {
  event_tracer = active_event_tracer(event_tracer);
  return event_tracer != nullptr ? event_tracer->start_profiling(name) : EventTracerEntry();
}

/// See EventTracer::end_profiling().
inline void event_tracer_end_profiling_event(EventTracer* event_tracer, EventTracerEntry event) {
  event_tracer = active_event_tracer(event_tracer);
  if (event_tracer != nullptr) event_tracer->end_profiling(event);
}

/// See EventTracer::track_allocator(). 0 without a tracer.
inline AllocatorID event_tracer_track_allocator(EventTracer* event_tracer, const char* name) {
  event_tracer = active_event_tracer(event_tracer);
  return event_tracer != nullptr ? event_tracer->track_allocator(name) : 0;
}

/// See EventTracer::track_allocation().
inline void event_tracer_track_allocation(EventTracer* event_tracer, AllocatorID id, size_t size) {
  event_tracer = active_event_tracer(event_tracer);
  if (event_tracer != nullptr) event_tracer->track_allocation(id, size);
}

/// Logs the result of an instruction when the tracer wants intermediate outputs. A tracer that
/// cannot record it does not stop the run.
inline void event_tracer_log_evalue(EventTracer* event_tracer, EValue& evalue) {
  event_tracer = active_event_tracer(event_tracer);
  if (event_tracer != nullptr &&
      event_tracer->event_tracer_debug_level() >= EventTracerDebugLogLevel::kIntermediateOutputs) {
    (void)event_tracer->log_evalue(evalue, LoggedEValueType::kIntermediateOutput);
  }
}

/// Logs an output of the method when the tracer wants program outputs.
inline void event_tracer_log_evalue_output(EventTracer* event_tracer, const EValue& evalue) {
  event_tracer = active_event_tracer(event_tracer);
  if (event_tracer != nullptr &&
      event_tracer->event_tracer_debug_level() >= EventTracerDebugLogLevel::kProgramOutputs) {
    (void)event_tracer->log_evalue(evalue, LoggedEValueType::kProgramOutput);
  }
}

/// See EventTracer::set_bundled_input_index().
inline void event_tracer_set_bundled_input_index(EventTracer* event_tracer,
                                                 int bundled_input_index) {
  event_tracer = active_event_tracer(event_tracer);
  if (event_tracer != nullptr) event_tracer->set_bundled_input_index(bundled_input_index);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
namespace internal {
using ::executorch::runtime::internal::event_tracer_begin_profiling_event;
using ::executorch::runtime::internal::event_tracer_create_event_block;
using ::executorch::runtime::internal::event_tracer_end_profiling_event;
using ::executorch::runtime::internal::event_tracer_log_evalue;
using ::executorch::runtime::internal::event_tracer_log_evalue_output;
using ::executorch::runtime::internal::event_tracer_set_bundled_input_index;
using ::executorch::runtime::internal::event_tracer_track_allocation;
using ::executorch::runtime::internal::event_tracer_track_allocator;
using ::executorch::runtime::internal::EventTracerProfileInstructionScope;
using ::executorch::runtime::internal::EventTracerProfileMethodScope;
using ::executorch::runtime::internal::EventTracerProfileOpScope;
using ::executorch::runtime::internal::EventTracerProfileScope;
}  // namespace internal
}  // namespace executor
}  // namespace torch
