/**
 * @file
 * How delegates call an event tracer. Every hook accepts a null tracer, and all of them are empty
 * unless ET_EVENT_TRACER_ENABLED is defined. An event is named by a string, with
 * kUnsetDelegateDebugIntId as its number, or by a number, with a null name.
 */
#pragma once

#include <type_traits>

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/event_tracer_hooks.h>

namespace executorch {
namespace runtime {

/// See EventTracer::start_profiling_delegate(). An empty entry without a tracer.
inline EventTracerEntry event_tracer_start_profiling_delegate(EventTracer* event_tracer,
                                                              const char* name,
                                                              DebugHandle delegate_debug_id) {
  event_tracer = internal::active_event_tracer(event_tracer);
  if (event_tracer == nullptr) return EventTracerEntry();
  return event_tracer->start_profiling_delegate(name,
                                                static_cast<DelegateDebugIntId>(delegate_debug_id));
}

/// See EventTracer::end_profiling_delegate().
inline void event_tracer_end_profiling_delegate(EventTracer* event_tracer,
                                                EventTracerEntry event_tracer_entry,
                                                const void* metadata = nullptr,
                                                size_t metadata_len = 0) {
  event_tracer = internal::active_event_tracer(event_tracer);
  if (event_tracer == nullptr) return;
  event_tracer->end_profiling_delegate(event_tracer_entry, metadata, metadata_len);
}

/// See EventTracer::log_profiling_delegate().
inline void event_tracer_log_profiling_delegate(EventTracer* event_tracer, const char* name,
                                                DebugHandle delegate_debug_id,
                                                et_timestamp_t start_time, et_timestamp_t end_time,
                                                const void* metadata = nullptr,
                                                size_t metadata_len = 0) {
  event_tracer = internal::active_event_tracer(event_tracer);
  if (event_tracer == nullptr) return;
  event_tracer->log_profiling_delegate(name, static_cast<DelegateDebugIntId>(delegate_debug_id),
                                       start_time, end_time, metadata, metadata_len);
}

/// Logs an output of an operator inside the delegate: a Tensor, an ArrayRef of them, an int, a bool
/// or a double.
template <typename T>
inline void event_tracer_log_output_delegate(EventTracer* event_tracer, const char* name,
                                             DebugHandle delegate_debug_id, const T& output) {
  static_assert(std::is_same<T, int>::value || std::is_same<T, bool>::value ||
                    std::is_same<T, double>::value ||
                    std::is_same<T, executorch::aten::Tensor>::value ||
                    std::is_same<T, ArrayRef<executorch::aten::Tensor>>::value,
                "an output is a Tensor, an ArrayRef of Tensors, an int, a bool or a double");
  event_tracer = internal::active_event_tracer(event_tracer);
  if (event_tracer == nullptr) return;
  (void)event_tracer->log_intermediate_output_delegate(
      name, static_cast<DelegateDebugIntId>(delegate_debug_id), output);
}

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::event_tracer_end_profiling_delegate;
using ::executorch::runtime::event_tracer_log_output_delegate;
using ::executorch::runtime::event_tracer_log_profiling_delegate;
using ::executorch::runtime::event_tracer_start_profiling_delegate;
}  // namespace executor
}  // namespace torch
