// Rows of quantised tables by index.
#include "compute/copy/indexed.h"
#include "kernels/quantized/parameters.h"
#include "kernels/quantized/tables.h"
#include "kernels/quantized/weight_table.h"
#include "kernels/support/indexing.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

using compute::TableFormat;

Error gather_rows(Context& context, const WeightTable& weight, const Tensor& indices,
                  const Tensor& out) {
  Sizes sizes = sizes_of(indices);
  ET_REQUIRE(sizes.rank < kMaxRank, InvalidArgument, "argument 'indices': too many dimensions");
  sizes.push(weight.table().columns);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, indices, "indices"));
  const int64_t count = indices.numel();
  Scratch rows(context);
  ET_TRY(rows.allocate(static_cast<size_t>(count), sizeof(int64_t)));
  for (int64_t i = 0; i < count; ++i) rows.as<int64_t>()[i] = 0;
  const compute::BadIndex bad =
      compute::add_index_offsets(view_of(indices), weight.rows(), 1, rows.as<int64_t>(), false);
  if (bad.found) return bad_index("indices", bad.value, 0, weight.rows());
  ContiguousOutput output(context);
  ET_TRY(output.prepare(out));
  compute::gather_table_rows(weight.table(), rows.as<int64_t>(), count,
                             {output.view().data, output.view().dtype});
  output.finish();
  return Error::Ok;
}

template <TableFormat kFormat>
Error embedding(Context& context, const Tensor& weight, const Tensor& scales,
                std::optional<Tensor> zero_points, int64_t, int64_t, const Tensor& indices,
                std::optional<ScalarType> dtype, Tensor& out) {
  ET_TRY(check_index_type(indices, "indices"));
  ET_TRY(check_floating(out, "out"));
  ET_REQUIRE(dtype.value_or(out.scalar_type()) == out.scalar_type(), InvalidArgument,
             "argument 'dtype': %s is not that of out, %s", dtype_name(*dtype),
             dtype_name(out.scalar_type()));
  TableFormat format = kFormat;
  if (kFormat == TableFormat::u8 && weight.scalar_type() == ScalarType::Char)
    format = TableFormat::i8;
  WeightTable table(context);
  ET_TRY(table.prepare(weight, format, scales, zero_points));
  ET_TRY(check_no_overlap(out, weight, "weight"));
  ET_TRY(
      check_apart_from_parameters(out, scales, "weight_scales", zero_points, "weight_zero_points"));
  return gather_rows(context, table, indices, out);
}

template <TableFormat kFormat>
Error embedding_like_scales(Context& context, const Tensor& weight, const Tensor& scales,
                            std::optional<Tensor> zero_points, int64_t quant_min, int64_t quant_max,
                            const Tensor& indices, Tensor& out) {
  ET_TRY(check_same_dtype(scales, "weight_scales", out, "out"));
  return embedding<kFormat>(context, weight, scales, zero_points, quant_min, quant_max, indices,
                            std::nullopt, out);
}

#define EXECUTORCH_EMBEDDING_ARGUMENTS                                                           \
  "(Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, int weight_quant_min, int " \
  "weight_quant_max, Tensor indices, *, "

constexpr OperatorRow kRows[] = {
    row<"quantized_decomposed::embedding_byte.out", embedding_like_scales<TableFormat::u8>>(
        EXECUTORCH_EMBEDDING_ARGUMENTS "Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::embedding_byte.dtype_out", embedding<TableFormat::u8>>(
        EXECUTORCH_EMBEDDING_ARGUMENTS "ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::embedding_4bit.out", embedding_like_scales<TableFormat::u4>>(
        EXECUTORCH_EMBEDDING_ARGUMENTS "Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::embedding_4bit.dtype_out", embedding<TableFormat::u4>>(
        EXECUTORCH_EMBEDDING_ARGUMENTS "ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::embedding_2bit.out", embedding_like_scales<TableFormat::u2>>(
        EXECUTORCH_EMBEDDING_ARGUMENTS "Tensor(a!) out) -> Tensor(a!)"),
    row<"quantized_decomposed::embedding_2bit.dtype_out", embedding<TableFormat::u2>>(
        EXECUTORCH_EMBEDDING_ARGUMENTS "ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table quantized_embedding_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
