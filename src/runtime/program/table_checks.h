// The checks on a program's tables, with the budget that only the loader knows. Internal; see
// program_validation.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Elements that the lists and argument lists of a program may still have. A file that stores each
/// element once needs no more than its bytes; one that lets thousands of tables share a long vector
/// would make the runtime allocate far more memory than the file justifies.
class ElementBudget {
 public:
  explicit ElementBudget(size_t elements) : left_(elements) {}
  bool take(size_t elements) {
    if (elements > left_) return false;
    left_ -= elements;
    return true;
  }

 private:
  size_t left_;
};

/// The elements lie at a multiple of their size. The verifier of FlatBuffers looks at the length
/// only.
template <class T>
bool is_aligned(const flatbuffers::Vector<T>& vector) {
  return reinterpret_cast<uintptr_t>(vector.Data()) % sizeof(T) == 0;
}

/// All checks of validate_program(). `table_bytes` is the size of the tables in the file.
Error check_tables(const executorch_flatbuffer::Program& program, size_t table_bytes);

/// Values of a method: kinds and payloads, tensors, indices in lists.
Error check_values(const executorch_flatbuffer::ExecutionPlan& plan, ElementBudget& budget);

/// Chains: instructions, their indices and kinds.
Error check_chains(const executorch_flatbuffer::ExecutionPlan& plan, ElementBudget& budget);

/// What instructions may turn a value into another kind: destinations of moves, and results of
/// calls.
class RewrittenValues {
 public:
  ~RewrittenValues() { delete[] flags_; }
  /// MemoryAllocationFailed when there is no room. Indices out of range are passed over:
  /// check_chains refuses them.
  Error collect(const executorch_flatbuffer::ExecutionPlan& plan);
  bool contains(size_t value) const { return flags_[value]; }

 private:
  bool* flags_ = nullptr;
};

/// Name of a value's kind, for error texts.
const char* kind_name(executorch_flatbuffer::KernelTypes kind);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
