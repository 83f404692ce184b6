#include "quantized_benchmark.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "compute/quantized/conv.h"
#include "compute/quantized/packed_layout.h"
#include "compute/quantized/product.h"
#include "meter.h"
#include "peak.h"
#include "threadpool/parallel.h"

namespace executorch::benchmarks {
namespace {

using namespace compute;

Floats bytes(size_t count) {
  Floats memory(static_cast<int64_t>(count / sizeof(float)) + 16);
  auto* data = reinterpret_cast<int8_t*>(memory.data());
  for (size_t i = 0; i < count; ++i) data[i] = static_cast<int8_t>(i * 37 % 251);
  return memory;
}

struct Size {
  int64_t m, n, k;
};

std::string name_of(const Size& s) {
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

/// Tables that say little: results are not looked at.
struct Tables {
  explicit Tables(size_t columns) : start(columns), ones(columns, 1e-3f) {}
  std::vector<int32_t> start;
  std::vector<float> ones;
};

/// Byte weights and static parameters, or half bytes and dynamic rows.
struct Product {
  Product(const Size& size, WeightBits bits, int64_t group)
      : matrix{active_isa(), bits, size.k, size.n, group},
        tables(static_cast<size_t>(padded_columns(active_isa(), size.n))),
        rows(static_cast<size_t>(2 * size.m), 1.0f),
        a(bytes(static_cast<size_t>(size.m * size.k))),
        c(size.m * size.n),
        packed(bytes(quantized_packed_bytes(matrix))),
        scratch_bytes(quantized_product_scratch_bytes(size.m, matrix, threadpool::thread_count())),
        scratch(bytes(scratch_bytes)) {
    if (bits == WeightBits::Int4) {
      // Scales of one: random ones are denormal numbers now and then, which take their time.
      const Floats halves = bytes(static_cast<size_t>(size.n * size.k / 2));
      pack_halves(matrix, {reinterpret_cast<const uint8_t*>(halves.data()), size.k / 2, nullptr, 0},
                  packed.data());
    }
    matrix.data = packed.data();
    plain = {reinterpret_cast<const int8_t*>(a.data()), size.k, active_isa(), size.k};
    args.m = size.m;
    args.rows = source_of(plain);
    args.weights = matrix;
    args.c = c.data();
    args.c_row_stride = size.n;
    args.output.scale = tables.ones.data();
    args.output.low = -128, args.output.high = 127;
    if (bits == WeightBits::Int8) {
      args.output.start = tables.start.data();
    } else {
      args.output.rows = rows.data();
      args.output.scaled_weight_sums = scaled_weight_sums(matrix);
      args.output.to_float = true;
    }
  }

  void run() { quantized_product(args, scratch.data(), scratch_bytes); }

  QuantizedMatrix matrix;
  Tables tables;
  std::vector<float> rows;
  Floats a, c, packed;
  size_t scratch_bytes;
  Floats scratch;
  PlainRows plain;
  QuantizedProductArgs args;
};

void product(benchmark::State& state, Size size, WeightBits bits, int64_t group) {
  Product product(size, bits, group);
  const Meter meter(state, peak_byte_operations(active_isa()),
                    2.0 * static_cast<double>(size.m * size.n * size.k));
  for (auto _ : state) product.run();
}

void convolution(benchmark::State& state, ConvShape shape) {
  ByteConvPlan plan;
  if (!byte_conv_plan(shape, active_isa(), false, &plan)) return state.SkipWithError("no plan");
  const ConvShape& s = plan.conv.shape;
  const int64_t pixels = plan.conv.out_height * plan.conv.out_width;
  Floats in = bytes(static_cast<size_t>(s.in_height * s.in_width * s.in_channels));
  Floats out = bytes(static_cast<size_t>(pixels * s.out_channels));
  Floats packed = bytes(plan.packed_bytes);
  const Tables tables(static_cast<size_t>(plan.groups * plan.padded));
  const size_t scratch_bytes = byte_conv_scratch_bytes(plan, threadpool::thread_count());
  Floats scratch = bytes(scratch_bytes);
  ByteConvArgs args;
  args.packed = packed.data();
  args.in = reinterpret_cast<const int8_t*>(in.data());
  args.out = out.data();
  args.output.start = tables.start.data();
  args.output.scale = tables.ones.data();
  args.output.low = -128, args.output.high = 127;
  const Meter meter(state, peak_byte_operations(active_isa()),
                    2.0 * static_cast<double>(pixels * s.out_channels * s.kernel_height *
                                              s.kernel_width * s.in_channels / s.groups));
  for (auto _ : state) byte_conv_run(plan, args, scratch.data(), scratch_bytes);
}

// Sums of 64-bit words: what a plain loop reads.
uint64_t read_all(const char* data, size_t size) {
  typedef uint64_t Words __attribute__((vector_size(64)));
  Words sums[4] = {};
  for (size_t i = 0; i + sizeof(sums) <= size; i += sizeof(sums)) {
    for (size_t j = 0; j < 4; ++j) {
      Words words;
      std::memcpy(&words, data + i + j * sizeof(words), sizeof(words));
      sums[j] += words;
    }
  }
  return sums[0][0] + sums[1][1] + sums[2][2] + sums[3][3];
}

double wall_seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double read_seconds(const char* data, size_t size) {
  const int64_t grain = 1 << 16;
  const double start = wall_seconds();
  threadpool::parallel_for(0, static_cast<int64_t>(size), grain, [&](int64_t first, int64_t last) {
    uint64_t sum = read_all(data + first, static_cast<size_t>(last - first));
    benchmark::DoNotOptimize(sum);
  });
  return wall_seconds() - start;
}

/// One token: a row through half-byte weights that no cache of the core holds, beside a plain read
/// of the same memory.
void decode(benchmark::State& state, int64_t n, int64_t k, int64_t group, size_t threads) {
  const threadpool::ThreadLimit limit(threads);
  threadpool::set_thread_count(threads);
  Product product({1, n, k}, WeightBits::Int4, group);
  const size_t size = quantized_packed_bytes(product.matrix);
  double best = 1e9, best_read = 1e9;
  for (auto _ : state) {
    const double start = wall_seconds();
    product.run();
    best = std::min(best, wall_seconds() - start);
    best_read = std::min(best_read,
                         read_seconds(reinterpret_cast<const char*>(product.packed.data()), size));
  }
  threadpool::set_thread_count(1);
  state.counters["GB/s"] = static_cast<double>(size) / best * 1e-9;
  state.counters["%read"] = 100.0 * best_read / best;
}

ConvShape image(int64_t size, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                int64_t groups) {
  ConvShape s;
  s.in_height = s.in_width = size;
  s.in_channels = in, s.out_channels = out, s.groups = groups;
  s.kernel_height = s.kernel_width = kernel;
  s.stride_height = s.stride_width = stride;
  s.pad_top = s.pad_bottom = s.pad_left = s.pad_right = kernel / 2;
  return s;
}

}  // namespace

void register_quantized() {
  for (const Size& s : {Size{256, 256, 256}, Size{1024, 1024, 1024}, Size{128, 1536, 384},
                        Size{128, 768, 768}, Size{1, 1024, 1024}}) {
    benchmark::RegisterBenchmark(("int8/product/" + name_of(s)).c_str(), product, s,
                                 WeightBits::Int8, int64_t{0});
    benchmark::RegisterBenchmark(("int4/product/" + name_of(s) + "/g32").c_str(), product, s,
                                 WeightBits::Int4, int64_t{32});
  }
  const struct {
    const char* name;
    ConvShape shape;
  } images[] = {{"7x7s2_3_64_at_224", image(224, 3, 64, 7, 2, 1)},
                {"3x3_64_at_56", image(56, 64, 64, 3, 1, 1)},
                {"3x3_256_at_14", image(14, 256, 256, 3, 1, 1)},
                {"3x3_512_at_7", image(7, 512, 512, 3, 1, 1)},
                {"3x3s2_3_32_at_224", image(224, 3, 32, 3, 2, 1)},
                {"1x1_16_96_at_112", image(112, 16, 96, 1, 1, 1)},
                {"1x1_144_24_at_56", image(56, 144, 24, 1, 1, 1)},
                {"1x1_160_960_at_7", image(7, 160, 960, 1, 1, 1)},
                {"depthwise_3x3_32_at_112", image(112, 32, 32, 3, 1, 32)},
                {"depthwise_3x3_144_at_56", image(56, 144, 144, 3, 1, 144)},
                {"depthwise_3x3_576_at_14", image(14, 576, 576, 3, 1, 576)}};
  for (const auto& i : images) {
    benchmark::RegisterBenchmark((std::string("int8/convolution/") + i.name).c_str(), convolution,
                                 i.shape);
  }
  for (const size_t threads : {size_t{1}, size_t{2}}) {
    for (const int64_t group : {int64_t{32}, int64_t{4096}}) {
      const std::string name =
          "int4/decode/16384x4096/g" + std::to_string(group) + "/threads" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(), decode, int64_t{16384}, int64_t{4096}, group,
                                   threads);
    }
  }
}

}  // namespace executorch::benchmarks
