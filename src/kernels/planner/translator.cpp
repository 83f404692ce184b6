#include "kernels/planner/translator.h"

#include <algorithm>
#include <cstring>

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace executorch {
namespace kernels {

using engine::Source;

bool Translator::add(const PlanInstruction& instruction) {
  if (instruction.kind == runtime::InstructionKind::Delegate)
    return translate_delegate(*this, instruction);
  // Without a schema it is a kernel that this library does not know, whatever its name.
  if (instruction.kind != runtime::InstructionKind::Kernel || instruction.schema == nullptr)
    return false;
  if (const TranslateRow* row = find_translation(instruction.name)) {
    // Rows may decline an unusual case before they have changed anything; the kernel then does it.
    const size_t nodes = graph_.nodes.size();
    if (instruction.values.size() >= row->num_arguments && row->function(*this, instruction.values))
      return true;
    if (graph_.nodes.size() != nodes) return false;
  }
  return translate_foreign(*this, instruction);
}

// ---- Reading

bool Translator::layout_of(int32_t id, Dims* sizes, Dims* strides) const {
  const EValue& value = table_.value(id);
  if (!value.isTensor()) return false;
  const aten::Tensor& tensor = value.payload.as_tensor;
  if (tensor.dim() > engine::kMaxRank) return false;
  if (compute::element_size(static_cast<DType>(tensor.scalar_type())) == 0) return false;
  sizes->rank = strides->rank = static_cast<int>(tensor.dim());
  for (int d = 0; d < sizes->rank; ++d) (*sizes)[d] = tensor.sizes()[static_cast<size_t>(d)];
  const auto order = tensor.dim_order();
  int64_t stride = 1;
  for (int i = sizes->rank - 1; i >= 0; --i) {
    const int d = order.empty() ? i : order[static_cast<size_t>(i)];
    (*strides)[d] = stride;
    stride *= (*sizes)[d] > 1 ? (*sizes)[d] : 1;
  }
  return true;
}

int32_t Translator::slot(int32_t id) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].value == id) return static_cast<int32_t>(i);
  }
  const Location where = table_.location(id);
  engine::External external;
  external.region = where.arena;
  external.offset = where.offset;
  external.bytes = where.bytes;
  graph_.externals.push_back(external);
  slots_.push_back({id, false, {}});
  return static_cast<int32_t>(slots_.size() - 1);
}

// The content under the sizes of another tensor of the same bytes.
ValueId Translator::as_view(const Content& content, int32_t id) {
  if (content.holder == id || content.value == kNoValue) return content.value;
  Dims sizes, strides, holder_sizes, holder_strides;
  if (!layout_of(id, &sizes, &strides) ||
      !layout_of(content.holder, &holder_sizes, &holder_strides))
    return kNoValue;
  const aten::Tensor& tensor = table_.value(id).payload.as_tensor;
  if (static_cast<DType>(tensor.scalar_type()) != dtype(content.value)) return kNoValue;
  if (table_.info(id).dynamic_shape || table_.info(content.holder).dynamic_shape) return kNoValue;
  if (sizes == this->sizes(content.value) && engine::same_strides(sizes, strides, holder_strides))
    return content.value;
  const bool plain =
      engine::is_contiguous(sizes, strides) && engine::is_contiguous(holder_sizes, holder_strides);
  if (!plain || engine::numel(sizes) != engine::numel(this->sizes(content.value))) return kNoValue;
  return reshape(content.value, sizes);
}

// The newest content that the tensor's bytes have; views by other tensors change nothing. Null when
// the bytes are as they were before the run.
const Translator::Content* Translator::find_content(int32_t id) const {
  const Location where = table_.location(id);
  for (size_t i = contents_.size(); i-- > 0;) {
    const Content& content = contents_[i];
    const bool own = content.holder == id;
    if (content.view && !own) continue;
    if (own || (content.written && content.where.meets(where))) return &content;
  }
  return nullptr;
}

ValueId Translator::read(int32_t id) {
  if (id < 0 || !is_tensor(id)) return kNoValue;
  const PlanValue& info = table_.info(id);
  const Location where = table_.location(id);
  if (const Content* content = find_content(id)) {
    // Bytes that a newer value covers in part cannot be read.
    return content->where.same(where) ? as_view(*content, id) : kNoValue;
  }
  Dims sizes, strides;
  if (!layout_of(id, &sizes, &strides)) return kNoValue;
  const aten::Tensor& tensor = table_.value(id).payload.as_tensor;
  const DType dtype = static_cast<DType>(tensor.scalar_type());
  ValueId value;
  if (info.constant) {
    if (tensor.const_data_ptr() == nullptr && engine::numel(sizes) > 0) return kNoValue;
    value = graph_.add_constant(dtype, sizes, strides, tensor.const_data_ptr());
  } else {
    value = graph_.add_external(dtype, sizes, strides, slot(id));
  }
  contents_.push_back({where, value, id, false});
  return value;
}

bool Translator::read_list(int32_t id, std::vector<ValueId>* values) {
  std::vector<int32_t> items;
  if (!table_.list_items(id, &items)) return false;
  values->clear();
  for (const int32_t item : items) {
    if (item < 0) return false;
    values->push_back(read(item));
    if (values->back() == kNoValue) return false;
  }
  return true;
}

bool Translator::number(int32_t id, Number* number) {
  const EValue& value = table_.value(id);
  const auto& payload = value.payload.copyable_union;
  if (value.isInt()) {
    *number = {false, false, 0, payload.as_int};
  } else if (value.isDouble()) {
    *number = {true, false, payload.as_double, 0};
  } else if (value.isBool()) {
    *number = {false, true, 0, payload.as_bool ? 1 : 0};
  } else {
    return false;
  }
  const bool own =
      std::any_of(numbers_.begin(), numbers_.end(), [&](const auto& n) { return n.first == id; });
  if (!own && !table_.info(id).constant) outside_numbers_.push_back(id);
  return true;
}

bool Translator::integer(int32_t id, int64_t* integer) {
  Number found;
  if (!number(id, &found) || found.floating) return false;
  *integer = found.integer;
  return true;
}

bool Translator::boolean(int32_t id, bool* boolean) {
  Number found;
  if (!number(id, &found) || found.floating) return false;
  *boolean = found.integer != 0;
  return true;
}

bool Translator::integers(int32_t id, std::vector<int64_t>* integers) {
  const EValue& value = table_.value(id);
  if (!value.isIntList()) return false;
  const auto list = value.tryToIntList();
  if (!list.ok()) return false;
  integers->assign(list.get().begin(), list.get().end());
  if (!table_.info(id).constant) integer_lists_.push_back(id);
  return true;
}

bool Translator::dim(int32_t id, int rank, int* dim) {
  int64_t value;
  if (!integer(id, &value)) return false;
  const int64_t range = rank == 0 ? 1 : rank;
  if (value < -range || value >= range) return false;
  *dim = static_cast<int>(value < 0 ? value + range : value);
  return true;
}

// ---- Writing

bool Translator::output_type(int32_t id, DType* dtype) const {
  if (id < 0 || !is_tensor(id)) return false;
  *dtype = static_cast<DType>(table_.value(id).payload.as_tensor.scalar_type());
  return compute::element_size(*dtype) != 0;
}

namespace {

bool fits(const Dims& sizes, DType dtype, uint64_t limit) {
  uint64_t bytes = compute::element_size(dtype);
  for (int d = 0; d < sizes.rank; ++d) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(sizes[d]), &bytes)) return false;
  }
  return bytes <= limit;
}

}  // namespace

bool Translator::write(int32_t id, ValueId value) {
  DType expected;
  if (value == kNoValue || !output_type(id, &expected) || expected != dtype(value)) return false;
  const PlanValue& info = table_.info(id);
  if (info.constant) return false;
  Dims sizes, strides;
  if (!layout_of(id, &sizes, &strides)) return false;
  const Dims& written = this->sizes(value);
  if (info.dynamic_shape ? written.rank != sizes.rank || !fits(written, expected, info.max_nbytes)
                         : !(sizes == written)) {
    return false;
  }
  const Location where = table_.location(id);
  contents_.push_back({where, value, id, true});
  return true;
}

bool Translator::write_view(int32_t id, ValueId value) {
  DType expected;
  if (value == kNoValue || !output_type(id, &expected) || expected != dtype(value)) return false;
  contents_.push_back({table_.location(id), value, id, true, true});
  return true;
}

bool Translator::write_unknown(int32_t id) {
  if (id < 0 || !is_tensor(id)) return false;
  contents_.push_back({table_.location(id), kNoValue, id, true});
  return true;
}

bool Translator::write_number(int32_t id, EValue number) {
  table_.value(id) = number;
  for (auto& known : numbers_) {
    if (known.first == id) {
      known.second = number;
      return true;
    }
  }
  numbers_.emplace_back(id, number);
  return true;
}

bool Translator::finish(const std::vector<int32_t>& outside) {
  for (const int32_t id : outside) {
    if (is_tensor(id) && !give_back(id)) return false;
  }
  return true;
}

// Makes what was written to the tensor's bytes a result of the run.
bool Translator::give_back(int32_t id) {
  const Content* content = find_content(id);
  if (content == nullptr || !content->written) return true;
  const Location where = table_.location(id);
  if (!content->where.same(where)) return true;  // overwritten in part: the tensor is dead
  if (content->holder == id && content->value == kNoValue) return false;
  if (content->view && where.arena < 0) return false;
  const ValueId value = as_view(*content, id);
  if (value == kNoValue) return true;  // the bytes serve another tensor now
  Dims sizes, strides;
  if (!layout_of(id, &sizes, &strides)) return false;
  const Dims& written = this->sizes(value);
  if (!(sizes == written)) {
    const bool plain = engine::is_contiguous(sizes, strides);
    strides =
        plain ? engine::contiguous_strides(written) : engine::dense_strides_like(written, strides);
  }
  const bool held =
      std::any_of(graph_.results.begin(), graph_.results.end(), [&](const engine::Result& result) {
        return table_.location(slots_[static_cast<size_t>(result.slot)].value).same(where);
      });
  // Another tensor of these bytes takes the value; this one needs no more than its sizes.
  if (held && !table_.info(id).dynamic_shape) return true;
  const int32_t target = slot(id);
  slots_[static_cast<size_t>(target)].written = true;
  slots_[static_cast<size_t>(target)].sizes = written;
  if (!held) graph_.results.push_back({value, target, strides});
  return true;
}

// ---- Nodes

ValueId Translator::reshape(ValueId value, const Dims& sizes) {
  if (value == kNoValue || engine::numel(sizes) != engine::numel(this->sizes(value)))
    return kNoValue;
  if (sizes == this->sizes(value)) return value;
  return graph_.add_node(engine::Reshape{}, {value}, dtype(value), sizes);
}

ValueId Translator::permute(ValueId value, const std::vector<int>& dims) {
  engine::Permute permute{};
  Dims sizes;
  for (size_t i = 0; i < dims.size(); ++i) {
    permute.dims[i] = static_cast<int8_t>(dims[i]);
    sizes.push(this->sizes(value)[dims[i]]);
  }
  return graph_.add_node(permute, {value}, dtype(value), sizes);
}

ValueId Translator::expand(ValueId value, const Dims& sizes) {
  if (value == kNoValue) return kNoValue;
  if (sizes == this->sizes(value)) return value;
  Dims strides;
  if (!engine::broadcast_strides(this->sizes(value), this->sizes(value), sizes, &strides))
    return kNoValue;
  return graph_.add_node(engine::Expand{}, {value}, dtype(value), sizes);
}

ValueId Translator::slice(ValueId value, int dim, int64_t start, int64_t length, int64_t step) {
  Dims sizes = this->sizes(value);
  if (start == 0 && step == 1 && length == sizes[dim]) return value;
  if (length == 0) start = 0;
  sizes[dim] = length;
  return graph_.add_node(engine::Slice{dim, start, step}, {value}, dtype(value), sizes);
}

ValueId Translator::elementwise(engine::ElementwiseOp op, DType common,
                                std::vector<ValueId> operands, DType result) {
  Dims sizes;
  for (const ValueId operand : operands) {
    if (operand == kNoValue) return kNoValue;
    if (!engine::broadcast_sizes(sizes, this->sizes(operand), &sizes)) return kNoValue;
  }
  return graph_.add_node(engine::Elementwise{op, common, 0}, std::move(operands), result, sizes);
}

ValueId Translator::cast(ValueId value, DType to) {
  if (value == kNoValue || dtype(value) == to) return value;
  if (to == DType::boolean) {
    return elementwise(engine::ElementwiseOp::Ne, dtype(value),
                       {value, graph_.add_scalar(dtype(value), int64_t{0})}, to);
  }
  return elementwise(engine::ElementwiseOp::Copy, dtype(value), {value}, to);
}

}  // namespace kernels
}  // namespace executorch
