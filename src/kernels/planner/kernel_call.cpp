// Operators that the engine does not know, inside a run: their kernel is called on the engine's
// memory.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include <executorch/runtime/kernel/operator_registry.h>

#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

using aten::Tensor;
using aten::TensorImpl;
using runtime::KernelRuntimeContext;

// A dense row-major tensor over memory that is set at each run.
class OperandTensor {
 public:
  OperandTensor(DType dtype, const Dims& sizes) {
    for (int d = 0; d < sizes.rank; ++d) {
      sizes_[d] = static_cast<aten::SizesType>(sizes[d]);
      order_[d] = static_cast<aten::DimOrderType>(d);
    }
    const Dims strides = engine::contiguous_strides(sizes);
    for (int d = 0; d < sizes.rank; ++d) strides_[d] = static_cast<aten::StridesType>(strides[d]);
    new (&impl_) TensorImpl(static_cast<aten::ScalarType>(dtype), sizes.rank, sizes_, nullptr,
                            order_, strides_);
  }
  OperandTensor(const OperandTensor&) = delete;
  OperandTensor& operator=(const OperandTensor&) = delete;
  TensorImpl* impl() { return reinterpret_cast<TensorImpl*>(&impl_); }

 private:
  aten::SizesType sizes_[engine::kMaxRank] = {};
  aten::StridesType strides_[engine::kMaxRank] = {};
  aten::DimOrderType order_[engine::kMaxRank] = {};
  alignas(TensorImpl) char impl_[sizeof(TensorImpl)];
};

class KernelCall final : public engine::ForeignCall {
 public:
  KernelCall(const char* name, runtime::OpFunction function, bool foldable)
      : name_(name), function_(function), foldable_(foldable) {}

  int run(void* const* operands, void* user) override {
    for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i]->impl()->set_data(operands[i]);
    if (user != nullptr) return call(*static_cast<KernelRuntimeContext*>(user));
    KernelRuntimeContext context;
    return call(context);
  }
  const char* name() const override { return name_.c_str(); }
  bool foldable() const override { return foldable_; }

  // Arguments are added in order; tensors in the order of the node's inputs, then outputs.
  void add_value(EValue* value) { arguments_.push_back(value); }
  void add_tensor(DType dtype, const Dims& sizes) {
    arguments_.push_back(own(EValue(new_tensor(dtype, sizes))));
  }
  EValue* new_item(DType dtype, const Dims& sizes) { return own(EValue(new_tensor(dtype, sizes))); }
  void add_tensor_list(std::vector<EValue*> items) {
    lists_.push_back(std::make_unique<List<Tensor>>(std::move(items)));
    arguments_.push_back(own(EValue(&static_cast<List<Tensor>*>(lists_.back().get())->boxed)));
  }
  void add_optional_list(std::vector<EValue*> items) {
    using Item = std::optional<Tensor>;
    lists_.push_back(std::make_unique<List<Item>>(std::move(items)));
    arguments_.push_back(own(EValue(&static_cast<List<Item>*>(lists_.back().get())->boxed)));
  }
  void repeat_last() { arguments_.push_back(arguments_.back()); }

 private:
  struct AnyList {
    virtual ~AnyList() = default;
  };
  template <class T>
  struct List final : AnyList {
    explicit List(std::vector<EValue*> wrapped)
        : items(std::move(wrapped)),
          room(new char[sizeof(T) * (items.size() + 1)]),
          boxed(items.data(), reinterpret_cast<T*>(room.get()), static_cast<int>(items.size())) {}
    std::vector<EValue*> items;
    std::unique_ptr<char[]> room;
    runtime::BoxedEvalueList<T> boxed;
  };

  int call(KernelRuntimeContext& context) {
    function_(context, Span<EValue*>(arguments_.data(), arguments_.size()));
    return static_cast<int>(context.failure_state());
  }
  Tensor new_tensor(DType dtype, const Dims& sizes) {
    tensors_.push_back(std::make_unique<OperandTensor>(dtype, sizes));
    return Tensor(tensors_.back()->impl());
  }
  EValue* own(EValue value) {
    values_.push_back(std::make_unique<EValue>(value));
    return values_.back().get();
  }

  std::string name_;
  runtime::OpFunction function_;
  bool foldable_;
  std::vector<std::unique_ptr<OperandTensor>> tensors_;
  std::vector<std::unique_ptr<EValue>> values_;
  std::vector<std::unique_ptr<AnyList>> lists_;
  std::vector<EValue*> arguments_;
};

// Random operators change their generator; the others here ask for things that the engine's memory
// does not have, or change their result with a number at each run.
bool must_run_as_is(const char* name) {
  for (const char* part : {"rand", "bernoulli", "dropout", "multinomial", "normal", "uniform",
                           "exponential", "empty"}) {
    if (std::strstr(name, part) != nullptr) return true;
  }
  const auto is_in = [name](const char* space) {
    return std::strncmp(name, space, std::strlen(space)) == 0;
  };
  return !is_in("aten::") && !is_in("quantized_decomposed::");
}

// Operators whose result has the sizes of their first tensor, whatever those are in a run.
bool keeps_sizes(const char* name) {
  static const char* const kNames[] = {"aten::_log_softmax.out",
                                       "aten::bitwise_not.out",
                                       "aten::ceil.out",
                                       "aten::cumsum.out",
                                       "aten::elu.out",
                                       "aten::expm1.out",
                                       "aten::flip.out",
                                       "aten::floor.out",
                                       "aten::isinf.out",
                                       "aten::isnan.out",
                                       "aten::log10.out",
                                       "aten::log1p.out",
                                       "aten::log2.out",
                                       "aten::roll.out",
                                       "aten::round.out",
                                       "aten::sign.out",
                                       "aten::tan.out",
                                       "aten::tril.out",
                                       "aten::trunc.out",
                                       "quantized_decomposed::dequantize_per_channel.out",
                                       "quantized_decomposed::dequantize_per_tensor.Tensor_out",
                                       "quantized_decomposed::dequantize_per_tensor.out",
                                       "quantized_decomposed::dequantize_per_token.out",
                                       "quantized_decomposed::quantize_per_channel.out",
                                       "quantized_decomposed::quantize_per_tensor.Tensor_out",
                                       "quantized_decomposed::quantize_per_tensor.out",
                                       "quantized_decomposed::quantize_per_token.out"};
  for (const char* known : kNames) {
    if (std::strcmp(name, known) == 0) return true;
  }
  return false;
}

class CallBuilder {
 public:
  CallBuilder(Translator& translator, const PlanInstruction& instruction)
      : t_(translator), instruction_(instruction), schema_(*instruction.schema) {}

  bool build() {
    const auto function = runtime::get_op_function_from_registry(instruction_.name);
    if (!function.ok()) return false;
    for (size_t i = 0; i < schema_.num_arguments; ++i) {
      if (schema_.arguments[i].written != schema_.arguments[i].out) return false;
    }
    call_ = std::make_shared<KernelCall>(instruction_.name, function.get(), has_tensor_input());
    for (size_t i = 0; i < schema_.num_arguments; ++i) {
      if (!(schema_.arguments[i].out ? add_output(instruction_.values[i])
                                     : add_input(instruction_.values[i]))) {
        return false;
      }
    }
    if (outputs_.empty()) return false;
    if (instruction_.values.size() > schema_.num_arguments) call_->repeat_last();
    engine::Node node{engine::Foreign{call_}, inputs_, {}};
    for (const int32_t id : outputs_) {
      Dims sizes;
      DType dtype;
      if (!output_sizes(id, &sizes) || !t_.output_type(id, &dtype)) return false;
      node.outputs.push_back(t_.graph().add_computed(dtype, sizes));
    }
    const std::vector<ValueId> results = node.outputs;
    t_.graph().nodes.push_back(std::move(node));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!t_.write(outputs_[i], results[i])) return false;
    }
    return true;
  }

 private:
  bool has_tensor_input() const {
    std::vector<int32_t> items;
    for (size_t i = 0; i < schema_.num_arguments; ++i) {
      if (schema_.arguments[i].out) continue;
      const int32_t id = instruction_.values[i];
      if (t_.is_tensor(id) || t_.table().list_items(id, &items)) return true;
    }
    return false;
  }

  // What the program says, or what the operator gives where that may change.
  bool output_sizes(int32_t id, Dims* sizes) const {
    const Tensor& tensor = t_.table().value(id).payload.as_tensor;
    if (tensor.dim() > engine::kMaxRank) return false;
    if (!t_.table().info(id).dynamic_shape) {
      for (const auto size : tensor.sizes()) sizes->push(size);
      return true;
    }
    if (!keeps_sizes(instruction_.name) || inputs_.empty()) return false;
    *sizes = t_.sizes(inputs_[0]);
    return sizes->rank == static_cast<int>(tensor.dim());
  }

  bool add_input(int32_t id) {
    if (t_.is_tensor(id)) {
      const ValueId value = t_.read(id);
      if (value == kNoValue) return false;
      inputs_.push_back(value);
      call_->add_tensor(t_.dtype(value), t_.sizes(value));
      return true;
    }
    std::vector<int32_t> items;
    if (t_.table().list_items(id, &items)) {
      std::vector<EValue*> wrapped;
      for (const int32_t item : items) {
        if (item < 0) {
          wrapped.push_back(nullptr);
          continue;
        }
        const ValueId value = t_.read(item);
        if (value == kNoValue) return false;
        inputs_.push_back(value);
        wrapped.push_back(call_->new_item(t_.dtype(value), t_.sizes(value)));
      }
      if (t_.table().value(id).isTensorList()) {
        call_->add_tensor_list(std::move(wrapped));
      } else {
        call_->add_optional_list(std::move(wrapped));
      }
      return true;
    }
    // Numbers and lists of them are read from the method at each call; those that may change key
    // the plan.
    Number number;
    std::vector<int64_t> integers;
    t_.number(id, &number);
    t_.integers(id, &integers);
    call_->add_value(&t_.table().value(id));
    return true;
  }

  bool add_output(int32_t id) {
    Dims sizes;
    DType dtype;
    if (!t_.is_tensor(id) || !output_sizes(id, &sizes) || !t_.output_type(id, &dtype)) return false;
    outputs_.push_back(id);
    call_->add_tensor(dtype, sizes);
    return true;
  }

  Translator& t_;
  const PlanInstruction& instruction_;
  const runtime::OperatorSchema& schema_;
  std::shared_ptr<KernelCall> call_;
  std::vector<ValueId> inputs_;
  std::vector<int32_t> outputs_;
};

struct Tables {
  std::vector<TranslateRow> rows;
  Tables() {
    for (const auto table :
         {view_translations(), elementwise_translations(), product_translations(), image_translations(),
          row_translations(), index_translations(), symbol_translations()}) {
      rows.insert(rows.end(), table.begin(), table.end());
    }
    std::sort(rows.begin(), rows.end(), [](const TranslateRow& a, const TranslateRow& b) {
      return std::strcmp(a.name, b.name) < 0;
    });
  }
};

}  // namespace

const TranslateRow* find_translation(const char* name) {
  static const Tables* const tables = new Tables;
  const auto found = std::lower_bound(
      tables->rows.begin(), tables->rows.end(), name,
      [](const TranslateRow& row, const char* key) { return std::strcmp(row.name, key) < 0; });
  return found != tables->rows.end() && std::strcmp(found->name, name) == 0 ? &*found : nullptr;
}

bool translate_foreign(Translator& translator, const PlanInstruction& instruction) {
  if (instruction.schema == nullptr || must_run_as_is(instruction.name)) return false;
  if (instruction.values.size() < instruction.schema->num_arguments) return false;
  return CallBuilder(translator, instruction).build();
}

}  // namespace kernels
}  // namespace executorch
