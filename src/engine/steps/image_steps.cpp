#include "engine/steps/image_steps.h"

#include "engine/steps/product_steps.h"

namespace executorch::engine {
namespace {

class ConvolutionStep final : public Step {
 public:
  ConvolutionStep(const compute::ConvPlan& plan, const Epilogue& epilogue,
                  const ConvolutionOperands& operands)
      : plan_(plan), operands_(operands), activation_(epilogue.activation) {
    set_activation(epilogue, &epilogue_);
    epilogue_.residual_stride = operands.residual_pixel_stride;
  }

  size_t scratch_bytes() const override { return compute::conv_scratch_bytes(plan_); }

  Error run(const RunContext& context) override {
    epilogue_.bias = operands_.bias.storage >= 0 ? context.at<float>(operands_.bias) : nullptr;
    epilogue_.residual =
        operands_.residual.storage >= 0 ? context.at<float>(operands_.residual) : nullptr;
    compute::conv_run(plan_, operands_.packed, context.at<float>(operands_.in),
                      context.at<float>(operands_.out), epilogue_, context.scratch,
                      context.scratch_bytes);
    return Error::Ok;
  }

  std::string describe() const override {
    const compute::ConvShape& s = plan_.shape;
    const bool winograd = plan_.algorithm == compute::ConvAlgorithm::winograd;
    std::string text = winograd                    ? "Winograd conv "
                       : s.transposed              ? "transposed conv "
                       : s.groups == 1             ? "conv "
                       : s.groups == s.in_channels ? "depthwise conv "
                                                   : "grouped conv ";
    text += std::to_string(s.kernel_height) + "x" + std::to_string(s.kernel_width) + " " +
            std::to_string(s.in_channels) + "->" + std::to_string(s.out_channels) + " at " +
            std::to_string(plan_.out_height) + "x" + std::to_string(plan_.out_width);
    if (operands_.bias.storage >= 0) text += " + bias";
    if (operands_.residual.storage >= 0) text += " + residual";
    if (activation_ != Activation::None) text += std::string(" + ") + activation_name(activation_);
    return text + ", packed " + std::to_string(plan_.packed_bytes / 1024) + " KB";
  }

 private:
  compute::ConvPlan plan_;
  ConvolutionOperands operands_;
  Activation activation_;
  compute::Epilogue epilogue_;
};

std::string pool_text(const compute::PoolShape& shape) {
  return "pool " + std::to_string(shape.y.kernel) + "x" + std::to_string(shape.x.kernel) + " of " +
         std::to_string(shape.channels) + " channels";
}

class MaxPoolStep final : public Step {
 public:
  MaxPoolStep(DType dtype, const compute::PoolShape& shape, Place in, Place out, Place indices)
      : dtype_(dtype), shape_(shape), in_(in), out_(out), indices_(indices) {}

  Error run(const RunContext& context) override {
    int64_t* indices = indices_.storage >= 0 ? context.at<int64_t>(indices_) : nullptr;
    if (dtype_ == DType::i8) {
      compute::max_pool<int8_t>(shape_, context.at<int8_t>(in_), context.at<int8_t>(out_), indices);
    } else {
      compute::max_pool<float>(shape_, context.at<float>(in_), context.at<float>(out_), indices);
    }
    if (indices != nullptr) place_in_windows(indices);
    return Error::Ok;
  }

  std::string describe() const override { return "max " + pool_text(shape_); }

 private:
  // From places in the channel's plane.
  void place_in_windows(int64_t* indices) const {
    const compute::PoolShape& s = shape_;
    const int64_t pixels = s.batch * s.y.out * s.x.out;
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      const int64_t top = pixel / s.x.out % s.y.out * s.y.stride - s.y.pad;
      const int64_t left = pixel % s.x.out * s.x.stride - s.x.pad;
      for (int64_t c = 0; c < s.channels; ++c) {
        int64_t& index = indices[pixel * s.channels + c];
        const int64_t y = (index / s.x.in - top) / s.y.dilation;
        const int64_t x = (index % s.x.in - left) / s.x.dilation;
        index = y * s.x.kernel + x;
      }
    }
  }

  DType dtype_;
  compute::PoolShape shape_;
  Place in_;
  Place out_;
  Place indices_;
};

class AveragePoolStep final : public Step {
 public:
  AveragePoolStep(const compute::PoolShape& shape, const compute::AverageDivisor& divisor, Place in,
                  Place out)
      : shape_(shape), divisor_(divisor), in_(in), out_(out) {}

  Error run(const RunContext& context) override {
    compute::avg_pool<float>(shape_, divisor_, context.at<float>(in_), context.at<float>(out_));
    return Error::Ok;
  }

  std::string describe() const override { return "average " + pool_text(shape_); }

 private:
  compute::PoolShape shape_;
  compute::AverageDivisor divisor_;
  Place in_;
  Place out_;
};

class ResizeStep final : public Step {
 public:
  ResizeStep(const compute::ResizeShape& shape, Place in, Place out)
      : shape_(shape), in_(in), out_(out) {}

  size_t scratch_bytes() const override { return compute::resize_scratch_bytes(shape_); }

  Error run(const RunContext& context) override {
    compute::resize<float>(shape_, context.at<float>(in_), context.at<float>(out_), context.scratch,
                           context.scratch_bytes);
    return Error::Ok;
  }

  std::string describe() const override {
    return "resize of " + std::to_string(shape_.inner) + " channels to " +
           std::to_string(shape_.y.out) + "x" + std::to_string(shape_.x.out);
  }

 private:
  compute::ResizeShape shape_;
  Place in_;
  Place out_;
};

}  // namespace

std::unique_ptr<Step> make_convolution_step(const compute::ConvPlan& plan, const Epilogue& epilogue,
                                            const ConvolutionOperands& operands) {
  return std::make_unique<ConvolutionStep>(plan, epilogue, operands);
}

std::unique_ptr<Step> make_max_pool_step(DType dtype, const compute::PoolShape& shape, Place in,
                                         Place out, Place indices) {
  return std::make_unique<MaxPoolStep>(dtype, shape, in, out, indices);
}

std::unique_ptr<Step> make_average_pool_step(const compute::PoolShape& shape,
                                             const compute::AverageDivisor& divisor, Place in,
                                             Place out) {
  return std::make_unique<AveragePoolStep>(shape, divisor, in, out);
}

std::unique_ptr<Step> make_resize_step(const compute::ResizeShape& shape, Place in, Place out) {
  return std::make_unique<ResizeStep>(shape, in, out);
}

}  // namespace executorch::engine
