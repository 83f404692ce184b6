#include "compute/conv/conv.h"

#include <algorithm>
#include <cstring>

#include "compute/conv/gather.h"
#include "compute/conv/image_kernels.h"
#include "compute/conv/phases.h"
#include "compute/conv/slots.h"
#include "compute/conv/winograd.h"
#include "compute/cpu/sizes.h"
#include "compute/gemm/block.h"
#include "compute/gemm/gemm.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(ImageKernels, image_kernels);

namespace {

int64_t taps_of(const ConvShape& s) {
  return s.kernel_depth * s.kernel_height * s.kernel_width;
}

int64_t pixels_of(const ConvPlan& plan) {
  return plan.shape.batch * plan.out_depth * plan.out_height * plan.out_width;
}

/// One convolution under way.
struct Job {
  const ConvPlan& plan;
  const float* packed;
  const float* in;
  float* out;
  Epilogue epilogue;

  int64_t in_each() const { return plan.shape.in_channels / plan.shape.groups; }
  int64_t out_each() const { return plan.shape.out_channels / plan.shape.groups; }
  int64_t taps() const { return taps_of(plan.shape); }
  int64_t pixels() const { return pixels_of(plan); }
  int64_t group_floats(int64_t k) const {
    return static_cast<int64_t>(gemm_packed_bytes(plan.isa, k, out_each()) / sizeof(float));
  }
};

void run_matrix(const Job& job, void* scratch, size_t bytes) {
  const ConvShape& s = job.plan.shape;
  for (int64_t g = 0; g < s.groups; ++g) {
    GemmArgs args;
    args.m = job.pixels(), args.n = job.out_each(), args.k = job.in_each();
    args.a = {job.in + g * job.in_each(), s.in_pixel_stride, 1};
    args.packed = {job.packed + g * job.group_floats(args.k), args.k, args.n, job.plan.isa};
    args.c = job.out + g * job.out_each();
    args.c_row_stride = s.out_pixel_stride;
    args.epilogue = job.epilogue;
    args.epilogue.bias = shifted(job.epilogue.bias, g * job.out_each());
    args.epilogue.residual = shifted(job.epilogue.residual, g * job.out_each());
    gemm(args, scratch, bytes);
  }
}

/// Where gathered floats go: rows of floats.
struct FloatSink {
  using In = float;
  using Out = float;
  const ImageKernels& kernels;

  static int64_t units(int64_t n) { return n; }
  static void copy(const float* from, float* to, int64_t n) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(float));
  }
  static void pad(float* to, int64_t n) {
    std::memset(to, 0, static_cast<size_t>(n) * sizeof(float));
  }
  void copy_windows(const WindowRun<float, float>& run) const { kernels.copy_windows(run); }
};

struct GatheredRows {
  GatherArgs<float> args;  ///< of images; for volumes of one plane
  TapAxis z;
  FloatSink sink;

  bool flat() const { return z.count == 1 && z.in_size == 1 && z.out_size == 1; }
};

/// Rows of one output plane of a volume. The columns of each plane of the kernel come from one
/// plane of the input; `plane` counts those of the output in all volumes.
void gather_plane(const GatheredRows& gathered, int64_t group, int64_t plane, int64_t first_row,
                  int64_t rows, int64_t first_k, int64_t k, float* out, int64_t row_stride) {
  const TapAxis& z = gathered.z;
  const GatherArgs<float>& args = gathered.args;
  const int64_t columns = args.y.count * args.x.count * args.channels;
  for (int64_t kz = first_k / columns; kz * columns < first_k + k; ++kz) {
    const int64_t begin = std::max(first_k, kz * columns);
    const int64_t count = std::min(first_k + k, (kz + 1) * columns) - begin;
    float* to = out + (begin - first_k);
    const int64_t iz = plane % z.out_size * z.step + z.first + kz * z.tap_step;
    if (iz < 0 || iz >= z.in_size) {
      for (int64_t row = 0; row < rows; ++row) FloatSink::pad(to + row * row_stride, count);
      continue;
    }
    GatherArgs<float> of_plane = args;
    of_plane.in += (plane / z.out_size * z.in_size + iz) * args.y.in_size * args.x.in_size *
                   args.in_pixel_stride;
    RowGatherer<FloatSink>(of_plane, gathered.sink, group, begin - kz * columns, count)
        .gather(first_row, rows, to, row_stride);
  }
}

const float* fetch_gathered(const void* context, int64_t group, int64_t first_row, int64_t rows,
                            int64_t first_k, int64_t k, float* copy, int64_t* row_stride) {
  const GatheredRows& gathered = *static_cast<const GatheredRows*>(context);
  *row_stride = copied_row_stride(k);
  if (gathered.flat()) {
    RowGatherer<FloatSink>(gathered.args, gathered.sink, group, first_k, k)
        .gather(first_row, rows, copy, *row_stride);
    return copy;
  }
  const int64_t plane_rows = gathered.args.y.out_size * gathered.args.x.out_size;
  for (int64_t done = 0; done < rows;) {
    const int64_t row = first_row + done;
    const int64_t count = std::min(plane_rows - row % plane_rows, rows - done);
    gather_plane(gathered, group, row / plane_rows, row % plane_rows, count, first_k, k,
                 copy + done * *row_stride, *row_stride);
    done += count;
  }
  return copy;
}

void run_gather(const Job& job, void* scratch, size_t bytes) {
  const ConvShape& s = job.plan.shape;
  const GatheredRows gather{{job.in,
                             s.in_pixel_stride,
                             job.in_each(),
                             {s.kernel_height, s.stride_height, -s.pad_top, s.dilation_height,
                              s.in_height, job.plan.out_height},
                             {s.kernel_width, s.stride_width, -s.pad_left, s.dilation_width,
                              s.in_width, job.plan.out_width}},
                            {s.kernel_depth, s.stride_depth, -s.pad_front, s.dilation_depth,
                             s.in_depth, job.plan.out_depth},
                            {image_kernels(job.plan.isa)}};
  Product product{&gemm_kernels(job.plan.isa), job.pixels(), job.out_each(),
                  job.taps() * job.in_each(), s.groups};
  product.rows = {fetch_gathered, &gather};
  product.panels = job.packed;
  product.group_panels_stride = job.group_floats(product.k);
  product.c = job.out;
  product.c_row_stride = s.out_pixel_stride;
  product.epilogue = &job.epilogue;
  const Slots slots(scratch, bytes, product_copy_bytes(*product.kernels, product.m, product.k));
  multiply_product(product, slots.memory, slots.count);
}

DepthwiseLine depthwise_line(const Job& job, int64_t number) {
  const ConvShape& s = job.plan.shape;
  const int64_t plane = number / job.plan.out_height, y = number % job.plan.out_height;
  const int64_t image = plane / job.plan.out_depth, z = plane % job.plan.out_depth;
  const int64_t first_pixel = number * job.plan.out_width;
  DepthwiseLine line;
  line.tap_count = 0;
  line.out = job.out + first_pixel * s.out_pixel_stride;
  line.residual = shifted(job.epilogue.residual, first_pixel * job.epilogue.residual_stride);
  for (int64_t row = 0; row < s.kernel_depth * s.kernel_height; ++row) {
    const int64_t iz = z * s.stride_depth - s.pad_front + row / s.kernel_height * s.dilation_depth;
    const int64_t iy = y * s.stride_height - s.pad_top + row % s.kernel_height * s.dilation_height;
    if (iz < 0 || iz >= s.in_depth || iy < 0 || iy >= s.in_height) continue;
    const int64_t in_row = (image * s.in_depth + iz) * s.in_height + iy;
    line.taps[line.tap_count++] = {job.in + in_row * s.in_width * s.in_pixel_stride, row};
  }
  return line;
}

void run_depthwise(const Job& job) {
  constexpr int64_t kLinesAtOnce = 2;
  const ConvShape& s = job.plan.shape;
  const DepthwiseArgs args{s.in_width,         s.in_pixel_stride,  s.kernel_depth * s.kernel_height,
                           s.kernel_width,     s.stride_width,     s.dilation_width,
                           s.pad_left,         job.packed,         s.in_channels,
                           job.plan.out_width, s.out_pixel_stride, &job.epilogue};
  const double line_work =
      static_cast<double>(job.plan.out_width * s.in_channels) * static_cast<double>(job.taps());
  const int64_t grain = std::max<int64_t>(static_cast<int64_t>(64.0 * 1024 / line_work), 1);
  threadpool::parallel_for(0, s.batch * job.plan.out_depth * job.plan.out_height, grain,
                           [&](int64_t first, int64_t last) {
                             for (int64_t number = first; number < last; number += kLinesAtOnce) {
                               DepthwiseLine lines[kLinesAtOnce];
                               const int64_t count = std::min(kLinesAtOnce, last - number);
                               for (int64_t i = 0; i < count; ++i)
                                 lines[i] = depthwise_line(job, number + i);
                               image_kernels(job.plan.isa).depthwise(args, lines, count);
                             }
                           });
}

/// The axes of a transposed convolution.
struct TransposedAxes {
  Phases y, x;
  explicit TransposedAxes(const ConvShape& s)
      : y{s.kernel_height, s.stride_height, s.dilation_height},
        x{s.kernel_width, s.stride_width, s.dilation_width} {}

  int64_t taps(int64_t phase_y, int64_t phase_x) const {
    return phase_y < 0 || phase_x < 0 ? 0 : y.taps(phase_y) * x.taps(phase_x);
  }
};

size_t transposed_copy_bytes(const ConvPlan& plan) {
  const TransposedAxes axes(plan.shape);
  const GemmKernels& kernels = gemm_kernels(plan.isa);
  size_t most = kScratchAlignment;
  for (int64_t i = 0; i < axes.y.count(); ++i) {
    for (int64_t j = 0; j < axes.x.count(); ++j) {
      const int64_t k = axes.taps(i, j) * (plan.shape.in_channels / plan.shape.groups);
      most = std::max(most, product_copy_bytes(kernels, plan.out_width, k));
    }
  }
  return most;
}

/// One phase of one output line: every stride-th pixel from x0 on.
void transposed_phase(const Job& job, const TransposedAxes& axes, int64_t line, int64_t x0,
                      char* copy) {
  const ConvShape& s = job.plan.shape;
  const int64_t image = line / job.plan.out_height, y = line % job.plan.out_height + s.pad_top,
                x = x0 + s.pad_left;
  const int64_t phase_y = axes.y.of(y), phase_x = axes.x.of(x);
  const bool reached = phase_y >= 0 && phase_x >= 0;
  const int64_t count = (job.plan.out_width - x0 - 1) / s.stride_width + 1;

  GatheredRows gather{{job.in + image * s.in_height * s.in_width * s.in_pixel_stride,
                       s.in_pixel_stride,
                       job.in_each(),
                       {},
                       {}},
                      {1, 1, 0, 1, 1, 1},
                      {image_kernels(job.plan.isa)}};
  Product product{&gemm_kernels(job.plan.isa), count, job.out_each(),
                  axes.taps(phase_y, phase_x) * job.in_each(), 1};
  int64_t panels = 0, group_stride = 0;
  if (reached) {
    gather.args.y = {axes.y.taps(phase_y), 0,           axes.y.first_input(y, phase_y),
                     axes.y.input_step(),  s.in_height, 1};
    gather.args.x = {axes.x.taps(phase_x), 1,          axes.x.first_input(x, phase_x),
                     axes.x.input_step(),  s.in_width, count};
    for (int64_t i = 0; i < axes.y.count(); ++i) {
      for (int64_t j = 0; j < axes.x.count(); ++j) {
        if (i == phase_y && j == phase_x) panels = group_stride;
        group_stride += job.group_floats(axes.taps(i, j) * job.in_each());
      }
    }
  }
  const int64_t pixel = line * job.plan.out_width + x0;
  Epilogue epilogue = job.epilogue;
  epilogue.residual = shifted(epilogue.residual, pixel * epilogue.residual_stride);
  epilogue.residual_stride *= s.stride_width;
  product.groups = s.groups;
  product.rows = {fetch_gathered, &gather};
  product.panels = job.packed + panels;
  product.group_panels_stride = group_stride;
  product.c = job.out + pixel * s.out_pixel_stride;
  product.c_row_stride = s.out_pixel_stride * s.stride_width;
  product.epilogue = &epilogue;
  multiply_product(product, copy, 1);
}

void run_transposed(const Job& job, void* scratch, size_t bytes) {
  struct Lines {
    const Job& job;
    TransposedAxes axes;
    Slots slots;
  } lines{job, TransposedAxes(job.plan.shape),
          Slots(scratch, bytes, transposed_copy_bytes(job.plan))};
  threadpool::run(
      static_cast<size_t>(job.plan.shape.batch * job.plan.out_height),
      [](void* context, size_t line, size_t thread) {
        const Lines& l = *static_cast<Lines*>(context);
        const int64_t phases = std::min(l.job.plan.shape.stride_width, l.job.plan.out_width);
        for (int64_t x0 = 0; x0 < phases; ++x0) {
          transposed_phase(l.job, l.axes, static_cast<int64_t>(line), x0,
                           l.slots.memory + thread * l.slots.bytes_each);
        }
      },
      &lines, lines.slots.count);
}

/// Transposes `batch` matrices of rows x columns.
void transpose_images(const float* in, float* out, int64_t batch, int64_t rows, int64_t columns) {
  constexpr int64_t kRowsAtOnce = 64;
  const ImageKernels& kernels = image_kernels();
  const int64_t blocks = (columns + kRowsAtOnce - 1) / kRowsAtOnce;
  const int64_t grain =
      std::max<int64_t>(32 * 1024 / (kRowsAtOnce * std::max<int64_t>(rows, 1)), 1);
  threadpool::parallel_for(0, batch * blocks, grain, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      const int64_t image = block / blocks, column = block % blocks * kRowsAtOnce;
      kernels.transpose(in + image * rows * columns + column, columns,
                        out + image * rows * columns + column * rows, rows,
                        std::min(kRowsAtOnce, columns - column), rows);
    }
  });
}

}  // namespace

size_t conv_scratch_bytes(const ConvPlan& plan) noexcept {
  const ConvShape& s = plan.shape;
  const int64_t in_each = s.in_channels / s.groups, out_each = s.out_channels / s.groups;
  const int64_t pixels = pixels_of(plan);
  switch (plan.algorithm) {
    case ConvAlgorithm::depthwise:
      return 0;
    case ConvAlgorithm::matrix:
      return gemm_scratch_bytes(plan.isa, pixels, out_each, in_each, true);
    case ConvAlgorithm::transposed:
      return Slots::bytes_for(transposed_copy_bytes(plan));
    case ConvAlgorithm::winograd:
      return winograd_scratch_bytes(plan);
    case ConvAlgorithm::gather:
      break;
  }
  return Slots::bytes_for(product_copy_bytes(gemm_kernels(plan.isa), pixels, taps_of(s) * in_each));
}

void conv_run(const ConvPlan& plan, const float* packed, const float* in, float* out,
              const Epilogue& epilogue, void* scratch, size_t scratch_bytes) noexcept {
  if (plan.shape.batch == 0) return;
  Job job{plan, packed, in, out, epilogue};
  if (job.epilogue.residual_stride == 0) job.epilogue.residual_stride = plan.shape.out_channels;
  switch (plan.algorithm) {
    case ConvAlgorithm::matrix:
      return run_matrix(job, scratch, scratch_bytes);
    case ConvAlgorithm::gather:
      return run_gather(job, scratch, scratch_bytes);
    case ConvAlgorithm::depthwise:
      return run_depthwise(job);
    case ConvAlgorithm::transposed:
      return run_transposed(job, scratch, scratch_bytes);
    case ConvAlgorithm::winograd:
      return winograd_run(plan, packed, in, out, job.epilogue, scratch, scratch_bytes);
  }
}

void nchw_to_nhwc(const float* in, float* out, int64_t batch, int64_t channels,
                  int64_t pixels) noexcept {
  transpose_images(in, out, batch, channels, pixels);
}

void nhwc_to_nchw(const float* in, float* out, int64_t batch, int64_t channels,
                  int64_t pixels) noexcept {
  transpose_images(in, out, batch, pixels, channels);
}

}  // namespace executorch::compute
