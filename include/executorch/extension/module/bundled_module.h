/**
 * @file
 * BundledModule: a Module over a bundled program (`.bpte`), which runs and verifies its test cases.
 * Linked through executorch::bundled_program.
 */
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor_ptr.h>

#define ET_BUNDLED_MODULE_NAMESPACE bundled_module

namespace executorch {
namespace extension {
namespace ET_BUNDLED_MODULE_NAMESPACE {

/// As Module; not thread-safe.
class EXECUTORCH_BUNDLED_PROGRAM_API BundledModule : public Module {
 public:
  /**
   * A module over a bundle in memory.
   *
   * @param[in] bundled_program_ptr Bytes that bundled_program::get_program_data() has accepted.
   * They must outlive the module and must not change. Other parameters as of Module.
   */
  explicit BundledModule(const void* bundled_program_ptr,
                         std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                         std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                         std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                         std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr);
  ~BundledModule() override;

  /**
   * Reads and checks a file, whose bytes the module owns.
   *
   * @retval Error::AccessFailed The file cannot be read.
   * @retval Error::InvalidArgument It is no bundle, or a damaged one.
   * Other parameters as of Module.
   */
  ET_NODISCARD static runtime::Result<std::unique_ptr<BundledModule>> from_file(
      const std::string& file_path,
      std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
      std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
      std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
      std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr);

  using Module::execute;

  /// Runs a method on the inputs of a test case, whose memory the module keeps until the method
  /// runs another. Error::InvalidArgument: no such method or test case.
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> execute(const std::string& method_name,
                                                                     const size_t testset_idx);

  /// Compares the outputs of the method's last run with those of a test case, as
  /// bundled_program::verify_method_outputs() does.
  ET_NODISCARD runtime::Error verify_method_outputs(const std::string& method_name,
                                                    const size_t testset_idx, double rtol = 1e-5,
                                                    double atol = 1e-8);

 private:
  const void* bundled_program_ptr_;
  std::unique_ptr<runtime::FreeableBuffer> file_;
  std::unordered_map<std::string, std::vector<TensorPtr>> inputs_;  ///< by method
};

}  // namespace ET_BUNDLED_MODULE_NAMESPACE

using ET_BUNDLED_MODULE_NAMESPACE::BundledModule;

}  // namespace extension
}  // namespace executorch
