#include <cstring>

#include <executorch/runtime/kernel/operator_table.h>

namespace executorch {
namespace runtime {
namespace {

/// A piece of the schema text.
struct Word {
  const char* begin = nullptr;
  size_t length = 0;

  bool is(const char* text) const {
    return std::strlen(text) == length && std::memcmp(begin, text, length) == 0;
  }
};

/// What stands behind `*` and before the name of an argument.
struct Type {
  Word base;
  bool optional_element = false;  ///< `?` before `[]`
  bool list = false;
  bool optional = false;  ///< `?` at the end
  bool written = false;
};

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

ArgumentKind list_kind(const Type& type) {
  if (type.base.is("Tensor")) {
    return type.optional_element ? ArgumentKind::OptionalTensorList : ArgumentKind::TensorList;
  }
  if (type.optional_element) return ArgumentKind::Unknown;
  if (type.base.is("int") || type.base.is("SymInt")) return ArgumentKind::IntList;
  if (type.base.is("float")) return ArgumentKind::DoubleList;
  if (type.base.is("bool")) return ArgumentKind::BoolList;
  return ArgumentKind::Unknown;
}

ArgumentKind single_kind(const Word& base) {
  static constexpr struct {
    const char* name;
    ArgumentKind kind;
  } kinds[] = {
      {"Tensor", ArgumentKind::Tensor},    {"Scalar", ArgumentKind::Scalar},
      {"int", ArgumentKind::Int},          {"SymInt", ArgumentKind::Int},
      {"bool", ArgumentKind::Bool},        {"float", ArgumentKind::Double},
      {"str", ArgumentKind::String},       {"ScalarType", ArgumentKind::Int},
      {"MemoryFormat", ArgumentKind::Int}, {"Layout", ArgumentKind::Int},
      {"Device", ArgumentKind::Device},
  };
  for (const auto& entry : kinds) {
    if (base.is(entry.name)) return entry.kind;
  }
  return ArgumentKind::Unknown;
}

/// Recursive descent over the text of a schema. Every take_*() skips spaces first.
class SchemaParser {
 public:
  SchemaParser(const char* text, OperatorSchema* schema)
      : text_(text), at_(text), schema_(schema) {}

  Error parse() {
    schema_->num_arguments = 0;
    schema_->num_returns = 0;
    ET_TRY(parse_arguments());
    if (!take('-') || !take('>')) return expected("'->'");
    ET_TRY(parse_returns());
    skip_spaces();
    return *at_ == '\0' ? Error::Ok : expected("the end");
  }

 private:
  Error parse_arguments() {
    if (!take('(')) return expected("'('");
    if (take(')')) return Error::Ok;
    bool keyword_only = false;
    do {
      if (take('*')) {
        if (keyword_only) return expected("an argument");
        keyword_only = true;
        continue;
      }
      ET_TRY(parse_argument(keyword_only));
    } while (take(','));
    return take(')') ? Error::Ok : expected("',' or ')'");
  }

  Error parse_argument(bool keyword_only) {
    if (schema_->num_arguments == kMaxSchemaArguments) {
      return ET_ERROR(InvalidArgument, "the schema '%s' has over %zu arguments", text_,
                      kMaxSchemaArguments);
    }
    Type type;
    ET_TRY(parse_type(&type));
    const Word name = take_word();
    if (name.length == 0 || name.length > UINT16_MAX) return expected("the name of an argument");
    if (take('=')) ET_TRY(skip_default());

    SchemaArgument& argument = schema_->arguments[schema_->num_arguments++];
    argument.name = name.begin;
    argument.name_length = static_cast<uint16_t>(name.length);
    argument.kind = type.list ? list_kind(type) : single_kind(type.base);
    argument.optional = type.optional;
    argument.written = type.written;
    argument.out = keyword_only && type.written;
    return Error::Ok;
  }

  /// base [alias] {'?' | '[' [size] ']' | alias}
  Error parse_type(Type* type) {
    type->base = take_word();
    if (type->base.length == 0) return expected("a type");
    for (;;) {
      if (take('?')) {
        type->optional = true;
      } else if (take('[')) {
        take_word();
        if (!take(']')) return expected("']'");
        type->list = true;
        type->optional_element = type->optional;
        type->optional = false;
      } else if (take('(')) {
        ET_TRY(parse_alias(type));
      } else {
        return Error::Ok;
      }
    }
  }

  /// What stands between the parentheses of `Tensor(a!)` or `Tensor(a -> *)`.
  Error parse_alias(Type* type) {
    while (*at_ != ')') {
      if (*at_ == '\0') return expected("')'");
      if (*at_ == '!') type->written = true;
      ++at_;
    }
    ++at_;
    return Error::Ok;
  }

  /// A default value: a number, a word, a quoted text or a list.
  Error skip_default() {
    skip_spaces();
    size_t depth = 0;
    for (;; ++at_) {
      const char c = *at_;
      if (c == '\0') return expected("')'");
      if (c == '"' || c == '\'') {
        at_ = std::strchr(at_ + 1, c);
        if (at_ == nullptr) {
          at_ = text_ + std::strlen(text_);
          return expected("a closing quote");
        }
      } else if (c == '[' || c == '(') {
        ++depth;
      } else if (depth == 0 && (c == ',' || c == ')')) {
        return Error::Ok;
      } else if (c == ']' || c == ')') {
        if (depth == 0) return expected("',' or ')'");
        --depth;
      }
    }
  }

  Error parse_returns() {
    if (!take('(')) return parse_return();
    if (take(')')) return Error::Ok;
    do {
      ET_TRY(parse_return());
    } while (take(','));
    return take(')') ? Error::Ok : expected("',' or ')'");
  }

  Error parse_return() {
    Type type;
    ET_TRY(parse_type(&type));
    take_word();  // returns may have names
    ++schema_->num_returns;
    return Error::Ok;
  }

  void skip_spaces() {
    while (*at_ == ' ') ++at_;
  }

  bool take(char c) {
    skip_spaces();
    if (*at_ != c) return false;
    ++at_;
    return true;
  }

  Word take_word() {
    skip_spaces();
    Word word{at_, 0};
    while (is_word_char(*at_)) ++at_;
    word.length = static_cast<size_t>(at_ - word.begin);
    return word;
  }

  Error expected(const char* what) const {
    return ET_ERROR(InvalidArgument, "the schema '%s' is malformed at position %zu: %s is expected",
                    text_, static_cast<size_t>(at_ - text_), what);
  }

  const char* text_;
  const char* at_;
  OperatorSchema* schema_;
};

}  // namespace

Error parse_operator_schema(const char* text, OperatorSchema* schema) {
  ET_REQUIRE(text != nullptr && schema != nullptr, InvalidArgument, "a schema without a text");
  return SchemaParser(text, schema).parse();
}

}  // namespace runtime
}  // namespace executorch
