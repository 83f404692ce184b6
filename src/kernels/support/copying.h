/**
 * @file
 * Moving elements between tensors: what operators that only copy share, and contiguous stand-ins for tensors in other
 * dim orders.
 */
#pragma once

#include "compute/copy/copy.h"
#include "kernels/support/scratch.h"
#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {

/// Resizes `out` to the sizes of `from`, a view into `self`, and copies it there. The dtypes must be equal; `out` may
/// only share memory with `self` where nothing moves.
Error write_view(const Tensor& out, const Tensor& self, const TensorView& from);

/// Copies `self` to `out` of the same sizes with conversion, after resizing it.
Error write_converted(const Tensor& out, const Tensor& self);

/// Checks the rank that a size list gives a tensor.
Error check_list_rank(IntList sizes, const char* name);

/// The elements of a number list as sizes. The caller has checked its length.
Sizes to_sizes(IntList values);

/// The bytes of a number as an element of `dtype`; InvalidArgument when it does not fit, naming the argument.
/// `element` has room for compute::kMaxElementSize bytes.
Error number_element(const Scalar& value, ScalarType dtype, const char* name, void* element);

/// A row-major view of a tensor's elements: the tensor itself, or a copy in scratch where its dim order differs.
class ContiguousInput {
 public:
  explicit ContiguousInput(Context& context) : scratch_(context) {}
  Error prepare(const Tensor& tensor);
  const TensorView& view() const { return view_; }

 private:
  Scratch scratch_;
  TensorView view_;
};

/// A row-major view to write: the tensor itself, or scratch that finish() copies to it. Prepared after resizing.
class ContiguousOutput {
 public:
  explicit ContiguousOutput(Context& context) : scratch_(context) {}
  Error prepare(const Tensor& tensor);
  const TensorView& view() const { return view_; }
  void finish();

 private:
  Scratch scratch_;
  TensorView view_;
  TensorView target_;
  bool staged_ = false;
};

}  // namespace kernels
}  // namespace executorch
