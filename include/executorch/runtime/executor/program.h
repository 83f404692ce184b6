/**
 * @file
 * A program file (.pte).
 */
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/load_options.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/pte_data_map.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch_flatbuffer {
struct Program;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {
namespace testing {
class ProgramTestFriend;
}  // namespace testing

namespace internal {
class MethodLoader;
}  // namespace internal

/**
 * A checked program. Immutable once loaded, so that all functions may be called from several
 * threads; the loader must allow that too.
 *
 * The file is input from a stranger: every table, index, offset and size is checked when it is
 * loaded.
 */
class EXECUTORCH_API Program final {
 public:
  /// How much to check. Everything that memory safety needs is checked at either level.
  enum class Verification : uint8_t {
    Minimal,
    InternalConsistency,
  };

  /// Highest value of the file's version field that this runtime reads.
  static constexpr uint32_t kMaxSupportedSchemaVersion = 0;

  /**
   * Loads and checks a program.
   *
   * @param[in] loader Reads the file. Kept, not owned: must outlive the program and its methods.
   * @retval InvalidProgram The bytes are no program, are damaged, or need a newer runtime.
   * @retval InvalidArgument The loader is null or hands out memory that is not aligned to 16 bytes.
   * @returns Else the loader's errors.
   */
  ET_NODISCARD static Result<Program> load(DataLoader* loader,
                                           Verification verification = Verification::Minimal);

  ET_DEPRECATED ET_NODISCARD static Result<Program> Load(
      DataLoader* loader, Verification verification = Verification::Minimal) {
    return load(loader, verification);
  }

  Program(Program&&) noexcept = default;
  ~Program() = default;

  /// The first `nbytes` bytes of a constant. Valid as long as the program.
  /// @retval InvalidArgument No such constant, or it has fewer bytes.
  Result<const void*> get_constant_buffer_data(size_t buffer_idx, size_t nbytes) const;

  /// Blobs that the file carries under names. NotFound if it has none. Valid as long as the
  /// program.
  Result<const NamedDataMap*> get_named_data_map() const;

  size_t num_methods() const;

  /// InvalidArgument if the index is out of range. Valid as long as the program.
  Result<const char*> get_method_name(size_t method_index) const;

  /**
   * Makes a method ready to run: values, constants, delegates, kernels, plan.
   *
   * @param[in] memory_manager Allocators; must outlive the method.
   * @param[in] event_tracer Records the load and every execution; may be null.
   * @param[in] named_data_map Data from outside the file; may be null. Must outlive the method.
   * @param[in] backend_options Load time options per backend; may be null.
   * @param[in] kernel_registry Kernels looked up before the process's registry.
   * @param[in] options Planning and memory limits.
   *
   * @retval InvalidArgument No method of that name, or planned memory does not match the program.
   * @retval OperatorMissing The text lists all that are missing, and which component has them.
   * @retval NotFound A backend or named data is missing.
   * @retval MemoryAllocationFailed An allocator or arena is too small, or a limit of `options` is
   * passed.
   * @retval NotSupported A tensor needs what this runtime lacks, such as a device.
   * @returns Else InvalidProgram, InvalidExternalData, or the error of a delegate.
   */
  Result<Method> load_method(const char* method_name, MemoryManager* memory_manager,
                             EventTracer* event_tracer = nullptr,
                             const NamedDataMap* named_data_map = nullptr,
                             const LoadBackendOptionsMap* backend_options = nullptr,
                             Span<const Kernel> kernel_registry = {},
                             const LoadOptions& options = LoadOptions()) const;

  /// InvalidArgument if there is no method of that name.
  Result<MethodMeta> method_meta(const char* method_name) const;

  /// JSON spec of the outputs' structure. InvalidProgram if the file has none.
  ET_DEPRECATED Result<const char*> get_output_flattening_encoding(
      const char* method_name = "forward") const;

  /// What the first bytes of a file say.
  enum HeaderStatus {
    CompatibleVersion,    ///< a program that this runtime reads
    IncompatibleVersion,  ///< a program of another format version
    NotPresent,           ///< no program
    ShortData,            ///< fewer than kMinHeadBytes bytes given
  };

  /// Bytes that check_header() needs.
  static constexpr size_t kMinHeadBytes = 64;

  static HeaderStatus check_header(const void* data, size_t size);

 private:
  friend class Method;
  friend class internal::MethodLoader;
  friend class testing::ProgramTestFriend;

  Program(DataLoader* loader, size_t segment_base_offset, FreeableBuffer&& program_data,
          const executorch_flatbuffer::Program* tables, FreeableBuffer&& constant_segment,
          std::optional<internal::PteDataMap>&& named_data)
      : program_data_(std::move(program_data)),
        loader_(loader),
        tables_(tables),
        segment_base_offset_(segment_base_offset),
        constant_segment_(std::move(constant_segment)),
        named_data_(std::move(named_data)) {}

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program& operator=(Program&&) = delete;

  /// A segment by index; NotFound if it does not exist.
  ET_NODISCARD Result<FreeableBuffer> load_segment(const DataLoader::SegmentInfo& info) const;

  /// Copies the initial value of a mutable tensor.
  ET_NODISCARD Error load_initial_value(size_t offset_index, size_t nbytes, void* buffer) const;

  /// A delegate's blob inside the tables; NotFound if it does not exist.
  ET_NODISCARD Error get_inline_delegate_data(size_t index, const void** data, size_t* size) const;

  FreeableBuffer program_data_;
  DataLoader* loader_;
  const executorch_flatbuffer::Program* tables_;
  size_t segment_base_offset_;
  FreeableBuffer constant_segment_;
  std::optional<internal::PteDataMap> named_data_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Program;
}  // namespace executor
}  // namespace torch
