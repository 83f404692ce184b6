// Turns a method's tables into a Method. Internal.
#pragma once

#include <executorch/runtime/core/named_data_map.h>

#include "runtime/executor/method_impl.h"

namespace executorch {
namespace runtime {
namespace internal {

class HiddenViews;

/// What Program::load_method() was called with.
struct LoadRequest {
  MemoryManager* memory;
  EventTracer* tracer;
  const NamedDataMap* external_data;
  const LoadBackendOptionsMap* backend_options;
  Span<const Kernel> kernels;
  LoadOptions options;
};

/// One load. The steps depend on each other in this order; the first error ends it.
class MethodLoader {
 public:
  static Result<Method> load(const Program& program,
                             const executorch_flatbuffer::ExecutionPlan& plan,
                             const LoadRequest& request);

 private:
  MethodLoader(const Program& program, const LoadRequest& request, MethodImpl& method)
      : program_(program), request_(request), method_(method), plan_(*method.plan) {}

  Error load_all();

  // method_loader.cpp
  Error check_memory_limit();
  Error check_arena_devices();

  // external_constants.cpp
  Error load_external_constants();
  Error load_external_constant(const char* key, ExternalConstant* constant);
  const ExternalConstant* find_external_constant(const char* key) const;
  Error check_external_layout(const executorch_flatbuffer::Tensor& tensor, const char* key,
                              size_t nbytes);

  // value_loader.cpp
  Error load_values();
  Error load_value(size_t index);
  Error load_int_list(size_t index, const executorch_flatbuffer::IntList& list);
  Error load_bool_list(size_t index, const executorch_flatbuffer::BoolList& list);
  Error load_double_list(size_t index, const executorch_flatbuffer::DoubleList& list);
  Error load_string(size_t index, const executorch_flatbuffer::String& string);
  template <class T, class Items>
  Error load_tensor_list(size_t index, const Items& items);
  template <class T, class Items>
  Error box_items(size_t index, const Items& items, BoxedEvalueList<T>** list);
  Error note_inputs_and_outputs();
  Error note_arenas();

  // tensor_loader.cpp
  Error load_tensor(size_t index, const executorch_flatbuffer::Tensor& tensor);
  Error check_tensor_support(const executorch_flatbuffer::Tensor& tensor);
  Error place_tensor(const executorch_flatbuffer::Tensor& tensor, ValueRecord& record);
  Error place_planned(const executorch_flatbuffer::Tensor& tensor, ValueRecord& record);
  Error copy_initial_value(const executorch_flatbuffer::Tensor& tensor, const ValueRecord& record);

  // delegate_loader.cpp
  Error load_delegates();
  Error load_delegate(const executorch_flatbuffer::BackendDelegate& table,
                      LoadedDelegate& delegate);
  Error load_delegate_blob(const executorch_flatbuffer::BackendDelegate& table,
                           FreeableBuffer** blob);
  Error prepare_delegate_data(const NamedDataMap** map);
  Error share_delegate_data(const NamedDataMap** map);

  // instruction_loader.cpp
  Error load_chains();
  Error load_chain(const executorch_flatbuffer::Chain& table, size_t chain_index, ItemChain& chain);
  Error load_item(const executorch_flatbuffer::Instruction& table, Item& item);
  Error load_kernel_call(const executorch_flatbuffer::KernelCall& call, Item& item);
  Error load_arguments(const flatbuffers::Vector<int32_t>& indices, Item& item);
  Error resolve_kernel(Item& item);
  Error load_operator(uint32_t index);
  void note_missing_operator(const char* name);
  Error report_missing_operators();
  void note_effects(const Item& item);
  void note_all_effects();
  Error check_items();
  Error list_restored_values();

  // view_copies.cpp
  Error copy_views();
  void mark_copying_view(const Item& item);
  Error place_views(const HiddenViews& views);
  Error copy_constant(size_t base, size_t view);
  Error make_copy(size_t base, size_t view, uint32_t source, Item* item);
  Error insert_copies(const HiddenViews& views, size_t chain_index);

  // call_signature.cpp
  Result<const CallSignature*> find_signature(const char* operator_name);
  Error make_signature_from_schema(const char* text, CallSignature* signature);
  Error make_signature_from_types(const KernelSignature& types, CallSignature* signature);

  struct LoadedOperator {
    const char* name = nullptr;
    const CallSignature* signature = nullptr;
  };

  struct KnownSignature {
    const void* key;
    CallSignature* signature;
    KnownSignature* next;
  };

  const Program& program_;
  const LoadRequest& request_;
  MethodImpl& method_;
  const executorch_flatbuffer::ExecutionPlan& plan_;
  const NamedDataMap* delegate_data_ = nullptr;
  /// Open-addressed: slot of a key's hash, the number of an external constant plus one.
  Span<uint32_t> external_slots_;
  Span<LoadedOperator> operators_;
  KnownSignature* signatures_ = nullptr;
  size_t num_missing_ = 0;
  char missing_[1024] = "";
  char missing_hints_[512] = "";
};

/// Bytes that the application allows plans and delegates beyond the arenas. method_plan.cpp
size_t plan_limit(const MethodImpl& method, const LoadOptions& options);

/// Folder for packed weights, from the options or the environment; null when there is none.
const char* cache_dir(const LoadOptions& options);

/// Whether planners will be asked. method_plan.cpp
bool is_planned(const LoadOptions& options);

/// Applies the planners of this process to a loaded method. method_plan.cpp
Error plan_method(MethodImpl& method, const LoadOptions& options);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
