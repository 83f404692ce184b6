#include "compute/conv/plain_conv.h"

#include <algorithm>
#include <type_traits>

#include "compute/gemm/gemm.h"
#include "compute/gemm/plain_matmul.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr size_t kAlignment = 64;

size_t align_up(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// How the columns are cut into blocks that stay in cache, and what a block needs.
struct Blocks {
  int64_t rows;  ///< of the matrix: taps of a group's large channels
  int64_t columns;
  size_t column_bytes;
  size_t product_bytes;
  size_t gemm_bytes;

  Blocks(const PlainConv& conv, size_t element_size) {
    constexpr int64_t kValues = 256 * 1024;
    constexpr int64_t kFewest = 64;
    const int64_t cells = std::max<int64_t>(conv.grid.small_cells(), 1);
    const int64_t each = conv.small_channels / conv.groups;
    rows = conv.large_channels / conv.groups * conv.grid.taps();
    columns = std::min(std::max(kValues / std::max<int64_t>(rows, 1), kFewest), cells);
    column_bytes = align_up(static_cast<size_t>(rows * columns) * element_size);
    const int64_t product = std::max({each * columns, each * rows, rows * columns});
    product_bytes = align_up(static_cast<size_t>(product) * element_size);
    gemm_bytes = std::max({gemm_scratch_bytes(each, columns, rows, false),
                           gemm_scratch_bytes(rows, columns, each, false),
                           gemm_scratch_bytes(each, rows, columns, false)});
  }
};

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return DType::i32;
  else
    return DType::i64;
}

template <class T>
struct Matrix {
  const T* data;
  int64_t row_stride;
  int64_t column_stride;
};

/// One convolution under way. Integers are passed as unsigned, whose overflow wraps.
template <class T>
class Job {
 public:
  Job(const PlainConv& conv, void* scratch) : conv_(conv), blocks_(conv, sizeof(T)) {
    char* memory = reinterpret_cast<char*>(align_up(reinterpret_cast<uintptr_t>(scratch)));
    columns_ = reinterpret_cast<T*>(memory);
    product_ = reinterpret_cast<T*>(memory + blocks_.column_bytes);
    gemm_scratch_ = memory + blocks_.column_bytes + blocks_.product_bytes;
  }

  void to_small(const T* large, const T* weight, const T* bias, T* small) {
    each_block([&](int64_t image, int64_t group, int64_t first, int64_t count) {
      gather(large_group(large, image, group), first, count);
      multiply(small_each(), count, blocks_.rows, {weight_group(weight, group), blocks_.rows, 1},
               {columns_, count, 1});
      const int64_t channel = group * small_each();
      for (int64_t i = 0; i < small_each(); ++i) {
        const T* from = product_ + i * count;
        T* to = small_channel(small, image, channel + i) + first;
        const T shift = bias != nullptr ? bias[channel + i] : T{};
        for (int64_t j = 0; j < count; ++j) to[j] = from[j] + shift;
      }
    });
  }

  void to_large(const T* small, const T* weight, const T* bias, T* large) {
    const int64_t cells = conv_.grid.large_cells();
    for (int64_t i = 0; i < conv_.batch * conv_.large_channels; ++i) {
      const T start = bias != nullptr ? bias[i % conv_.large_channels] : T{};
      std::fill(large + i * cells, large + (i + 1) * cells, start);
    }
    each_block([&](int64_t image, int64_t group, int64_t first, int64_t count) {
      const T* from = small_channel(small, image, group * small_each()) + first;
      multiply(blocks_.rows, count, small_each(), {weight_group(weight, group), 1, blocks_.rows},
               {from, conv_.grid.small_cells(), 1});
      T* to = large_group(large, image, group);
      add_columns_to_image(conv_.grid, large_each(), product_, first, count, to);
    });
  }

  void weight_gradient(const T* large, const T* small, T* gradient) {
    const int64_t each = small_each() * blocks_.rows;
    std::fill(gradient, gradient + each * conv_.groups, T{});
    each_block([&](int64_t image, int64_t group, int64_t first, int64_t count) {
      gather(large_group(large, image, group), first, count);
      const T* from = small_channel(small, image, group * small_each()) + first;
      multiply(small_each(), blocks_.rows, count, {from, conv_.grid.small_cells(), 1},
               {columns_, 1, count});
      T* to = gradient + group * each;
      threadpool::parallel_for(0, each, 16 * 1024, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] += product_[i];
      });
    });
  }

 private:
  int64_t large_each() const { return conv_.large_channels / conv_.groups; }
  int64_t small_each() const { return conv_.small_channels / conv_.groups; }
  template <class P>
  P large_group(P large, int64_t image, int64_t group) const {
    return large + (image * conv_.large_channels + group * large_each()) * conv_.grid.large_cells();
  }
  template <class P>
  P small_channel(P small, int64_t image, int64_t channel) const {
    return small + (image * conv_.small_channels + channel) * conv_.grid.small_cells();
  }
  const T* weight_group(const T* weight, int64_t group) const {
    return weight + group * small_each() * blocks_.rows;
  }

  template <class F>
  void each_block(F f) const {
    const int64_t cells = conv_.grid.small_cells();
    for (int64_t image = 0; image < conv_.batch; ++image) {
      for (int64_t group = 0; group < conv_.groups; ++group) {
        for (int64_t first = 0; first < cells; first += blocks_.columns) {
          f(image, group, first, std::min(blocks_.columns, cells - first));
        }
      }
    }
  }

  void gather(const T* images, int64_t first, int64_t count) const {
    image_to_columns(conv_.grid, large_each(), sizeof(T), images, first, count, columns_);
  }

  /// product = a * b, dense.
  void multiply(int64_t m, int64_t n, int64_t k, const Matrix<T>& a, const Matrix<T>& b) const {
    if constexpr (std::is_same_v<T, float>) {
      GemmArgs args;
      args.m = m, args.n = n, args.k = k;
      args.a = {a.data, a.row_stride, a.column_stride};
      args.b = {b.data, b.row_stride, b.column_stride};
      args.c = product_;
      args.c_row_stride = n;
      gemm(args, gemm_scratch_, blocks_.gemm_bytes);
    } else {
      plain_matmul(dtype_of<T>(), m, n, k, {a.data, a.row_stride, a.column_stride},
                   {b.data, b.row_stride, b.column_stride}, product_);
    }
  }

  const PlainConv& conv_;
  Blocks blocks_;
  T* columns_;
  T* product_;
  char* gemm_scratch_;
};

/// Calls f with a null pointer to the type that computes `dtype`.
template <class F>
void with_type(DType dtype, F f) {
  switch (dtype) {
    case DType::f32:
      return f(static_cast<float*>(nullptr));
    case DType::f64:
      return f(static_cast<double*>(nullptr));
    case DType::i32:
      return f(static_cast<uint32_t*>(nullptr));
    case DType::i64:
      return f(static_cast<uint64_t*>(nullptr));
    default:
      return;
  }
}

}  // namespace

size_t plain_conv_scratch_bytes(DType dtype, const PlainConv& conv) noexcept {
  const Blocks blocks(conv, dtype == DType::f64 || dtype == DType::i64 ? 8 : 4);
  return kAlignment + blocks.column_bytes + blocks.product_bytes + blocks.gemm_bytes;
}

void plain_conv_to_small(DType dtype, const PlainConv& conv, const void* large, const void* weight,
                         const void* bias, void* small, void* scratch) noexcept {
  with_type(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Job<T>(conv, scratch)
        .to_small(static_cast<const T*>(large), static_cast<const T*>(weight),
                  static_cast<const T*>(bias), static_cast<T*>(small));
  });
}

void plain_conv_to_large(DType dtype, const PlainConv& conv, const void* small, const void* weight,
                         const void* bias, void* large, void* scratch) noexcept {
  with_type(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Job<T>(conv, scratch)
        .to_large(static_cast<const T*>(small), static_cast<const T*>(weight),
                  static_cast<const T*>(bias), static_cast<T*>(large));
  });
}

void plain_conv_weight_gradient(DType dtype, const PlainConv& conv, const void* large,
                                const void* small, void* grad_weight, void* scratch) noexcept {
  with_type(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Job<T>(conv, scratch)
        .weight_gradient(static_cast<const T*>(large), static_cast<const T*>(small),
                         static_cast<T*>(grad_weight));
  });
}

}  // namespace executorch::compute
