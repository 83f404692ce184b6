#include "engine/plan/column_tables.h"

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
  const bool grouped = scales.dtype == DType::bf16;
  ET_REQUIRE(scales.source == Source::Constant && scales.data != nullptr &&
                 is_contiguous(scales.sizes, scales.strides),
             NotSupported, "scales of a quantised weight that are no plain constant");
  ET_REQUIRE(grouped || (scales.dtype == DType::f32 &&
                         (numel(scales.sizes) == 1 || numel(scales.sizes) == channels)),
             InvalidArgument, "scales of %s for %lld channels", to_text(scales.sizes).c_str(),
             static_cast<long long>(channels));
  ET_REQUIRE(source.result == DType::f32 || (source.result == DType::i8 && !source.product.dynamic),
             NotSupported, "a quantised product of %s", dtype_text(source.result));
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
  const size_t count = static_cast<size_t>(places.groups * places.padded);
  const size_t bytes = count * 2 * sizeof(float);
  tables->memory = MemoryBlock::allocate(bytes);
  ET_REQUIRE(tables->memory.holds(bytes), MemoryAllocationFailed,
             "no memory for %zu bytes of factors", bytes);
  auto* scale = reinterpret_cast<float*>(tables->memory.data());
  auto* start = reinterpret_cast<int32_t*>(scale + count);
  auto* bias = reinterpret_cast<float*>(start);
  const bool dynamic = source.product.dynamic;
  const uint32_t zero =
      static_cast<uint32_t>(source.product.input.zero_point) + static_cast<uint32_t>(places.offset);
  for (int64_t g = 0; g < places.groups; ++g) {
    for (int64_t j = 0; j < places.padded; ++j) {
      const int64_t at = g * places.padded + j, channel = g * places.columns + j;
      const bool live = j < places.columns;
      scale[at] = live ? factor_of(source, channel) : 0.0f;
      if (dynamic) {
        bias[at] = live && source.bias != nullptr
                       ? static_cast<const float*>(source.bias->data)[channel]
                       : 0.0f;
        continue;
      }
      const int32_t given = live && source.bias != nullptr
                                ? static_cast<const int32_t*>(source.bias->data)[channel]
                                : 0;
      const int32_t sum = live ? places.sums[g * places.sums_stride + j] : 0;
      start[at] =
          static_cast<int32_t>(static_cast<uint32_t>(given) - zero * static_cast<uint32_t>(sum));
    }
  }
  tables->scale = scale;
  if (dynamic) {
    tables->bias = source.bias != nullptr ? bias : nullptr;
  } else {
    tables->start = start;
  }
  return Error::Ok;
}

}  // namespace executorch::engine
