/**
 * @file
 * The constants of a delegate: brought to where the generated code reads them, and given to its
 * container.
 */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/named_data_map.h>

#include "backends/aoti/container/container.h"
#include "backends/aoti/payload/manifest.h"
#include "backends/cuda/delegate/tensors.h"

namespace executorch::backends::cuda {

/// Memory with a constant's bytes, and a tensor over it. Generated code may write to it: some
/// constants are a model's state.
class ConstantMemory {
 public:
  /// Copies the constant from the program's data.
  static Error load(const aoti::Constant& constant, const runtime::NamedDataMap& data,
                    std::shared_ptr<ConstantMemory>* memory);
  ~ConstantMemory();
  ConstantMemory(const ConstantMemory&) = delete;
  ConstantMemory& operator=(const ConstantMemory&) = delete;

  aoti::ShimTensor* tensor() const { return tensor_.get(); }

 private:
  ConstantMemory() = default;
  Error fill(const aoti::Constant& constant, const runtime::NamedDataMap& data);

  void* data_ = nullptr;
  bool on_device_ = false;
  TensorHandle tensor_;
};

using Constants = std::vector<std::shared_ptr<ConstantMemory>>;

/**
 * Loads the constants that a manifest lists and gives them to the container. They must outlive it.
 *
 * @param[in] share Take a constant that another delegate of the process has under the same name,
 * with the same type, sizes, strides and device, instead of loading it: state is shared with it.
 * @retval NotFound The program's data lacks one.
 * @retval InvalidProgram The manifest lacks one that the container wants, or there are too few
 * bytes.
 */
Error load_constants(const aoti::Manifest& manifest, const runtime::NamedDataMap* data, bool share,
                     const aoti::CodeObject& code, aoti::Container* container,
                     Constants* constants);

}  // namespace executorch::backends::cuda
