// What a Method is made of. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_planner.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/operator_table.h>
#include <schema/program_generated.h>

#include "runtime/executor/growing_allocator.h"
#include "runtime/program/serialized_tensor.h"

namespace executorch {
namespace runtime {
namespace internal {

class SharedDataMap;

/// One argument of a call: from the operator's schema, or from the C++ type of its kernel.
struct ArgumentRule {
  const char* name;  ///< not terminated; may be empty
  uint16_t name_length;
  ArgumentKind kind;
  bool optional;
  bool written;
  bool out;  ///< written, and not read before
};

/// How an operator is called.
struct CallSignature {
  Span<const ArgumentRule> arguments;
  /// Behind the arguments comes one value for what the operator returns.
  bool has_return_slot;
  /// The return slot may be left out.
  bool return_slot_optional;
  /// The result is a new value that replaces the one in the return slot, tensors and kinds included
  /// (primitive operators). Otherwise the slot repeats an out argument.
  bool replaces_return_slot;
  /// `written` and `out` are known.
  bool knows_writes;
  /// Kept for planners; null when only the C++ type is known.
  const OperatorSchema* schema;
};

/// What is known of a value beside the EValue.
struct ValueRecord {
  /// The tensor that the program describes; null for other kinds.
  executorch::aten::TensorImpl* tensor = nullptr;
  const executorch_flatbuffer::Tensor* serialized = nullptr;
  /// Where the tensor's bytes belong: arena, constant, or the caller's buffer.
  void* home = nullptr;
  /// Bytes of the largest shape.
  size_t max_nbytes = 0;
  /// Elements of a list, null entries for None.
  Span<EValue*> items;
  int32_t input_index = -1;
  int32_t output_index = -1;
  TensorStorage storage = TensorStorage::Unplanned;
  /// A move or a primitive operator may put another value, or another tensor's memory, here.
  bool replaced = false;
  bool freed = false;
  /// An operand of a kernel or delegate, or a move's destination: for planners.
  bool written = false;
  /// Nothing writes it, but its place was given or written earlier in the run, see hidden_views.h.
  bool shows_own_run = false;
};

/// An instruction, or a planned step in its place.
struct Item {
  enum class Kind : uint8_t { Kernel, Delegate, Move, JumpFalse, Free, Step };
  Kind kind;
  /// Look at the operands again before the call: some of them may have been replaced since loading.
  bool check_operands;
  /// Index of the instruction in the program's chain; of the last one for a step.
  uint32_t source;
  /// Operator, backend id or the step's label.
  const char* name;
  /// Operands of a call; {from, to}, {condition} or {value} else.
  Span<EValue*> args;
  Span<const int32_t> indices;
  OpFunction kernel;
  const CallSignature* signature;
  PlannedStep* step;
  uint32_t delegate;
  /// JumpFalse: index into the chain's items.
  uint32_t destination;
};

struct ItemChain {
  Item* items = nullptr;
  size_t count = 0;
};

/// Points jumps to where the items have moved: `moved_to` has an entry for each old index and for
/// the end.
inline void redirect_jumps(ItemChain& chain, const uint32_t* moved_to) {
  for (size_t i = 0; i < chain.count; ++i) {
    Item& item = chain.items[i];
    if (item.kind == Item::Kind::JumpFalse) item.destination = moved_to[item.destination];
  }
}

/// A delegate and what must live as long.
struct LoadedDelegate {
  const char* id = nullptr;
  const BackendInterface* backend = nullptr;
  DelegateHandle* handle = nullptr;
  /// Arguments that are only read come first; SIZE_MAX: unknown.
  size_t num_inputs = SIZE_MAX;
  bool initialized = false;
  FreeableBuffer* blob = nullptr;
};

/// Data of one external key.
struct ExternalConstant {
  const char* key;
  FreeableBuffer* data;
};

class MethodImpl {
 public:
  MethodImpl(const Program* program, const executorch_flatbuffer::ExecutionPlan* plan,
             MemoryManager* memory, EventTracer* tracer)
      : program(program),
        plan(plan),
        memory(memory),
        tracer(tracer),
        temp(memory->temp_allocator() != nullptr ? memory->temp_allocator() : &scratch) {}
  ~MethodImpl();
  MethodImpl(const MethodImpl&) = delete;
  MethodImpl& operator=(const MethodImpl&) = delete;

  const char* name() const { return plan->name()->c_str(); }
  size_t num_inputs() const { return plan->inputs()->size(); }
  size_t num_outputs() const { return plan->outputs()->size(); }
  size_t input_value(size_t input) const { return static_cast<size_t>(plan->inputs()->Get(input)); }
  size_t output_value(size_t output) const {
    return static_cast<size_t>(plan->outputs()->Get(output));
  }

  const Program* program;
  const executorch_flatbuffer::ExecutionPlan* plan;
  MemoryManager* memory;
  EventTracer* tracer;
  const RunControl* control = nullptr;

  /// Holds all structures below that are not in the application's allocator.
  GrowingAllocator heap;
  /// Stands in for a temporary allocator.
  GrowingAllocator scratch;
  MemoryAllocator* temp;
  RandomGenerator random;

  EValue* values = nullptr;  ///< in the application's allocator
  size_t num_values = 0;     ///< values constructed so far
  ValueRecord* records = nullptr;
  /// All tensors of the program, and for each the value that it belongs to.
  executorch::aten::TensorImpl* tensors = nullptr;
  uint32_t* tensor_values = nullptr;
  size_t num_tensors = 0;
  Span<ItemChain> chains;
  Span<LoadedDelegate> delegates;
  Span<ExternalConstant> external_constants;
  Span<PlannedStep*> steps;
  Span<const char*> report;
  /// Of tensors that are copies of views, from calloc.
  void* view_memory = nullptr;
  size_t plan_bytes = 0;  ///< of steps and copies of views
  bool* input_set = nullptr;
  size_t inputs_missing = 0;
  MergedDataMap* merged_data = nullptr;
  SharedDataMap* shared_data = nullptr;
  /// For each arena the bytes that tensors are planned into.
  Span<Span<uint8_t>> arenas;
  /// Of the arenas, and what is held beyond them so far.
  size_t held_bytes() const {
    size_t total = plan_bytes;
    for (const Span<uint8_t>& arena : arenas) total += arena.size();
    return total;
  }
  /// Tensor values that are put back into place before an execution.
  Span<uint32_t> restored;

  /// The record of the value that a tensor was made for; null for a tensor that is not of this
  /// method.
  const ValueRecord* find_record(const executorch::aten::TensorImpl* tensor) const {
    if (tensor < tensors || tensor >= tensors + num_tensors) return nullptr;
    return &records[tensor_values[tensor - tensors]];
  }

  size_t current_chain = 0;
  size_t current_item = 0;
  uint64_t executed = 0;

  // interpreter.cpp
  Error execute();
  Error step();
  bool at_start() const { return current_chain == 0 && current_item == 0; }
  bool at_end() const { return current_chain == chains.size(); }
  void rewind() {
    current_chain = 0;
    current_item = 0;
    executed = 0;
  }

 private:
  Error begin();
  Error check_control() const;
  Error run_item();
  Error run(const Item& item);
  Error run_kernel(const Item& item);
  Error run_delegate(const Item& item);
  Error run_step(const Item& item);
  Error run_jump(const Item& item);
  void trace_outputs();
};

/// Memory for `count` objects, default constructed, from the method's heap. Null when there is no
/// room.
template <class T>
T* make_list(GrowingAllocator& heap, size_t count) {
  T* list = heap.allocateList<T>(count == 0 ? 1 : count);
  if (list == nullptr) return nullptr;
  for (size_t i = 0; i < count; ++i) new (list + i) T();
  return list;
}

/// Puts "operator aten::add.out (instruction 5 of forward)" before this thread's error text.
void add_item_context(const Item& item, size_t chain, const char* method_name);

/// Name of an EValue's kind for error texts.
const char* tag_name(Tag tag);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
