#include "compute/conv/plain_conv.h"

#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// A convolution relates a grid of small images to one of large ones: large = small * stride + tap
/// * dilation - padding. The input is large and the output small, or the other way round when
/// transposed.
struct Range {
  int64_t first;
  int64_t last;
  int64_t offset;  ///< large index of small index 0
};

/// The small indices whose large index lies in the image, for one tap of one dimension.
Range valid_range(const PlainConv& conv, int d, int64_t tap) {
  const int64_t small = conv.transposed ? conv.in[d] : conv.out[d];
  const int64_t large = conv.transposed ? conv.out[d] : conv.in[d];
  const int64_t offset = tap * conv.dilation[d] - conv.padding[d];
  const int64_t stride = conv.stride[d];
  const int64_t first = offset < 0 ? (-offset + stride - 1) / stride : 0;
  const int64_t last = offset < large ? (large - 1 - offset) / stride + 1 : 0;
  return {first, last < small ? last : small, offset};
}

template <class T>
void add_line(const PlainConv& conv, const Range& range, T factor, const T* in, T* out) {
  const int64_t stride = conv.stride[kSpatial - 1];
  if (conv.transposed) {
    for (int64_t i = range.first; i < range.last; ++i)
      out[i * stride + range.offset] += factor * in[i];
  } else if (stride == 1) {
    for (int64_t i = range.first; i < range.last; ++i) out[i] += factor * in[i + range.offset];
  } else {
    for (int64_t i = range.first; i < range.last; ++i)
      out[i] += factor * in[i * stride + range.offset];
  }
}

int64_t cells(const int64_t* sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

/// Adds one input channel's contribution, seen through its kernel, to one output channel.
template <class T>
void add_channel(const PlainConv& conv, const T* in, const T* kernel, T* out) {
  for (int64_t z = 0; z < conv.kernel[0]; ++z) {
    const Range depth = valid_range(conv, 0, z);
    for (int64_t y = 0; y < conv.kernel[1]; ++y) {
      const Range rows = valid_range(conv, 1, y);
      for (int64_t x = 0; x < conv.kernel[2]; ++x) {
        const Range columns = valid_range(conv, 2, x);
        const T factor = *kernel++;
        for (int64_t d = depth.first; d < depth.last; ++d) {
          const int64_t large_d = d * conv.stride[0] + depth.offset;
          for (int64_t r = rows.first; r < rows.last; ++r) {
            const int64_t large_r = r * conv.stride[1] + rows.offset;
            const int64_t in_row =
                conv.transposed ? d * conv.in[1] + r : large_d * conv.in[1] + large_r;
            const int64_t out_row =
                conv.transposed ? large_d * conv.out[1] + large_r : d * conv.out[1] + r;
            add_line(conv, columns, factor, in + in_row * conv.in[2], out + out_row * conv.out[2]);
          }
        }
      }
    }
  }
}

// Integers are passed as unsigned, whose overflow wraps.
template <class T>
void convolve(const PlainConv& conv, const void* in, const void* weight, const void* bias,
              void* out) {
  const int64_t in_per_group = conv.in_channels / conv.groups;
  const int64_t out_per_group = conv.out_channels / conv.groups;
  const int64_t taps = cells(conv.kernel);
  const int64_t in_cells = cells(conv.in);
  const int64_t out_cells = cells(conv.out);
  threadpool::parallel_for(0, conv.batch * conv.out_channels, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t image = i / conv.out_channels;
      const int64_t channel = i % conv.out_channels;
      const int64_t group = channel / out_per_group;
      T* target = static_cast<T*>(out) + i * out_cells;
      const T start = bias != nullptr ? static_cast<const T*>(bias)[channel] : T{};
      for (int64_t c = 0; c < out_cells; ++c) target[c] = start;
      for (int64_t k = 0; k < in_per_group; ++k) {
        const int64_t source = group * in_per_group + k;
        const int64_t kernel = conv.transposed ? source * out_per_group + channel % out_per_group
                                               : channel * in_per_group + k;
        add_channel(conv,
                    static_cast<const T*>(in) + (image * conv.in_channels + source) * in_cells,
                    static_cast<const T*>(weight) + kernel * taps, target);
      }
    }
  });
}

}  // namespace

void plain_conv(DType dtype, const PlainConv& conv, const void* in, const void* weight,
                const void* bias, void* out) {
  switch (dtype) {
    case DType::f32:
      return convolve<float>(conv, in, weight, bias, out);
    case DType::f64:
      return convolve<double>(conv, in, weight, bias, out);
    case DType::i32:
      return convolve<uint32_t>(conv, in, weight, bias, out);
    case DType::i64:
      return convolve<uint64_t>(conv, in, weight, bias, out);
    default:
      return;
  }
}

}  // namespace executorch::compute
