#include "kernels/quantized/weight_table.h"

#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {

using compute::TableFormat;

Error WeightTable::prepare(const Tensor& weight, TableFormat format, const Tensor& scales,
                           const std::optional<Tensor>& zero_points) {
  ET_TRY(check_rank(weight, "weight", 2, 2));
  const bool is_signed = format == TableFormat::i8;
  ET_REQUIRE(weight.scalar_type() == (is_signed ? ScalarType::Char : ScalarType::Byte),
             InvalidArgument, "argument 'weight': expected %s, found %s",
             is_signed ? "int8" : "uint8", dtype_name(weight.scalar_type()));
  ET_TRY(check_floating(scales, "weight_scales"));
  ET_TRY(check_rank(scales, "weight_scales", 1, 2));
  rows_ = weight.sizes()[0];
  table_.format = format;
  table_.columns = int64_t{weight.sizes()[1]} * compute::numbers_per_byte(format);
  const int64_t groups = scales.dim() == 2 ? scales.sizes()[1] : 1;
  table_.group = groups > 0 ? (table_.columns + groups - 1) / groups : 0;
  const bool covers = scales.sizes()[0] == rows_ && table_.group > 0 &&
                      (table_.columns + table_.group - 1) / table_.group == groups;
  ET_REQUIRE(
      covers || weight.numel() == 0, InvalidArgument,
      "argument 'weight_scales': %s does not divide the rows of %lld numbers of %s into groups",
      describe(scales).text, static_cast<long long>(table_.columns), describe(weight).text);
  ET_TRY(weight_.prepare(weight));
  ET_TRY(scales_.prepare(scales));
  table_.data = weight_.view().data;
  table_.scales = {scales_.view().data, scales_.view().dtype};
  if (!zero_points.has_value()) return Error::Ok;
  ET_TRY(check_arithmetic(*zero_points, "weight_zero_points"));
  ET_REQUIRE(same_sizes(*zero_points, scales), InvalidArgument,
             "argument 'weight_zero_points': expected the sizes of the scales, %s, found %s",
             describe(scales).text, describe(*zero_points).text);
  ET_TRY(zero_points_.prepare(*zero_points));
  table_.zero_points = {zero_points_.view().data, zero_points_.view().dtype};
  return Error::Ok;
}

}  // namespace kernels
}  // namespace executorch
