/**
 * @file
 * Moving elements between tensors: what operators that only copy share, and contiguous stand-ins
 * for tensors in other dim orders.
 */
#pragma once

#include "compute/copy/copy.h"
#include "compute/norm/norm.h"
#include "kernels/support/scratch.h"
#include "kernels/support/tensors.h"
#include "threadpool/parallel.h"

namespace executorch {
namespace kernels {

/// Neighbouring indices of dimension `d` lie at least as far apart as those of every later one.
bool is_outermost(const TensorView& view, int d);

/// Bytes that a thread writes in several passes while they stay in its cache.
constexpr int64_t kSlabBytes = 128 * 1024;

/// Calls body(first, count) for slabs of about kSlabBytes of a view, cut along dimension `d`, on
/// the thread pool.
template <class Body>
void for_slabs(const TensorView& view, int d, Body&& body) {
  const int64_t size = view.sizes[d];
  const int64_t bytes = view.numel() * static_cast<int64_t>(view.element_size);
  if (bytes <= kSlabBytes) return body(0, size);
  const int64_t height = kSlabBytes * size / bytes > 0 ? kSlabBytes * size / bytes : 1;
  threadpool::parallel_for(0, size, height, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i += height) body(i, height < last - i ? height : last - i);
  });
}

/// Resizes `out` to the sizes of `from`, a view into `self`, and copies it there. The dtypes must
/// be equal; `out` may only share memory with `self` where nothing moves.
Error write_view(const Tensor& out, const Tensor& self, const TensorView& from);

/// Copies `self` to `out` of the same sizes with conversion, after resizing it.
Error write_converted(const Tensor& out, const Tensor& self);

/// Checks the rank that a size list gives a tensor.
Error check_list_rank(IntList sizes, const char* name);

/// The elements of a number list as sizes. The caller has checked its length.
Sizes to_sizes(IntList values);

/// The bytes of a number as an element of `dtype`; InvalidArgument when it does not fit, naming the
/// argument. `element` has room for compute::kMaxElementSize bytes.
Error number_element(const Scalar& value, ScalarType dtype, const char* name, void* element);

/// A row-major view of a tensor's elements: the tensor itself, or a copy in scratch where dim order
/// or dtype differ.
class ContiguousInput {
 public:
  explicit ContiguousInput(Context& context) : scratch_(context) {}
  Error prepare(const Tensor& tensor) { return prepare(tensor, tensor.scalar_type()); }
  /// With the elements converted to `dtype`; both are arithmetic or equal.
  Error prepare(const Tensor& tensor, ScalarType dtype);
  const TensorView& view() const { return view_; }
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(view_.data);
  }

 private:
  Scratch scratch_;
  TensorView view_;
};

/// A row-major view to write: the tensor itself, or scratch that finish() copies to it. Prepared
/// after resizing.
class ContiguousOutput {
 public:
  explicit ContiguousOutput(Context& context) : scratch_(context) {}
  Error prepare(const Tensor& tensor) { return prepare(tensor, tensor.scalar_type()); }
  /// To be written as `dtype`; finish() converts.
  Error prepare(const Tensor& tensor, ScalarType dtype);
  const TensorView& view() const { return view_; }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(view_.data);
  }
  void finish();

 private:
  Scratch scratch_;
  TensorView view_;
  TensorView target_;
  bool staged_ = false;
};

/// The memory of a dense tensor around dimension `d`.
compute::DenseAxis dense_axis(const TensorView& view, int d);

/// A tensor's elements in the layout of another one of the same sizes: the tensor itself, or a copy
/// in scratch.
class InputLike {
 public:
  explicit InputLike(Context& context) : scratch_(context) {}
  Error prepare(const Tensor& tensor, const Tensor& like);
  const void* data() const { return data_; }

 private:
  Scratch scratch_;
  const void* data_ = nullptr;
};

/// The type that floating point operators compute in: double for itself, float for all others.
constexpr ScalarType accumulation_type(ScalarType dtype) {
  return dtype == ScalarType::Double ? ScalarType::Double : ScalarType::Float;
}

/**
 * Input and output of an operator that maps dense memory to dense memory of the same shape and
 * layout, whatever the dim order: both seen in accumulation_type(), in the layout of the output.
 * Input and output may be one memory.
 */
class DenseMap {
 public:
  explicit DenseMap(Context& context) : scratch_(context) {}
  /// `out` has been resized to the sizes of `self`. Its dtype is floating.
  Error prepare(const Tensor& self, const Tensor& out);
  template <class T>
  const T* in() const {
    return reinterpret_cast<const T*>(in_);
  }
  template <class T>
  T* out() const {
    return reinterpret_cast<T*>(out_);
  }
  /// The memory around dimension `d`.
  compute::DenseAxis axis(int d) const { return dense_axis(target_, d); }
  void finish();

 private:
  Scratch scratch_;
  TensorView target_;
  TensorView staged_view_;
  const char* in_ = nullptr;
  char* out_ = nullptr;
  bool staged_ = false;
};

}  // namespace kernels
}  // namespace executorch
