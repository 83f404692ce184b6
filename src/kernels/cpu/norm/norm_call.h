/**
 * @file
 * What the normalisations and their gradients share.
 */
#pragma once

#include "compute/norm/norm.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {

/// Weight, bias or a statistic of `count` elements, contiguous in the type of the computation; null
/// when absent.
class Parameter {
 public:
  explicit Parameter(Context& context) : input_(context) {}

  Error prepare(const std::optional<Tensor>& tensor, int64_t count, ScalarType dtype,
                const char* name) {
    if (!tensor.has_value()) return Error::Ok;
    ET_TRY(check_floating(*tensor, name));
    ET_REQUIRE(tensor->numel() == count, InvalidArgument,
               "argument '%s': expected %lld elements, found %s", name,
               static_cast<long long>(count), describe(*tensor).text);
    present_ = true;
    return input_.prepare(*tensor, dtype);
  }

  template <class T>
  const T* data() const {
    return present_ ? input_.data<T>() : nullptr;
  }

 private:
  ContiguousInput input_;
  bool present_ = false;
};

/// Runs `body` with a value of the type that `dtype` is computed in.
template <class Body>
Error with_float_type(ScalarType dtype, Body&& body) {
  return dtype == ScalarType::Double ? body(double{}) : body(float{});
}

/// Rows of a layer norm and the sizes of its statistics: the trailing dimensions of `input` must be
/// the normalised shape.
struct NormRows {
  int64_t rows = 1;
  int64_t n = 1;
  Sizes statistics;
};
Error read_norm_rows(const Tensor& input, IntList normalized_shape, NormRows* rows);

/// Checks N, C, HxW and the number of groups of a group norm against `input`.
Error check_groups(const Tensor& input, int64_t n, int64_t channels, int64_t pixels,
                   int64_t groups);

}  // namespace kernels
}  // namespace executorch
