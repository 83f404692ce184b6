/**
 * @file
 * One delegate call of a method: its payload and the plans for the sizes that came lately.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/span.h>

#include "backends/xnnpack/payload/payload.h"
#include "engine/graph/graph_source.h"
#include "engine/plan/recent_plans.h"

namespace executorch::backends::xnnpack {

struct DelegateOptions {
  /// Folder to share packed weights with other processes through, null for none.
  const char* cache_dir = nullptr;
  uint64_t cache_limit = UINT64_MAX;
  /// Most bytes that a plan may hold.
  size_t memory_limit = SIZE_MAX;
  /// A planner will call prepare(), or make the delegate's work part of its own.
  bool planned = false;
};

/// Used by one thread at a time; instances are independent, but for packed weights that they share.
class Delegate final : public engine::GraphSource {
 public:
  /// Reads the payload, and prepares it unless a planner does. The blob may be freed afterwards.
  static Error create(runtime::Span<const uint8_t> blob, const runtime::NamedDataMap* data,
                      const DelegateOptions& options, std::unique_ptr<Delegate>* delegate);

  ~Delegate() override;
  Delegate(const Delegate&) = delete;
  Delegate& operator=(const Delegate&) = delete;

  /// Arguments that are only read come first; SIZE_MAX when they do not.
  size_t num_inputs() const;

  runtime::Span<const int32_t> input_arguments() const override {
    return {input_arguments_.data(), input_arguments_.size()};
  }
  runtime::Span<const int32_t> output_arguments() const override {
    return {output_arguments_.data(), output_arguments_.size()};
  }
  Error add_to(engine::Graph* graph, const std::vector<engine::ValueId>& inputs,
               std::vector<engine::ValueId>* outputs) const override;
  /// Plans for the largest sizes that the payload allows.
  Error prepare() override;

  /// Runs on the arguments of a call. Allocates nothing when a plan for their sizes is kept and
  /// there is no tracer, which is told of each step.
  Error execute(runtime::Span<runtime::EValue*> arguments, runtime::EventTracer* tracer = nullptr);

 private:
  struct Argument {
    engine::DType dtype;
    Dims sizes;  ///< in memory order
  };
  struct Plan {
    std::unique_ptr<engine::Plan> plan;
    bool staged = false;
    std::vector<Argument> inputs;
    std::vector<Argument> outputs;
  };

  Delegate() = default;
  std::vector<Argument> largest_inputs() const;
  Error make_plan(std::vector<Argument> inputs, const std::vector<engine::DType>& outputs,
                  bool staged, std::unique_ptr<Plan>* plan) const;
  Error check_arguments(runtime::Span<runtime::EValue*> arguments) const;
  Error find_plan(runtime::Span<runtime::EValue*> arguments, Plan** plan);
  Error resize_outputs(runtime::Span<runtime::EValue*> arguments, const Plan& plan) const;
  Error take_addresses(runtime::Span<runtime::EValue*> arguments);
  bool results_meet_inputs(runtime::Span<runtime::EValue*> arguments) const;
  const Value& value(ValueIndex id) const { return payload_.values[static_cast<size_t>(id)]; }
  const aten::Tensor& tensor(runtime::Span<runtime::EValue*> arguments, ValueIndex id) const;

  Payload payload_;
  std::vector<int32_t> input_arguments_, output_arguments_;
  size_t num_arguments_ = 0;
  std::optional<std::string> cache_dir_;
  uint64_t cache_limit_ = UINT64_MAX;
  size_t memory_limit_ = SIZE_MAX;
  engine::RecentPlans<Plan> plans_;
  /// Inputs, then outputs.
  std::vector<void*> addresses_;
};

}  // namespace executorch::backends::xnnpack
