#include "engine/steps/quantized_steps.h"

#include <algorithm>
#include <utility>

#include "threadpool/parallel.h"

namespace executorch::engine {
namespace {

constexpr int64_t kGrain = 16 * 1024;

class MapStep final : public Step {
 public:
  explicit MapStep(const QuantizedMap& map)
      : map_(map), loop_(compute::quantized_loops().loop[static_cast<int>(map.op)]) {
    if (map.params.table != nullptr) {
      std::copy_n(map.params.table, compute::kLookupBytes, table_);
      map_.params.table = table_;
    }
    for (int t = 1; t < map.layout.tensors; ++t) {
      if (map.layout.inner_stride(t) == 0) scalars_ |= 1u << (t - 1);
    }
  }

  Error run(const RunContext& context) override {
    char* const out = context.at<char>(map_.out);
    const char* in[2] = {};
    for (int t = 1; t < map_.layout.tensors; ++t)
      in[t - 1] = context.at<char>(map_.operands[t - 1]);
    threadpool::parallel_for(0, map_.layout.numel(), kGrain, [&](int64_t first, int64_t last) {
      compute::LayoutCursor cursor(map_.layout, first);
      while (first < last) {
        const int64_t count = std::min(cursor.left_in_row(), last - first);
        const void* operands[2] = {};
        for (int t = 1; t < map_.layout.tensors; ++t) {
          operands[t - 1] = in[t - 1] + cursor.offset(t) * map_.element_bytes[t];
        }
        loop_(map_.params, operands, scalars_, out + cursor.offset(0) * map_.element_bytes[0],
              count);
        cursor.advance(count);
        first += count;
      }
    });
    return Error::Ok;
  }

  std::string describe() const override {
    static constexpr const char* kNames[] = {"quantize",     "dequantize",    "requantize",
                                             "lookup",       "quantized add", "quantized sub",
                                             "quantized mul"};
    return std::string(kNames[static_cast<int>(map_.op)]) + " " +
           std::to_string(map_.layout.numel());
  }

 private:
  QuantizedMap map_;
  compute::QuantizedLoop loop_;
  uint32_t scalars_ = 0;
  int8_t table_[compute::kLookupBytes];
};

class QuantizeRowsStep final : public Step {
 public:
  QuantizeRowsStep(int64_t rows, int64_t length, Place x, Place q, Place params)
      : rows_(rows), length_(length), x_(x), q_(q), params_(params) {}

  Error run(const RunContext& context) override {
    const auto quantize = compute::quantized_loops().quantize_row;
    const float* x = context.at<float>(x_);
    int8_t* q = context.at<int8_t>(q_);
    float* params = context.at<float>(params_);
    const int64_t grain = std::max<int64_t>(kGrain / std::max<int64_t>(length_, 1), 1);
    threadpool::parallel_for(0, rows_, grain, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        quantize(x + row * length_, length_, q + row * length_, params + 2 * row);
      }
    });
    return Error::Ok;
  }

  std::string describe() const override {
    return "quantize " + std::to_string(rows_) + " rows of " + std::to_string(length_);
  }

 private:
  int64_t rows_, length_;
  Place x_, q_, params_;
};

class MeanStep final : public Step {
 public:
  MeanStep(int64_t images, const compute::MeanArgs& args, Place x, Place out)
      : images_(images), args_(args), x_(x), out_(out) {}

  Error run(const RunContext& context) override {
    const auto mean = compute::quantized_loops().mean;
    const int8_t* x = context.at<int8_t>(x_);
    int8_t* out = context.at<int8_t>(out_);
    const int64_t image = args_.pixels * args_.pixel_stride;
    const int64_t grain = std::max<int64_t>(4 * kGrain / std::max<int64_t>(image, 1), 1);
    threadpool::parallel_for(0, images_, grain, [&](int64_t first, int64_t last) {
      compute::MeanArgs args = args_;
      for (int64_t i = first; i < last; ++i) {
        args.in = x + i * image;
        args.out = out + i * args.channels;
        mean(args);
      }
    });
    return Error::Ok;
  }

  std::string describe() const override {
    return "quantized mean of " + std::to_string(args_.pixels) + " pixels, " +
           std::to_string(args_.channels) + " channels";
  }

 private:
  int64_t images_;
  compute::MeanArgs args_;
  Place x_, out_;
};

class LinearStep final : public Step {
 public:
  LinearStep(QuantizedLinearShape shape, const QuantizedProductOperands& operands)
      : shape_(std::move(shape)), operands_(operands) {
    args_.m = shape_.rows;
    args_.weights = shape_.weights;
    args_.c_row_stride = shape_.weights.n;
    args_.output = shape_.output;
    args_.output.start = shape_.tables.start;
    args_.output.scale = shape_.tables.scale;
    args_.output.bias = shape_.tables.bias;
  }

  size_t scratch_bytes() const override {
    return compute::quantized_product_scratch_bytes(shape_.rows, shape_.weights,
                                                    threadpool::pool_thread_count());
  }

  Error run(const RunContext& context) override {
    const compute::PlainRows rows{context.at<int8_t>(operands_.x), shape_.x_row_stride,
                                  shape_.weights.isa, shape_.weights.k};
    args_.rows = compute::source_of(rows);
    args_.c = context.at<char>(operands_.out);
    if (operands_.row_params.storage >= 0) {
      args_.output.rows = context.at<float>(operands_.row_params);
    }
    compute::quantized_product(args_, context.scratch, context.scratch_bytes);
    return Error::Ok;
  }

  std::string describe() const override {
    const compute::QuantizedMatrix& w = shape_.weights;
    std::string text = w.bits == compute::WeightBits::Int4 ? "int4 linear " : "int8 linear ";
    text += std::to_string(shape_.rows) + "x" + std::to_string(w.k) + "x" + std::to_string(w.n);
    if (w.bits == compute::WeightBits::Int4) text += " in groups of " + std::to_string(w.group);
    return text + (operands_.row_params.storage >= 0 ? ", dynamic" : "");
  }

 private:
  QuantizedLinearShape shape_;
  QuantizedProductOperands operands_;
  compute::QuantizedProductArgs args_;
};

class ConvolutionStep final : public Step {
 public:
  ConvolutionStep(QuantizedConvolutionShape shape, const QuantizedProductOperands& operands)
      : shape_(std::move(shape)), operands_(operands) {
    args_.packed = shape_.packed;
    args_.zero_point = shape_.zero_point;
    args_.output = shape_.output;
    args_.output.start = shape_.tables.start;
    args_.output.scale = shape_.tables.scale;
    args_.output.bias = shape_.tables.bias;
  }

  size_t scratch_bytes() const override {
    return compute::byte_conv_scratch_bytes(shape_.plan, threadpool::pool_thread_count());
  }

  Error run(const RunContext& context) override {
    args_.in = context.at<int8_t>(operands_.x);
    args_.out = context.at<char>(operands_.out);
    if (operands_.row_params.storage >= 0) {
      args_.output.rows = context.at<float>(operands_.row_params);
    }
    compute::byte_conv_run(shape_.plan, args_, context.scratch, context.scratch_bytes);
    return Error::Ok;
  }

  std::string describe() const override {
    const compute::ConvShape& s = shape_.plan.conv.shape;
    std::string text = shape_.plan.depthwise ? "int8 depthwise conv " : "int8 conv ";
    text += std::to_string(s.kernel_height) + "x" + std::to_string(s.kernel_width) + " " +
            std::to_string(s.in_channels) + "->" + std::to_string(s.out_channels) + " at " +
            std::to_string(shape_.plan.conv.out_height) + "x" +
            std::to_string(shape_.plan.conv.out_width);
    return text + (operands_.row_params.storage >= 0 ? ", dynamic" : "");
  }

 private:
  QuantizedConvolutionShape shape_;
  QuantizedProductOperands operands_;
  compute::ByteConvArgs args_;
};

}  // namespace

std::unique_ptr<Step> make_quantized_convolution_step(QuantizedConvolutionShape shape,
                                                      const QuantizedProductOperands& operands) {
  return std::make_unique<ConvolutionStep>(std::move(shape), operands);
}

std::unique_ptr<Step> make_quantized_map_step(const QuantizedMap& map) {
  return std::make_unique<MapStep>(map);
}

std::unique_ptr<Step> make_quantize_rows_step(int64_t rows, int64_t length, Place x, Place q,
                                              Place params) {
  return std::make_unique<QuantizeRowsStep>(rows, length, x, q, params);
}

std::unique_ptr<Step> make_quantized_mean_step(int64_t images, const compute::MeanArgs& args,
                                               Place x, Place out) {
  return std::make_unique<MeanStep>(images, args, x, out);
}

std::unique_ptr<Step> make_quantized_linear_step(QuantizedLinearShape shape,
                                                 const QuantizedProductOperands& operands) {
  return std::make_unique<LinearStep>(std::move(shape), operands);
}

}  // namespace executorch::engine
