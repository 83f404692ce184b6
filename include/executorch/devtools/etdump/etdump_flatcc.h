/**
 * @file
 * The profiler: records the events of loading and running a method and gives them as a dump
 * (`.etdp`), which ExecuTorch's Inspector reads.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>
#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>
#include <executorch/runtime/platform/platform.h>

/// Version of the dump's format.
#define ETDUMP_VERSION 0

namespace executorch {
namespace etdump {

using ::executorch::runtime::DelegateDebugIntId;
using ::executorch::runtime::EventTracerFilterBase;
using ::executorch::runtime::Result;

/// A finished dump: `size` bytes at `buf`.
struct ETDumpResult {
  void* buf;
  size_t size;
};

/**
 * Give it to Module, or to Program::load_method(), run, then call get_etdump_data().
 *
 * Names are copied. Nothing here aborts: an event outside any block opens a block named "Default",
 * and what cannot be recorded is left out, with a text in last_error_message() where a function
 * cannot return an error. One method at a time; not thread-safe.
 */
class EXECUTORCH_ETDUMP_API ETDumpGen : public ::executorch::runtime::EventTracer {
 public:
  /**
   * @param[in] buffer Where get_etdump_data() puts the dump; it must outlive the dump. Empty: the
   * dump is allocated.
   */
  ETDumpGen(::executorch::runtime::Span<uint8_t> buffer = {nullptr, (size_t)0});
  ~ETDumpGen() override;

  ETDumpGen(const ETDumpGen&) = delete;
  ETDumpGen& operator=(const ETDumpGen&) = delete;

  /// Forgets all events. The data sink stays.
  void clear_builder();

  void create_event_block(const char* name) override;

  virtual ::executorch::runtime::EventTracerEntry start_profiling(
      const char* name, ::executorch::runtime::ChainID chain_id = -1,
      ::executorch::runtime::DebugHandle debug_handle = 0) override;
  virtual void end_profiling(::executorch::runtime::EventTracerEntry prof_entry) override;

  /// Exactly one of name and number is expected; when both are given the name is taken.
  virtual ::executorch::runtime::EventTracerEntry start_profiling_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index) override;
  virtual void end_profiling_delegate(::executorch::runtime::EventTracerEntry prof_entry,
                                      const void* metadata, size_t metadata_len) override;
  virtual void log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index,
                                      et_timestamp_t start_time, et_timestamp_t end_time,
                                      const void* metadata, size_t metadata_len) override;

  virtual void track_allocation(::executorch::runtime::AllocatorID id, size_t size) override;
  virtual ::executorch::runtime::AllocatorID track_allocator(const char* name) override;

  /**
   * Records a tensor, a list of tensors, an integer, a number or a bool. Elements go to the data
   * sink.
   * @retval Error::InvalidState Tensors without a data sink.
   * @retval Error::InvalidArgument Another kind of value, or a scalar type that Inspector cannot
   * read.
   * @returns The sink's errors.
   */
  virtual Result<bool> log_evalue(
      const ::executorch::runtime::EValue& evalue,
      ::executorch::runtime::LoggedEValueType evalue_type =
          ::executorch::runtime::LoggedEValueType::kIntermediateOutput) override;

  /// Records an output inside a delegate unless the filter does not want it (false). Errors as
  /// log_evalue(), and Error::InvalidArgument unless exactly one of name and number is given.
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const executorch::aten::Tensor& output) override;
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const ::executorch::runtime::ArrayRef<executorch::aten::Tensor> output) override;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const int& output) override;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const bool& output) override;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const double& output) override;

  virtual void set_delegation_intermediate_output_filter(
      EventTracerFilterBase* event_tracer_filter) override;

  /// Puts logged tensors into `buffer`, which must outlive its use. True, or the error of
  /// BufferDataSink::create().
  Result<bool> set_debug_buffer(::executorch::runtime::Span<uint8_t> buffer);

  /// Puts logged tensors into `data_sink`, which must outlive its use; null: they are not logged.
  void set_data_sink(DataSinkBase* data_sink);

  /**
   * Finishes the dump. In memory of this object's buffer when it was given one, else allocated with
   * malloc() for the caller to free(). {nullptr, 0} before the first block, and, with a text, when
   * there is not enough memory. The next block begins a new dump.
   */
  ETDumpResult get_etdump_data();

  /// Blocks of the current dump.
  size_t get_num_blocks();

  /// What receives logged tensors, or null.
  DataSinkBase* get_data_sink();

  /// Whether dumps go into a buffer of the application.
  bool is_static_etdump();

  /// Forgets all events and the data sink.
  void reset();

 private:
  struct Recording;

  template <typename T>
  Result<bool> log_delegate_output(const char* name, DelegateDebugIntId delegate_debug_index,
                                   const T& output);

  std::unique_ptr<Recording> recording_;
  ::executorch::runtime::Span<uint8_t> result_buffer_;
  DataSinkBase* data_sink_ = nullptr;
  /// What set_debug_buffer() makes.
  BufferDataSink buffer_data_sink_;
  EventTracerFilterBase* filter_ = nullptr;
};

}  // namespace etdump
}  // namespace executorch

namespace torch {
namespace executor {
using etdump_result = ::executorch::etdump::ETDumpResult;
using ::executorch::etdump::ETDumpGen;
}  // namespace executor
}  // namespace torch
