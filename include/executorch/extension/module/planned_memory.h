/**
 * @file
 * The memory-planned arenas of a method: what Module gives each method, for applications that load
 * methods themselves.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace extension {

/**
 * Arenas that several methods of a program use in turn. Arenas 0 and 1 of every method (memory ids
 * 1 and 2: activations, and shared mutable buffers) begin in the same memory, as large as the
 * largest method takes. Running one method may therefore overwrite outputs and state of another. An
 * arena that a method has on a device other than the CPU is not shared.
 */
class EXECUTORCH_API SharedArenas {
 public:
  /// How many leading arenas are shared; a method's further arenas are its own.
  static constexpr size_t kSharedCount = 2;

  /**
   * Allocates arenas for all methods of a program, zero-filled.
   *
   * @param[in] memory_limit Most bytes that they may take together; SIZE_MAX: half of the machine's
   * memory.
   * @retval Error::MemoryAllocationFailed Over the limit, or no memory.
   */
  static runtime::Result<std::unique_ptr<SharedArenas>> create(
      const ET_RUNTIME_NAMESPACE::Program& program, size_t memory_limit);

  SharedArenas(const SharedArenas&) = delete;
  SharedArenas& operator=(const SharedArenas&) = delete;
  ~SharedArenas();

  /// Whether arena `index` is the same for all methods that have it.
  bool shares(size_t index) const;

  /// Arena `index`; empty when no method has it, or when it is not shared.
  runtime::Span<uint8_t> arena(size_t index) const;

 private:
  struct Storage;
  explicit SharedArenas(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage_;
};

/**
 * Arenas for one method, zero-filled, each aligned to at least 64 bytes. Large ones take memory
 * only where they are touched. Arenas on another device come from the DeviceAllocator registered
 * for it. Must outlive the method.
 */
class EXECUTORCH_API PlannedMemory {
 public:
  /**
   * Allocates what a method asks for.
   *
   * @param[in] method_meta The method.
   * @param[in] memory_limit Most bytes that the arenas may take together, checked before anything
   * is allocated; SIZE_MAX: half of the machine's memory.
   * @param[in] shared Arenas to use for the leading ones; null: all are the method's own. Must
   * outlive the result.
   * @retval Error::MemoryAllocationFailed Over the limit, or no memory.
   * @retval Error::InvalidProgram A size is negative.
   * @retval Error::NotFound A device without a registered allocator.
   */
  static runtime::Result<std::unique_ptr<PlannedMemory>> create(
      const ET_RUNTIME_NAMESPACE::MethodMeta& method_meta, size_t memory_limit,
      const SharedArenas* shared = nullptr);

  PlannedMemory(const PlannedMemory&) = delete;
  PlannedMemory& operator=(const PlannedMemory&) = delete;
  ~PlannedMemory();

  /// The arenas as the runtime takes them; belongs to this object.
  runtime::HierarchicalAllocator* allocator() const;

  /// Bytes of the arenas that belong to this object.
  size_t nbytes() const;

 private:
  struct Storage;
  explicit PlannedMemory(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage_;
};

}  // namespace extension
}  // namespace executorch
