/**
 * @file
 * What the arguments of a kernel are, so that a program's call can be checked before it is made.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// What an argument accepts.
enum class ArgumentKind : uint8_t {
  Tensor,
  TensorList,
  OptionalTensorList,
  Scalar,  ///< Int, Double or Bool
  Int,     ///< also SymInt, ScalarType, MemoryFormat, Layout
  Double,  ///< Int is accepted too
  Bool,
  String,
  IntList,
  DoubleList,
  BoolList,
  Device,
  Unknown,  ///< anything: not checked
};

/// One argument of a kernel.
struct KernelArgument {
  ArgumentKind kind;
  bool optional;  ///< None is accepted
};

/// The arguments in stack order, outs included, the return value not. Lives as long as the process.
struct KernelSignature {
  const KernelArgument* arguments;
  size_t count;
};

}  // namespace runtime
}  // namespace executorch
