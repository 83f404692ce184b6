/**
 * @file
 * Turns instructions of a method into an engine graph. Shapes are those of the tensors at the
 * moment; integers are evaluated on the way. Values are followed through memory: the exporter lets
 * tensors share bytes, so a read means what was last written to the same place.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"
#include "kernels/planner/value_table.h"

namespace executorch {
namespace kernels {

using engine::Dims;
using engine::DType;
using engine::Graph;
using engine::kNoValue;
using engine::ValueId;

/// A number argument: integer, float or boolean.
struct Number {
  bool floating = false;
  bool boolean = false;
  double real = 0;
  int64_t integer = 0;

  double as_double() const { return floating ? real : static_cast<double>(integer); }
};

/// A tensor of the method that the run reads or writes.
struct Slot {
  int32_t value;
  bool written = false;
  Dims sizes;  ///< of what is written
};

class Translator {
 public:
  explicit Translator(const ValueTable& table) : table_(table) {}

  /// Adds the instruction. False when it is not understood: the graph is then half done and to be
  /// thrown away.
  bool add(const PlanInstruction& instruction);

  /// Ends the run: the tensors that `outside` names must hold what was written to their bytes.
  /// False when that cannot be.
  bool finish(const std::vector<int32_t>& outside);

  Graph take_graph() { return std::move(graph_); }
  const std::vector<Slot>& slots() const { return slots_; }
  /// Integers, floats and booleans that the run computes, by value.
  const std::vector<std::pair<int32_t, EValue>>& numbers() const { return numbers_; }
  /// Integers read from outside the run that may change, and lists that may hold such.
  const std::vector<int32_t>& outside_numbers() const { return outside_numbers_; }
  const std::vector<int32_t>& integer_lists() const { return integer_lists_; }

  // ---- For the functions that translate one operator each. They return false when they do not
  // understand.

  Graph& graph() { return graph_; }
  const engine::Value& value(ValueId id) const { return graph_.value(id); }
  const Dims& sizes(ValueId id) const { return graph_.value(id).sizes; }
  DType dtype(ValueId id) const { return graph_.value(id).dtype; }
  const ValueTable& table() const { return table_; }

  bool is_none(int32_t id) const { return table_.value(id).isNone(); }
  bool is_tensor(int32_t id) const { return table_.value(id).isTensor(); }
  /// The tensor of a value that is one.
  const aten::Tensor& tensor(int32_t id) const { return table_.value(id).payload.as_tensor; }
  /// The tensor's present value, kNoValue when it cannot be told.
  ValueId read(int32_t id);
  bool read_list(int32_t id, std::vector<ValueId>* values);
  bool number(int32_t id, Number* number);
  bool integer(int32_t id, int64_t* integer);
  bool boolean(int32_t id, bool* boolean);
  bool integers(int32_t id, std::vector<int64_t>* integers);
  /// A dim argument, wrapped into [0, rank).
  bool dim(int32_t id, int rank, int* dim);

  /// dtype and present sizes that the program expects of an output; sizes do not bind where they
  /// may change.
  bool output_type(int32_t id, DType* dtype) const;
  /// Makes `value` the content of the tensor.
  bool write(int32_t id, ValueId value);
  bool write_number(int32_t id, EValue number);
  /// The tensor is written with something that the engine does not compute: nothing may read it.
  bool write_unknown(int32_t id);
  /// The tensor shows other sizes of `value` without memory of its own.
  bool write_view(int32_t id, ValueId value);

  ValueId reshape(ValueId value, const Dims& sizes);
  ValueId permute(ValueId value, const std::vector<int>& dims);
  ValueId expand(ValueId value, const Dims& sizes);
  ValueId slice(ValueId value, int dim, int64_t start, int64_t length, int64_t step);
  ValueId elementwise(engine::ElementwiseOp op, DType common, std::vector<ValueId> operands,
                      DType result);
  ValueId cast(ValueId value, DType dtype);

 private:
  struct Content {
    Location where;
    ValueId value;
    int32_t holder;  ///< the tensor it was written to or read from
    bool written;
    bool view = false;  ///< the holder shows the bytes of another tensor, which keep their content
  };
  int32_t slot(int32_t id);
  bool layout_of(int32_t id, Dims* sizes, Dims* strides) const;
  ValueId as_view(const Content& content, int32_t id);
  const Content* find_content(int32_t id) const;
  bool give_back(int32_t id);

  const ValueTable& table_;
  Graph graph_;
  std::vector<Content> contents_;
  std::vector<Slot> slots_;
  std::vector<std::pair<int32_t, EValue>> numbers_;
  std::vector<int32_t> outside_numbers_;
  std::vector<int32_t> integer_lists_;
};

/// Arguments of one call, outputs included.
using Arguments = Span<const int32_t>;
using TranslateFunction = bool (*)(Translator& translator, Arguments arguments);

struct TranslateRow {
  const char* name;
  size_t num_arguments;
  TranslateFunction function;
};

// One table per file.
Span<const TranslateRow> view_translations();
Span<const TranslateRow> elementwise_translations();
Span<const TranslateRow> product_translations();
Span<const TranslateRow> image_translations();
Span<const TranslateRow> row_translations();
Span<const TranslateRow> index_translations();
Span<const TranslateRow> symbol_translations();

/// The row of an operator; null when there is none.
const TranslateRow* find_translation(const char* name);

/// A delegate that shares its graph becomes part of the run.
bool translate_delegate(Translator& translator, const PlanInstruction& instruction);

/// Any other pure operator becomes a call of its kernel.
bool translate_foreign(Translator& translator, const PlanInstruction& instruction);

}  // namespace kernels
}  // namespace executorch
