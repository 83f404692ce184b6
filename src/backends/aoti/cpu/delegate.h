/**
 * @file
 * One delegate call of a method whose code AOTInductor generated for the CPU.
 */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/span.h>

#include "backends/aoti/container/container.h"
#include "backends/aoti/cpu/cpu_manifest.h"

namespace executorch::backends::aoti {

class RunMemory;

/// What an application decides about machine code in programs.
struct CodePolicy {
  /// Whether it may run at all.
  bool allowed = false;
  /// Most bytes that packed weights may have.
  size_t memory_limit = SIZE_MAX;
  /// The SHA-256 digests that are allowed, in hexadecimal digits, with commas between; empty: any.
  std::string sha256;
  CodePlace place = CodePlace::memory;
};

/// A handle of the shim library, deleted at the end of its life.
struct DeleteTensor {
  void operator()(ShimTensor* tensor) const;
};
using TensorHandle = std::unique_ptr<ShimTensor, DeleteTensor>;

/// Memory that runs leave for the next one.
struct DeleteRunMemory {
  void operator()(RunMemory* memory) const;
};

/// Used by one thread at a time; instances are independent.
class Delegate {
 public:
  /**
   * Reads the payload, loads its code and gives it its constants, in place where it does not write
   * to them. The payload may be freed afterwards.
   *
   * @retval NotSupported The policy does not allow the code, or this machine cannot run it.
   * @retval InvalidProgram The payload is damaged, or does not go with its code.
   * @retval NotFound The named data lacks the code or a constant.
   */
  static Error create(runtime::Span<const uint8_t> payload, const runtime::NamedDataMap* data,
                      const CodePolicy& policy, std::unique_ptr<Delegate>* delegate);

  Delegate(const Delegate&) = delete;
  Delegate& operator=(const Delegate&) = delete;

  size_t num_inputs() const { return manifest_.inputs.size(); }

  /// Runs on the arguments of a call: inputs, then outputs, which get the sizes of the results.
  Error execute(runtime::Span<runtime::EValue*> arguments);

 private:
  /// A constant as the code sees it.
  struct Held {
    std::unique_ptr<runtime::FreeableBuffer> bytes;  ///< of the named data
    std::unique_ptr<uint8_t[]> copy;                 ///< where the code writes, or for alignment
    TensorHandle tensor;
  };

  Delegate() = default;
  Error load_code(const runtime::NamedDataMap& data, const CodePolicy& policy);
  Error load_constants(const runtime::NamedDataMap& data);
  Error load_constant(const runtime::NamedDataMap& data, size_t index, Held* held);
  Error check_input(size_t index, const aten::Tensor& tensor);
  Error check_arguments(runtime::Span<runtime::EValue*> arguments);
  Error wrap_inputs(runtime::Span<runtime::EValue*> arguments);
  Error take_output(const ShimTensor* result, size_t index, const aten::Tensor& tensor) const;

  Error run(runtime::Span<runtime::EValue*> arguments);

  CpuManifest manifest_;
  std::unique_ptr<RunMemory, DeleteRunMemory> memory_;
  size_t pack_budget_ = SIZE_MAX;  ///< bytes that packed weights may still have
  // The container uses the constants until it goes.
  std::vector<Held> constants_;
  std::unique_ptr<Container> container_;
  std::vector<int64_t> symbols_;     ///< sizes of the call that runs; -1: not known yet
  std::vector<ShimTensor*> inputs_;  ///< the container deletes them
  std::vector<ShimTensor*> outputs_;
};

}  // namespace executorch::backends::aoti
