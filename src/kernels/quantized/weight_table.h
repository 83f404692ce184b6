/**
 * @file
 * A weight of quantised rows with one scale for each row or group of columns.
 */
#pragma once

#include "compute/affine/table_rows.h"
#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {

/// Checks weight, scales and zero points against each other and describes them to the compute
/// layer.
class WeightTable {
 public:
  explicit WeightTable(Context& context)
      : weight_(context), scales_(context), zero_points_(context) {}

  /// The weight holds bytes in `format`, which for whole bytes is that of its dtype.
  Error prepare(const Tensor& weight, compute::TableFormat format, const Tensor& scales,
                const std::optional<Tensor>& zero_points);

  const compute::QuantizedTable& table() const { return table_; }
  int64_t rows() const { return rows_; }

 private:
  ContiguousInput weight_;
  ContiguousInput scales_;
  ContiguousInput zero_points_;
  compute::QuantizedTable table_;
  int64_t rows_ = 0;
};

}  // namespace kernels
}  // namespace executorch
