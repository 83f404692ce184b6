#include "compute/norm/norm_backward.h"

#include <algorithm>
#include <type_traits>

#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(NormGradientTables, norm_gradient_loops);

namespace {

template <class T>
const NormGradientLoops<T>& loops() {
  if constexpr (std::is_same_v<T, float>)
    return norm_gradient_loops().f32;
  else
    return norm_gradient_loops().f64;
}

/// Rows or channels of `n` values that are worth a task.
int64_t grain_for(int64_t n) {
  return 16384 / std::max<int64_t>(n, 1) + 1;
}

/// Sums of the gradient, and of its products with the centred input.
struct Sums {
  double gradient = 0;
  double product = 0;

  template <class T>
  void add(const T* grad, const T* in, int64_t n, T mean) {
    T sum, products;
    loops<T>().sums(grad, in, n, mean, &sum, &products);
    gradient += static_cast<double>(sum);
    product += static_cast<double>(products);
  }
};

/// Factors of the input and the constant in the gradient of `count` normalised values: what the
/// statistics contribute.
template <class T>
struct Correction {
  T in_scale;
  T offset;

  Correction(const Sums& sums, double count, T rstd)
      : in_scale(static_cast<T>(-sums.product / count * static_cast<double>(rstd) *
                                static_cast<double>(rstd) * static_cast<double>(rstd))),
        offset(static_cast<T>(-sums.gradient / count * static_cast<double>(rstd))) {}
};

/// Columns whose sums are kept at a time.
constexpr int64_t kColumns = 256;

template <class T>
void layer_norm_parameters(int64_t rows, int64_t n, const NormGradient<T>& call) {
  threadpool::parallel_for(0, n, kColumns, [&](int64_t first, int64_t last) {
    for (int64_t start = first; start < last; start += kColumns) {
      const int64_t width = std::min(kColumns, last - start);
      double products[kColumns] = {}, sums[kColumns] = {};
      for (int64_t i = 0; i < rows; ++i) {
        const int64_t at = i * n + start;
        loops<T>().add_columns(call.grad + at, call.in + at, width, call.mean[i], call.rstd[i],
                               products, sums);
      }
      for (int64_t j = 0; j < width; ++j) {
        if (call.grad_weight != nullptr) call.grad_weight[start + j] = static_cast<T>(products[j]);
        if (call.grad_bias != nullptr) call.grad_bias[start + j] = static_cast<T>(sums[j]);
      }
    }
  });
}

}  // namespace

template <class T>
void layer_norm_backward(int64_t rows, int64_t n, const NormGradient<T>& call) {
  if (call.grad_weight != nullptr || call.grad_bias != nullptr)
    layer_norm_parameters(rows, n, call);
  if (call.grad_in == nullptr) return;
  threadpool::parallel_for(0, rows, grain_for(n), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const T* grad = call.grad + i * n;
      T* out = call.grad_in + i * n;
      if (call.weight != nullptr) {
        loops<T>().multiply(grad, call.weight, n, out);
        grad = out;
      }
      Sums sums;
      sums.add(grad, call.in + i * n, n, call.mean[i]);
      const Correction<T> correction(sums, static_cast<double>(n), call.rstd[i]);
      loops<T>().combine(grad, call.in + i * n, n, call.rstd[i], call.mean[i], correction.in_scale,
                         correction.offset, out);
    }
  });
}

template <class T>
void group_norm_backward(int64_t batch, int64_t channels, int64_t pixels, int64_t groups,
                         const NormGradient<T>& call) {
  const int64_t each = channels / groups;
  const auto weight = [&](int64_t c) { return call.weight != nullptr ? call.weight[c] : T{1}; };
  const auto channel_sums = [&](int64_t image, int64_t c) {
    const int64_t at = (image * channels + c) * pixels;
    Sums sums;
    sums.add(call.grad + at, call.in + at, pixels, call.mean[image * groups + c / each]);
    return sums;
  };
  if (call.grad_weight != nullptr || call.grad_bias != nullptr) {
    threadpool::parallel_for(
        0, channels, grain_for(batch * pixels), [&](int64_t first, int64_t last) {
          for (int64_t c = first; c < last; ++c) {
            double products = 0, gradients = 0;
            for (int64_t image = 0; image < batch; ++image) {
              const Sums sums = channel_sums(image, c);
              products += sums.product * static_cast<double>(call.rstd[image * groups + c / each]);
              gradients += sums.gradient;
            }
            if (call.grad_weight != nullptr) call.grad_weight[c] = static_cast<T>(products);
            if (call.grad_bias != nullptr) call.grad_bias[c] = static_cast<T>(gradients);
          }
        });
  }
  if (call.grad_in == nullptr) return;
  threadpool::parallel_for(
      0, batch * groups, grain_for(each * pixels), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          const int64_t image = i / groups, begin = i % groups * each;
          Sums sums;
          for (int64_t c = begin; c < begin + each; ++c) {
            const Sums channel = channel_sums(image, c);
            sums.gradient += channel.gradient * static_cast<double>(weight(c));
            sums.product += channel.product * static_cast<double>(weight(c));
          }
          const Correction<T> correction(sums, static_cast<double>(each * pixels), call.rstd[i]);
          for (int64_t c = begin; c < begin + each; ++c) {
            const int64_t at = (image * channels + c) * pixels;
            loops<T>().combine(call.grad + at, call.in + at, pixels, call.rstd[i] * weight(c),
                               call.mean[i], correction.in_scale, correction.offset,
                               call.grad_in + at);
          }
        }
      });
}

template <class T>
void batch_norm_backward(const DenseAxis& axis, bool of_batch, const NormGradient<T>& call) {
  const int64_t stride = axis.count * axis.inner;
  threadpool::parallel_for(
      0, axis.count, grain_for(axis.outer * axis.inner), [&](int64_t first, int64_t last) {
        for (int64_t c = first; c < last; ++c) {
          const T mean = call.mean[c], rstd = call.rstd[c];
          Sums sums;
          for (int64_t o = 0; o < axis.outer; ++o) {
            const int64_t at = o * stride + c * axis.inner;
            sums.add(call.grad + at, call.in + at, axis.inner, mean);
          }
          if (call.grad_weight != nullptr)
            call.grad_weight[c] = static_cast<T>(sums.product * static_cast<double>(rstd));
          if (call.grad_bias != nullptr) call.grad_bias[c] = static_cast<T>(sums.gradient);
          if (call.grad_in == nullptr) continue;
          const T weight = call.weight != nullptr ? call.weight[c] : T{1};
          const double count = static_cast<double>(axis.outer) * static_cast<double>(axis.inner);
          const Correction<T> correction(of_batch ? sums : Sums{}, count, rstd);
          for (int64_t o = 0; o < axis.outer; ++o) {
            const int64_t at = o * stride + c * axis.inner;
            loops<T>().combine(call.grad + at, call.in + at, axis.inner, rstd * weight, mean,
                               correction.in_scale * weight, correction.offset * weight,
                               call.grad_in + at);
          }
        }
      });
}

#define EXECUTORCH_INSTANTIATE_GRADIENT(T__)                                          \
  template void layer_norm_backward<T__>(int64_t, int64_t, const NormGradient<T__>&); \
  template void group_norm_backward<T__>(int64_t, int64_t, int64_t, int64_t,          \
                                         const NormGradient<T__>&);                   \
  template void batch_norm_backward<T__>(const DenseAxis&, bool, const NormGradient<T__>&);
EXECUTORCH_INSTANTIATE_GRADIENT(float)
EXECUTORCH_INSTANTIATE_GRADIENT(double)
#undef EXECUTORCH_INSTANTIATE_GRADIENT

}  // namespace executorch::compute
