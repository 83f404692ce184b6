/**
 * @file
 * The checks on a program's tables. Program::load runs them always; they are public for tools.
 *
 * The tables must have passed the FlatBuffers verifier, which looks after offsets and lengths. What
 * is left, and checked here, is meaning: that fields are present, indices in range, kinds as used,
 * products of sizes bounded.
 */
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch_flatbuffer {
struct ExecutionPlan;
struct Program;
struct Tensor;
struct TensorList;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {

/// Checks one tensor: element type known; sizes and dim_order present, of one length, at most 16;
/// sizes not negative; dim_order a permutation; number of elements and of bytes representable.
/// @retval InvalidProgram with a text that names the rule.
ET_NODISCARD EXECUTORCH_API Error validate_tensor(const executorch_flatbuffer::Tensor* tensor);

/// Checks all methods of a program: names, values, inputs, outputs, chains and instructions,
/// delegates, arenas, and references into the program's own segments.
/// @retval InvalidProgram with a text that names table, index and rule.
ET_NODISCARD EXECUTORCH_API Error validate_program(const executorch_flatbuffer::Program* program);

}  // namespace runtime
}  // namespace executorch
