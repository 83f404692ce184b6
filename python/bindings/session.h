// A program and its methods as Python holds them: files, memory and locks around the runtime's
// objects.
#pragma once

#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/planned_memory.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/load_options.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>

#include "backend_options.h"
#include "loading/sources.h"
#include "tensors.h"
#include "tracing/tracing.h"

namespace executorch::python {

struct SessionOptions {
  runtime::Program::Verification verification = runtime::Program::Verification::InternalConsistency;
  bool enable_etdump = false;
  size_t debug_buffer_size = 0;
  /// Host-only methods share one set of arenas, as programs exported with shared mutable buffers
  /// expect.
  bool share_arenas = false;
  runtime::LoadOptions load;
  /// As LoadOptions::cache_dir.
  std::optional<std::string> cache_dir;
  BackendOptionLists backend_options;

  runtime::LoadOptions load_options() const {
    runtime::LoadOptions options = load;
    if (cache_dir) options.cache_dir = cache_dir->c_str();
    return options;
  }
};

class MethodSession;

/// One opened program with its data files. The program itself is parsed at first use.
class ProgramSession : public std::enable_shared_from_this<ProgramSession> {
 public:
  /// Opens the files; raises RuntimeError, worded as the original does, when one cannot be opened
  /// or is no data file.
  static std::shared_ptr<ProgramSession> open(Source program, std::vector<Source> data,
                                              SessionOptions options);

  /// Parses and verifies the program, once.
  runtime::Error ensure_loaded();
  /// Valid after ensure_loaded().
  runtime::Program& program() { return *program_; }
  runtime::DataLoader& loader() { return *loader_; }
  const std::vector<std::string>& method_names() const { return method_names_; }

  runtime::Result<std::shared_ptr<MethodSession>> load_method(const std::string& name);

  const SessionOptions& options() const { return options_; }
  Tracing& tracing() { return tracing_; }
  /// Writes what was profiled since the last call. Waits until no method of the program runs.
  runtime::Error write_trace(const std::string& path, const std::string& debug_path);
  /// All data files as one map; null when there are none. Valid after ensure_loaded().
  const runtime::NamedDataMap* data_map() const {
    return merged_data_         ? merged_data_.get()
           : data_maps_.empty() ? nullptr
                                : data_maps_.front().get();
  }

 private:
  ProgramSession() = default;
  /// Methods share arenas or a tracer: one of them runs at a time.
  bool methods_take_turns() const { return options_.share_arenas || tracing_.enabled(); }
  runtime::Result<std::unique_ptr<extension::PlannedMemory>> planned_memory_for(
      const std::string& method);

  Source source_;
  std::vector<Source> data_sources_;
  SessionOptions options_;
  Tracing tracing_;
  std::shared_ptr<runtime::DataLoader> loader_;
  std::vector<std::shared_ptr<runtime::DataLoader>> data_loaders_;
  std::vector<std::unique_ptr<runtime::NamedDataMap>> data_maps_;
  std::unique_ptr<runtime::NamedDataMap> merged_data_;
  std::mutex load_mutex_;
  std::optional<runtime::Program> program_;
  std::vector<std::string> method_names_;
  std::unique_ptr<extension::SharedArenas> shared_arenas_;
  // Held while a method runs, or is loaded, that shares arenas or the tracer with others.
  std::shared_ptr<std::mutex> shared_turn_ = std::make_shared<std::mutex>();
};

/// No deadline.
inline constexpr double kNoTimeout = std::numeric_limits<double>::infinity();

/// Seconds from what Python passes; None is kNoTimeout. Raises ValueError when it is no number.
double timeout_from(std::optional<double> seconds);

/// One loaded method. Calls from several threads take turns; none of them holds the Python lock
/// while running.
class MethodSession : public std::enable_shared_from_this<MethodSession> {
 public:
  static runtime::Result<std::shared_ptr<MethodSession>> load(
      std::shared_ptr<ProgramSession> program, const std::string& name,
      std::unique_ptr<extension::PlannedMemory> memory, std::shared_ptr<std::mutex> turn);

  const std::string& name() const { return name_; }
  std::shared_ptr<ProgramSession> program() const { return program_; }
  runtime::MethodMeta meta() const { return method_->method_meta(); }
  runtime::Method& method() { return *method_; }

  /// Converts a flat sequence, or one bare tensor. Caller holds the Python lock.
  std::vector<Input> convert_inputs(nanobind::handle inputs);

  /// The following run without the Python lock, the caller holding mutex(). Inputs that are
  /// replaced are left in `inputs`, to be released under the Python lock.
  runtime::Error set_inputs(std::vector<Input>& inputs);
  /// As set_inputs, but fewer inputs than the method has leave the others as they were.
  runtime::Error set_leading_inputs(std::vector<Input>& inputs);
  /// Runs for at most so many seconds; kNoTimeout for no limit.
  runtime::Error execute(double seconds);
  runtime::Result<std::vector<Output>> outputs(bool clone);

  /// Held over a whole set-execute-read sequence.
  std::mutex& mutex() { return *turn_; }

 private:
  MethodSession() = default;
  void find_passed_through();
  runtime::Error provide_output_memory();

  std::string name_;
  std::shared_ptr<ProgramSession> program_;
  std::unique_ptr<extension::PlannedMemory> planned_memory_;
  std::shared_ptr<std::mutex> turn_;
  extension::MallocMemoryAllocator method_allocator_;
  extension::MallocMemoryAllocator temp_allocator_;
  std::optional<runtime::MemoryManager> memory_manager_;
  std::optional<runtime::Method> method_;
  std::vector<ExpectedLayout> layouts_;
  // Inputs that the method uses in place stay alive until they are replaced.
  std::vector<Input> current_inputs_;
  std::vector<std::shared_ptr<void>> output_memory_;
  // Outputs that are an input: they lie in its memory, which may be the caller's, and are copied.
  std::vector<bool> passed_through_;
};

/// Runs a method on converted inputs as one sequence and returns the Python results. Releases the
/// lock while running. `partial`: missing inputs keep their contents. `timeout` in seconds.
nanobind::list run_method(const std::shared_ptr<MethodSession>& method, nanobind::handle inputs,
                          bool clone_outputs, double timeout, bool partial);

/// The Python values of a run.
nanobind::list to_list(std::vector<Output>&& outputs);

/// As run_method, on inputs that are converted already. `stage` tells what failed; replaced inputs
/// are left in `inputs`.
runtime::Result<std::vector<Output>> run_converted(MethodSession& method,
                                                   std::vector<Input>& inputs, bool clone_outputs,
                                                   double timeout, bool partial,
                                                   const char** stage);

}  // namespace executorch::python
