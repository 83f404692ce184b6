#include "compute/quantized/conv.h"

#include <algorithm>
#include <cstring>

#include "compute/conv/gather.h"
#include "compute/quantized/depthwise_kernels.h"
#include "compute/quantized/packed_layout.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(ByteDepthwiseKernels, byte_depthwise_kernels);

namespace {

int64_t round_up(int64_t a, int64_t b) {
  return (a + b - 1) / b * b;
}

int64_t taps_of(const ConvShape& s) {
  return s.kernel_height * s.kernel_width;
}

/// The weight of a depthwise convolution, packed: [block][step of taps][place in the block][tap].
struct DepthwiseLayout {
  explicit DepthwiseLayout(const ByteConvPlan& plan)
      : kernels(byte_depthwise_kernels(plan.conv.isa)),
        taps(round_up(taps_of(plan.conv.shape), kernels.step)),
        channels(round_up(plan.conv.shape.in_channels, kernels.block)) {}

  int64_t weight_bytes() const { return taps * channels; }

  const ByteDepthwiseKernels& kernels;
  int64_t taps;
  int64_t channels;
};

void plan_depthwise(ByteConvPlan* plan) {
  const ConvShape& s = plan->conv.shape;
  plan->depthwise = true;
  const DepthwiseLayout layout(*plan);
  plan->matrix.k = taps_of(s);
  plan->matrix.n = s.in_channels;
  plan->padded = layout.channels;
  plan->offset = layout.kernels.offset;
  plan->packed_bytes = static_cast<size_t>(layout.weight_bytes()) +
                       static_cast<size_t>(layout.channels) * sizeof(int32_t);
}

bool plan_product(ByteConvPlan* plan) {
  const ConvShape& s = plan->conv.shape;
  plan->groups = s.groups;
  plan->matrix.k = taps_of(s) * (s.in_channels / s.groups);
  plan->matrix.n = s.out_channels / s.groups;
  plan->padded = padded_columns(plan->matrix.isa, plan->matrix.n);
  plan->offset = product_kernels(plan->matrix.isa).offset;
  const size_t each = quantized_packed_bytes(plan->matrix);
  return !__builtin_mul_overflow(each, static_cast<size_t>(s.groups), &plan->packed_bytes) &&
         plan->packed_bytes <= static_cast<size_t>(INT64_MAX);
}

void pack_depthwise(const ByteConvPlan& plan, const int8_t* weight, const int64_t (&strides)[4],
                    void* packed) {
  const DepthwiseLayout layout(plan);
  const ByteDepthwiseKernels& kernels = layout.kernels;
  const ConvShape& s = plan.conv.shape;
  std::memset(packed, 0, plan.packed_bytes);
  auto* bytes = static_cast<int8_t*>(packed);
  auto* sums = reinterpret_cast<int32_t*>(bytes + layout.weight_bytes());
  for (int64_t tap = 0; tap < taps_of(s); ++tap) {
    const int8_t* from =
        weight + tap / s.kernel_width * strides[2] + tap % s.kernel_width * strides[3];
    int8_t* to = bytes + tap / kernels.step * kernels.step * kernels.block + tap % kernels.step;
    for (int64_t first = 0; first < layout.channels; first += kernels.block) {
      for (int64_t place = 0; place < kernels.block; ++place) {
        const int64_t channel = first + kernels.order[place];
        if (channel >= s.in_channels) continue;
        const int8_t value = from[channel * strides[0]];
        to[first * layout.taps + place * kernels.step] = value;
        sums[channel] += value;
      }
    }
  }
}

void pack_groups(const ByteConvPlan& plan, const int8_t* weight, const int64_t (&strides)[4],
                 void* packed) {
  const ConvShape& s = plan.conv.shape;
  const int64_t in_each = s.in_channels / s.groups, out_each = s.out_channels / s.groups;
  const size_t each = quantized_packed_bytes(plan.matrix);
  const int64_t out_stride = s.transposed ? strides[1] : strides[0],
                in_stride = s.transposed ? strides[0] : strides[1];
  const int64_t group_stride = s.transposed ? in_each * in_stride : out_each * out_stride;
  for (int64_t g = 0; g < s.groups; ++g) {
    const ByteWeights columns{weight + g * group_stride,
                              out_stride,
                              {s.kernel_height, s.kernel_width, in_each},
                              {strides[2], strides[3], in_stride}};
    pack_bytes(plan.matrix, columns, static_cast<char*>(packed) + static_cast<size_t>(g) * each);
  }
}

/// Where gathered bytes go: rows as products want them.
struct ByteSink {
  using In = int8_t;
  using Out = char;
  const ProductKernels& kernels;
  int32_t padding;  ///< as stored

  int64_t units(int64_t n) const { return n * kernels.row_bytes; }
  void copy(const int8_t* from, char* to, int64_t n) const { kernels.store_row(from, to, n); }
  void pad(char* to, int64_t n) const {
    if (kernels.row_bytes == 1) {
      std::memset(to, padding, static_cast<size_t>(n));
      return;
    }
    auto* wide = reinterpret_cast<int16_t*>(to);
    std::fill(wide, wide + n, static_cast<int16_t>(padding));
  }
  void copy_windows(const WindowRun<int8_t, char>& run) const { kernels.store_windows(run); }
};

/// A convolution under way, of all images or one of them.
struct Job {
  const ByteConvPlan& plan;
  const ByteConvArgs& args;
  const int8_t* in;
  int32_t zero_point;

  int64_t in_each() const { return plan.conv.shape.in_channels / plan.groups; }
};

void copy_gathered(const void* context, int64_t group, int64_t first, int64_t rows, char* copy,
                   int64_t row_stride) {
  const Job& job = *static_cast<const Job*>(context);
  const ConvPlan& conv = job.plan.conv;
  const ConvShape& s = conv.shape;
  const GatherArgs<int8_t> gather{
      job.in,
      s.in_pixel_stride,
      job.in_each(),
      {s.kernel_height, s.stride_height, -s.pad_top, s.dilation_height, s.in_height,
       conv.out_height},
      {s.kernel_width, s.stride_width, -s.pad_left, s.dilation_width, s.in_width, conv.out_width}};
  const ProductKernels& kernels = product_kernels(conv.isa);
  const ByteSink sink{kernels, job.zero_point + kernels.offset};
  RowGatherer<ByteSink>(gather, sink, group, 0, job.plan.matrix.k)
      .gather(first, rows, copy, row_stride);
}

/// The input position that a tap of a transposed convolution reads; -1 for none.
int64_t transposed_input(int64_t position, int64_t tap, int64_t stride, int64_t dilation,
                         int64_t in_size) {
  const int64_t scaled = position - tap * dilation;
  return scaled >= 0 && scaled % stride == 0 && scaled / stride < in_size ? scaled / stride : -1;
}

// Taps between input pixels count as padding: more work than phases, but rare.
void copy_transposed(const void* context, int64_t group, int64_t first, int64_t rows, char* copy,
                     int64_t row_stride) {
  const Job& job = *static_cast<const Job*>(context);
  const ConvPlan& conv = job.plan.conv;
  const ConvShape& s = conv.shape;
  const ProductKernels& kernels = product_kernels(conv.isa);
  const ByteSink sink{kernels, job.zero_point + kernels.offset};
  const int64_t channels = job.in_each();
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t pixel = first + i, x = pixel % conv.out_width + s.pad_left,
                  y = pixel / conv.out_width % conv.out_height + s.pad_top,
                  image = pixel / conv.out_width / conv.out_height;
    char* to = copy + i * row_stride;
    for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
      const int64_t iy = transposed_input(y, ky, s.stride_height, s.dilation_height, s.in_height);
      for (int64_t kx = 0; kx < s.kernel_width; ++kx, to += sink.units(channels)) {
        const int64_t ix = transposed_input(x, kx, s.stride_width, s.dilation_width, s.in_width);
        if (iy < 0 || ix < 0) {
          sink.pad(to, channels);
        } else {
          sink.copy(job.in + ((image * s.in_height + iy) * s.in_width + ix) * s.in_pixel_stride +
                        group * channels,
                    to, channels);
        }
      }
    }
  }
}

void run_product(const Job& job, void* out, const SumsOutput& output, int64_t images, void* scratch,
                 size_t scratch_bytes) {
  const ConvPlan& conv = job.plan.conv;
  const PlainRows plain{job.in, conv.shape.in_pixel_stride, conv.isa, job.plan.matrix.k};
  QuantizedProductArgs product;
  product.m = images * conv.out_height * conv.out_width;
  product.groups = job.plan.groups;
  product.rows = conv.algorithm == ConvAlgorithm::matrix ? source_of(plain)
                 : conv.shape.transposed                 ? ByteRowSource{copy_transposed, &job}
                                                         : ByteRowSource{copy_gathered, &job};
  product.weights = job.plan.matrix;
  product.weights.data = job.args.packed;
  product.c = out;
  product.c_row_stride = conv.shape.out_pixel_stride;
  product.output = output;
  quantized_product(product, scratch, scratch_bytes);
}

// Every image has its own parameters.
void run_images(const ByteConvPlan& plan, const ByteConvArgs& args, void* scratch,
                size_t scratch_bytes) {
  const ConvShape& s = plan.conv.shape;
  const int64_t element = args.output.to_float ? 4 : 1;
  for (int64_t image = 0; image < s.batch; ++image) {
    SumsOutput output = args.output;
    output.rows += 2 * image;
    output.rows_stride = 0;
    const Job job{plan, args, args.in + image * s.in_height * s.in_width * s.in_pixel_stride,
                  static_cast<int32_t>(output.rows[1])};
    char* out = static_cast<char*>(args.out) +
                image * plan.conv.out_height * plan.conv.out_width * s.out_pixel_stride * element;
    run_product(job, out, output, 1, scratch, scratch_bytes);
  }
}

/// The runs of a depthwise convolution's lines, computed a few at a time.
class DepthwiseRuns {
 public:
  DepthwiseRuns(const Job& job, const int8_t* padding, const ByteDepthwiseArgs& args)
      : job_(job), shape_(job.plan.conv.shape), padding_(padding), args_(args) {}
  ~DepthwiseRuns() { flush(); }

  void add_line(int64_t line) {
    // Pixels [first, last) have their windows between the sides of the image.
    const ConvShape& s = shape_;
    const int64_t width = job_.plan.conv.out_width;
    const int64_t reach = s.in_width - 1 + s.pad_left - (s.kernel_width - 1) * s.dilation_width;
    const int64_t first =
        std::clamp<int64_t>((s.pad_left + s.stride_width - 1) / s.stride_width, 0, width);
    const int64_t last =
        std::clamp<int64_t>(reach < 0 ? 0 : reach / s.stride_width + 1, first, width);
    for (int64_t x = 0; x < first; ++x) add_run(line, x, 1);
    if (first < last) add_run(line, first, last - first);
    for (int64_t x = last; x < width; ++x) add_run(line, x, 1);
  }

 private:
  static constexpr int kMostRuns = 8;

  void add_run(int64_t line, int64_t x, int64_t pixels) {
    if (count_ == kMostRuns) flush();
    TapRun& run = runs_[count_++];
    const ConvShape& s = shape_;
    const ConvPlan& conv = job_.plan.conv;
    const int64_t image = line / conv.out_height, y = line % conv.out_height;
    int64_t t = 0;
    for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
      const int64_t iy = y * s.stride_height - s.pad_top + ky * s.dilation_height;
      for (int64_t kx = 0; kx < s.kernel_width; ++kx, ++t) {
        const int64_t ix = x * s.stride_width - s.pad_left + kx * s.dilation_width;
        const bool inside = iy >= 0 && iy < s.in_height && ix >= 0 && ix < s.in_width;
        run.first[t] =
            inside ? job_.in + ((image * s.in_height + iy) * s.in_width + ix) * s.in_pixel_stride
                   : padding_;
        run.distance[t] = inside ? s.stride_width * s.in_pixel_stride : 0;
      }
    }
    run.pixels = pixels;
    run.out =
        static_cast<char*>(job_.args.out) + (line * conv.out_width + x) * args_.out_pixel_stride;
  }

  void flush() {
    byte_depthwise_kernels(job_.plan.conv.isa).compute(args_, runs_, count_);
    count_ = 0;
  }

  const Job& job_;
  const ConvShape& shape_;
  const int8_t* padding_;
  const ByteDepthwiseArgs& args_;
  TapRun runs_[kMostRuns];
  int count_ = 0;
};

void run_depthwise(const Job& job, void* scratch) {
  const ConvPlan& conv = job.plan.conv;
  const DepthwiseLayout layout(job.plan);
  std::memset(scratch, job.zero_point, static_cast<size_t>(conv.shape.in_channels));
  const int64_t element = job.args.output.to_float ? 4 : 1;
  const ByteDepthwiseArgs args{taps_of(conv.shape),
                               layout.taps,
                               static_cast<const int8_t*>(job.args.packed),
                               conv.shape.in_channels,
                               conv.shape.out_pixel_stride * element,
                               job.args.output};
  const double line_work = static_cast<double>(conv.out_width * layout.channels * layout.taps);
  const int64_t grain = std::max<int64_t>(static_cast<int64_t>(512.0 * 1024 / line_work), 1);
  threadpool::parallel_for(0, conv.shape.batch * conv.out_height, grain,
                           [&](int64_t first, int64_t last) {
                             DepthwiseRuns runs(job, static_cast<const int8_t*>(scratch), args);
                             for (int64_t line = first; line < last; ++line) runs.add_line(line);
                           });
}

}  // namespace

bool byte_conv_plan(const ConvShape& shape, Isa isa, bool dynamic, ByteConvPlan* plan) noexcept {
  ByteConvPlan p;
  if (!conv_plan(shape, isa, &p.conv)) return false;
  p.matrix.isa = isa;
  const ConvShape& s = p.conv.shape;
  if (p.conv.algorithm == ConvAlgorithm::depthwise && !dynamic &&
      s.kernel_width <= kMaxDepthwiseTaps && taps_of(s) <= kMaxDepthwiseTaps) {
    plan_depthwise(&p);
  } else if (!plan_product(&p)) {
    return false;
  }
  *plan = p;
  return true;
}

void byte_conv_pack(const ByteConvPlan& plan, const int8_t* weight, const int64_t (&strides)[4],
                    void* packed) noexcept {
  if (plan.depthwise) {
    pack_depthwise(plan, weight, strides, packed);
  } else {
    pack_groups(plan, weight, strides, packed);
  }
}

const int32_t* byte_conv_sums(const ByteConvPlan& plan, const void* packed) noexcept {
  if (plan.depthwise) {
    return reinterpret_cast<const int32_t*>(static_cast<const char*>(packed) +
                                            DepthwiseLayout(plan).weight_bytes());
  }
  QuantizedMatrix matrix = plan.matrix;
  matrix.data = packed;
  return weight_sums(matrix);
}

int64_t byte_conv_sums_stride(const ByteConvPlan& plan) noexcept {
  return plan.depthwise
             ? 0
             : static_cast<int64_t>(quantized_packed_bytes(plan.matrix) / sizeof(int32_t));
}

size_t byte_conv_scratch_bytes(const ByteConvPlan& plan, size_t threads) noexcept {
  const ConvShape& s = plan.conv.shape;
  if (plan.depthwise) return static_cast<size_t>(s.in_channels);
  return quantized_product_scratch_bytes(s.batch * plan.conv.out_height * plan.conv.out_width,
                                         plan.matrix, threads);
}

void byte_conv_run(const ByteConvPlan& plan, const ByteConvArgs& args, void* scratch,
                   size_t scratch_bytes) noexcept {
  if (plan.conv.shape.batch == 0) return;
  if (args.output.rows != nullptr) {
    run_images(plan, args, scratch, scratch_bytes);
    return;
  }
  const Job job{plan, args, args.in, args.zero_point};
  if (plan.depthwise) {
    run_depthwise(job, scratch);
  } else {
    run_product(job, args.out, args.output, plan.conv.shape.batch, scratch, scratch_bytes);
  }
}

}  // namespace executorch::compute
