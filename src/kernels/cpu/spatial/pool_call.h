/**
 * @file
 * What pooling operators share: the sizes that a call's arguments describe, and its tensors in the
 * type and layout of the computation. `dims` is the number of spatial dimensions, 1 to 3.
 */
#pragma once

#include "compute/pool/pool.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {

/// The axis of spatial dimension `d` of `dims`.
inline compute::PoolAxis& pool_axis(compute::PoolShape& shape, int dims, int d) {
  compute::PoolAxis* axes[] = {&shape.z, &shape.y, &shape.x};
  return *axes[3 - dims + d];
}

/// Batch, channels and input sizes of a tensor with or without a batch dimension. Adaptive pooling
/// takes an image without channels where there is no batch.
Error read_image(const Tensor& self, int dims, bool adaptive, compute::PoolShape* shape);

/// The arguments of a window that moves over the input.
struct WindowArguments {
  IntList kernel_size;
  IntList stride;  ///< empty: the kernel's size
  IntList padding;
  IntList dilation;
  bool ceil_mode;
};
Error read_windows(const Tensor& self, int dims, const WindowArguments& arguments,
                   compute::PoolShape* shape);

/// Windows that divide the input among `output_size` results.
Error read_adaptive(const Tensor& self, int dims, IntList output_size, compute::PoolShape* shape);

/// The sizes of the result.
Sizes pooled_sizes(const Tensor& self, int dims, const compute::PoolShape& shape);
Error resize_pooled(const Tensor& self, int dims, const compute::PoolShape& shape,
                    const Tensor& out, const char* name);

/// InvalidArgument unless dtype is int64.
Error check_indices(const Tensor& indices);

/// The type that a pooling operator computes in.
constexpr ScalarType pool_type(ScalarType dtype) {
  return is_floating(dtype) ? accumulation_type(dtype) : dtype;
}

/// Input, output and, for a maximum, indices: channels last where all of them are, else row-major.
class PoolTensors {
 public:
  explicit PoolTensors(Context& context) : in_(context), out_(context), indices_(context) {}

  /// `indices` may be null.
  Error prepare(const Tensor& input, const Tensor& out, const Tensor* indices, int dims,
                ScalarType dtype);

  bool channels_last() const { return channels_last_; }
  template <class T>
  const T* in() const {
    return static_cast<const T*>(in_data_);
  }
  template <class T>
  T* out() const {
    return static_cast<T*>(out_data_);
  }
  int64_t* indices() const { return indices_data_; }

  void finish();

 private:
  ContiguousInput in_;
  ContiguousOutput out_;
  ContiguousOutput indices_;
  const void* in_data_ = nullptr;
  void* out_data_ = nullptr;
  int64_t* indices_data_ = nullptr;
  bool channels_last_ = false;
};

}  // namespace kernels
}  // namespace executorch
