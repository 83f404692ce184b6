#include "engine/steps/elementwise_step.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compute/elementwise/cast.h"
#include "compute/elementwise/elementwise.h"
#include "threadpool/parallel.h"

namespace executorch::engine {
namespace {

using compute::ComputeType;

constexpr int kMaxRegisters = 48;
constexpr int64_t kBufferBytes = 48 * 1024;  // on the stack, per thread
constexpr int64_t kMaxBlock = 1024;
// Rows shorter than this are put together to blocks.
constexpr int64_t kShortRow = 64;
constexpr int64_t kElementsPerTask = 8192;

bool computes_in(DType type) {
  return compute::storage_type(compute::compute_type(type)) == type;
}

// What happens to one block, in order. Registers are pointers: into a block buffer, or straight
// into a tensor.
struct BlockOperation {
  compute::BlockLoop loop = nullptr;  // null: convert
  compute::LoadLoop convert = nullptr;
  int16_t target = 0;
  int16_t sources[compute::kMaxOperands] = {};
  uint32_t scalars = 0;
  int8_t arity = 0;
};

struct Input {
  Place place;
  int64_t element_bytes;
  int64_t strides[kMaxRank];
  int16_t reg = 0;
  compute::LoadLoop load = nullptr;  // null: used where it lies
  int64_t inner = 0;
  // The rows of a block do not lie in one stride.
  bool by_rows = false;
  int64_t block_bytes = 0;  // of an element in a block
};

struct Output {
  Place place;
  int64_t element_bytes;
  int64_t strides[kMaxRank];
  int16_t reg = 0;
  compute::StoreLoop store = nullptr;  // null: computed where it lies
  int64_t inner = 0;
  bool by_rows = false;
  int64_t block_bytes = 0;
};

class FusedStep final : public Step {
 public:
  bool build(const FusedElementwise& program, const ElementwiseOperands& operands);

  Error run(const RunContext& context) override {
    if (rows_ == 0 || inner_ == 0) return Error::Ok;
    const int64_t units = rows_ * blocks_;
    const int64_t grain = std::max<int64_t>(1, kElementsPerTask / block_);
    if (units <= grain) {
      run_units(context, 0, units);
    } else {
      threadpool::parallel_for(
          0, units, grain, [&](int64_t first, int64_t last) { run_units(context, first, last); });
    }
    return Error::Ok;
  }

  std::string describe() const override { return text_; }

 private:
  void collapse(const ElementwiseOperands& operands);
  template <class Operand>
  void set_walk(ComputeType type, Operand* operand) const;
  void load(const Input& input, const char* source, char* block, int64_t count) const;
  void store(const Output& output, char* target, const char* block, int64_t count) const;
  int16_t new_register(ComputeType type, bool buffered);
  int16_t read_input(size_t input, ComputeType type, const ElementwiseOperands& operands);
  int16_t as_type(int16_t reg, ComputeType type);
  void run_units(const RunContext& context, int64_t first, int64_t last) const;
  void run_block(char* const* registers, int64_t count) const;

  std::vector<BlockOperation> operations_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<ComputeType> register_types_;
  std::vector<bool> register_scalar_;
  std::vector<int32_t> buffers_;  // register -> block buffer, or -1
  int32_t num_buffers_ = 0;
  bool failed_ = false;
  Dims sizes_;  // collapsed; the last is the inner one
  std::vector<Dims> input_strides_, output_strides_;
  // Blocks divide the innermost dim, or, where that is short, the one around it: then they hold
  // whole rows of `row_` elements. `outer_` dims are walked from block to block.
  int outer_ = 0;
  int64_t row_ = 1;
  int64_t rows_ = 1, inner_ = 1, block_ = 1, blocks_ = 1;
  std::string text_;
};

// Reorders dims by the first output's strides and merges neighbours that all operands walk in one
// stride.
void FusedStep::collapse(const ElementwiseOperands& operands) {
  const Dims& sizes = operands.sizes;
  const Dims& lead = operands.outputs[0].strides;
  int order[kMaxRank];
  int count = 0;
  for (int d = 0; d < sizes.rank; ++d) {
    if (sizes[d] == 1) continue;
    int place = count++;
    while (place > 0 && lead[order[place - 1]] < lead[d]) {
      order[place] = order[place - 1];
      --place;
    }
    order[place] = d;
  }
  std::vector<const Dims*> from;
  for (const TensorPlace& input : operands.inputs) from.push_back(&input.strides);
  for (const TensorPlace& output : operands.outputs) from.push_back(&output.strides);
  std::vector<Dims> to(from.size());
  for (int i = 0; i < count; ++i) {
    const int d = order[i];
    const int last = sizes_.rank - 1;
    bool merge = last >= 0;
    for (size_t k = 0; merge && k < from.size(); ++k)
      merge = to[k][last] == (*from[k])[d] * sizes[d];
    if (merge) {
      sizes_[last] *= sizes[d];
      for (size_t k = 0; k < from.size(); ++k) to[k][last] = (*from[k])[d];
    } else {
      sizes_.push(sizes[d]);
      for (size_t k = 0; k < from.size(); ++k) to[k].push((*from[k])[d]);
    }
  }
  if (sizes_.rank == 0) {
    sizes_.push(1);
    for (Dims& strides : to) strides.push(1);
  }
  input_strides_.assign(to.begin(), to.begin() + static_cast<int64_t>(operands.inputs.size()));
  output_strides_.assign(to.begin() + static_cast<int64_t>(operands.inputs.size()), to.end());
  inner_ = sizes_.back();
  outer_ = sizes_.rank - 1;
  if (inner_ < kShortRow && outer_ > 0) {
    row_ = inner_;
    inner_ *= sizes_[--outer_];
  }
  for (int d = 0; d < outer_; ++d) rows_ *= sizes_[d];
}

template <class Operand>
void FusedStep::set_walk(ComputeType type, Operand* operand) const {
  operand->inner = operand->strides[sizes_.rank - 1];
  operand->by_rows = row_ > 1 && operand->strides[outer_] != operand->inner * row_;
  operand->block_bytes = element_bytes(compute::storage_type(type));
}

int16_t FusedStep::new_register(ComputeType type, bool buffered) {
  register_types_.push_back(type);
  register_scalar_.push_back(false);
  buffers_.push_back(buffered ? num_buffers_++ : -1);
  if (register_types_.size() > kMaxRegisters) failed_ = true;
  return static_cast<int16_t>(register_types_.size() - 1);
}

int16_t FusedStep::read_input(size_t index, ComputeType type, const ElementwiseOperands& operands) {
  const TensorPlace& tensor = operands.inputs[index];
  for (const Input& known : inputs_) {
    if (known.place.storage == tensor.place.storage && known.place.offset == tensor.place.offset &&
        register_types_[static_cast<size_t>(known.reg)] == type &&
        std::equal(known.strides, known.strides + sizes_.rank, input_strides_[index].values)) {
      return known.reg;
    }
  }
  Input input;
  input.place = tensor.place;
  input.element_bytes = element_bytes(tensor.dtype);
  std::copy(input_strides_[index].values, input_strides_[index].values + sizes_.rank,
            input.strides);
  set_walk(type, &input);
  const bool scalar = input.inner == 0 && !input.by_rows;
  const bool direct =
      !input.by_rows && (scalar || input.inner == 1) && compute::storage_type(type) == tensor.dtype;
  if (!direct) {
    input.load = compute::load_loop(tensor.dtype, type);
    if (input.load == nullptr) failed_ = true;
  }
  input.reg = new_register(type, !direct);
  register_scalar_.back() = scalar;
  inputs_.push_back(input);
  return input.reg;
}

int16_t FusedStep::as_type(int16_t reg, ComputeType type) {
  const ComputeType from = register_types_[static_cast<size_t>(reg)];
  if (from == type) return reg;
  BlockOperation operation;
  operation.convert = compute::load_loop(compute::storage_type(from), type);
  if (operation.convert == nullptr) failed_ = true;
  operation.sources[0] = reg;
  operation.target = new_register(type, true);
  operation.scalars = register_scalar_[static_cast<size_t>(reg)] ? 1 : 0;
  operations_.push_back(operation);
  return operation.target;
}

bool FusedStep::build(const FusedElementwise& program, const ElementwiseOperands& operands) {
  collapse(operands);
  std::vector<int16_t> result_registers;
  for (const auto& instruction : program.program) {
    const ComputeType type = compute::compute_type(instruction.common);
    BlockOperation operation;
    operation.loop = compute::block_loop(instruction.op, type);
    operation.arity = static_cast<int8_t>(compute::arity(instruction.op));
    if (operation.loop == nullptr) return false;
    for (int i = 0; i < operation.arity; ++i) {
      const int16_t operand = instruction.operands[i];
      const int16_t reg = operand >= 0
                              ? read_input(static_cast<size_t>(operand), type, operands)
                              : as_type(result_registers[static_cast<size_t>(-1 - operand)], type);
      operation.sources[i] = reg;
      if (register_scalar_[static_cast<size_t>(reg)]) operation.scalars |= 1u << i;
    }
    operation.target = new_register(type, true);
    operations_.push_back(operation);
    int16_t result = operation.target;
    if (instruction.result != DType::boolean)
      result = as_type(result, compute::compute_type(instruction.result));
    result_registers.push_back(result);
    if (!text_.empty()) text_ += ", ";
    text_ += compute::operation_name(instruction.op);
  }
  for (size_t i = 0; i < operands.outputs.size(); ++i) {
    const TensorPlace& tensor = operands.outputs[i];
    Output output;
    output.place = tensor.place;
    output.element_bytes = element_bytes(tensor.dtype);
    std::copy(output_strides_[i].values, output_strides_[i].values + sizes_.rank, output.strides);
    output.reg = result_registers[static_cast<size_t>(program.results[i])];
    const ComputeType type = register_types_[static_cast<size_t>(output.reg)];
    set_walk(type, &output);
    int32_t& buffer = buffers_[static_cast<size_t>(output.reg)];
    if (output.inner == 1 && !output.by_rows && compute::storage_type(type) == tensor.dtype &&
        buffer >= 0) {
      buffer = -1;  // computed in place
    } else {
      output.store = compute::store_loop(type, tensor.dtype);
      if (output.store == nullptr) return false;
    }
    outputs_.push_back(output);
  }
  if (failed_ || register_types_.size() > kMaxRegisters) return false;
  const int64_t per_element = std::max<int64_t>(1, num_buffers_) * 8;
  block_ =
      std::min({inner_, kMaxBlock, std::max<int64_t>(64, kBufferBytes / per_element / 64 * 64)});
  if (block_ * per_element > kBufferBytes) return false;
  block_ = std::max(block_ / row_, int64_t{1}) * row_;
  blocks_ = block_ > 0 ? (inner_ + block_ - 1) / block_ : 0;
  text_ += " " + to_text(operands.sizes);
  return true;
}

void FusedStep::run_block(char* const* registers, int64_t count) const {
  for (const BlockOperation& operation : operations_) {
    const void* sources[compute::kMaxOperands];
    if (operation.loop != nullptr) {
      for (int i = 0; i < operation.arity; ++i) sources[i] = registers[operation.sources[i]];
      operation.loop(registers[operation.target], sources, operation.scalars, count);
    } else {
      operation.convert(registers[operation.target], registers[operation.sources[0]],
                        operation.scalars != 0 ? 0 : 1, count);
    }
  }
}

void FusedStep::load(const Input& input, const char* source, char* block, int64_t count) const {
  if (!input.by_rows) {
    input.load(block, source, input.inner, input.inner == 0 ? 1 : count);
    return;
  }
  const int64_t between_rows = input.strides[outer_] * input.element_bytes;
  for (int64_t done = 0; done < count; done += row_) {
    input.load(block, source, input.inner, row_);
    block += row_ * input.block_bytes;
    source += between_rows;
  }
}

void FusedStep::store(const Output& output, char* target, const char* block, int64_t count) const {
  if (!output.by_rows) {
    output.store(target, output.inner, block, count);
    return;
  }
  const int64_t between_rows = output.strides[outer_] * output.element_bytes;
  for (int64_t done = 0; done < count; done += row_) {
    output.store(target, output.inner, block, row_);
    block += row_ * output.block_bytes;
    target += between_rows;
  }
}

void FusedStep::run_units(const RunContext& context, int64_t first, int64_t last) const {
  alignas(64) char buffer[kBufferBytes];
  char* registers[kMaxRegisters];
  for (size_t r = 0; r < buffers_.size(); ++r) {
    registers[r] = buffers_[r] >= 0 ? buffer + buffers_[r] * block_ * 8 : nullptr;
  }
  int64_t row = first / blocks_;
  int64_t column = (first % blocks_) * block_;
  int64_t position[kMaxRank];
  for (int64_t rest = row, d = outer_ - 1; d >= 0; --d) {
    position[d] = rest % sizes_[static_cast<int>(d)];
    rest /= sizes_[static_cast<int>(d)];
  }
  const auto offset_of = [&](const int64_t* strides) {
    int64_t offset = column / row_ * strides[outer_];
    for (int d = 0; d < outer_; ++d) offset += position[d] * strides[d];
    return offset;
  };
  for (int64_t unit = first; unit < last; ++unit) {
    const int64_t count = std::min(block_, inner_ - column);
    for (const Input& input : inputs_) {
      char* source = context.at<char>(input.place) + offset_of(input.strides) * input.element_bytes;
      if (input.load == nullptr) {
        registers[input.reg] = source;
      } else {
        load(input, source, registers[input.reg], count);
      }
    }
    for (const Output& output : outputs_) {
      if (output.store == nullptr) {
        registers[output.reg] =
            context.at<char>(output.place) + offset_of(output.strides) * output.element_bytes;
      }
    }
    run_block(registers, count);
    for (const Output& output : outputs_) {
      if (output.store != nullptr) {
        store(output,
              context.at<char>(output.place) + offset_of(output.strides) * output.element_bytes,
              registers[output.reg], count);
      }
    }
    column += block_;
    if (column < inner_) continue;
    column = 0;
    for (int d = outer_ - 1; d >= 0; --d) {
      if (++position[d] < sizes_[d]) break;
      position[d] = 0;
    }
  }
}

class SingleStep final : public Step {
 public:
  SingleStep(const Elementwise& operation, const ElementwiseOperands& operands) {
    call_.op = operation.op;
    call_.common = operation.common;
    call_.unrounded = operation.unrounded;
    call_.rank = operands.sizes.rank;
    const auto copy = [&](int64_t* to, const Dims& from) {
      std::copy(from.values, from.values + call_.rank, to);
    };
    copy(call_.sizes, operands.sizes);
    call_.out.dtype = operands.outputs[0].dtype;
    copy(call_.out.strides, operands.outputs[0].strides);
    out_ = operands.outputs[0].place;
    for (const TensorPlace& input : operands.inputs) {
      call_.in[count_].dtype = input.dtype;
      copy(call_.in[count_].strides, input.strides);
      in_[count_++] = input.place;
    }
    text_ = std::string(compute::operation_name(operation.op)) + " " + to_text(operands.sizes);
  }

  Error run(const RunContext& context) override {
    call_.out.data = context.at<void>(out_);
    for (int i = 0; i < count_; ++i) call_.in[i].data = context.at<void>(in_[i]);
    compute::elementwise(call_);
    return Error::Ok;
  }

  std::string describe() const override { return text_; }

 private:
  compute::ElementwiseCall call_{};
  Place out_;
  Place in_[compute::kMaxOperands];
  int count_ = 0;
  std::string text_;
};

// Whether results of the operation are 0 or 1.
bool gives_boolean(ElementwiseOp op, DType common) {
  if (op >= ElementwiseOp::Eq && op <= ElementwiseOp::LogicalXor) return true;
  if (op == ElementwiseOp::LogicalNot || op == ElementwiseOp::IsNan || op == ElementwiseOp::IsInf)
    return true;
  const bool keeps = op == ElementwiseOp::Copy || op == ElementwiseOp::Where ||
                     op == ElementwiseOp::BitwiseAnd || op == ElementwiseOp::BitwiseOr ||
                     op == ElementwiseOp::BitwiseXor;
  return keeps && common == DType::boolean;
}

}  // namespace

bool fusable(ElementwiseOp op, DType common, DType result, uint32_t unrounded) {
  if (unrounded != 0 || compute::is_complex(common)) return false;
  if (common != DType::boolean && !computes_in(common)) return false;
  if (result == DType::boolean ? !gives_boolean(op, common) : !computes_in(result)) return false;
  return compute::block_loop(op, compute::compute_type(common)) != nullptr;
}

std::unique_ptr<Step> make_fused_step(const FusedElementwise& program,
                                      const ElementwiseOperands& operands) {
  auto step = std::make_unique<FusedStep>();
  if (!step->build(program, operands)) return nullptr;
  return step;
}

std::unique_ptr<Step> make_elementwise_step(const Elementwise& operation,
                                            const ElementwiseOperands& operands) {
  return std::make_unique<SingleStep>(operation, operands);
}

}  // namespace executorch::engine
