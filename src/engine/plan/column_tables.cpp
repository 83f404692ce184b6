#include "engine/plan/column_tables.h"

#include <cstring>
#include <limits>

#include "compute/quantized/product_kernels.h"

namespace executorch::engine {
namespace {

// The bounds of a float result.
void set_bounds(const Epilogue& epilogue, compute::SumsOutput* output) {
  if (epilogue.activation == Activation::Relu) {
    output->low = 0;
  } else if (epilogue.activation == Activation::Clamp) {
    output->low = epilogue.low;
    output->high = epilogue.high;
  }
}

Error check(const ColumnSource& source, int64_t channels) {
  const Value& scales = source.scales;
  const bool grouped =
      scales.dtype == DType::bf16 && source.product.bits == WeightBits::Int4;
  ET_REQUIRE(scales.source == Source::Constant && scales.data != nullptr &&
                 is_contiguous(scales.sizes, scales.strides),
             NotSupported, "scales of a quantised weight that are no plain constant");
  ET_REQUIRE(grouped || (scales.dtype == DType::f32 &&
                         (numel(scales.sizes) == 1 || numel(scales.sizes) == channels)),
             InvalidArgument, "scales of %s for %lld channels", to_text(scales.sizes).c_str(),
             static_cast<long long>(channels));
  if (source.bias == nullptr) return Error::Ok;
  const Value& bias = *source.bias;
  ET_REQUIRE(bias.source == Source::Constant && bias.data != nullptr &&
                 is_contiguous(bias.sizes, bias.strides),
             NotSupported, "a bias of a quantised product that is no plain constant");
  ET_REQUIRE(bias.dtype == (source.product.dynamic ? DType::f32 : DType::i32) &&
                 numel(bias.sizes) == channels,
             InvalidArgument, "a bias of %s, %s, for %lld channels", to_text(bias.sizes).c_str(),
             dtype_text(bias.dtype), static_cast<long long>(channels));
  return Error::Ok;
}

float factor_of(const ColumnSource& source, int64_t channel) {
  if (source.scales.dtype == DType::bf16) return 1.0f;
  const bool single = numel(source.scales.sizes) == 1;
  const float scale = static_cast<const float*>(source.scales.data)[single ? 0 : channel];
  const QuantizedProduct& product = source.product;
  if (product.dynamic) return scale;
  const float real = product.input.scale * scale;
  return source.result == DType::f32 ? real : real / product.output.params.scale;
}

}  // namespace

Error check_quantized(const QuantParams& params) {
  ET_REQUIRE(params.scale > 0 && params.scale <= std::numeric_limits<float>::max(), InvalidArgument,
             "a scale of %g where a positive number is needed", static_cast<double>(params.scale));
  ET_REQUIRE(params.zero_point >= -128 && params.zero_point <= 127, InvalidArgument,
             "a zero point of %d outside the range of i8", params.zero_point);
  return Error::Ok;
}

Error check_quantized(const QuantizedOutput& to) {
  ET_TRY(check_quantized(to.params));
  ET_REQUIRE(to.low >= -128 && to.low <= to.high && to.high <= 127, InvalidArgument,
             "bounds of %d and %d for i8", to.low, to.high);
  return Error::Ok;
}

Error check_quantized(const QuantizedProduct& product, DType result) {
  ET_REQUIRE(result == DType::f32 || (result == DType::i8 && !product.dynamic), NotSupported,
             "a quantised product of %s", dtype_text(result));
  if (result == DType::i8) ET_TRY(check_quantized(product.output));
  return product.dynamic ? Error::Ok : check_quantized(product.input);
}

compute::SumsOutput output_of(const ColumnSource& source) {
  compute::SumsOutput output;
  output.to_float = source.result == DType::f32;
  if (output.to_float) {
    set_bounds(source.product.epilogue, &output);
    return output;
  }
  const compute::QuantizedLoopParams bounds({}, {}, source.product.output);
  output.low = bounds.low;
  output.high = bounds.high;
  output.zero_point = bounds.zero_point;
  return output;
}

ColumnPlaces columns_of(const compute::QuantizedMatrix& matrix, int64_t groups) {
  ColumnPlaces places;
  places.groups = groups;
  places.columns = matrix.n;
  places.padded = compute::padded_columns(matrix.isa, matrix.n);
  places.offset = compute::product_kernels(matrix.isa).offset;
  if (matrix.bits == compute::WeightBits::Int8) {
    places.sums = compute::weight_sums(matrix);
    places.sums_stride =
        static_cast<int64_t>(compute::quantized_packed_bytes(matrix) / sizeof(int32_t));
  }
  return places;
}

Error fill_tables(const ColumnSource& source, const ColumnPlaces& places, ColumnTables* tables) {
  ET_TRY(check(source, places.groups * places.columns));
  const bool dynamic = source.product.dynamic;
  const size_t count = static_cast<size_t>(places.groups * places.padded);
  const size_t bytes = count * 3 * sizeof(float);
  tables->memory = MemoryBlock::allocate(bytes);
  ET_REQUIRE(tables->memory.holds(bytes), MemoryAllocationFailed,
             "no memory for %zu bytes of factors", bytes);
  std::memset(tables->memory.data(), 0, bytes);
  auto* scale = reinterpret_cast<float*>(tables->memory.data());
  auto* sums = reinterpret_cast<int32_t*>(scale + count);
  auto* start = sums + count;
  auto* bias = reinterpret_cast<float*>(start);
  // Arithmetic wraps, as that of sums does.
  const uint32_t zero =
      static_cast<uint32_t>(source.product.input.zero_point) + static_cast<uint32_t>(places.offset);
  for (int64_t channel = 0; channel < places.groups * places.columns; ++channel) {
    const int64_t group = channel / places.columns, column = channel % places.columns;
    const int64_t at = group * places.padded + column;
    scale[at] = factor_of(source, channel);
    if (places.sums != nullptr) sums[at] = places.sums[group * places.sums_stride + column];
    if (dynamic) {
      if (source.bias != nullptr) bias[at] = static_cast<const float*>(source.bias->data)[channel];
      continue;
    }
    const int32_t given =
        source.bias != nullptr ? static_cast<const int32_t*>(source.bias->data)[channel] : 0;
    start[at] =
        static_cast<int32_t>(static_cast<uint32_t>(given) - zero * static_cast<uint32_t>(sums[at]));
  }
  tables->scale = scale;
  if (dynamic) {
    tables->sums = sums;
    tables->bias = source.bias != nullptr ? bias : nullptr;
  } else {
    tables->start = start;
  }
  return Error::Ok;
}

}  // namespace executorch::engine
