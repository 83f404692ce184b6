/**
 * @file
 * Advanced indexing as in `self[a, :, mask]`: which slices of a tensor a list of index tensors
 * names, and in which order.
 */
#pragma once

#include "kernels/support/scratch.h"
#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {

/// The slices that a list of indices selects. Index tensors are broadcast together; masks stand for
/// the coordinates of their elements that are set; None keeps a dimension whole.
class IndexedSlices {
 public:
  explicit IndexedSlices(Context& context) : offsets_(context) {}

  /// Reads and checks all indices.
  Error resolve(Context& context, const Tensor& self, OptionalTensorList indices);

  /// Shape of `self[indices]`: the broadcast shape stands where the indexed dimensions were when
  /// these are adjacent, else in front.
  const Sizes& result_sizes() const { return result_; }
  /// Number of slices.
  int64_t count() const { return count_; }
  /// Offset of each slice in `self`, in elements, in row-major order of the broadcast shape.
  const int64_t* offsets() const { return offsets_.as<int64_t>(); }

  /// One slice of a view of `self`'s shape: its dimensions that are kept whole.
  TensorView slice_of_self(const TensorView& self) const;
  /// One slice of a view of the result's shape.
  TensorView slice_of_result(const TensorView& result) const;
  /// Writes the offset of each slice in a view of the result's shape to `offsets`, room for
  /// count().
  void result_offsets(const TensorView& result, int64_t* offsets) const;

 private:
  struct Item {
    int dim;
    Tensor const* index;  ///< null for a coordinate of a mask
    const int64_t* coordinates;
    int64_t count;
  };

  Error collect(Context& context, const Tensor& self, OptionalTensorList indices);
  Error broadcast();
  Error compute_offsets(const Tensor& self);
  void place_result(const Tensor& self);

  Item items_[kMaxRank];
  int item_count_ = 0;
  uint32_t indexed_ = 0;  ///< bit d: dimension d of self is indexed
  Sizes broadcast_;
  Sizes result_;
  int broadcast_place_ = 0;  ///< first dimension of the result that comes from the indices
  int64_t count_ = 0;
  Scratch offsets_;
  std::optional<Scratch> masks_[kMaxRank];
};

/// Bool and Byte tensors index by the elements that are set.
inline bool is_mask(const Tensor& tensor) {
  return tensor.scalar_type() == ScalarType::Bool || tensor.scalar_type() == ScalarType::Byte;
}

/// InvalidArgument naming the argument unless it has dtype int64 or int32.
Error check_index_type(const Tensor& index, const char* name);

/// Turns a bad index into an error.
Error bad_index(const char* name, int64_t value, int dim, int64_t size);

}  // namespace kernels
}  // namespace executorch
