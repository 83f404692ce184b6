/**
 * @file
 * What a program says of a method, without loading it.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch_flatbuffer {
struct ExecutionPlan;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {
namespace testing {
class TensorInfoTestFriend;
}  // namespace testing

/// One tensor of a program. Points into the program, which must outlive it.
class EXECUTORCH_API TensorInfo final {
 public:
  TensorInfo() = delete;
  TensorInfo(const TensorInfo&) = default;
  TensorInfo(TensorInfo&&) = default;
  TensorInfo& operator=(const TensorInfo&) = default;
  TensorInfo& operator=(TensorInfo&&) = default;
  ~TensorInfo() = default;

  /// Sizes; upper bounds where the shape is dynamic.
  Span<const int32_t> sizes() const { return sizes_; }
  /// Dimensions from outermost to innermost in memory.
  Span<const uint8_t> dim_order() const { return dim_order_; }
  executorch::aten::ScalarType scalar_type() const { return scalar_type_; }
  /// True if the method brings the memory: planned, or a constant.
  bool is_memory_planned() const { return is_memory_planned_; }
  /// True if sizes may change from run to run, up to sizes().
  bool is_dynamic() const { return is_dynamic_; }
  /// Bytes of a tensor of sizes().
  size_t nbytes() const { return nbytes_; }
  /// Fully qualified name, "" for most tensors.
  std::string_view name() const { return name_; }

 private:
  friend class MethodMeta;
  friend class testing::TensorInfoTestFriend;

  static Result<TensorInfo> create(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
                                   executorch::aten::ScalarType scalar_type, bool is_memory_planned,
                                   std::string_view name, bool is_dynamic = false);

  TensorInfo(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
             executorch::aten::ScalarType scalar_type, bool is_memory_planned,
             std::string_view name, size_t nbytes, bool is_dynamic)
      : sizes_(sizes),
        dim_order_(dim_order),
        name_(name),
        scalar_type_(scalar_type),
        is_memory_planned_(is_memory_planned),
        is_dynamic_(is_dynamic),
        nbytes_(nbytes) {}

  Span<const int32_t> sizes_;
  Span<const uint8_t> dim_order_;
  std::string_view name_;
  executorch::aten::ScalarType scalar_type_;
  bool is_memory_planned_;
  bool is_dynamic_;
  size_t nbytes_;
};

/// A method of a program. Points into the program, which must outlive it. Cheap to copy.
/// Thread-safe.
class EXECUTORCH_API MethodMeta final {
 public:
  MethodMeta() = delete;
  MethodMeta(const MethodMeta&) = default;
  MethodMeta(MethodMeta&&) = default;
  MethodMeta& operator=(const MethodMeta&) = default;
  MethodMeta& operator=(MethodMeta&&) = default;
  ~MethodMeta() = default;

  const char* name() const;

  size_t num_inputs() const;
  /// Kind of an input: Tensor, Int, Bool, Double or String. InvalidArgument if index is out of
  /// range.
  Result<Tag> input_tag(size_t index) const;
  /// InvalidArgument if index is out of range or the input is no tensor.
  Result<TensorInfo> input_tensor_meta(size_t index) const;

  size_t num_outputs() const;
  /// Kind of an output. InvalidArgument if index is out of range.
  Result<Tag> output_tag(size_t index) const;
  /// InvalidArgument if index is out of range or the output is no tensor.
  Result<TensorInfo> output_tensor_meta(size_t index) const;

  /// Tensors that the program names, such as mutable buffers: see Method::get_attribute().
  size_t num_attributes() const;
  /// InvalidArgument if index is out of range.
  Result<TensorInfo> attribute_tensor_meta(size_t index) const;

  /// Arenas that the application supplies through MemoryManager::planned_memory().
  size_t num_memory_planned_buffers() const;
  /// Bytes of an arena. InvalidArgument if index is out of range.
  Result<int64_t> memory_planned_buffer_size(size_t index) const;
  /// Device of an arena; the CPU unless the program says otherwise. InvalidArgument if index is out
  /// of range.
  Result<etensor::Device> memory_planned_buffer_device(size_t index) const;

  /// True if a delegate of that backend is part of the method. A null name is none.
  bool uses_backend(const char* backend_name) const;
  /// Number of different backends.
  size_t num_backends() const;
  /// InvalidArgument if index is out of range.
  Result<const char*> get_backend_name(size_t index) const;

  /// Instructions of all chains.
  ET_EXPERIMENTAL size_t num_instructions() const;

  /// Number of different operators that the method names, in the order of the program's table.
  size_t num_operators() const;
  /// Writes the full name ("aten::add.out") of an operator, cut to `size` bytes with its
  /// terminating zero. InvalidArgument if index is out of range or size is 0.
  Error get_operator_name(size_t index, char* buffer, size_t size) const;
  /// How many instructions call that operator.
  size_t num_operator_calls(size_t index) const;

  /// Older name of num_memory_planned_buffers().
  ET_DEPRECATED size_t num_non_const_buffers() const { return num_memory_planned_buffers(); }
  /// Older name of memory_planned_buffer_size().
  ET_DEPRECATED Result<int64_t> non_const_buffer_size(size_t index) const {
    return memory_planned_buffer_size(index);
  }

 private:
  friend class Program;
  friend class Method;

  explicit MethodMeta(const executorch_flatbuffer::ExecutionPlan* plan) : plan_(plan) {}

  const executorch_flatbuffer::ExecutionPlan* plan_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::MethodMeta;
using ::executorch::runtime::TensorInfo;
}  // namespace executor
}  // namespace torch
