#include "engine/steps/row_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compute/elementwise/operation.h"
#include "compute/reduce/reduce.h"
#include "threadpool/parallel.h"

namespace executorch::engine {
namespace {

using compute::BlockLoop;
using compute::RowLoops;

BlockLoop loop_of(ElementwiseOp op) { return compute::block_loop(op, compute::ComputeType::f32); }

// Calls f(in, out, row) for every row, on the pool.
class RowStep : public Step {
 public:
  RowStep(const Rows& rows, Place in, Place out) : rows_(rows), in_(in), out_(out), count_(numel(rows.sizes)) {}

 protected:
  template <class F>
  void for_rows(const RunContext& context, F&& f) const {
    if (rows_.length == 0) return;
    const int64_t grain = std::max<int64_t>(1, 8192 / rows_.length);
    const float* in = context.at<float>(in_);
    float* out = context.at<float>(out_);
    threadpool::parallel_for(0, count_, grain, [&](int64_t first, int64_t last) {
      int64_t position[kMaxRank];
      for (int64_t rest = first, d = rows_.sizes.rank - 1; d >= 0; --d) {
        position[d] = rest % rows_.sizes[static_cast<int>(d)];
        rest /= rows_.sizes[static_cast<int>(d)];
      }
      for (int64_t row = first; row < last; ++row) {
        int64_t from = 0, to = 0;
        for (int d = 0; d < rows_.sizes.rank; ++d) {
          from += position[d] * rows_.in_strides[d];
          to += position[d] * rows_.out_strides[d];
        }
        f(in + from, out + to, row);
        for (int d = rows_.sizes.rank - 1; d >= 0; --d) {
          if (++position[d] < rows_.sizes[d]) break;
          position[d] = 0;
        }
      }
    });
  }
  std::string text(const char* what) const {
    return std::string(what) + " " + std::to_string(count_) + " rows of " + std::to_string(rows_.length);
  }

  Rows rows_;
  Place in_;
  Place out_;
  int64_t count_;
};

class SoftmaxStep final : public RowStep {
 public:
  SoftmaxStep(const Rows& rows, bool zero_masked_rows, Place in, Place out)
      : RowStep(rows, in, out), zero_masked_rows_(zero_masked_rows) {}

  Error run(const RunContext& context) override {
    const RowLoops& loops = compute::row_loops();
    const BlockLoop multiply = loop_of(ElementwiseOp::Mul);
    const int64_t n = rows_.length;
    for_rows(context, [&](const float* in, float* out, int64_t) {
      const float largest = loops.max_f32(in, n);
      if (zero_masked_rows_ && largest == -std::numeric_limits<float>::infinity()) {
        std::fill(out, out + n, 0.0f);
        return;
      }
      const float factor = 1.0f / loops.exp_sum_f32(out, in, n, largest);
      const void* operands[2] = {out, &factor};
      multiply(out, operands, 2, n);
    });
    return Error::Ok;
  }
  std::string describe() const override { return text("softmax"); }

 private:
  bool zero_masked_rows_;
};

// out = (in - center) * factor, then weight and bias.
class NormStep : public RowStep {
 public:
  NormStep(const Rows& rows, double epsilon, const NormOperands& operands)
      : RowStep(rows, operands.in, operands.out), operands_(operands), epsilon_(epsilon) {}

 protected:
  void scale_and_shift(const RunContext& context, float* out) const {
    const int64_t n = rows_.length;
    if (operands_.weight.storage >= 0 && operands_.bias.storage >= 0) {
      const void* operands[3] = {out, context.at<float>(operands_.weight), context.at<float>(operands_.bias)};
      loop_of(ElementwiseOp::MulAdd)(out, operands, 0, n);
    } else if (operands_.weight.storage >= 0) {
      const void* operands[2] = {out, context.at<float>(operands_.weight)};
      loop_of(ElementwiseOp::Mul)(out, operands, 0, n);
    } else if (operands_.bias.storage >= 0) {
      const void* operands[2] = {out, context.at<float>(operands_.bias)};
      loop_of(ElementwiseOp::Add)(out, operands, 0, n);
    }
  }

  NormOperands operands_;
  double epsilon_;
};

class LayerNormStep final : public NormStep {
 public:
  using NormStep::NormStep;

  Error run(const RunContext& context) override {
    const RowLoops& loops = compute::row_loops();
    const int64_t n = rows_.length;
    float* means = operands_.mean.storage >= 0 ? context.at<float>(operands_.mean) : nullptr;
    float* deviations =
        operands_.reciprocal_deviation.storage >= 0 ? context.at<float>(operands_.reciprocal_deviation) : nullptr;
    for_rows(context, [&](const float* in, float* out, int64_t row) {
      const float mean = loops.sum_f32(in, n) / static_cast<float>(n);
      const double variance = static_cast<double>(loops.square_sum_f32(in, n, mean)) / static_cast<double>(n);
      const float factor = static_cast<float>(1.0 / std::sqrt(variance + epsilon_));
      if (means != nullptr) means[row] = mean;
      if (deviations != nullptr) deviations[row] = factor;
      const float shift = -mean * factor;
      const void* operands[3] = {in, &factor, &shift};
      loop_of(ElementwiseOp::MulAdd)(out, operands, 6, n);
      scale_and_shift(context, out);
    });
    return Error::Ok;
  }
  std::string describe() const override { return text("layer norm"); }
};

class RmsNormStep final : public NormStep {
 public:
  using NormStep::NormStep;

  Error run(const RunContext& context) override {
    const RowLoops& loops = compute::row_loops();
    const int64_t n = rows_.length;
    for_rows(context, [&](const float* in, float* out, int64_t) {
      const double mean = static_cast<double>(loops.square_sum_f32(in, n, 0.0f)) / static_cast<double>(n);
      const float factor = static_cast<float>(1.0 / std::sqrt(mean + epsilon_));
      const void* operands[2] = {in, &factor};
      loop_of(ElementwiseOp::Mul)(out, operands, 2, n);
      scale_and_shift(context, out);
    });
    return Error::Ok;
  }
  std::string describe() const override { return text("rms norm"); }
};

class ReduceStep final : public Step {
 public:
  ReduceStep(const Reduce& operation, const TensorPlace& in, const TensorPlace& out, const Dims& out_strides)
      : in_(in), out_(out), out_strides_(out_strides) {
    call_.op = operation.op;
    call_.dims = operation.dims;
    call_.divisor = operation.divisor;
    call_.out_dtype = out.dtype;
    // Sums of integers keep 64 bits; predicates test in the input's own type.
    const DType type = operation.op == compute::ReduceOp::Any || operation.op == compute::ReduceOp::All ? in.dtype
                                                                                                       : out.dtype;
    call_.compute = compute::compute_type(type);
  }

  Error run(const RunContext& context) override {
    call_.in = {context.at<void>(in_.place), in_.dtype, in_.sizes.rank, in_.sizes.values, in_.strides.values};
    call_.out = context.at<void>(out_.place);
    call_.out_strides = out_strides_.values;
    compute::reduce(call_);
    return Error::Ok;
  }
  std::string describe() const override { return "reduce " + to_text(in_.sizes) + " to " + to_text(out_.sizes); }

 private:
  compute::ReduceCall call_{};
  TensorPlace in_;
  TensorPlace out_;
  Dims out_strides_;
};

}  // namespace

std::unique_ptr<Step> make_softmax_step(const Rows& rows, bool zero_masked_rows, Place in, Place out) {
  return std::make_unique<SoftmaxStep>(rows, zero_masked_rows, in, out);
}

std::unique_ptr<Step> make_layer_norm_step(const Rows& rows, double epsilon, const NormOperands& operands) {
  return std::make_unique<LayerNormStep>(rows, epsilon, operands);
}

std::unique_ptr<Step> make_rms_norm_step(const Rows& rows, double epsilon, const NormOperands& operands) {
  return std::make_unique<RmsNormStep>(rows, epsilon, operands);
}

std::unique_ptr<Step> make_reduce_step(const Reduce& operation, const TensorPlace& in, const TensorPlace& out,
                                       const Dims& out_strides) {
  return std::make_unique<ReduceStep>(operation, in, out, out_strides);
}

}  // namespace executorch::engine
