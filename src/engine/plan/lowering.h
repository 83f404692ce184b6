/**
 * @file
 * Turns a simplified graph into steps: decides where every value lies and in which layout, emits
 * the steps, lays out the arena.
 */
#pragma once

#include <memory>
#include <vector>

#include "compute/gemm/gemm.h"
#include "compute/quantized/conv.h"
#include "engine/graph/graph.h"
#include "engine/graph/memory_block.h"
#include "engine/plan/plan.h"
#include "engine/steps/step.h"
#include "engine/weights/weight_cache.h"

namespace executorch::engine {

/// Where a value lies. Offset and strides in elements.
struct Placement {
  int32_t storage = -1;
  int64_t offset = 0;
  Dims strides;

  bool valid() const { return storage >= 0; }
};

/// What the constants of a graph will take once they are packed.
struct PackedSizes {
  size_t expected;         ///< bytes
  size_t winograd_growth;  ///< bytes that may be added for Winograd's algorithm
};
PackedSizes packed_sizes(const Graph& graph);

class Lowering {
 public:
  /// `packs`: weights of products are packed while the memory limit allows.
  Lowering(Graph& graph, const PlanOptions& options, bool packs)
      : Lowering(graph, options, packs, packed_sizes(graph)) {}

  Error run(std::unique_ptr<Plan>* plan);

 private:
  Lowering(Graph& graph, const PlanOptions& options, bool packs, const PackedSizes& sizes)
      : graph_(graph),
        options_(options),
        packs_(packs),
        winograd_growth_left_(sizes.winograd_growth),
        // What lies in a folder needs no memory here.
        weight_memory_(options.cache_dir != nullptr ? 0 : sizes.expected) {}

  enum class Kind : uint8_t { Arena, Fixed, Slot };
  struct Storage {
    Kind kind;
    int64_t bytes = 0;
    const void* fixed = nullptr;
    int32_t slot = -1;
    int32_t first = -1;  ///< steps that touch it
    int32_t last = -1;
    int64_t offset = 0;  ///< in the arena
  };

  // lowering.cpp
  Error place_sources();
  Error lower_results();
  /// Packs a weight, or finds it packed; the plan holds it. Its source need not stay in memory.
  Error pack_weight(const WeightSpec& spec, const WeightPacker& packer, const float** packed);
  /// So many bytes more stay within the memory limit.
  bool fits_budget(size_t more) const;
  Error check_budget(size_t more, const char* what);
  int64_t value_bytes(ValueId value) const;
  int64_t operand_bytes(const Node& node) const;
  int32_t new_storage(int64_t bytes);
  Placement new_placement(ValueId value, const Dims& strides);
  void emit(std::unique_ptr<Step> step, std::initializer_list<Placement> touched);
  void emit(std::unique_ptr<Step> step, const std::vector<Placement>& touched);
  void emit_copy(ValueId value, const Placement& from, const Placement& to);
  Error finish(std::unique_ptr<Plan>* plan);
  int64_t layout_arena();

  const Placement& place(ValueId value) const { return places_[static_cast<size_t>(value)]; }
  Place byte_place(ValueId value, const Placement& placement) const;
  TensorPlace tensor(ValueId value, const Placement& placement) const;
  /// The value in a dense row-major layout, copied when it lies otherwise.
  Placement contiguous(ValueId value);
  /// The value with these strides, copied when it lies otherwise.
  Placement with_strides(ValueId value, const Dims& strides);
  /// Chooses the place of an output: where its consumer wants it when `accepts` says the step can
  /// write there, else new memory with the preferred strides.
  template <class Accepts>
  Placement place_output(ValueId value, const Dims& preferred, Accepts accepts) {
    const Placement& wish = wishes_[static_cast<size_t>(value)];
    Placement chosen =
        wish.valid() && accepts(wish.strides) ? wish : new_placement(value, preferred);
    places_[static_cast<size_t>(value)] = chosen;
    return chosen;
  }
  Placement place_output_contiguous(ValueId value);

  // wishes.cpp: where consumers want values, found backwards
  void find_wishes();
  void wish_results();
  void wish_through_view(const Node& node);
  void wish_concat(const Node& node, bool image);
  std::vector<bool> find_images() const;
  bool result_may_be_written_early(const Result& result) const;

  // lower_views.cpp
  Error lower(const Node& node, const Permute& op);
  Error lower(const Node& node, const Reshape& op);
  Error lower(const Node& node, const Expand& op);
  Error lower(const Node& node, const Slice& op);
  Error lower(const Node& node, const Concat& op);
  Error lower(const Node& node, const GatherRows& op);
  Error lower(const Node& node, const IndexPut& op);
  Error lower(const Node& node, const Foreign& op);
  Error place_view(const Node& node, const Dims& strides, int64_t offset);
  // lower_elementwise.cpp
  Error lower(const Node& node, const Elementwise& op);
  Error lower(const Node& node, const FusedElementwise& op);
  // lower_products.cpp
  Error lower(const Node& node, const MatMul& op);
  Error lower(const Node& node, const Attention& op);
  Error pack_matrix(ValueId value, compute::PackedMatrix* packed);
  Placement in_single_precision(ValueId value);
  // lower_images.cpp
  Error dense_weight(ValueId value, Value* weight);
  void prefer_winograd(const Value& weight, const float* scale, compute::ConvPlan* conv);
  /// The value with channels innermost and without gaps, copied when it lies otherwise.
  Placement channels_last(ValueId value);
  Placement place_output_channels_last(ValueId value);
  /// An image with channels innermost, which may be a slice of the channels of a wider one.
  struct Pixels {
    Placement place;
    int64_t stride;  ///< elements from one to the next
  };
  Pixels pixels(ValueId value);
  Pixels place_output_pixels(ValueId value);
  Error lower(const Node& node, const Convolution& op);
  Error lower(const Node& node, const BatchNorm& op);
  Error lower(const Node& node, const MaxPool& op);
  Error lower(const Node& node, const AveragePool& op);
  Error lower(const Node& node, const ResizeBilinear& op);
  // lower_rows.cpp
  Error lower(const Node& node, const Softmax& op);
  Error lower(const Node& node, const LayerNorm& op);
  Error lower(const Node& node, const RmsNorm& op);
  Error lower(const Node& node, const Reduce& op);
  // lower_quantized.cpp
  /// The loop on the node's first operands, as many as it has.
  Error lower_quantized_map(const Node& node, compute::QuantizedOp op,
                            const compute::QuantizedLoopParams& params);
  Error pack_byte_convolution(const Value& weight, const compute::ByteConvPlan& plan,
                              bool lain_down, const void** packed);
  Error pack_linear(const Node& node, const QuantizedLinear& op, compute::QuantizedMatrix* matrix);
  Error lower(const Node& node, const Quantize& op);
  Error lower(const Node& node, const Dequantize& op);
  Error lower(const Node& node, const Requantize& op);
  Error lower(const Node& node, const Lookup& op);
  Error lower(const Node& node, const QuantizeRows& op);
  Error lower(const Node& node, const QuantizedLinear& op);
  Error lower(const Node& node, const QuantizedConvolution& op);
  Error lower(const Node& node, const QuantizedElementwise& op);
  Error lower(const Node& node, const QuantizedMean& op);

  Graph& graph_;
  const PlanOptions& options_;
  const bool packs_;
  std::unique_ptr<Plan> plan_;
  std::vector<Placement> places_;
  std::vector<Placement> wishes_;
  std::vector<Placement> contiguous_copies_;
  std::vector<int32_t> uses_;
  std::vector<Storage> storages_;
  size_t packed_bytes_ = 0;
  size_t winograd_growth_left_;
  WeightMemory weight_memory_;
};

}  // namespace executorch::engine
