#include "compute/conv/winograd.h"

#include <algorithm>
#include <cstring>

#include "compute/conv/slots.h"
#include "compute/conv/winograd_kernels.h"
#include "compute/cpu/sizes.h"
#include "compute/gemm/block.h"
#include "compute/gemm/gemm.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(WinogradKernels, winograd_kernels);

namespace {

constexpr int64_t kMostTiles = 60;  // of a block
constexpr int64_t kFloat = sizeof(float);

/// Floats of one transformed position of all channels.
int64_t plane_floats(Isa isa, const ConvShape& s) {
  return static_cast<int64_t>(gemm_packed_bytes(isa, s.in_channels, s.out_channels) / kFloat);
}

/// A thread's memory: [zeros][16 planes of input][16 planes of products][flags].
struct BlockMemory {
  int64_t tiles;  ///< of a block
  int64_t in_stride, out_stride;
  int64_t in_plane, out_plane;

  explicit BlockMemory(const ConvPlan& plan)
      : in_stride(copied_row_stride(plan.shape.in_channels)),
        out_stride(copied_row_stride(plan.shape.out_channels)) {
    // Both sides of the products stay in the second cache.
    const int64_t tile_rows = gemm_kernels(plan.isa).rows;
    const int64_t tile_bytes = kWinogradPlanes * (in_stride + out_stride) * kFloat;
    const int64_t fitting = static_cast<int64_t>(cache_sizes().level2 / 2) / tile_bytes;
    tiles = std::clamp(fitting, tile_rows, kMostTiles) / tile_rows * tile_rows;
    in_plane = plane(in_stride);
    out_plane = plane(out_stride);
  }
  size_t bytes() const {
    const int64_t floats = in_stride + kWinogradPlanes * (in_plane + out_plane);
    return align_up(static_cast<size_t>(floats * kFloat + tiles));
  }

 private:
  /// An odd number of cache lines: the same place in sixteen planes falls into sixteen sets.
  int64_t plane(int64_t stride) const {
    constexpr int64_t kLine = 16;
    return (tiles * stride / kLine | 1) * kLine;
  }
};

/// The pixels of a tile in and out of the image.
struct TilePlace {
  int64_t image, y, x;  ///< of the output, the tile's upper left
};

struct WinogradJob {
  const ConvPlan& plan;
  const float* packed;
  const float* in;
  float* out;
  const Epilogue& epilogue;
  BlockMemory memory;

  int64_t tiles_across() const { return divide_up(plan.out_width, 2); }
  int64_t tiles_down() const { return divide_up(plan.out_height, 2); }
  int64_t tiles() const { return plan.shape.batch * tiles_down() * tiles_across(); }

  TilePlace place(int64_t tile) const {
    const int64_t row = tile / tiles_across();
    return {row / tiles_down(), row % tiles_down() * 2, tile % tiles_across() * 2};
  }
  /// A pixel of the input, null outside the image.
  const float* input(int64_t image, int64_t y, int64_t x) const {
    const ConvShape& s = plan.shape;
    if (y < 0 || y >= s.in_height || x < 0 || x >= s.in_width) return nullptr;
    return in + ((image * s.in_height + y) * s.in_width + x) * s.in_pixel_stride;
  }
  /// The number of an output pixel, -1 outside the image.
  int64_t output(const TilePlace& tile, int64_t pixel) const {
    const int64_t y = tile.y + pixel / 2, x = tile.x + pixel % 2;
    if (y >= plan.out_height || x >= plan.out_width) return -1;
    return (tile.image * plan.out_height + y) * plan.out_width + x;
  }
};

/// What a thread holds of a block of tiles.
struct Block {
  const WinogradJob& job;
  const float* zeros;
  float* inputs;
  float* products;
  bool* tame;  ///< by tile: its values may go through the transforms

  Block(const WinogradJob& j, char* memory)
      : job(j),
        zeros(reinterpret_cast<float*>(memory)),
        inputs(reinterpret_cast<float*>(memory) + j.memory.in_stride),
        products(inputs + kWinogradPlanes * j.memory.in_plane),
        tame(reinterpret_cast<bool*>(products + kWinogradPlanes * j.memory.out_plane)) {
    std::memset(memory, 0, static_cast<size_t>(j.memory.in_stride * kFloat));
  }

  void take_input(int64_t tile, int64_t row);
  void multiply(int64_t tiles);
  void give_output(int64_t tile, int64_t row);
  void convolve_directly(const TilePlace& place, int64_t pixel, float* sums);
};

void Block::take_input(int64_t tile, int64_t row) {
  const ConvShape& s = job.plan.shape;
  const TilePlace place = job.place(tile);
  WinogradInput input;
  for (int i = 0; i < kWinogradPlanes; ++i) {
    const float* pixel =
        job.input(place.image, place.y - s.pad_top + i / 4, place.x - s.pad_left + i % 4);
    input.pixels[i] = pixel == nullptr ? zeros : pixel;
  }
  input.channels = s.in_channels;
  input.planes = inputs + row * job.memory.in_stride;
  input.plane_stride = job.memory.in_plane;
  tame[row] = winograd_kernels(job.plan.isa).transform_input(input);
}

void Block::multiply(int64_t tiles) {
  const ConvShape& s = job.plan.shape;
  const Epilogue none;
  BlockArgs args{};
  args.kernels = &gemm_kernels(job.plan.isa);
  args.a_row_stride = job.memory.in_stride;
  args.panel_stride = s.in_channels * args.kernels->panel;
  args.c_row_stride = job.memory.out_stride;
  args.rows = tiles;
  args.k = s.in_channels;
  args.end_column = s.out_channels;
  args.first_k = true;
  args.epilogue = &none;
  const int64_t weights = plane_floats(job.plan.isa, s);
  for (int64_t plane = 0; plane < kWinogradPlanes; ++plane) {
    args.a = inputs + plane * job.memory.in_plane;
    args.b = job.packed + plane * weights;
    args.c = products + plane * job.memory.out_plane;
    multiply_block(args);
  }
}

void Block::give_output(int64_t tile, int64_t row) {
  const ConvShape& s = job.plan.shape;
  const Epilogue& e = job.epilogue;
  const TilePlace place = job.place(tile);
  WinogradOutput output;
  output.planes = products + row * job.memory.out_stride;
  output.plane_stride = job.memory.out_plane;
  output.channels = s.out_channels;
  output.epilogue = &e;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t pixel = job.output(place, i);
    output.pixels[i] = pixel < 0 ? nullptr : job.out + pixel * s.out_pixel_stride;
    output.residuals[i] = pixel < 0 ? nullptr : shifted(e.residual, pixel * e.residual_stride);
  }
  if (tame[row]) winograd_kernels(job.plan.isa).transform_output(output);
  for (int64_t i = 0; i < 4; ++i) {
    float* pixel = output.pixels[i];
    if (pixel == nullptr) continue;
    if (!tame[row]) {
      float* sums = products + row * job.memory.out_stride;
      convolve_directly(place, i, sums);
      gemm_kernels(job.plan.isa).finish_row(sums, s.out_channels, e, e.bias, output.residuals[i]);
      std::copy(sums, sums + s.out_channels, pixel);
    }
    if (e.map.apply != nullptr) e.map.apply(e.map.context, pixel, s.out_channels);
  }
}

/// One tap of a weight read back from its transform: along either dimension a tap is one position
/// or the difference of two.
float tap_of(const float* transformed, int64_t plane_stride, int64_t row, int64_t column) {
  constexpr int64_t kFirst[3] = {0, 1, 3};
  const auto along_row = [&](int64_t i) {
    const float* at = transformed + (4 * i + kFirst[column]) * plane_stride;
    return column == 1 ? at[0] - at[plane_stride] : at[0];
  };
  const float first = along_row(kFirst[row]);
  return row == 1 ? first - along_row(kFirst[row] + 1) : first;
}

/// One output pixel by the definition. Slow; for tiles with infinities and values near them.
void Block::convolve_directly(const TilePlace& place, int64_t pixel, float* sums) {
  const ConvShape& s = job.plan.shape;
  const int64_t panel = gemm_kernels(job.plan.isa).panel;
  const int64_t plane = plane_floats(job.plan.isa, s);
  const int64_t y = place.y + pixel / 2 - s.pad_top, x = place.x + pixel % 2 - s.pad_left;
  std::fill(sums, sums + s.out_channels, 0.0f);
  for (int64_t tap = 0; tap < 9; ++tap) {
    const float* input = job.input(place.image, y + tap / 3, x + tap % 3);
    if (input == nullptr) continue;
    for (int64_t o = 0; o < s.out_channels; ++o) {
      const float* column = job.packed + o / panel * panel * s.in_channels + o % panel;
      for (int64_t c = 0; c < s.in_channels; ++c)
        sums[o] += input[c] * tap_of(column + c * panel, plane, tap / 3, tap % 3);
    }
  }
}

/// Tiles of a task: a block, or less where threads would be without work.
int64_t tiles_per_task(const WinogradJob& job, size_t threads) {
  constexpr int64_t kTasksPerThread = 3;
  if (threads <= 1) return job.memory.tiles;
  const int64_t rows = gemm_kernels(job.plan.isa).rows;
  const int64_t wanted = divide_up(job.tiles(), static_cast<int64_t>(threads) * kTasksPerThread);
  return std::min(divide_up(wanted, rows) * rows, job.memory.tiles);
}

/// One dimension of G g: three taps become four, each of `count` columns.
void transform_taps(const float* g0, const float* g1, const float* g2, int64_t count, float* u,
                    int64_t u_stride) {
  for (int64_t j = 0; j < count; ++j) {
    const float outer = 0.5f * (g0[j] + g2[j]), inner = 0.5f * g1[j];
    u[j] = g0[j];
    u[u_stride + j] = outer + inner;
    u[2 * u_stride + j] = outer - inner;
    u[3 * u_stride + j] = g2[j];
  }
}

/// The weights of `columns` output channels (at most a panel) from one input channel.
void pack_columns(const ConvWeight& weight, int64_t first_column, int64_t columns, int64_t channel,
                  const float* scale, int64_t panel, int64_t plane_stride, float* packed) {
  float taps[9][kMaxPanel] = {}, rows[4][3][kMaxPanel];
  for (int64_t tap = 0; tap < 9; ++tap) {
    const float* from = weight.data + first_column * weight.out_stride +
                        channel * weight.in_stride + tap / 3 * weight.row_stride +
                        tap % 3 * weight.column_stride;
    for (int64_t j = 0; j < columns; ++j) {
      taps[tap][j] = from[j * weight.out_stride] * (scale == nullptr ? 1.0f : scale[j]);
    }
  }
  for (int64_t x = 0; x < 3; ++x)
    transform_taps(taps[x], taps[3 + x], taps[6 + x], panel, rows[0][x], 3 * kMaxPanel);
  for (int64_t y = 0; y < 4; ++y) {
    transform_taps(rows[y][0], rows[y][1], rows[y][2], panel, packed + 4 * y * plane_stride,
                   plane_stride);
  }
}

}  // namespace

bool winograd_fits(const ConvShape& s) noexcept {
  return !s.transposed && s.groups == 1 && s.kernel_height == 3 && s.kernel_width == 3 &&
         s.stride_height == 1 && s.stride_width == 1 && s.dilation_height == 1 &&
         s.dilation_width == 1 && s.kernel_depth == 1 && s.in_depth == 1 && s.pad_front == 0 &&
         s.pad_back == 0;
}

size_t winograd_packed_bytes(Isa isa, const ConvShape& shape) noexcept {
  size_t bytes;
  const size_t plane = gemm_packed_bytes(isa, shape.in_channels, shape.out_channels);
  return __builtin_mul_overflow(plane, size_t{kWinogradPlanes}, &bytes) ? SIZE_MAX : bytes;
}

void winograd_pack(const ConvPlan& plan, const ConvWeight& weight, const float* scale,
                   float* packed) noexcept {
  const ConvShape& s = plan.shape;
  const int64_t panel = gemm_kernels(plan.isa).panel;
  threadpool::parallel_for(
      0, divide_up(s.out_channels, panel), 1, [&](int64_t first, int64_t last) {
        for (int64_t column = first * panel; column < last * panel; column += panel) {
          const int64_t columns = std::min(panel, s.out_channels - column);
          for (int64_t c = 0; c < s.in_channels; ++c) {
            pack_columns(weight, column, columns, c, shifted(scale, column), panel,
                         plane_floats(plan.isa, s), packed + column * s.in_channels + c * panel);
          }
        }
      });
}

size_t winograd_scratch_bytes(const ConvPlan& plan) noexcept {
  return Slots::bytes_for(BlockMemory(plan).bytes());
}

void winograd_run(const ConvPlan& plan, const float* packed, const float* in, float* out,
                  const Epilogue& epilogue, void* scratch, size_t scratch_bytes) noexcept {
  const WinogradJob job{plan, packed, in, out, epilogue, BlockMemory(plan)};
  const Slots slots(scratch, scratch_bytes, job.memory.bytes());
  struct Tasks {
    const WinogradJob& job;
    const Slots& slots;
    int64_t tiles_each;
  } tasks{job, slots, tiles_per_task(job, slots.count)};
  threadpool::run(
      static_cast<size_t>(divide_up(job.tiles(), tasks.tiles_each)),
      [](void* context, size_t task, size_t thread) {
        const Tasks& t = *static_cast<Tasks*>(context);
        const int64_t first = static_cast<int64_t>(task) * t.tiles_each;
        const int64_t count = std::min(t.tiles_each, t.job.tiles() - first);
        Block block(t.job, t.slots.memory + thread * t.slots.bytes_each);
        for (int64_t row = 0; row < count; ++row) block.take_input(first + row, row);
        block.multiply(count);
        for (int64_t row = 0; row < count; ++row) block.give_output(first + row, row);
      },
      &tasks, slots.count);
}

}  // namespace executorch::compute
