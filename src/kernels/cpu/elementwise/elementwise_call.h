/**
 * @file
 * From tensors and numbers to compute::elementwise(): broadcasting, resizing and the checks that
 * all elementwise operators share.
 */
#pragma once

#include <initializer_list>

#include "compute/elementwise/elementwise.h"
#include "kernels/support/promotion.h"
#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {

using compute::ElementwiseOp;

/// An operand: a tensor or a number, with the argument's name for error texts.
class Input {
 public:
  Input(const char* name, const Tensor& tensor) : name_(name), tensor_(&tensor) {}
  Input(const char* name, const Scalar& number) : name_(name), number_(number) {}

  const char* name() const { return name_; }
  const Tensor* tensor() const { return tensor_; }
  const Scalar& number() const { return number_; }
  /// A number or a tensor without dimensions.
  bool single() const { return tensor_ == nullptr || tensor_->dim() == 0; }

 private:
  const char* name_;
  const Tensor* tensor_ = nullptr;
  Scalar number_ = int64_t{0};
};

using Inputs = std::initializer_list<Input>;

/// How operands that the common dtype cannot hold exactly take part.
enum class Rounding {
  all,      ///< rounded to it
  tensors,  ///< single values keep their digits, as in eager's arithmetic on half types
};

/**
 * Computes `op` over the inputs, broadcast together, into `out`, which is resized. `common` is the
 * dtype of the arithmetic; `result` the dtype category that must be castable to `out` (Bool for
 * comparisons).
 */
Error run_elementwise(ElementwiseOp op, ScalarType common, ScalarType result, Inputs inputs,
                      Tensor& out, Rounding rounding = Rounding::all);

/// Computes `op` over views, which broadcast to the sizes of `out`. All types have casts.
void run_on_views(ElementwiseOp op, ScalarType common, const TensorView& out,
                  std::initializer_list<TensorView> inputs);

/// The shape that the tensors among the inputs broadcast to; InvalidArgument naming the one that
/// does not fit.
Error broadcast_sizes(Inputs inputs, Sizes* sizes);

/// torch.result_type of the inputs; InvalidArgument naming an input without arithmetic.
Error result_type(Inputs inputs, ScalarType* type);
/// The same, with integers and bool becoming float.
Error float_result_type(Inputs inputs, ScalarType* type);

/// InvalidArgument when the integer operand is or contains zero.
Error check_divisor(const Input& divisor);

/// `value` with the opposite sign, wrapping.
Scalar negated(const Scalar& value);
/// The number equals one.
bool is_one(const Scalar& value);

}  // namespace kernels
}  // namespace executorch
