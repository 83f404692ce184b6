#include "compute/affine/affine.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "compute/elementwise/cast.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(AffineLoops, affine_loops);

namespace {

constexpr int64_t kBlock = 1024;
constexpr int64_t kGrain = 16 * kBlock;
// Shorter runs of one pair of parameters are computed with a pair for each element.
constexpr int64_t kShortRun = 128;

template <class T>
constexpr ComputeType kCompute = sizeof(T) == sizeof(float) ? ComputeType::f32 : ComputeType::f64;

template <class T>
const AffineBlockLoops<T>& block_loops() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return affine_loops().f32;
  } else {
    return affine_loops().f64;
  }
}

const char* at(const ConstElements& elements, int64_t i) {
  return static_cast<const char*>(elements.data) +
         i * static_cast<int64_t>(element_size(elements.dtype));
}
char* at(const Elements& elements, int64_t i) {
  return static_cast<char*>(elements.data) + i * static_cast<int64_t>(element_size(elements.dtype));
}

/// The parameters of consecutive elements.
template <class T>
class BlockParameters {
 public:
  explicit BlockParameters(const AffineParameters<T>& all) : all_(all) {}

  /// Prepares those of up to `n` elements from `first` on and returns for how many.
  int64_t prepare(int64_t first, int64_t n) {
    const DenseAxis& axis = all_.axis;
    if (axis.count == 1) return point_at(0, 0, n);
    const int64_t channel = first / axis.inner % axis.count;
    const int64_t left = axis.inner - first % axis.inner;
    if (axis.inner >= kShortRun) return point_at(channel, 0, std::min(n, left));
    if (axis.inner == 1 && axis.count >= kShortRun)
      return point_at(channel, 1, std::min(n, axis.count - channel));
    expand(channel, left, n);
    return n;
  }
  const T* scales() const { return scales_; }
  const T* zero_points() const { return zero_points_; }
  int64_t step() const { return step_; }

 private:
  int64_t point_at(int64_t channel, int64_t step, int64_t n) {
    scales_ = all_.scales + channel;
    zero_points_ = all_.zero_points + channel;
    step_ = step;
    return n;
  }
  void expand(int64_t channel, int64_t left, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      expanded_scales_[i] = all_.scales[channel];
      expanded_zero_points_[i] = all_.zero_points[channel];
      if (--left > 0) continue;
      left = all_.axis.inner;
      channel = channel + 1 == all_.axis.count ? 0 : channel + 1;
    }
    scales_ = expanded_scales_;
    zero_points_ = expanded_zero_points_;
    step_ = 1;
  }

  const AffineParameters<T>& all_;
  const T* scales_ = nullptr;
  const T* zero_points_ = nullptr;
  int64_t step_ = 0;
  T expanded_scales_[kBlock];
  T expanded_zero_points_[kBlock];
};

/// Hands blocks as T with their parameters to `body`, where possible as they lie.
template <class T, class Body>
void for_each_block(const AffineParameters<T>& parameters, const ConstElements& in,
                    const Elements& out, const Body& body) {
  constexpr DType kType = storage_type(kCompute<T>);
  const LoadLoop load = load_loop(in.dtype, kCompute<T>);
  const StoreLoop store = store_loop(kCompute<T>, out.dtype);
  const DenseAxis& axis = parameters.axis;
  threadpool::parallel_for(
      0, axis.outer * axis.count * axis.inner, kGrain, [&](int64_t first, int64_t last) {
        alignas(64) T block[kBlock];
        BlockParameters<T> here(parameters);
        for (int64_t i = first; i < last;) {
          const int64_t n = here.prepare(i, std::min(kBlock, last - i));
          T* const to = out.dtype == kType ? reinterpret_cast<T*>(at(out, i)) : block;
          const T* from = reinterpret_cast<const T*>(at(in, i));
          if (in.dtype != kType) {
            load(to, at(in, i), 1, n);
            from = to;
          }
          body(from, to, n, here);
          if (out.dtype != kType) store(at(out, i), 1, block, n);
          i += n;
        }
      });
}

/// The next value of T, which is not 0.
template <class T>
T neighbour(T x, bool upwards) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), uint32_t, uint64_t>;
  Bits bits;
  std::memcpy(&bits, &x, sizeof(x));
  bits += (x > 0) == upwards ? Bits{1} : ~Bits{0};
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

/// The value of T nearest to a bound that does not lie outside of it.
template <class T>
T low_bound(int64_t bound) {
  const T value = static_cast<T>(bound);
  return static_cast<int64_t>(value) < bound ? neighbour(value, true) : value;
}
template <class T>
T high_bound(int64_t bound) {
  const T value = static_cast<T>(bound);
  return static_cast<int64_t>(value) > bound ? neighbour(value, false) : value;
}

/// One pass over bytes that have one pair of parameters; false where that does not serve.
bool dequantize_bytes(const AffineParameters<float>& parameters, const ConstElements& in,
                      const Elements& out) {
  const bool bytes = in.dtype == DType::i8 || in.dtype == DType::u8;
  if (parameters.axis.count != 1 || out.dtype != DType::f32 || !bytes) return false;
  const AffineLoops& loops = affine_loops();
  const auto loop = in.dtype == DType::i8 ? loops.dequantize_i8 : loops.dequantize_u8;
  const int64_t numel = parameters.axis.outer * parameters.axis.inner;
  threadpool::parallel_for(0, numel, kGrain, [&](int64_t first, int64_t last) {
    loop(at(in, first), static_cast<float*>(out.data) + first, last - first, *parameters.scales,
         *parameters.zero_points);
  });
  return true;
}

}  // namespace

template <class T>
void quantize(const AffineParameters<T>& parameters, ZeroPointIsAdded order,
              const IntegerBounds& bounds, const ConstElements& in, const Elements& out) {
  const T low = low_bound<T>(bounds.low);
  const T high = high_bound<T>(bounds.high);
  const bool round_last = order == ZeroPointIsAdded::BeforeRounding;
  const auto loop = block_loops<T>().quantize;
  for_each_block<T>(
      parameters, in, out, [&](const T* from, T* to, int64_t n, const BlockParameters<T>& here) {
        loop(from, to, n, here.scales(), here.zero_points(), here.step(), round_last, low, high);
      });
}

template <class T>
void dequantize(const AffineParameters<T>& parameters, const ConstElements& in,
                const Elements& out) {
  if constexpr (sizeof(T) == sizeof(float)) {
    if (dequantize_bytes(parameters, in, out)) return;
  }
  const auto loop = block_loops<T>().dequantize;
  for_each_block<T>(parameters, in, out,
                    [&](const T* from, T* to, int64_t n, const BlockParameters<T>& here) {
                      loop(from, to, n, here.scales(), here.zero_points(), here.step());
                    });
}

template void quantize(const AffineParameters<float>&, ZeroPointIsAdded, const IntegerBounds&,
                       const ConstElements&, const Elements&);
template void quantize(const AffineParameters<double>&, ZeroPointIsAdded, const IntegerBounds&,
                       const ConstElements&, const Elements&);
template void dequantize(const AffineParameters<float>&, const ConstElements&, const Elements&);
template void dequantize(const AffineParameters<double>&, const ConstElements&, const Elements&);

void add_quantized(int64_t n, const ConstElements& a, const QuantizedOperand& a_parameters,
                   const ConstElements& b, const QuantizedOperand& b_parameters,
                   const Elements& out, const QuantizedOperand& out_parameters,
                   const IntegerBounds& bounds) {
  const AffineBlockLoops<float>& loops = affine_loops().f32;
  const LoadLoop load_a = load_loop(a.dtype, ComputeType::f32);
  const LoadLoop load_b = load_loop(b.dtype, ComputeType::f32);
  const StoreLoop store = store_loop(ComputeType::f32, out.dtype);
  const float low = low_bound<float>(bounds.low);
  const float high = high_bound<float>(bounds.high);
  threadpool::parallel_for(0, n, kGrain, [&](int64_t first, int64_t last) {
    alignas(64) float sum[kBlock];
    alignas(64) float other[kBlock];
    for (int64_t i = first; i < last; i += kBlock) {
      const int64_t count = std::min(kBlock, last - i);
      load_a(sum, at(a, i), 1, count);
      load_b(other, at(b, i), 1, count);
      loops.dequantize(sum, sum, count, &a_parameters.scale, &a_parameters.zero_point, 0);
      loops.dequantize(other, other, count, &b_parameters.scale, &b_parameters.zero_point, 0);
      for (int64_t j = 0; j < count; ++j) sum[j] += other[j];
      loops.quantize(sum, sum, count, &out_parameters.scale, &out_parameters.zero_point, 0, false,
                     low, high);
      store(at(out, i), 1, sum, count);
    }
  });
}

}  // namespace executorch::compute
