// Attention without its score matrix in memory: rows of the query are taken in blocks; a block's
// scores stay in cache from the first product through the softmax to the second.
#include <algorithm>

#include "compute/norm/norm.h"
#include "engine/steps/masked_softmax.h"
#include "engine/steps/product_steps.h"
#include "threadpool/parallel.h"

namespace executorch::engine {
namespace {

// Fewer rows than this do not repay packing keys and values.
constexpr int64_t kRowsWorthPacking = 16;
// Scores of a block fit the second-level cache beside the packed operands.
constexpr int64_t kScoreElements = 96 * 1024;

size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

class AttentionStep final : public Step {
 public:
  AttentionStep(const AttentionShape& shape, const AttentionOperands& operands)
      : shape_(shape), operands_(operands), heads_(numel(shape.heads)) {
    const int64_t fitting =
        std::max<int64_t>(8, kScoreElements / std::max<int64_t>(shape.length, 1) / 8 * 8);
    block_rows_ = std::min(shape.rows, fitting);
    blocks_ = block_rows_ > 0 ? (shape.rows + block_rows_ - 1) / block_rows_ : 0;
    packs_ = shape.rows >= kRowsWorthPacking;
  }

  size_t scratch_bytes() const override {
    return heads_bytes() + threadpool::pool_thread_count() * thread_bytes();
  }

  Error run(const RunContext& context) override {
    if (heads_ == 0 || shape_.rows == 0 || shape_.width == 0) return Error::Ok;
    context_ = &context;
    const size_t available = context.scratch_bytes - heads_bytes();
    const size_t threads = std::max<size_t>(1, available / thread_bytes());
    if (packs_) {
      threadpool::run(
          static_cast<size_t>(heads_),
          [](void* self, size_t head, size_t) {
            static_cast<AttentionStep*>(self)->pack_head(static_cast<int64_t>(head));
          },
          this);
    }
    threadpool::run(
        static_cast<size_t>(heads_ * blocks_),
        [](void* self, size_t task, size_t thread) {
          static_cast<AttentionStep*>(self)->run_block(task, thread);
        },
        this, threads);
    return Error::Ok;
  }

  std::string describe() const override {
    return "attention " + to_text(shape_.heads) + " of " + std::to_string(shape_.rows) + "x" +
           std::to_string(shape_.depth) + "x" + std::to_string(shape_.length);
  }

 private:
  compute::Isa isa() const { return isa_; }
  size_t key_bytes() const {
    return aligned(compute::gemm_packed_bytes(isa(), shape_.depth, shape_.length));
  }
  size_t value_bytes() const {
    return aligned(compute::gemm_packed_bytes(isa(), shape_.length, shape_.width));
  }
  size_t heads_bytes() const {
    return packs_ ? static_cast<size_t>(heads_) * (key_bytes() + value_bytes()) : 0;
  }
  size_t score_bytes() const {
    return aligned(static_cast<size_t>(block_rows_ * shape_.length) * sizeof(float));
  }
  size_t product_bytes() const {
    return aligned(
        std::max(compute::gemm_scratch_bytes(block_rows_, shape_.length, shape_.depth, packs_),
                 compute::gemm_scratch_bytes(block_rows_, shape_.width, shape_.length, packs_)));
  }
  size_t thread_bytes() const { return score_bytes() + product_bytes(); }

  float* packed_key(int64_t head) const {
    return reinterpret_cast<float*>(static_cast<char*>(context_->scratch) +
                                    static_cast<size_t>(head) * (key_bytes() + value_bytes()));
  }
  float* packed_value(int64_t head) const { return packed_key(head) + key_bytes() / sizeof(float); }

  int64_t head_offset(const Dims& strides, int64_t head) const {
    int64_t offset = 0;
    for (int d = shape_.heads.rank - 1; d >= 0; --d) {
      offset += head % shape_.heads[d] * strides[d];
      head /= shape_.heads[d];
    }
    return offset;
  }

  compute::MatrixView key(int64_t head) const {
    return {context_->at<float>(operands_.key) + head_offset(shape_.key_head, head), shape_.key_row,
            shape_.key_column};
  }
  compute::MatrixView value(int64_t head) const {
    return {context_->at<float>(operands_.value) + head_offset(shape_.value_head, head),
            shape_.value_row, shape_.value_column};
  }

  void pack_head(int64_t head) {
    compute::gemm_pack(isa(), key(head), shape_.depth, shape_.length, packed_key(head));
    compute::gemm_pack(isa(), value(head), shape_.length, shape_.width, packed_value(head));
  }

  void run_block(size_t task, size_t thread) {
    const int64_t head = static_cast<int64_t>(task) / blocks_;
    const int64_t first = static_cast<int64_t>(task) % blocks_ * block_rows_;
    const int64_t rows = std::min(block_rows_, shape_.rows - first);
    char* scratch = static_cast<char*>(context_->scratch) + heads_bytes() + thread * thread_bytes();
    float* scores = reinterpret_cast<float*>(scratch);
    void* product_scratch = scratch + score_bytes();

    compute::GemmArgs first_product;
    first_product.m = rows;
    first_product.n = shape_.length;
    first_product.k = shape_.depth;
    first_product.a = {context_->at<float>(operands_.query) + head_offset(shape_.query_head, head) +
                           first * shape_.query_row,
                       shape_.query_row, shape_.query_column};
    first_product.c = scores;
    first_product.c_row_stride = shape_.length;
    first_product.epilogue.alpha = shape_.scale;
    if (operands_.mask.storage >= 0) {
      first_product.epilogue.residual = context_->at<float>(operands_.mask) +
                                        head_offset(shape_.mask_head, head) +
                                        first * shape_.mask_row;
      first_product.epilogue.residual_stride = shape_.mask_row;
    }
    set_right_side(&first_product, head, packed_key(head), key(head));
    compute::gemm(first_product, product_scratch, product_bytes());

    softmax_rows(scores, rows);

    compute::GemmArgs second_product;
    second_product.m = rows;
    second_product.n = shape_.width;
    second_product.k = shape_.length;
    second_product.a = {scores, shape_.length, 1};
    float* out = context_->at<float>(operands_.out) + head_offset(shape_.out_head, head) +
                 first * shape_.out_row;
    second_product.c = out;
    second_product.c_row_stride = shape_.out_row;
    set_right_side(&second_product, head, packed_value(head), value(head));
    compute::gemm(second_product, product_scratch, product_bytes());
  }

  void set_right_side(compute::GemmArgs* args, int64_t, const float* packed,
                      const compute::MatrixView& plain) const {
    args->b = plain;
    if (packs_) args->packed = {packed, args->k, args->n, isa()};
  }

  void softmax_rows(float* scores, int64_t rows) const {
    for (int64_t r = 0; r < rows; ++r) {
      float* row = scores + r * shape_.length;
      softmax_row(row, row, shape_.length, shape_.zero_masked_rows);
    }
  }

  AttentionShape shape_;
  AttentionOperands operands_;
  const compute::Isa isa_ = compute::active_isa();
  int64_t heads_;
  int64_t block_rows_ = 0;
  int64_t blocks_ = 0;
  bool packs_ = false;
  const RunContext* context_ = nullptr;
};

}  // namespace

std::unique_ptr<Step> make_attention_step(const AttentionShape& shape,
                                          const AttentionOperands& operands) {
  return std::make_unique<AttentionStep>(shape, operands);
}

}  // namespace executorch::engine
