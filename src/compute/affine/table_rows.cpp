#include "compute/affine/table_rows.h"

#include <algorithm>

#include "compute/elementwise/cast.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr int64_t kBlock = 1024;

float parameter(const ConstElements& all, int64_t i) {
  float value;
  load_loop(all.dtype, ComputeType::f32)(
      &value,
      static_cast<const char*>(all.data) + i * static_cast<int64_t>(element_size(all.dtype)), 1, 1);
  return value;
}

void unpack(const QuantizedTable& table, int64_t row, int64_t first, int64_t n, float* out) {
  const auto* bytes = static_cast<const uint8_t*>(table.data) +
                      (row * table.columns + first) / numbers_per_byte(table.format);
  switch (table.format) {
    case TableFormat::i8:
      return load_loop(DType::i8, ComputeType::f32)(out, bytes, 1, n);
    case TableFormat::u8:
      return load_loop(DType::u8, ComputeType::f32)(out, bytes, 1, n);
    case TableFormat::u4:
      return affine_loops().unpack4(bytes, out, n);
    case TableFormat::u2:
      return affine_loops().unpack2(bytes, out, n);
  }
}

}  // namespace

void read_table_row(const QuantizedTable& table, int64_t row, int64_t first, int64_t last,
                    float* out) {
  unpack(table, row, first, last - first, out);
  const auto dequantize = affine_loops().f32.dequantize;
  for (int64_t column = first; column < last;) {
    const int64_t group = column / table.group;
    const int64_t end = std::min(last, (group + 1) * table.group);
    const int64_t index = row * group_count(table) + group;
    const float scale = parameter(table.scales, index);
    const float zero =
        table.zero_points.data == nullptr ? 0.0f : parameter(table.zero_points, index);
    float* const at = out + (column - first);
    dequantize(at, at, end - column, &scale, &zero, 0);
    column = end;
  }
}

void gather_table_rows(const QuantizedTable& table, const int64_t* rows, int64_t count,
                       const Elements& out) {
  const StoreLoop store = store_loop(ComputeType::f32, out.dtype);
  const auto size = static_cast<int64_t>(element_size(out.dtype));
  const int64_t grain = std::max<int64_t>(16 * kBlock / std::max<int64_t>(table.columns, 1), 1);
  threadpool::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    alignas(64) float block[kBlock];
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t column = 0; column < table.columns; column += kBlock) {
        const int64_t last = std::min(column + kBlock, table.columns);
        read_table_row(table, rows[i], column, last, block);
        store(static_cast<char*>(out.data) + (i * table.columns + column) * size, 1, block,
              last - column);
      }
    }
  });
}

}  // namespace executorch::compute
