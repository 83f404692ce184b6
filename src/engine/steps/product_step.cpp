#include <algorithm>
#include <utility>

#include "compute/elementwise/operation.h"
#include "engine/steps/product_steps.h"

namespace executorch::engine {
namespace {

void apply_loop(const void* context, float* values, int64_t count) {
  const void* operands[1] = {values};
  (*static_cast<const compute::BlockLoop*>(context))(values, operands, 0, count);
}

// Loops of the mapped activations, for as long as the process lives.
const compute::BlockLoop* activation_loop(Activation activation) {
  const auto loop = [](ElementwiseOp op) {
    return compute::block_loop(op, compute::ComputeType::f32);
  };
  static const compute::BlockLoop kLoops[] = {
      loop(ElementwiseOp::Gelu), loop(ElementwiseOp::GeluTanh), loop(ElementwiseOp::Silu),
      loop(ElementwiseOp::Sigmoid), loop(ElementwiseOp::Tanh)};
  switch (activation) {
    case Activation::Gelu:
      return &kLoops[0];
    case Activation::GeluTanh:
      return &kLoops[1];
    case Activation::Silu:
      return &kLoops[2];
    case Activation::Sigmoid:
      return &kLoops[3];
    case Activation::Tanh:
      return &kLoops[4];
    default:
      return nullptr;
  }
}

// Advances a position over `sizes`, last dim fastest; false after the last one.
bool next_position(const Dims& sizes, int64_t* position) {
  for (int d = sizes.rank - 1; d >= 0; --d) {
    if (++position[d] < sizes[d]) return true;
    position[d] = 0;
  }
  return false;
}

int64_t offset_at(const Dims& strides, const int64_t* position) {
  int64_t offset = 0;
  for (int d = 0; d < strides.rank; ++d) offset += position[d] * strides[d];
  return offset;
}

class ProductStep final : public Step {
 public:
  ProductStep(const ProductShape& shape, const ProductOperands& operands)
      : operands_(operands), outer_(shape.batches) {
    args_.m = shape.m;
    args_.n = shape.n;
    args_.k = shape.k;
    args_.a = {nullptr, shape.a_row, shape.a_column};
    args_.b = {nullptr, shape.b_row, shape.b_column};
    args_.packed = operands.packed;
    args_.c_row_stride = shape.c_row;
    args_.epilogue.alpha = shape.alpha;
    args_.epilogue.beta = shape.beta;
    args_.epilogue.residual_stride = shape.residual_row;
    set_activation(shape.epilogue, &args_.epilogue);
    a_ = shape.a_batch;
    b_ = shape.b_batch;
    c_ = shape.c_batch;
    residual_ = shape.residual_batch;
    if (outer_.rank > 0) take_inner_batch();
    describe_as(shape);
  }

  size_t scratch_bytes() const override {
    return batch_.count > 1
               ? compute::gemm_batch_scratch_bytes(batch_.count, args_.m, args_.n, args_.k)
               : compute::gemm_scratch_bytes(args_.m, args_.n, args_.k,
                                             args_.packed.data != nullptr);
  }

  Error run(const RunContext& context) override {
    const float* a = context.at<float>(operands_.a);
    const float* b = args_.packed.data == nullptr ? context.at<float>(operands_.b) : nullptr;
    float* c = context.at<float>(operands_.c);
    const float* residual =
        operands_.residual.storage >= 0 ? context.at<float>(operands_.residual) : nullptr;
    args_.epilogue.bias = operands_.bias.storage >= 0 ? context.at<float>(operands_.bias) : nullptr;
    int64_t position[kMaxRank] = {};
    if (outer_.rank == 0) {
      run_one(context, a, b, c, residual);
      return Error::Ok;
    }
    do {
      run_one(context, a + offset_at(a_, position),
              b != nullptr ? b + offset_at(b_, position) : nullptr, c + offset_at(c_, position),
              residual != nullptr ? residual + offset_at(residual_, position) : nullptr);
    } while (next_position(outer_, position));
    return Error::Ok;
  }

  std::string describe() const override { return text_; }

 private:
  // The last batch dim runs as one batched product, the others around it.
  void take_inner_batch() {
    const auto take = [](Dims* dims) { return dims->rank > 0 ? dims->values[--dims->rank] : 0; };
    batch_.count = take(&outer_);
    batch_.a_stride = take(&a_);
    batch_.b_stride = take(&b_);
    batch_.c_stride = take(&c_);
    batch_.residual_stride = take(&residual_);
  }

  void run_one(const RunContext& context, const float* a, const float* b, float* c,
               const float* residual) {
    args_.a.data = a;
    args_.b.data = b;
    args_.c = c;
    args_.epilogue.residual = residual;
    if (batch_.count == 1) {
      compute::gemm(args_, context.scratch, context.scratch_bytes);
    } else {
      compute::gemm_batch(args_, batch_, context.scratch, context.scratch_bytes);
    }
  }

  void describe_as(const ProductShape& shape) {
    text_ = "product ";
    if (shape.batches.rank > 0) text_ += to_text(shape.batches) + " of ";
    text_ +=
        std::to_string(shape.m) + "x" + std::to_string(shape.k) + "x" + std::to_string(shape.n);
    if (operands_.bias.storage >= 0) text_ += " + bias";
    if (operands_.residual.storage >= 0) text_ += " + residual";
    if (shape.epilogue.activation != Activation::None) {
      text_ += std::string(" + ") + activation_name(shape.epilogue.activation);
    }
    if (operands_.packed.data != nullptr) {
      text_ += ", packed " +
               std::to_string(compute::gemm_packed_bytes(operands_.packed.isa, shape.k, shape.n) /
                              1024) +
               " KB";
    }
  }

  ProductOperands operands_;
  compute::GemmArgs args_;
  compute::GemmBatch batch_;
  Dims outer_;
  Dims a_, b_, c_, residual_;
  std::string text_;
};

}  // namespace

void set_activation(const Epilogue& from, compute::Epilogue* to) {
  if (from.activation == Activation::Relu) {
    to->lo = 0;
  } else if (from.activation == Activation::Clamp) {
    to->lo = from.low;
    to->hi = from.high;
  } else if (const compute::BlockLoop* loop = activation_loop(from.activation)) {
    to->map = {&apply_loop, loop};
  }
}

const char* activation_name(Activation activation) {
  switch (activation) {
    case Activation::None:
      return "none";
    case Activation::Relu:
      return "relu";
    case Activation::Clamp:
      return "clamp";
    case Activation::Gelu:
      return "gelu";
    case Activation::GeluTanh:
      return "gelu (tanh)";
    case Activation::Silu:
      return "silu";
    case Activation::Sigmoid:
      return "sigmoid";
    case Activation::Tanh:
      return "tanh";
  }
  return "";
}

std::unique_ptr<Step> make_product_step(const ProductShape& shape,
                                        const ProductOperands& operands) {
  return std::make_unique<ProductStep>(shape, operands);
}

}  // namespace executorch::engine
