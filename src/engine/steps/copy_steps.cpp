#include "engine/steps/copy_steps.h"

#include <cstring>
#include <utility>

#include "compute/copy/copy.h"
#include "threadpool/parallel.h"

namespace executorch::engine {
namespace {

compute::TensorView view_of(const TensorPlace& tensor) {
  compute::TensorView view;
  view.dtype = tensor.dtype;
  view.element_size = compute::element_size(tensor.dtype);
  view.rank = tensor.sizes.rank;
  for (int d = 0; d < view.rank; ++d) {
    view.sizes[d] = tensor.sizes[d];
    view.strides[d] = tensor.strides[d];
  }
  return view;
}

class CopyStep final : public Step {
 public:
  CopyStep(const TensorPlace& from, const TensorPlace& to)
      : from_(view_of(from)),
        to_(view_of(to)),
        from_place_(from.place),
        to_place_(to.place),
        sizes_(to.sizes) {
    if (is_contiguous(from.sizes, from.strides) && is_contiguous(to.sizes, to.strides)) {
      bytes_ = static_cast<size_t>(numel(to.sizes) * element_bytes(to.dtype));
      plain_ = bytes_ < (size_t{1} << 16);
    }
  }

  Error run(const RunContext& context) override {
    if (plain_) {
      std::memcpy(context.at<char>(to_place_), context.at<char>(from_place_), bytes_);
      return Error::Ok;
    }
    from_.data = context.at<char>(from_place_);
    to_.data = context.at<char>(to_place_);
    compute::copy(to_, from_);
    return Error::Ok;
  }

  std::string describe() const override { return "copy " + to_text(sizes_); }

 private:
  compute::TensorView from_;
  compute::TensorView to_;
  Place from_place_;
  Place to_place_;
  Dims sizes_;
  size_t bytes_ = 0;
  bool plain_ = false;
};

int64_t read_index(const char* indices, DType dtype, int64_t i) {
  if (dtype == DType::i64) {
    int64_t value;
    std::memcpy(&value, indices + i * 8, sizeof(value));
    return value;
  }
  int32_t value;
  std::memcpy(&value, indices + i * 4, sizeof(value));
  return value;
}

class GatherRowsStep final : public Step {
 public:
  GatherRowsStep(const GatherRowsShape& shape, Place table, Place indices, Place out)
      : shape_(shape), table_(table), indices_(indices), out_(out) {}

  Error run(const RunContext& context) override {
    const char* indices = context.at<char>(indices_);
    const char* table = context.at<char>(table_);
    char* out = context.at<char>(out_);
    for (int64_t i = 0; i < shape_.count; ++i) {
      int64_t row = read_index(indices, shape_.index_dtype, i);
      if (row < 0 && shape_.wrap) row += shape_.rows;
      ET_REQUIRE(row >= 0 && row < shape_.rows, InvalidArgument,
                 "index %lld at position %lld is outside a table of %lld rows",
                 static_cast<long long>(read_index(indices, shape_.index_dtype, i)),
                 static_cast<long long>(i), static_cast<long long>(shape_.rows));
      std::memcpy(out + i * shape_.row_bytes, table + row * shape_.row_stride,
                  static_cast<size_t>(shape_.row_bytes));
    }
    return Error::Ok;
  }

  std::string describe() const override {
    return "gather " + std::to_string(shape_.count) + " of " + std::to_string(shape_.rows) +
           " rows";
  }

 private:
  GatherRowsShape shape_;
  Place table_;
  Place indices_;
  Place out_;
};

class IndexPutStep final : public Step {
 public:
  IndexPutStep(const TensorPlace& target, int dim, const TensorPlace& indices,
               const TensorPlace& values)
      : target_(view_of(target)),
        values_(view_of(values)),
        target_place_(target.place),
        values_place_(values.place),
        indices_place_(indices.place),
        index_dtype_(indices.dtype),
        count_(numel(indices.sizes)),
        positions_(target.sizes[dim]),
        target_step_(target.strides[dim] * element_bytes(target.dtype)),
        values_step_(values.strides[dim] * element_bytes(values.dtype)),
        sizes_(target.sizes) {
    target_.sizes[dim] = 1;
    values_.sizes[dim] = 1;
  }

  Error run(const RunContext& context) override {
    const char* indices = context.at<char>(indices_place_);
    for (int64_t i = 0; i < count_; ++i)
      ET_TRY(check_index(read_index(indices, index_dtype_, i), i));
    for (int64_t i = 0; i < count_; ++i) {
      int64_t index = read_index(indices, index_dtype_, i);
      ET_TRY(check_index(index, i));  // again: the target may lie over the indices
      if (index < 0) index += positions_;
      target_.data = context.at<char>(target_place_) + index * target_step_;
      values_.data = context.at<char>(values_place_) + i * values_step_;
      compute::copy(target_, values_);
    }
    return Error::Ok;
  }

  std::string describe() const override {
    return "write " + std::to_string(count_) + " positions of " + to_text(sizes_);
  }

 private:
  Error check_index(int64_t index, int64_t position) const {
    ET_REQUIRE(index >= -positions_ && index < positions_, InvalidArgument,
               "index %lld at position %lld is outside a dimension of %lld",
               static_cast<long long>(index), static_cast<long long>(position),
               static_cast<long long>(positions_));
    return Error::Ok;
  }

  compute::TensorView target_;
  compute::TensorView values_;
  Place target_place_;
  Place values_place_;
  Place indices_place_;
  DType index_dtype_;
  int64_t count_;
  int64_t positions_;
  int64_t target_step_;
  int64_t values_step_;
  Dims sizes_;
};

class ForeignStep final : public Step {
 public:
  ForeignStep(std::shared_ptr<ForeignCall> call, std::vector<Place> operands)
      : call_(std::move(call)), operands_(std::move(operands)), pointers_(operands_.size()) {}

  Error run(const RunContext& context) override {
    for (size_t i = 0; i < operands_.size(); ++i) pointers_[i] = context.at<void>(operands_[i]);
    return static_cast<Error>(call_->run(pointers_.data(), context.user));
  }

  std::string describe() const override { return std::string("call ") + call_->name(); }

 private:
  std::shared_ptr<ForeignCall> call_;
  std::vector<Place> operands_;
  std::vector<void*> pointers_;
};

}  // namespace

std::unique_ptr<Step> make_copy_step(const TensorPlace& from, const TensorPlace& to) {
  return std::make_unique<CopyStep>(from, to);
}

std::unique_ptr<Step> make_gather_rows_step(const GatherRowsShape& shape, Place table,
                                            Place indices, Place out) {
  return std::make_unique<GatherRowsStep>(shape, table, indices, out);
}

std::unique_ptr<Step> make_index_put_step(const TensorPlace& target, int dim,
                                          const TensorPlace& indices, const TensorPlace& values) {
  return std::make_unique<IndexPutStep>(target, dim, indices, values);
}

std::unique_ptr<Step> make_foreign_step(std::shared_ptr<ForeignCall> call,
                                        std::vector<Place> operands) {
  return std::make_unique<ForeignStep>(std::move(call), std::move(operands));
}

}  // namespace executorch::engine
