/**
 * @file
 * What the planner knows of a method's values: where tensors keep their bytes, which instruction
 * touches what.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/executor/method_planner.h>

namespace executorch {
namespace kernels {

using runtime::EValue;
using runtime::MethodView;
using runtime::PlanInstruction;
using runtime::PlanValue;
using runtime::Span;

/// Bytes of a tensor: a range of a planned arena, or memory of the value's own.
struct Location {
  int32_t arena = -1;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  int32_t value = -1;  ///< where arena is -1

  bool meets(const Location& other) const {
    if (arena < 0 || other.arena < 0) return arena == other.arena && value == other.value;
    return arena == other.arena && offset < other.offset + other.bytes &&
           other.offset < offset + bytes;
  }
  bool same(const Location& other) const {
    if (arena < 0 || other.arena < 0) return arena == other.arena && value == other.value;
    return arena == other.arena && offset == other.offset && bytes == other.bytes;
  }
};

/// Outlives the view it was made from: plans for new shapes are made while the method runs.
class ValueTable {
 public:
  explicit ValueTable(const MethodView& view);

  size_t size() const { return values_.size(); }
  EValue& value(int32_t id) const { return *values_[static_cast<size_t>(id)]; }
  const PlanValue& info(int32_t id) const { return infos_[static_cast<size_t>(id)]; }
  Location location(int32_t id) const;
  /// The value that holds this tensor, -1 when it is none of the method's.
  int32_t find(const aten::Tensor& tensor) const;
  /// The values of a list's tensors; -1 stands for None. False when it is no list of tensors.
  bool list_items(int32_t id, std::vector<int32_t>* items) const;

  /// Tensors and numbers that the instruction may read.
  void collect_reads(const PlanInstruction& instruction, std::vector<int32_t>* ids) const;
  /// Where it is a kernel call, the position of the first out argument; the number of values when
  /// unknown.
  static size_t first_output(const PlanInstruction& instruction);

 private:
  std::vector<EValue*> values_;
  std::vector<PlanValue> infos_;
  std::unordered_map<const void*, int32_t> tensors_;
};

}  // namespace kernels
}  // namespace executorch
