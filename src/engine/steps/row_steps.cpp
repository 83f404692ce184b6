#include "engine/steps/row_steps.h"

#include <algorithm>

#include "compute/norm/norm.h"
#include "compute/reduce/reduce.h"
#include "engine/steps/masked_softmax.h"
#include "threadpool/parallel.h"

namespace executorch::engine {
namespace {

// Where a row begins in both operands.
class RowCursor {
 public:
  RowCursor(const Rows& rows, int64_t row) : rows_(rows) {
    for (int d = rows.sizes.rank - 1; d >= 0; --d) {
      position_[d] = row % rows.sizes[d];
      row /= rows.sizes[d];
    }
    find();
  }
  int64_t in() const { return in_; }
  int64_t out() const { return out_; }
  void next() {
    for (int d = rows_.sizes.rank - 1; d >= 0; --d) {
      if (++position_[d] < rows_.sizes[d]) break;
      position_[d] = 0;
    }
    find();
  }

 private:
  void find() {
    in_ = out_ = 0;
    for (int d = 0; d < rows_.sizes.rank; ++d) {
      in_ += position_[d] * rows_.in_strides[d];
      out_ += position_[d] * rows_.out_strides[d];
    }
  }

  const Rows& rows_;
  int64_t position_[kMaxRank];
  int64_t in_, out_;
};

// Calls f(in, out, row) for every row, on the pool.
class RowStep : public Step {
 public:
  RowStep(const Rows& rows, Place in, Place out)
      : rows_(rows), in_(in), out_(out), count_(numel(rows.sizes)) {}

 protected:
  template <class F>
  void for_rows(const RunContext& context, F&& f) const {
    if (rows_.length == 0) return;
    const int64_t grain = std::max<int64_t>(1, 8192 / rows_.length);
    const float* in = context.at<float>(in_);
    float* out = context.at<float>(out_);
    threadpool::parallel_for(0, count_, grain, [&](int64_t first, int64_t last) {
      RowCursor cursor(rows_, first);
      for (int64_t row = first; row < last; ++row, cursor.next())
        f(in + cursor.in(), out + cursor.out(), row);
    });
  }
  std::string text(const char* what) const {
    return std::string(what) + " " + std::to_string(count_) + " rows of " +
           std::to_string(rows_.length);
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
    if (rows_.length <= kShortRow && !zero_masked_rows_) {
      run_short_rows(context.at<float>(in_), context.at<float>(out_));
      return Error::Ok;
    }
    for_rows(context, [&](const float* in, float* out, int64_t) {
      softmax_row(in, out, rows_.length, zero_masked_rows_);
    });
    return Error::Ok;
  }
  std::string describe() const override { return text("softmax"); }

 private:
  // One by one, such rows would leave most of a vector empty.
  static constexpr int64_t kShortRow = 8;

  void run_short_rows(const float* in, float* out) const {
    const int64_t n = rows_.length;
    if (n == 0) return;
    const auto softmax_rows = compute::norm_row_loops<float>().softmax_rows;
    threadpool::parallel_for(0, count_, 8192 / n, [&](int64_t first, int64_t last) {
      constexpr int64_t kFloats = 512;
      float block[kFloats];
      RowCursor from(rows_, first), to(rows_, first);
      for (int64_t row = first; row < last; row += kFloats / n) {
        const int64_t rows = std::min(kFloats / n, last - row);
        for (int64_t i = 0; i < rows; ++i, from.next())
          std::copy_n(in + from.in(), n, block + i * n);
        softmax_rows(block, block, rows, n);
        for (int64_t i = 0; i < rows; ++i, to.next()) std::copy_n(block + i * n, n, out + to.out());
      }
    });
  }

  bool zero_masked_rows_;
};

class NormStep : public RowStep {
 public:
  NormStep(const Rows& rows, double epsilon, const NormOperands& operands)
      : RowStep(rows, operands.in, operands.out), operands_(operands), epsilon_(epsilon) {}

 protected:
  static float* optional(const RunContext& context, const Place& place) {
    return place.storage >= 0 ? context.at<float>(place) : nullptr;
  }

  NormOperands operands_;
  double epsilon_;
};

class LayerNormStep final : public NormStep {
 public:
  using NormStep::NormStep;

  Error run(const RunContext& context) override {
    const float* weight = optional(context, operands_.weight);
    const float* bias = optional(context, operands_.bias);
    float* means = optional(context, operands_.mean);
    float* deviations = optional(context, operands_.reciprocal_deviation);
    for_rows(context, [&](const float* in, float* out, int64_t row) {
      compute::layer_norm<float>(1, rows_.length, in, weight, bias, epsilon_, out,
                                 means != nullptr ? means + row : nullptr,
                                 deviations != nullptr ? deviations + row : nullptr);
    });
    return Error::Ok;
  }
  std::string describe() const override { return text("layer norm"); }
};

class RmsNormStep final : public NormStep {
 public:
  using NormStep::NormStep;

  Error run(const RunContext& context) override {
    const float* weight = optional(context, operands_.weight);
    for_rows(context, [&](const float* in, float* out, int64_t) {
      compute::rms_norm<float>(1, rows_.length, in, weight, epsilon_, out);
    });
    return Error::Ok;
  }
  std::string describe() const override { return text("rms norm"); }
};

class ReduceStep final : public Step {
 public:
  ReduceStep(const Reduce& operation, const TensorPlace& in, const TensorPlace& out,
             const Dims& out_strides)
      : in_(in), out_(out), out_strides_(out_strides) {
    call_.op = operation.op;
    call_.dims = operation.dims;
    call_.divisor = operation.divisor;
    call_.out.dtype = out.dtype;
    // Sums of integers keep 64 bits; predicates test in the input's own type.
    const DType type =
        operation.op == compute::ReduceOp::Any || operation.op == compute::ReduceOp::All
            ? in.dtype
            : out.dtype;
    call_.compute = compute::compute_type(type);
  }

  Error run(const RunContext& context) override {
    call_.in = {context.at<void>(in_.place), in_.dtype, in_.sizes.rank, in_.sizes.values,
                in_.strides.values};
    call_.out.data = context.at<void>(out_.place);
    call_.out.strides = out_strides_.values;
    compute::reduce(call_);
    return Error::Ok;
  }
  std::string describe() const override {
    return "reduce " + to_text(in_.sizes) + " to " + to_text(out_.sizes);
  }

 private:
  compute::ReduceCall call_{};
  TensorPlace in_;
  TensorPlace out_;
  Dims out_strides_;
};

}  // namespace

std::unique_ptr<Step> make_softmax_step(const Rows& rows, bool zero_masked_rows, Place in,
                                        Place out) {
  return std::make_unique<SoftmaxStep>(rows, zero_masked_rows, in, out);
}

std::unique_ptr<Step> make_layer_norm_step(const Rows& rows, double epsilon,
                                           const NormOperands& operands) {
  return std::make_unique<LayerNormStep>(rows, epsilon, operands);
}

std::unique_ptr<Step> make_rms_norm_step(const Rows& rows, double epsilon,
                                         const NormOperands& operands) {
  return std::make_unique<RmsNormStep>(rows, epsilon, operands);
}

std::unique_ptr<Step> make_reduce_step(const Reduce& operation, const TensorPlace& in,
                                       const TensorPlace& out, const Dims& out_strides) {
  return std::make_unique<ReduceStep>(operation, in, out, out_strides);
}

}  // namespace executorch::engine
