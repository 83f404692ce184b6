/**
 * @file
 * Bundled programs (`.bpte`): a program together with test inputs and the outputs to expect.
 *
 * get_program_data() checks every byte that it is given. The other functions take the address of
 * bytes that it has accepted, and read them without further checks. BundledModule
 * (executorch/extension/module/bundled_module.h) does both and owns the bytes.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

#define BUNDLED_PROGRAM_NAMESPACE bundled_program

namespace executorch {
namespace BUNDLED_PROGRAM_NAMESPACE {

/// The bytes of a bundled program.
using SerializedBundledProgram = const void;

/// Whether bytes begin as a bundled program does. Reads no more than the first eight.
EXECUTORCH_BUNDLED_PROGRAM_API bool is_bundled_program(void* file_data, size_t file_data_len);

/**
 * The program inside a bundle; of a bare program file, the file itself.
 *
 * @param[in] file_data The whole file.
 * @param[out] out_program_data Where the program begins in `file_data`.
 * @param[out] out_program_data_len Its size in bytes.
 * @retval Error::InvalidArgument The bytes are a damaged bundle, or a pointer is null.
 * @retval Error::NotSupported They are neither a bundle nor a program.
 */
ET_NODISCARD EXECUTORCH_BUNDLED_PROGRAM_API ::executorch::runtime::Error get_program_data(
    void* file_data, size_t file_data_len, const void** out_program_data,
    size_t* out_program_data_len);

/**
 * Sets the inputs of a test case. Inputs that the method does not copy into memory of its own are
 * used where they lie in the bundle, which must outlive the method's runs then and be writable
 * where the method writes into its inputs.
 *
 * @param[in] method A method of the bundle's program.
 * @param[in] bundled_program_ptr A bundle that get_program_data() has accepted.
 * @param[in] testset_idx Number of the test case, from 0.
 * @retval Error::InvalidArgument There is no such test case, or its inputs do not fit the method.
 */
ET_NODISCARD EXECUTORCH_BUNDLED_PROGRAM_API ::executorch::runtime::Error load_bundled_input(
    ::executorch::runtime::Method& method, SerializedBundledProgram* bundled_program_ptr,
    size_t testset_idx);

/**
 * Compares a method's outputs with those of a test case: equal numbers of outputs, kinds, types and
 * shapes; every element within atol + rtol * |expected|, integers and truth values equal.
 *
 * Parameters as of load_bundled_input().
 * @retval Error::NotFound An output differs: last_error_message() names it and the element.
 * @retval Error::InvalidArgument There is no such test case.
 */
ET_NODISCARD EXECUTORCH_BUNDLED_PROGRAM_API ::executorch::runtime::Error verify_method_outputs(
    ::executorch::runtime::Method& method, SerializedBundledProgram* bundled_program_ptr,
    size_t testset_idx, double rtol = 1e-5, double atol = 1e-8);

}  // namespace BUNDLED_PROGRAM_NAMESPACE
}  // namespace executorch

namespace torch {
namespace executor {
namespace bundled_program {
using serialized_bundled_program = ::executorch::bundled_program::SerializedBundledProgram;
}  // namespace bundled_program
}  // namespace executor
}  // namespace torch
