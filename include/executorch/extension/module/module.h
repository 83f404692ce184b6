/**
 * @file
 * Module: a program, its data files and the memory of its methods behind one object.
 */
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <executorch/extension/module/planned_memory.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/load_options.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/run_control.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

#define ET_MODULE_NAMESPACE module

namespace executorch {
namespace extension {

using ET_RUNTIME_NAMESPACE::Kernel;
using ET_RUNTIME_NAMESPACE::Method;
using ET_RUNTIME_NAMESPACE::MethodMeta;
using ET_RUNTIME_NAMESPACE::NamedDataMap;
using ET_RUNTIME_NAMESPACE::Program;
using runtime::LoadBackendOptionsMap;

namespace ET_MODULE_NAMESPACE {

/**
 * Loads a program and runs its methods. Files are opened, the program is read and methods are
 * loaded when they are first needed, or by load(), load_method() and load_forward(). After an error
 * last_error_message() says more.
 *
 * Not thread-safe: use a Module from one thread at a time. Modules in other threads may share its
 * program(). Outputs of a method without memory of the application alias the method's memory: they
 * are valid until the method runs again or is unloaded.
 */
class EXECUTORCH_API Module {
 public:
  /// How files are read.
  enum class LoadMode {
    /// Read into memory. What was loaded does not change when the file does.
    File,
    /// Map: pages come from the file when they are touched.
    Mmap,
    /// Map and lock into memory; failing to lock is an error.
    MmapUseMlock,
    /// Map, and lock into memory if that is possible.
    MmapUseMlockIgnoreErrors,
    /// Map and ask for read-ahead.
    MmapUseMadvise,
  };

  /**
   * A module over a program file.
   *
   * @param[in] file_path The `.pte` file.
   * @param[in] load_mode How to read it.
   * @param[in] event_tracer Receives the events of loading and running; may be null.
   * @param[in] memory_allocator Memory for the methods' structures; null: the heap, freed when a
   * method is unloaded.
   * @param[in] temp_allocator Memory for kernels while they run; null: memory of the method's own.
   * @param[in] share_memory_arenas All methods use the same arenas for memory ids 1 and 2
   * (activations, shared mutable buffers), as programs exported with share_mutable_buffers need it.
   * Then outputs of one method are valid only until any method runs. False: every method has arenas
   * of its own.
   */
  explicit Module(const std::string& file_path, const LoadMode load_mode = LoadMode::Mmap,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);

  /// A module over a program file and a `.ptd` data file; other parameters as above.
  explicit Module(const std::string& file_path, const std::string& data_map_path,
                  const LoadMode load_mode = LoadMode::Mmap,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);

  /// A module over a program file and any number of `.ptd` data files with distinct keys; other
  /// parameters as above.
  explicit Module(const std::string& file_path, std::vector<std::string> data_files,
                  const LoadMode load_mode = LoadMode::Mmap,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);

  /**
   * A module over a loader that gives the program's bytes.
   *
   * @param[in] data_map_loader Gives the bytes of a `.ptd` data file; may be null.
   * Other parameters as above.
   */
  explicit Module(std::unique_ptr<runtime::DataLoader> data_loader,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr,
                  bool share_memory_arenas = false);

  /**
   * A module over a program that is loaded already, e.g. another module's program(). Data files are
   * not shared with that module unless add_data_map() is given the same maps.
   */
  explicit Module(std::shared_ptr<Program> program,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr,
                  bool share_memory_arenas = false);

  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module(Module&&) = delete;
  Module& operator=(Module&&) = delete;
  virtual ~Module();

  /**
   * Opens the data files and the program, unless that is done already.
   *
   * @param[in] verification Kept for compatibility: every program is checked completely.
   * @retval Error::AccessFailed A file cannot be opened.
   * @retval Error::InvalidArgument The data files have no keys, or one key twice.
   * @returns Other errors of Program::load() and FlatTensorDataMap::load().
   */
  ET_NODISCARD virtual runtime::Error load(
      const Program::Verification verification = Program::Verification::Minimal);

  /**
   * load(), and sets the options that delegates of methods loaded from now on get. They are copied;
   * when loading fails, earlier ones stay.
   */
  ET_NODISCARD virtual runtime::Error load(
      const LoadBackendOptionsMap& backend_options,
      const Program::Verification verification = Program::Verification::Minimal);

  /// The options that load() was given last, empty when there were none; valid until the next such
  /// call.
  inline const LoadBackendOptionsMap& backend_options() const { return backend_options_map_; }

  /// Whether the program has been loaded.
  virtual inline bool is_loaded() const { return program_ != nullptr; }

  /// The program, or null before it is loaded. The pointer keeps the program's file open too.
  inline std::shared_ptr<Program> program() const { return program_; }

  /**
   * Options for methods loaded from now on: planning on or off, limits of memory. The arenas of a
   * method are refused before they are allocated when they exceed the memory limit.
   */
  void set_load_options(const runtime::LoadOptions& options) { load_options_ = options; }

  /// The options that methods are loaded with.
  const runtime::LoadOptions& load_options() const { return load_options_; }

  /**
   * Bounds every run from now on, of methods loaded now or later: by a deadline, a stop that
   * another thread may ask for, or a number of instructions. A run that is ended so gives the error
   * that RunControl names for it; the method can be run again.
   *
   * @param[in] control Must outlive the module or the next call. Null for no bounds but the default
   * number of instructions.
   */
  void set_run_control(const runtime::RunControl* control);

  /// What bounds the runs, or null.
  const runtime::RunControl* run_control() const { return run_control_; }

  /**
   * Opens and checks a `.ptd` data file. The result may be given to add_data_map() of several
   * modules, and owns everything it needs.
   */
  static runtime::Result<std::shared_ptr<const NamedDataMap>> open_data_map(
      const std::string& path, LoadMode load_mode = LoadMode::Mmap);

  /**
   * Adds named data beside that of the data files, for methods loaded from now on: e.g. a
   * foundation that several modules share.
   * @retval Error::InvalidArgument The map is null, or a key is known already; nothing is changed
   * then.
   */
  ET_NODISCARD runtime::Error add_data_map(std::shared_ptr<const NamedDataMap> data_map);

  /**
   * Replaces the data files, e.g. one adapter by another. Files that were in use before stay open
   * and are not read again. All methods are unloaded; the program is kept. On error nothing is
   * changed.
   */
  ET_NODISCARD runtime::Error replace_data_files(const std::vector<std::string>& data_files);

  /// The number of methods. Loads the program if needed.
  runtime::Result<size_t> num_methods();

  /// The names of all methods. Loads the program if needed.
  runtime::Result<std::unordered_set<std::string>> method_names();

  /**
   * Loads a method unless it is loaded already.
   *
   * @param[in] method_name The method.
   * @param[in] planned_memory Arenas to use instead of the module's own; must outlive the method.
   * May be null.
   * @param[in] event_tracer Receives this method's events instead of the module's tracer; must
   * outlive the method. May be null.
   * @param[in] backend_options Options for the method's delegates instead of those given to load().
   * May be null.
   * @param[in] kernel_registry Kernels to use instead of registered ones of the same name.
   */
  ET_NODISCARD runtime::Error load_method(const std::string& method_name,
                                          runtime::HierarchicalAllocator* planned_memory = nullptr,
                                          torch::executor::EventTracer* event_tracer = nullptr,
                                          const LoadBackendOptionsMap* backend_options = nullptr,
                                          std::vector<Kernel> kernel_registry = {});

  /// DEPRECATED: use the form with planned memory.
  ET_DEPRECATED ET_NODISCARD runtime::Error inline load_method(
      const std::string& method_name, torch::executor::EventTracer* event_tracer) {
    return load_method(method_name, nullptr, event_tracer, nullptr);
  }

  /// Unloads a method and frees its memory. False when it was not loaded.
  inline bool unload_method(const std::string& method_name) {
    return methods_.erase(method_name) != 0;
  }

  /// DEPRECATED: the module manages its methods. The loaded method, which belongs to the module.
  ET_DEPRECATED ET_NODISCARD runtime::Result<Method*> method(const std::string& method_name);

  /// load_method() for "forward".
  ET_NODISCARD inline runtime::Error load_forward(
      runtime::HierarchicalAllocator* planned_memory = nullptr,
      torch::executor::EventTracer* event_tracer = nullptr,
      const LoadBackendOptionsMap* backend_options = nullptr,
      std::vector<Kernel> kernel_registry = {}) {
    return load_method("forward", planned_memory, event_tracer, backend_options,
                       std::move(kernel_registry));
  }

  /// DEPRECATED: use the form with planned memory.
  ET_DEPRECATED ET_NODISCARD inline runtime::Error load_forward(
      torch::executor::EventTracer* event_tracer) {
    return load_forward(nullptr, event_tracer, nullptr);
  }

  /// unload_method() for "forward".
  inline bool unload_forward() { return unload_method("forward"); }

  /// Whether a method is loaded.
  inline bool is_method_loaded(const std::string& method_name) const {
    return methods_.count(method_name) != 0;
  }

  /// Inputs, outputs and arenas of a method. Loads the program if needed, not the method. Valid as
  /// long as the program.
  runtime::Result<MethodMeta> method_meta(const std::string& method_name);

  /**
   * Sets inputs, runs a method and gives its outputs. Loads program and method if needed.
   *
   * @param[in] input_values The first inputs of the method. Further ones keep what was set before.
   * @retval Error::InvalidArgument Too many inputs, an input of the wrong kind, type or shape, or
   * one never set.
   * @returns The outputs, or the error of loading or running.
   */
  ET_NODISCARD virtual runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, const std::vector<runtime::EValue>& input_values);

  /// execute() with one input.
  ET_NODISCARD inline runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, const runtime::EValue& input_value) {
    return execute(method_name, std::vector<runtime::EValue>{input_value});
  }

  /// execute() with the inputs that were set before.
  ET_NODISCARD inline runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name) {
    return execute(method_name, std::vector<runtime::EValue>{});
  }

  /// execute(), giving the first output only. InvalidArgument when the method has none.
  ET_NODISCARD runtime::Result<runtime::EValue> get(
      const std::string& method_name, const std::vector<runtime::EValue>& input_values);

  /// get() with one input.
  ET_NODISCARD inline runtime::Result<runtime::EValue> get(const std::string& method_name,
                                                           const runtime::EValue& input_value) {
    return get(method_name, std::vector<runtime::EValue>{input_value});
  }

  /// get() with the inputs that were set before.
  ET_NODISCARD inline runtime::Result<runtime::EValue> get(const std::string& method_name) {
    return get(method_name, std::vector<runtime::EValue>{});
  }

  /// execute() for "forward".
  ET_NODISCARD inline runtime::Result<std::vector<runtime::EValue>> forward(
      const std::vector<runtime::EValue>& input_values) {
    return execute("forward", input_values);
  }

  /// execute() for "forward" with one input.
  ET_NODISCARD inline runtime::Result<std::vector<runtime::EValue>> forward(
      const runtime::EValue& input_value) {
    return forward(std::vector<runtime::EValue>{input_value});
  }

  /// execute() for "forward" with the inputs that were set before.
  ET_NODISCARD inline runtime::Result<std::vector<runtime::EValue>> forward() {
    return forward(std::vector<runtime::EValue>{});
  }

  /// Sets one input of a method for the next run. Loads program and method if needed.
  ET_NODISCARD runtime::Error set_input(const std::string& method_name,
                                        const runtime::EValue& input_value, size_t input_index);

  /// set_input() for "forward".
  ET_NODISCARD inline runtime::Error set_input(const runtime::EValue& input_value,
                                               size_t input_index) {
    return set_input("forward", input_value, input_index);
  }

  /// Sets all inputs of a method for the next run. Loads program and method if needed.
  ET_NODISCARD runtime::Error set_inputs(const std::string& method_name,
                                         const std::vector<runtime::EValue>& input_values);

  /// set_inputs() for "forward".
  ET_NODISCARD inline runtime::Error set_inputs(const std::vector<runtime::EValue>& input_values) {
    return set_inputs("forward", input_values);
  }

  /**
   * Makes a method write an output into memory of the application, which must stay valid while the
   * method runs. Loads program and method if needed.
   *
   * @param[in] output_value A tensor whose memory is to be used.
   * @param[in] output_index Which output.
   * @retval Error::InvalidArgument The value is not a tensor, or its memory is too small.
   * @retval Error::InvalidState The output lies in planned memory or is a constant.
   */
  ET_NODISCARD runtime::Error set_output(const std::string& method_name,
                                         runtime::EValue output_value, size_t output_index = 0);

  /// set_output() for "forward".
  ET_NODISCARD inline runtime::Error set_output(runtime::EValue output_value,
                                                size_t output_index = 0) {
    return set_output("forward", std::move(output_value), output_index);
  }

  /// set_output() for every output of a method, in order.
  ET_NODISCARD runtime::Error set_outputs(const std::string& method_name,
                                          const std::vector<runtime::EValue>& output_values);

  /// set_outputs() for "forward".
  ET_NODISCARD inline runtime::Error set_outputs(
      const std::vector<runtime::EValue>& output_values) {
    return set_outputs("forward", output_values);
  }

  /// The outputs as they are, without running. Loads program and method if needed.
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> get_outputs(
      const std::string& method_name);

  /// get_outputs() for "forward".
  ET_NODISCARD inline runtime::Result<std::vector<runtime::EValue>> get_outputs() {
    return get_outputs("forward");
  }

  /// One output as it is, without running. Loads program and method if needed.
  ET_NODISCARD runtime::Result<runtime::EValue> get_output(const std::string& method_name,
                                                           size_t output_index = 0);

  /// get_output() for "forward".
  ET_NODISCARD inline runtime::Result<runtime::EValue> get_output(size_t output_index = 0) {
    return get_output("forward", output_index);
  }

  /// The module's event tracer, or null.
  inline runtime::EventTracer* event_tracer() const { return event_tracer_.get(); }

  /// DEPRECATED: always empty. Debug data goes where the event tracer says.
  ET_DEPRECATED ET_NODISCARD runtime::Span<uint8_t> debug_buffer() { return {}; }

 private:
  /// A loaded method and what it stands on, in the order of construction.
  struct MethodHolder {
    std::shared_ptr<const NamedDataMap> data_map;
    std::unique_ptr<PlannedMemory> planned_memory;
    std::unique_ptr<runtime::MemoryAllocator> memory_allocator;
    std::unique_ptr<runtime::MemoryManager> memory_manager;
    std::vector<Kernel> kernel_registry;
    std::unique_ptr<Method> method;
  };

  using DataMapPtr = std::shared_ptr<const NamedDataMap>;

  runtime::Error load_program(Program::Verification verification);
  runtime::Error load_data_maps();
  runtime::Error make_planned_memory(const MethodMeta& method_meta, MethodHolder& holder);
  runtime::Result<Method*> loaded_method(const std::string& method_name);

  std::string file_path_;
  LoadMode load_mode_ = LoadMode::Mmap;
  bool share_memory_arenas_ = false;
  runtime::LoadOptions load_options_;
  const runtime::RunControl* run_control_ = nullptr;
  std::unique_ptr<runtime::MemoryAllocator> memory_allocator_;
  std::unique_ptr<runtime::MemoryAllocator> temp_allocator_;
  std::unique_ptr<runtime::EventTracer> event_tracer_;

  /// Until the program is loaded; then the program's owner keeps it.
  std::unique_ptr<runtime::DataLoader> data_loader_;
  std::shared_ptr<Program> program_;

  std::shared_ptr<runtime::DataLoader> data_map_loader_;
  std::vector<std::string> data_files_;
  bool data_maps_loaded_ = false;
  /// One map per data file, in order.
  std::vector<DataMapPtr> file_maps_;
  /// The map of data_map_loader_ and those of add_data_map().
  std::vector<DataMapPtr> other_maps_;
  /// All of them as one; null when there are none. Methods keep the one that they were loaded with.
  DataMapPtr merged_data_map_;

  /// Own the options that backend_options_map_ refers to.
  std::vector<std::vector<runtime::BackendOption>> backend_options_storage_;
  LoadBackendOptionsMap backend_options_map_;
  std::unique_ptr<SharedArenas> shared_arenas_;

 protected:
  std::unordered_map<std::string, MethodHolder> methods_;
};

}  // namespace ET_MODULE_NAMESPACE
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::extension::ET_MODULE_NAMESPACE::Module;
}  // namespace executor
}  // namespace torch

namespace executorch {
namespace extension {
using ::executorch::extension::ET_MODULE_NAMESPACE::Module;
}  // namespace extension
}  // namespace executorch
