/**
 * @file
 * What reduction operators share: which dimensions they reduce, the shape of the result and its
 * strides seen from the input.
 */
#pragma once

#include "compute/reduce/reduce.h"
#include "kernels/support/promotion.h"
#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {

/// Reduced dimensions, a bit each, and the shape that is left.
class Reduction {
 public:
  /// The listed dimensions; all of them for an empty or absent list. Refuses dimensions out of
  /// range or listed twice.
  Error prepare(const Tensor& self, std::optional<IntList> dims, bool keepdim);
  /// Exactly the listed dimensions, also none.
  Error prepare_exactly(const Tensor& self, IntList dims, bool keepdim);
  /// One dimension.
  Error prepare(const Tensor& self, int64_t dim, bool keepdim);
  /// All dimensions.
  void prepare_all(const Tensor& self, bool keepdim);

  uint32_t dims() const { return dims_; }
  const Sizes& out_sizes() const { return out_sizes_; }
  /// Elements per result.
  int64_t count() const { return count_; }

  /// InvalidArgument when a reduced dimension is empty and there are results to fill: they would
  /// have no value.
  Error check_not_empty(const Tensor& self) const;

  /// Resizes `out` and describes it as a target, or gives an error that names it.
  Error make_target(const Tensor& out, const char* name);
  /// The source; lives as long as this object.
  compute::ReduceSource source(const Tensor& self);
  compute::ReduceTarget target(size_t index) const {
    return {outs_[index].data, outs_[index].dtype, strides_[index]};
  }

 private:
  void finish(const Tensor& self, bool keepdim);

  uint32_t dims_ = 0;
  bool keepdim_ = false;
  int rank_ = 0;
  int64_t count_ = 1;
  Sizes out_sizes_;
  TensorView in_;
  TensorView outs_[2];
  int64_t strides_[2][compute::kMaxRank];
  size_t num_outs_ = 0;
};

}  // namespace kernels
}  // namespace executorch
