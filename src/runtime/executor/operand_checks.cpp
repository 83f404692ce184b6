#include "runtime/executor/operand_checks.h"

#include <cstdio>
#include <cstring>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace {

/// Comparisons of one call. More operands than that are no program's doing.
constexpr size_t kMaxOverlapChecks = size_t{1} << 22;

bool is_tensor_kind(ArgumentKind kind) {
  return kind == ArgumentKind::Tensor || kind == ArgumentKind::TensorList ||
         kind == ArgumentKind::OptionalTensorList;
}

bool kind_accepts(ArgumentKind kind, Tag tag) {
  switch (kind) {
    case ArgumentKind::Tensor:
      return tag == Tag::Tensor;
    case ArgumentKind::TensorList:
      return tag == Tag::ListTensor;
    case ArgumentKind::OptionalTensorList:
      return tag == Tag::ListOptionalTensor || tag == Tag::ListTensor;
    case ArgumentKind::Scalar:
      return tag == Tag::Int || tag == Tag::Double || tag == Tag::Bool;
    case ArgumentKind::Int:
    case ArgumentKind::Device:
      return tag == Tag::Int;
    case ArgumentKind::Double:
      return tag == Tag::Double || tag == Tag::Int;
    case ArgumentKind::Bool:
      return tag == Tag::Bool;
    case ArgumentKind::String:
      return tag == Tag::String;
    case ArgumentKind::IntList:
      return tag == Tag::ListInt;
    case ArgumentKind::DoubleList:
      return tag == Tag::ListDouble;
    case ArgumentKind::BoolList:
      return tag == Tag::ListBool;
    case ArgumentKind::Unknown:
      return true;
  }
  return false;
}

const char* kind_text(ArgumentKind kind) {
  constexpr const char* kNames[] = {"Tensor", "Tensor[]", "Tensor?[]", "number", "int",
                                    "float",  "bool",     "string",    "int[]",  "float[]",
                                    "bool[]", "device",   "anything"};
  return kNames[static_cast<size_t>(kind)];
}

/// Walks over the operands of one call.
class OperandChecker {
 public:
  /// `at_load`: skip what may be replaced later, and note that it is there.
  OperandChecker(const MethodImpl& method, const Item& item, bool at_load)
      : method_(method), item_(item), at_load_(at_load) {}

  bool found_replaceable() const { return found_replaceable_; }

  Error check_all() {
    for (size_t i = 0; i < item_.args.size(); ++i) {
      const Error error = check_argument(i);
      if (error != Error::Ok) {
        add_argument_context(i);
        return error;
      }
    }
    return check_overlaps();
  }

 private:
  const ArgumentRule* rule(size_t argument) const {
    const CallSignature* signature = item_.signature;
    if (signature == nullptr || argument >= signature->arguments.size()) return nullptr;
    return &signature->arguments[argument];
  }

  bool is_return_slot(size_t argument) const {
    return item_.signature != nullptr && argument >= item_.signature->arguments.size();
  }

  void add_argument_context(size_t argument) const {
    const ArgumentRule* known = rule(argument);
    const int length = known == nullptr ? 0 : known->name_length;
    if (length == 0) {
      add_error_context("argument %zu", argument);
    } else {
      add_error_context("argument %zu '%.*s'", argument, length, known->name);
    }
  }

  const ValueRecord& record_of(const EValue* value) const {
    return method_.records[value - method_.values];
  }

  /// True if the value may be another one by the time of the call.
  bool skip(const EValue* value) {
    const ValueRecord& record = record_of(value);
    const bool replaceable = record.replaced || record.freed;
    if (replaceable) found_replaceable_ = true;
    return replaceable && at_load_;
  }

  Error check_argument(size_t argument) {
    const EValue* value = item_.args[argument];
    if (is_return_slot(argument)) return check_return_slot(value);
    const ArgumentRule* known = rule(argument);
    if (!skip(value)) ET_TRY(check_kind(known, *value));
    return check_memory_of(value, known);
  }

  Error check_return_slot(const EValue* value) {
    if (item_.signature->replaces_return_slot) return Error::Ok;
    // The kernel may store into it, and what it names must be what the operator returns.
    skip(value);
    return Error::Ok;
  }

  static Error check_kind(const ArgumentRule* known, const EValue& value) {
    if (known == nullptr || (known->optional && value.isNone())) return Error::Ok;
    ET_REQUIRE(kind_accepts(known->kind, value.tag), InvalidProgram, "it is %s, expected %s%s",
               tag_name(value.tag), kind_text(known->kind), known->optional ? " or None" : "");
    return Error::Ok;
  }

  Error check_memory_of(const EValue* value, const ArgumentRule* known) {
    const ValueRecord& record = record_of(value);
    if (is_list(value->tag)) return check_items(record, value->tag, known);
    if (skip(value) || !value->isTensor()) return Error::Ok;
    return check_tensor(*value, known);
  }

  static bool is_list(Tag tag) {
    return tag == Tag::ListInt || tag == Tag::ListTensor || tag == Tag::ListOptionalTensor;
  }

  /// A list shows the present values of its items, which may have been replaced although the list
  /// was not.
  Error check_items(const ValueRecord& record, Tag tag, const ArgumentRule* known) {
    for (size_t i = 0; i < record.items.size(); ++i) {
      const EValue* item = record.items[i];
      if (item == nullptr || skip(item)) continue;
      const bool fits = tag == Tag::ListInt ? item->isInt()
                                            : item->isTensor() || (tag == Tag::ListOptionalTensor &&
                                                                   item->isNone());
      ET_REQUIRE(fits, InvalidProgram, "list item %zu is %s, expected %s", i, tag_name(item->tag),
                 tag == Tag::ListInt ? "Int" : "Tensor");
      if (item->isTensor()) ET_TRY(check_tensor(*item, known));
    }
    return Error::Ok;
  }

  Error check_tensor(const EValue& value, const ArgumentRule* known) {
    const executorch::aten::Tensor& tensor = value.payload.as_tensor;
    const ValueRecord* record = method_.find_record(tensor.unsafeGetTensorImpl());
    const bool written = known != nullptr && known->written;
    const size_t max_nbytes = record == nullptr ? tensor.nbytes() : record->max_nbytes;
    if (written && record != nullptr) {
      ET_REQUIRE(!is_constant(record->storage), InvalidProgram, "a constant would be written");
      ET_REQUIRE(
          !known->out || record->storage != TensorStorage::Unplanned || record->input_index < 0,
          InvalidProgram, "the caller's input %d would be overwritten", record->input_index);
    }
    if (at_load_) return check_has_home(*record);
    ET_REQUIRE(
        tensor.const_data_ptr() != nullptr || max_nbytes == 0 || (!written && tensor.nbytes() == 0),
        InvalidArgument, "the tensor has no memory");
    if (written && record != nullptr && tensor.const_data_ptr() != record->home) {
      return check_room(tensor.const_data_ptr(), max_nbytes);
    }
    return Error::Ok;
  }

  /// Inputs and outputs get memory before they are used; for others nobody would provide it.
  static Error check_has_home(const ValueRecord& record) {
    ET_REQUIRE(record.storage != TensorStorage::Unplanned || record.max_nbytes == 0 ||
                   record.input_index >= 0 || record.output_index >= 0,
               InvalidProgram, "the tensor has neither planned memory nor constant data");
    return Error::Ok;
  }

  /// A tensor that shares memory may be written only inside planned memory, and at its largest
  /// size.
  Error check_room(const void* data, size_t nbytes) const {
    const auto begin = reinterpret_cast<uintptr_t>(data);
    for (const Span<uint8_t>& arena : method_.arenas) {
      const auto arena_begin = reinterpret_cast<uintptr_t>(arena.data());
      if (begin >= arena_begin && begin - arena_begin <= arena.size()) {
        ET_REQUIRE(nbytes <= arena.size() - (begin - arena_begin), InvalidProgram,
                   "%zu bytes would be written past the end of an arena", nbytes);
        return Error::Ok;
      }
    }
    return ET_ERROR(InvalidProgram, "it shares memory that is not planned, and would be written");
  }

  // ---- overlap ----

  struct Operand {
    const EValue* value;
    uintptr_t begin;
    size_t nbytes;
  };

  /// What is written may become as large as it is allowed to be.
  bool make_operand(const EValue* value, bool written, Operand* operand) {
    if (value == nullptr || skip(value) || !value->isTensor()) return false;
    const executorch::aten::Tensor& tensor = value->payload.as_tensor;
    const ValueRecord* record = method_.find_record(tensor.unsafeGetTensorImpl());
    const void* data = tensor.const_data_ptr();
    if (data == nullptr || record == nullptr) return false;
    *operand = {value, reinterpret_cast<uintptr_t>(data),
                at_load_ || written ? record->max_nbytes : tensor.nbytes()};
    return operand->nbytes > 0;
  }

  template <class Visit>
  Error for_each_tensor(size_t argument, Visit visit) {
    const EValue* value = item_.args[argument];
    const bool written = item_.signature->arguments[argument].written;
    Operand operand;
    if (value->tag == Tag::ListTensor || value->tag == Tag::ListOptionalTensor) {
      for (EValue* item : record_of(value).items) {
        if (make_operand(item, written, &operand)) ET_TRY(visit(operand));
      }
      return Error::Ok;
    }
    return make_operand(value, written, &operand) ? visit(operand) : Error::Ok;
  }

  /// What is written must not lie over any other operand, except for an in-place argument, which
  /// may be read as well.
  Error check_overlaps() {
    if (item_.signature == nullptr || !item_.signature->knows_writes) return Error::Ok;
    for (size_t i = 0; i < item_.signature->arguments.size() && i < item_.args.size(); ++i) {
      const ArgumentRule& known = item_.signature->arguments[i];
      if (!known.out || !is_tensor_kind(known.kind)) continue;
      ET_TRY(for_each_tensor(
          i, [&](const Operand& written) { return check_overlaps_of(written, i); }));
    }
    return Error::Ok;
  }

  Error check_overlaps_of(const Operand& written, size_t argument) {
    for (size_t j = 0; j < item_.signature->arguments.size() && j < item_.args.size(); ++j) {
      bool seen_itself = false;
      ET_TRY(for_each_tensor(j, [&](const Operand& other) -> Error {
        ET_REQUIRE(++comparisons_ <= kMaxOverlapChecks, InvalidProgram, "too many operands");
        if (j == argument && other.value == written.value && !seen_itself) {
          seen_itself = true;
          return Error::Ok;
        }
        const bool apart = written.begin >= other.begin + other.nbytes ||
                           other.begin >= written.begin + written.nbytes;
        ET_REQUIRE(apart, InvalidProgram,
                   "arguments %zu and %zu lie in the same memory, and %zu is written", argument, j,
                   argument);
        return Error::Ok;
      }));
    }
    return Error::Ok;
  }

  const MethodImpl& method_;
  const Item& item_;
  const bool at_load_;
  bool found_replaceable_ = false;
  size_t comparisons_ = 0;
};

Error check_count(const Item& item) {
  const CallSignature& signature = *item.signature;
  const size_t without_return = signature.arguments.size();
  const size_t expected = without_return + (signature.has_return_slot ? 1 : 0);
  const bool fits = item.args.size() == expected ||
                    (signature.return_slot_optional && item.args.size() == without_return);
  ET_REQUIRE(fits, InvalidProgram, "it is called with %zu values, expected %zu: %zu arguments%s",
             item.args.size(), expected, without_return,
             signature.has_return_slot ? " and the return value" : "");
  return Error::Ok;
}

}  // namespace

Error check_operands_at_load(const MethodImpl& method, Item& item) {
  if (item.signature != nullptr) ET_TRY(check_count(item));
  OperandChecker checker(method, item, true);
  ET_TRY(checker.check_all());
  item.check_operands = checker.found_replaceable();
  return Error::Ok;
}

Error check_operands_at_run(const MethodImpl& method, const Item& item) {
  return OperandChecker(method, item, false).check_all();
}

void add_item_context(const Item& item, size_t chain, const char* method_name) {
  char place[160];
  if (chain == 0) {
    std::snprintf(place, sizeof(place), "instruction %u of %.100s", item.source, method_name);
  } else {
    std::snprintf(place, sizeof(place), "instruction %u of chain %zu of %.100s", item.source, chain,
                  method_name);
  }
  // Kernels put their own name first.
  const bool is_named = std::strncmp(last_error_message(), item.name, std::strlen(item.name)) == 0;
  if (is_named || item.name[0] == '\0') {
    add_error_context("%s", place);
    return;
  }
  const char* kind = item.kind == Item::Kind::Kernel     ? "operator "
                     : item.kind == Item::Kind::Delegate ? "delegate "
                                                         : "";
  add_error_context("%s%.200s (%s)", kind, item.name, place);
}

const char* tag_name(Tag tag) {
  switch (tag) {
    case Tag::None:
      return "None";
    case Tag::Tensor:
      return "Tensor";
    case Tag::String:
      return "String";
    case Tag::Double:
      return "Double";
    case Tag::Int:
      return "Int";
    case Tag::Bool:
      return "Bool";
    case Tag::ListBool:
      return "ListBool";
    case Tag::ListDouble:
      return "ListDouble";
    case Tag::ListInt:
      return "ListInt";
    case Tag::ListTensor:
      return "ListTensor";
    case Tag::ListScalar:
      return "ListScalar";
    case Tag::ListOptionalTensor:
      return "ListOptionalTensor";
  }
  return "of no kind";
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
