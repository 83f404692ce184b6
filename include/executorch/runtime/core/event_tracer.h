/**
 * @file
 * The interface of profilers and debuggers that watch a method run. The runtime calls it through
 * event_tracer_hooks.h, delegates through event_tracer_hooks_delegate.h.
 */
#pragma once

#include <stdlib.h>

#include <cstdint>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {

/// Names an allocator that a tracer knows.
typedef uint32_t AllocatorID;
/// Index of a chain of instructions.
typedef int32_t ChainID;
/// Index of an instruction in its chain.
typedef uint32_t DebugHandle;
/// What a delegate calls its own operators by, when it uses numbers.
typedef int32_t DelegateDebugIntId;

constexpr ChainID kUnsetChainId = -1;
constexpr DebugHandle kUnsetDebugHandle = 0;
constexpr DelegateDebugIntId kUnsetDelegateDebugIntId = -1;
constexpr int kUnsetBundledInputIndex = -1;

/// How a delegate names the event.
enum class DelegateDebugIdType {
  kNone,  ///< not an event of a delegate
  kInt,
  kStr,
};

/// What a logged value is.
enum class LoggedEValueType {
  kIntermediateOutput = 0,
  kProgramOutput = 1,
};

/// Which values are logged; each level includes those before it.
enum class EventTracerDebugLogLevel {
  kNoLogging,
  kProgramOutputs,
  kIntermediateOutputs,
};

/// Which events are timed; each level includes those before it.
enum class EventTracerProfilingLevel {
  kProfileMethodOnly,
  kProfileAllEvents,
};

/// Chooses the delegate events whose outputs are logged.
class EventTracerFilterBase {
 public:
  /// True when the event is wanted. Either `name` is null or `delegate_debug_index` is
  /// kUnsetDelegateDebugIntId.
  virtual Result<bool> filter(const char* name, DelegateDebugIntId delegate_debug_index) = 0;

  virtual ~EventTracerFilterBase() = default;
};

/// A timed event that has begun; goes back to the tracer when the event ends.
struct EventTracerEntry {
  /// The tracer's own number of the event.
  int64_t event_id;
  ChainID chain_id;
  DebugHandle debug_handle;
  /// In ticks.
  et_timestamp_t start_time;
  DelegateDebugIdType delegate_event_id_type;
};

/**
 * Receives events. Pointers handed over (names, metadata, values) are valid during the call only:
 * implementations copy what they keep. One tracer watches one method at a time; implementations
 * need not be thread-safe.
 */
class EventTracer {
 public:
  /// Begins a block: later events belong to it. The runtime opens one for loading and one for each
  /// run.
  virtual void create_event_block(const char* name) = 0;

  /// Begins an event. Unset ids mean those of set_chain_debug_handle().
  virtual EventTracerEntry start_profiling(const char* name, ChainID chain_id = kUnsetChainId,
                                           DebugHandle debug_handle = kUnsetDebugHandle) = 0;

  /// Begins an event inside a delegate, named by a string or else by a number.
  virtual EventTracerEntry start_profiling_delegate(const char* name,
                                                    DelegateDebugIntId delegate_debug_index) = 0;

  /// Ends an event of a delegate, with optional bytes that only the delegate understands.
  virtual void end_profiling_delegate(EventTracerEntry event_tracer_entry,
                                      const void* metadata = nullptr, size_t metadata_len = 0) = 0;

  /// Records an event that a delegate has timed itself, in ticks of its own choice.
  virtual void log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index,
                                      et_timestamp_t start_time, et_timestamp_t end_time,
                                      const void* metadata = nullptr, size_t metadata_len = 0) = 0;

  /// Ends an event of start_profiling().
  virtual void end_profiling(EventTracerEntry prof_entry) = 0;

  /// Records an allocation.
  virtual void track_allocation(AllocatorID id, size_t size) = 0;

  /// Introduces an allocator.
  virtual AllocatorID track_allocator(const char* name) = 0;

  /// Records a value. True when it was recorded, false when the tracer does not want it.
  virtual Result<bool> log_evalue(const EValue& evalue, LoggedEValueType evalue_type) = 0;

  /// Records an output of an operator inside a delegate, named by a string or else by a number.
  /// True when it was recorded, false when the filter does not want it.
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const executorch::aten::Tensor& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const ArrayRef<executorch::aten::Tensor> output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const int& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const bool& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const double& output) = 0;

  /// Filters the outputs logged inside delegates from now on; null logs all. The filter must
  /// outlive its use.
  virtual void set_delegation_intermediate_output_filter(
      EventTracerFilterBase* event_tracer_filter) = 0;

  virtual ~EventTracer() {}

  /// Ids of the instruction that runs now.
  void set_chain_debug_handle(ChainID chain_id, DebugHandle debug_handle) {
    chain_id_ = chain_id;
    debug_handle_ = debug_handle;
  }

  /// Which bundled input the run uses, kUnsetBundledInputIndex when none.
  void set_bundled_input_index(int bundled_input_index) {
    bundled_input_index_ = bundled_input_index;
  }
  int bundled_input_index() { return bundled_input_index_; }

  void set_event_tracer_debug_level(EventTracerDebugLogLevel log_level) {
    event_tracer_debug_level_ = log_level;
  }
  EventTracerDebugLogLevel event_tracer_debug_level() { return event_tracer_debug_level_; }

  void set_event_tracer_profiling_level(EventTracerProfilingLevel profiling_level) {
    event_tracer_profiling_level_ = profiling_level;
  }
  EventTracerProfilingLevel event_tracer_profiling_level() { return event_tracer_profiling_level_; }

  /// Whether the tracer records intermediate tensors.
  bool intermediate_outputs_logging_status() { return log_intermediate_tensors_; }

  ChainID current_chain_id() { return chain_id_; }
  DebugHandle current_debug_handle() { return debug_handle_; }

 protected:
  ChainID chain_id_ = kUnsetChainId;
  DebugHandle debug_handle_ = kUnsetDebugHandle;
  bool event_tracer_enable_debugging_ = false;
  bool log_intermediate_tensors_ = false;
  int bundled_input_index_ = kUnsetBundledInputIndex;
  EventTracerDebugLogLevel event_tracer_debug_level_ = EventTracerDebugLogLevel::kNoLogging;
  EventTracerProfilingLevel event_tracer_profiling_level_ =
      EventTracerProfilingLevel::kProfileAllEvents;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::AllocatorID;
using ::executorch::runtime::ChainID;
using ::executorch::runtime::DebugHandle;
using ::executorch::runtime::DelegateDebugIdType;
using ::executorch::runtime::DelegateDebugIntId;
using ::executorch::runtime::EventTracer;
using ::executorch::runtime::EventTracerDebugLogLevel;
using ::executorch::runtime::EventTracerEntry;
using ::executorch::runtime::kUnsetBundledInputIndex;
using ::executorch::runtime::kUnsetChainId;
using ::executorch::runtime::kUnsetDebugHandle;
using ::executorch::runtime::kUnsetDelegateDebugIntId;
using ::executorch::runtime::LoggedEValueType;
}  // namespace executor
}  // namespace torch
