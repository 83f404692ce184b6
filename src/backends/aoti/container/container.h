/**
 * @file
 * The model container of a code object that AOTInductor generated, behind the C functions that the
 * object exports.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

#include "backends/aoti/code/code_object.h"

namespace executorch::backends::aoti {

class ShimTensor;
struct ContainerOpaque;
using ContainerHandle = ContainerOpaque*;
/// A stream of the device; null on the CPU.
using StreamHandle = void*;

/// A constant and the tensor that holds it, for UpdateUserManagedConstantBufferPairs.
struct ConstantPair {
  const char* name;  ///< as in the container, not as in the exported model
  ShimTensor* tensor;
};

/// The functions of a code object, by the names that it exports without the prefix
/// AOTInductorModelContainer. They return 0, or 1 on failure.
struct ContainerFunctions {
  using Status = int32_t;
  Status (*create_with_device)(ContainerHandle*, size_t num_models, const char* device,
                               const char* cubin_folder) = nullptr;
  Status (*destroy)(ContainerHandle) = nullptr;
  Status (*num_inputs)(ContainerHandle, size_t*) = nullptr;
  Status (*num_outputs)(ContainerHandle, size_t*) = nullptr;
  Status (*run)(ContainerHandle, ShimTensor** inputs, size_t num_inputs, ShimTensor** outputs,
                size_t num_outputs, StreamHandle, void* proxy_executor) = nullptr;
  // The rest is null where the object lacks it.
  Status (*update_from_blob)(ContainerHandle, const uint8_t*) = nullptr;
  Status (*num_constants)(ContainerHandle, size_t*) = nullptr;
  Status (*constant_name)(ContainerHandle, size_t, const char**) = nullptr;
  Status (*constant_fqn)(ContainerHandle, size_t, const char**) = nullptr;
  Status (*set_pairs)(ContainerHandle, const ConstantPair*, size_t, bool inactive,
                      bool validate_full) = nullptr;
  Status (*last_error)(const char**) = nullptr;
};

/// Looks the functions up. NotSupported when one that is required is missing: the text names all of
/// those.
Error find_functions(const CodeObject& code, ContainerFunctions* functions);

/// A constant that the container expects.
struct ConstantName {
  std::string name;  ///< in the container
  std::string fqn;   ///< in the exported model
};

/**
 * A container with one model. Used by one thread at a time. Errors of generated code are Internal,
 * with its own text and that of the shim that failed.
 */
class Container {
 public:
  /// `device` as PyTorch writes it: "cpu", "cuda". Keeps the code loaded.
  static Error create(std::shared_ptr<CodeObject> code, const char* device,
                      std::unique_ptr<Container>* container);

  /// Deletes the container of the code object, and the code once nobody else uses it.
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  /// What the code object knows the container by.
  ContainerHandle handle() const { return handle_; }
  size_t num_inputs() const { return num_inputs_; }
  size_t num_outputs() const { return num_outputs_; }
  runtime::Span<const ConstantName> constants() const {
    return {constants_.data(), constants_.size()};
  }
  bool takes_pairs() const { return functions_.set_pairs != nullptr; }

  /// Gives the container tensors for constants, all of them or the rest of them. The memory behind
  /// must live as long as the container; the handles stay the caller's. NotSupported when the code
  /// object lacks the function.
  Error set_constants(runtime::Span<const ConstantPair> pairs);

  /// Lets the container copy all constants from the bytes, which may then be freed. The code object
  /// says how they lie; it does not check how many there are, the caller does.
  Error copy_constants(const uint8_t* blob);

  /**
   * Runs the model.
   *
   * @param[in] inputs Handles that the container frees, also on failure, unless the call is refused
   * with InvalidState or InvalidArgument. Sizes and types are the caller's to check: generated code
   * relies on them.
   * @param[out] outputs Handles that are the caller's; null after an error.
   * @retval InvalidState Constants are missing.
   * @retval InvalidArgument There are other numbers of inputs or outputs.
   */
  Error run(runtime::Span<ShimTensor*> inputs, runtime::Span<ShimTensor*> outputs,
            StreamHandle stream = nullptr);

 private:
  Container() = default;
  Error check(int32_t status, const char* function) const;
  Error read_shape();
  Error read_constants();

  std::shared_ptr<CodeObject> code_;
  ContainerFunctions functions_;
  ContainerHandle handle_ = nullptr;
  size_t num_inputs_ = 0;
  size_t num_outputs_ = 0;
  std::vector<ConstantName> constants_;
  std::vector<bool> set_;  ///< by constant
};

}  // namespace executorch::backends::aoti
