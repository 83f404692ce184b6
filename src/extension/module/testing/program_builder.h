// Writes small programs for tests of Module: methods that call one kernel, test::axpy.out, which
// adds the first element of a weight to every element of the input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <schema/program_generated.h>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace executorch {
namespace extension {
namespace testing {

/// A method "out = input + weight" on float tensors of `length` elements. The weight comes from
/// outside under `weight`; without a name it is the input itself.
struct MethodSpec {
  std::string name = "forward";
  int32_t length = 4;
  std::string weight;
  /// The output lies in arena 1 when true, else the application gives its memory.
  bool planned_output = true;
  int64_t arena_size = 64;
};

class ProgramBuilder {
 public:
  static std::vector<uint8_t> build(const std::vector<MethodSpec>& methods) {
    namespace format = executorch_flatbuffer;
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<format::ExecutionPlan>> plans;
    for (const MethodSpec& method : methods) {
      plans.push_back(build_plan(builder, method));
    }
    const auto plan_vector = builder.CreateVector(plans);
    // Entry 0 stands for no constant.
    const std::vector<uint64_t> no_constants = {0};
    const auto constants = format::CreateSubsegmentOffsetsDirect(builder, 0, &no_constants);
    builder.Finish(format::CreateProgram(builder, 0, plan_vector, 0, 0, 0, constants),
                   format::ProgramIdentifier());
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }

  /// The kernel behind the methods.
  static runtime::Kernel kernel() { return runtime::Kernel("test::axpy.out", axpy); }

 private:
  using Builder = flatbuffers::FlatBufferBuilder;
  using Value = flatbuffers::Offset<executorch_flatbuffer::EValue>;

  static void axpy(runtime::KernelRuntimeContext& /*context*/,
                   runtime::Span<runtime::EValue*> arguments) {
    const auto& input = arguments[0]->toTensor();
    const float weight = arguments[1]->toTensor().const_data_ptr<float>()[0];
    float* out = arguments[2]->toTensor().mutable_data_ptr<float>();
    for (ssize_t i = 0; i < input.numel(); ++i) {
      out[i] = input.const_data_ptr<float>()[i] + weight;
    }
  }

  static Value tensor(Builder& builder, const MethodSpec& method,
                      flatbuffers::Offset<executorch_flatbuffer::AllocationDetails> place,
                      flatbuffers::Offset<executorch_flatbuffer::ExtraTensorInfo> extra) {
    namespace format = executorch_flatbuffer;
    const std::vector<int32_t> sizes = {method.length};
    const std::vector<uint8_t> dim_order = {0};
    const auto table =
        format::CreateTensorDirect(builder, format::ScalarType::FLOAT, 0, &sizes, &dim_order, false,
                                   0, place, 0, format::TensorShapeDynamism::STATIC, extra);
    return format::CreateEValue(builder, format::KernelTypes::Tensor, table.Union());
  }

  static flatbuffers::Offset<executorch_flatbuffer::ExecutionPlan> build_plan(
      Builder& builder, const MethodSpec& method) {
    namespace format = executorch_flatbuffer;
    std::vector<Value> values = {tensor(builder, method, 0, 0)};
    int32_t weight = 0;
    if (!method.weight.empty()) {
      weight = static_cast<int32_t>(values.size());
      const auto extra = format::CreateExtraTensorInfoDirect(builder, 0, method.weight.c_str(),
                                                             format::TensorDataLocation::EXTERNAL);
      values.push_back(tensor(builder, method, 0, extra));
    }
    const auto out = static_cast<int32_t>(values.size());
    const auto place = method.planned_output ? format::CreateAllocationDetails(builder, 1, 0, 0)
                                             : flatbuffers::Offset<format::AllocationDetails>();
    values.push_back(tensor(builder, method, place, 0));

    const std::vector<int32_t> arguments = {0, weight, out, out};
    const auto call = format::CreateKernelCallDirect(builder, 0, &arguments);
    const std::vector<flatbuffers::Offset<format::Instruction>> instructions = {
        format::CreateInstruction(builder, format::InstructionArguments::KernelCall, call.Union())};
    const std::vector<int32_t> none;
    const std::vector<flatbuffers::Offset<format::Chain>> chains = {
        format::CreateChainDirect(builder, &none, &none, &instructions)};
    const std::vector<flatbuffers::Offset<format::Operator>> operators = {
        format::CreateOperatorDirect(builder, "test::axpy", "out")};
    const std::vector<flatbuffers::Offset<format::BackendDelegate>> delegates;
    const std::vector<int32_t> inputs = {0};
    const std::vector<int32_t> outputs = {out};
    const std::vector<int64_t> arena_sizes = {0, method.arena_size};
    return format::CreateExecutionPlanDirect(builder, method.name.c_str(), 0, &values, &inputs,
                                             &outputs, &chains, &operators, &delegates,
                                             &arena_sizes);
  }
};

}  // namespace testing
}  // namespace extension
}  // namespace executorch
