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
    std::string text = s.groups == 1               ? "conv "
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

class MaxPoolStep final : public Step {
 public:
  MaxPoolStep(const compute::PoolShape& shape, Place in, Place out)
      : shape_(shape), in_(in), out_(out) {}

  Error run(const RunContext& context) override {
    compute::max_pool2d<float>(shape_, context.at<float>(in_), context.at<float>(out_), nullptr);
    return Error::Ok;
  }

  std::string describe() const override {
    return "max pool " + std::to_string(shape_.kernel_height) + "x" +
           std::to_string(shape_.kernel_width) + " of " + std::to_string(shape_.channels) +
           " channels";
  }

 private:
  compute::PoolShape shape_;
  Place in_;
  Place out_;
};

}  // namespace

std::unique_ptr<Step> make_convolution_step(const compute::ConvPlan& plan, const Epilogue& epilogue,
                                            const ConvolutionOperands& operands) {
  return std::make_unique<ConvolutionStep>(plan, epilogue, operands);
}

std::unique_ptr<Step> make_max_pool_step(const compute::PoolShape& shape, Place in, Place out) {
  return std::make_unique<MaxPoolStep>(shape, in, out);
}

}  // namespace executorch::engine
