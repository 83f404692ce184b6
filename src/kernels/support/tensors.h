/**
 * @file
 * What operators ask of their tensors: descriptions for error texts, shapes of outputs, strides,
 * memory overlap. Nothing here aborts; failures return an error with a text that names the
 * argument.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/copy/tensor_view.h"
#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {

using compute::kMaxRank;
using compute::TensorView;

/// Sizes of up to kMaxRank dimensions, 64 bits wide so that products and sums can be checked.
struct Sizes {
  int rank = 0;
  // Not zeroed: only `rank` of them count.
  int64_t values[kMaxRank];

  int64_t& operator[](int d) { return values[d]; }
  int64_t operator[](int d) const { return values[d]; }
  int64_t* begin() { return values; }
  int64_t* end() { return values + rank; }
  const int64_t* begin() const { return values; }
  const int64_t* end() const { return values + rank; }
  /// Appends; the caller keeps the rank below kMaxRank.
  void push(int64_t size) { values[rank++] = size; }
};

/// The sizes of a tensor. A rank over kMaxRank is cut; programs with such tensors are refused when
/// loaded.
Sizes sizes_of(const Tensor& tensor);

bool same_sizes(const Tensor& a, const Tensor& b);

/// Name of a dtype as in PyTorch without "torch.": "float32".
const char* dtype_name(ScalarType dtype);

/// "float32 [2, 3]", with the dim order behind it when it is not the contiguous one.
struct Description {
  char text[320];
};
Description describe(const Tensor& tensor);
/// "[2, 3]"
Description describe(const Sizes& sizes);
Description describe(IntList values);

/// Gives `out` these sizes. The text names `out` by `name`, with the wanted and the found shape.
Error resize_output(const Tensor& out, const Sizes& sizes, const char* name = "out");
/// The same with another tensor's sizes.
Error resize_output_like(const Tensor& out, const Tensor& like, const char* name = "out");

constexpr compute::DType compute_dtype(ScalarType dtype) {
  return static_cast<compute::DType>(dtype);
}

/// The tensor for the compute layer; strides follow its dim order.
TensorView view_of(const Tensor& tensor);
/// The view with a dimension of size 1 where it has none: how operators with a dimension see 0-d
/// tensors.
TensorView at_least_1d(TensorView view);

/// Elements of `sizes`; InvalidArgument with a text when a size is negative or the product passes
/// 2^62.
Error checked_numel(const Sizes& sizes, const char* name, int64_t* numel);

/// Wraps a negative dim and checks its range; a 0-d tensor counts as one of rank 1.
Error normalize_dim(int64_t dim, int64_t rank, const char* name, int* normalized);

/// A checked slice of one dimension.
struct Slice {
  int dim;
  int64_t start;
  int64_t length;
};
/// Slice bounds as in PyTorch: None takes the rest, negative numbers count from the end, all are
/// clamped to the size.
Error normalize_slice(const Tensor& self, int64_t dim, std::optional<int64_t> start,
                      std::optional<int64_t> end, int64_t step, Slice* slice);
/// One index of one dimension, which may count from the end.
Error normalize_selection(const Tensor& self, int64_t dim, int64_t index, int* normalized_dim,
                          int64_t* normalized_index);

/// Views both tensors with their common broadcast shape. InvalidArgument naming both when there is
/// none.
Error broadcast_views(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name,
                      TensorView* a_view, TensorView* b_view);

/// All elements of the tensor are adjacent in the order of its dims.
bool is_contiguous(const Tensor& tensor);
/// The sizes are laid out alike: equal offsets for equal coordinates.
bool same_layout(const Tensor& a, const Tensor& b);

/// Whether the byte ranges of the two tensors meet.
bool memory_overlaps(const Tensor& a, const Tensor& b);
/// InvalidArgument unless `out` shares no byte with `input`, or starts where it starts with the
/// same layout and dtype.
Error check_no_partial_overlap(const Tensor& out, const Tensor& input, const char* name);
/// InvalidArgument when `out` shares a byte with `input`.
Error check_no_overlap(const Tensor& out, const Tensor& input, const char* name);

/// InvalidArgument naming both unless the dtypes are equal.
Error check_same_dtype(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name);
/// InvalidArgument unless the rank is in [low, high].
Error check_rank(const Tensor& tensor, const char* name, int64_t low, int64_t high);

}  // namespace kernels
}  // namespace executorch
