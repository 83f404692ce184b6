// What a program file contains, read from its verified tables.
#include <map>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <executorch/runtime/kernel/operator_registry.h>
#include <schema/program_generated.h>

#include "errors.h"
#include "programs.h"
#include "registry.h"
#include "text.h"

namespace nb = nanobind;
namespace fb = executorch_flatbuffer;

namespace executorch::python {

namespace {

std::string text_of(const flatbuffers::String* text) {
  return text ? text->str() : std::string();
}

std::string operator_name(const fb::Operator* op) {
  std::string name = text_of(op->name());
  const std::string overload = text_of(op->overload());
  return overload.empty() ? name : name + "." + overload;
}

/// Operators of one plan with the number of calls, in order of first use.
nb::list describe_operators(const fb::ExecutionPlan* plan) {
  std::map<std::string, int64_t> calls;
  std::vector<std::string> order;
  for (const fb::Chain* chain : *plan->chains()) {
    if (chain->instructions() == nullptr) continue;
    for (const fb::Instruction* instruction : *chain->instructions()) {
      const auto* call = instruction->instr_args_as_KernelCall();
      if (call == nullptr) continue;
      const std::string name =
          operator_name(plan->operators()->Get(static_cast<unsigned>(call->op_index())));
      if (calls[name]++ == 0) order.push_back(name);
    }
  }
  nb::list result;
  for (const std::string& name : order) {
    nb::dict row;
    row["name"] = to_str(name);
    row["calls"] = calls[name];
    row["registered"] = runtime::registry_has_op_function(name.c_str());
    result.append(row);
  }
  return result;
}

nb::list describe_delegates(const fb::ExecutionPlan* plan) {
  std::map<std::string, int64_t> counts;
  if (plan->delegates() != nullptr)
    for (const fb::BackendDelegate* delegate : *plan->delegates())
      ++counts[text_of(delegate->id())];
  nb::list result;
  for (const auto& [id, count] : counts) {
    nb::dict row;
    row["id"] = to_str(id);
    row["count"] = count;
    result.append(row);
  }
  return result;
}

nb::dict inspect(ProgramSession& session) {
  const runtime::Error error = load_unlocked(session);
  ET_RAISE_UNLESS_OK(error, "Failed to load program, error: 0x:%x", static_cast<unsigned>(error));
  // The tables were verified a moment ago, in these bytes.
  const auto size = session.loader().size();
  ET_RAISE_UNLESS_OK(size.error(), "Failed to read program");
  const auto bytes = session.loader().load(
      0, *size, runtime::DataLoader::SegmentInfo(runtime::DataLoader::SegmentInfo::Type::Program));
  ET_RAISE_UNLESS_OK(bytes.error(), "Failed to read program");
  const fb::Program* program = fb::GetProgram(bytes->data());
  nb::dict result;
  result["version"] = program->version();
  uint64_t segment_bytes = 0;
  nb::list segments;
  if (program->segments() != nullptr) {
    for (const fb::DataSegment* segment : *program->segments()) {
      segments.append(segment->size());
      segment_bytes += segment->size();
    }
  }
  result["segments"] = segments;
  result["segment_bytes"] = segment_bytes;
  const auto* constants = program->constant_segment();
  const bool has_constants =
      constants != nullptr && constants->offsets() != nullptr && constants->offsets()->size() > 1;
  result["constants"] = has_constants ? constants->offsets()->size() - 1 : 0;
  result["constant_bytes"] = has_constants
                                 ? program->segments()->Get(constants->segment_index())->size()
                                 : static_cast<uint64_t>(0);
  result["named_data"] = program->named_data() ? program->named_data()->size() : 0;
  nb::list methods;
  for (const fb::ExecutionPlan* plan : *program->execution_plan()) {
    nb::dict method;
    method["name"] = to_str(text_of(plan->name()));
    method["operators"] = describe_operators(plan);
    method["delegates"] = describe_delegates(plan);
    method["values"] = plan->values()->size();
    methods.append(method);
  }
  result["methods"] = methods;
  return result;
}

}  // namespace

void bind_inspection(nb::module_& m) {
  m.def("_inspect_program", &inspect, nb::arg("program"),
        "Contents of a program, as dictionaries and lists.");
}

}  // namespace executorch::python
