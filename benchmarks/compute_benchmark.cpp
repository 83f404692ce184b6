// Matrix products, convolutions and pooling by themselves: operations per second and share of the
// core's peak, one thread; and what an empty parallel loop costs at two. EXECUTORCH_CPU chooses the
// instruction set.
#include <benchmark/benchmark.h>

#include <string>

#include "compute/conv/conv.h"
#include "compute/gemm/gemm.h"
#include "compute/pool/pool.h"
#include "meter.h"
#include "peak.h"
#include "quantized_benchmark.h"
#include "threadpool/parallel.h"

namespace executorch::benchmarks {
namespace {

using namespace compute;

struct ProductSize {
  int64_t m, n, k;
  bool packed;
};

void product(benchmark::State& state, ProductSize size) {
  Floats a(size.m * size.k), b(size.k * size.n), c(size.m * size.n);
  GemmArgs args;
  args.m = size.m, args.n = size.n, args.k = size.k;
  args.a = {a.data(), size.k, 1};
  args.b = {b.data(), size.n, 1};
  args.c = c.data();
  args.c_row_stride = size.n;
  Floats packed(
      static_cast<int64_t>(gemm_packed_bytes(active_isa(), size.k, size.n) / sizeof(float)));
  if (size.packed) args.packed = gemm_pack(active_isa(), args.b, size.k, size.n, packed.data());
  const size_t bytes = gemm_scratch_bytes(size.m, size.n, size.k, size.packed);
  Floats scratch(static_cast<int64_t>(bytes / sizeof(float)) + 1);
  const Meter meter(state, peak_flops(active_isa()),
                    2.0 * static_cast<double>(size.m * size.n * size.k));
  for (auto _ : state) gemm(args, scratch.data(), bytes);
}

struct ImageSize {
  const char* name;
  int64_t size, in, out, kernel, stride, pad, groups;
};

/// `winograd`: by that algorithm, with the operations of the definition counted.
void convolution(benchmark::State& state, ImageSize image, bool winograd) {
  ConvShape shape;
  shape.in_height = shape.in_width = image.size;
  shape.in_channels = image.in, shape.out_channels = image.out, shape.groups = image.groups;
  shape.kernel_height = shape.kernel_width = image.kernel;
  shape.stride_height = shape.stride_width = image.stride;
  shape.pad_top = shape.pad_bottom = shape.pad_left = shape.pad_right = image.pad;
  ConvPlan plan;
  if (!conv_plan(shape, active_isa(), &plan)) return state.SkipWithError("no plan");
  const int64_t pixels = plan.out_height * plan.out_width;
  const int64_t taps = image.in / image.groups * image.kernel * image.kernel;
  Floats in(image.size * image.size * image.in), out(pixels * image.out), weight(image.out * taps),
      bias(image.out);
  if (winograd && !conv_prefer_winograd(&plan, weight.data(), nullptr))
    return state.SkipWithError("not by this algorithm");
  Floats packed(static_cast<int64_t>(plan.packed_bytes / sizeof(float)));
  conv_pack(plan, contiguous_weight(plan.shape, weight.data()), nullptr, packed.data());
  const size_t bytes = conv_scratch_bytes(plan);
  Floats scratch(static_cast<int64_t>(bytes / sizeof(float)) + 1);
  Epilogue epilogue;
  epilogue.bias = bias.data();
  epilogue.lo = 0.0f;
  const Meter meter(state, peak_flops(active_isa()),
                    2.0 * static_cast<double>(pixels * image.out * taps));
  for (auto _ : state)
    conv_run(plan, packed.data(), in.data(), out.data(), epilogue, scratch.data(), bytes);
}

void largest_of_3x3(benchmark::State& state) {
  PoolShape shape;
  shape.channels = 64;
  shape.y = shape.x = {112, 56, 3, 2, 1, 1};
  Floats in(112 * 112 * 64), out(56 * 56 * 64);
  for (auto _ : state) max_pool<float>(shape, in.data(), out.data(), nullptr);
  state.SetBytesProcessed(state.iterations() * (112 * 112 + 56 * 56) * 64 * 4);
}

// What entering and leaving the pool costs by itself: one task a thread, which does nothing.
void empty_loop(benchmark::State& state) {
  constexpr size_t kThreads = 2;
  if (!threadpool::set_thread_count(kThreads)) return state.SkipWithError("the pool is busy");
  for (auto _ : state) threadpool::run(kThreads, [](void*, size_t, size_t) {}, nullptr);
  threadpool::set_thread_count(1);
}

void register_all() {
  constexpr ProductSize kProducts[] = {
      {256, 256, 256, true},     {512, 512, 512, true}, {1024, 1024, 1024, true},
      {1024, 1024, 1024, false}, {197, 384, 384, true}, {197, 1536, 384, true},
      {128, 384, 1536, true},    {8, 256, 256, true},   {8, 1024, 1024, true},
      {1, 1024, 1024, true},     {1, 4096, 4096, true}, {1, 1024, 1024, false}};
  for (const ProductSize& p : kProducts) {
    const std::string name = "product/" + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
                             std::to_string(p.k) + (p.packed ? "/packed" : "/plain");
    benchmark::RegisterBenchmark(name.c_str(), product, p);
  }
  constexpr ImageSize kImages[] = {{"7x7s2_3_64_at_224", 224, 3, 64, 7, 2, 3, 1},
                                   {"3x3_64_at_56", 56, 64, 64, 3, 1, 1, 1},
                                   {"3x3s2_64_128_at_56", 56, 64, 128, 3, 2, 1, 1},
                                   {"3x3_128_at_28", 28, 128, 128, 3, 1, 1, 1},
                                   {"3x3_256_at_14", 14, 256, 256, 3, 1, 1, 1},
                                   {"3x3_512_at_7", 7, 512, 512, 3, 1, 1, 1},
                                   {"3x3s2_3_32_at_224", 224, 3, 32, 3, 2, 1, 1},
                                   {"1x1_16_96_at_112", 112, 16, 96, 1, 1, 0, 1},
                                   {"1x1_144_24_at_56", 56, 144, 24, 1, 1, 0, 1},
                                   {"1x1_160_960_at_7", 7, 160, 960, 1, 1, 0, 1},
                                   {"depthwise_3x3_32_at_112", 112, 32, 32, 3, 1, 1, 32},
                                   {"depthwise_3x3s2_96_at_112", 112, 96, 96, 3, 2, 1, 96},
                                   {"depthwise_3x3_144_at_56", 56, 144, 144, 3, 1, 1, 144},
                                   {"depthwise_3x3_576_at_14", 14, 576, 576, 3, 1, 1, 576},
                                   {"depthwise_5x5_192_at_28", 28, 192, 192, 5, 1, 2, 192}};
  for (const ImageSize& image : kImages) {
    benchmark::RegisterBenchmark((std::string("convolution/") + image.name).c_str(), convolution,
                                 image, false);
  }
  for (const ImageSize& image : kImages) {
    if (image.kernel != 3 || image.stride != 1 || image.groups != 1) continue;
    benchmark::RegisterBenchmark((std::string("winograd/") + image.name).c_str(), convolution,
                                 image, true);
  }
  benchmark::RegisterBenchmark("max_pool/3x3s2_64_at_112", largest_of_3x3);
  register_quantized();
  benchmark::RegisterBenchmark("pool/empty_loop_2_threads", empty_loop)->UseRealTime();
}

}  // namespace
}  // namespace executorch::benchmarks

int main(int argc, char** argv) {
  executorch::threadpool::set_thread_count(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("instruction set",
                              executorch::compute::isa_name(executorch::compute::active_isa()));
  benchmark::AddCustomContext(
      "peak GFLOP/s of one core",
      std::to_string(executorch::benchmarks::peak_flops(executorch::compute::active_isa()) * 1e-9));
  executorch::benchmarks::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
