// Attention as a step: every batch dimension is a head of its own.
#include "compute/attention/attention.h"

#include "engine/steps/product_steps.h"

namespace executorch::engine {
namespace {

int64_t head_offset(const Dims& heads, const Dims& strides, int64_t head) {
  int64_t offset = 0;
  for (int d = heads.rank - 1; d >= 0; --d) {
    offset += head % heads[d] * strides[d];
    head /= heads[d];
  }
  return offset;
}

class AttentionStep final : public Step {
 public:
  AttentionStep(const AttentionShape& shape, const AttentionOperands& operands)
      : shape_(shape), operands_(operands) {
    work_.heads = numel(shape.heads);
    work_.positions = shape.rows;
    work_.depth = shape.depth;
    work_.length = shape.length;
    work_.width = shape.width;
    work_.query_position = shape.query_row;
    work_.query_column = shape.query_column;
    // The engine's key is a right factor, [depth, length].
    work_.key_row = shape.key_column;
    work_.key_column = shape.key_row;
    work_.value_row = shape.value_row;
    work_.value_column = shape.value_column;
    work_.out_position = shape.out_row;
    work_.mask_position = shape.mask_row;
    work_.scale = shape.scale;
    work_.zero_masked_rows = shape.zero_masked_rows;
  }

  size_t scratch_bytes() const override { return compute::attention_scratch_bytes(work_); }

  Error run(const RunContext& context) override {
    const Run run{*this, context};
    compute::attention(work_, &AttentionStep::find, &run, context.scratch, context.scratch_bytes);
    return Error::Ok;
  }

  std::string describe() const override {
    return "attention " + to_text(shape_.heads) + " of " + std::to_string(shape_.rows) + "x" +
           std::to_string(shape_.depth) + "x" + std::to_string(shape_.length);
  }

 private:
  struct Run {
    const AttentionStep& step;
    const RunContext& context;

    float* at(const Place& place, const Dims& strides, int64_t head) const {
      return context.at<float>(place) + head_offset(step.shape_.heads, strides, head);
    }
  };

  static compute::AttentionHead find(const void* context, int64_t index) {
    const Run& run = *static_cast<const Run*>(context);
    const AttentionShape& shape = run.step.shape_;
    const AttentionOperands& operands = run.step.operands_;
    compute::AttentionHead head;
    head.query.data = run.at(operands.query, shape.query_head, index);
    head.key.data = run.at(operands.key, shape.key_head, index);
    head.value.data = run.at(operands.value, shape.value_head, index);
    head.out = run.at(operands.out, shape.out_head, index);
    if (operands.mask.storage >= 0) head.mask = run.at(operands.mask, shape.mask_head, index);
    return head;
  }

  AttentionShape shape_;
  AttentionOperands operands_;
  compute::AttentionShape work_;
};

}  // namespace

std::unique_ptr<Step> make_attention_step(const AttentionShape& shape,
                                          const AttentionOperands& operands) {
  return std::make_unique<AttentionStep>(shape, operands);
}

}  // namespace executorch::engine
