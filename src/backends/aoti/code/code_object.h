/**
 * @file
 * A shared object out of a program, loaded into the process: the machine code of a delegate.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

namespace executorch::backends::aoti {

using runtime::Error;

/// How AOTInductor's shims are called in generated code.
constexpr std::string_view kPlainShimPrefix = "aoti_torch_";

/// The library that supplies code objects with shims.
struct ShimLibrary {
  /// A function of the library. Null: code objects get nothing from us.
  const void* anchor = nullptr;
  /// What stands in the names that it exports for kPlainShimPrefix, as long as that. The library
  /// becomes visible to all of the process, so that plain names, which PyTorch's own libraries
  /// define too, must not be among them: code objects that use plain names have them replaced.
  std::string_view prefix;
};

/// Where the bytes of a code object are put for the dynamic linker to find.
enum class CodePlace : uint8_t {
  memory,  ///< an anonymous file in memory, or a temporary file where the system lacks those
  file,    ///< a temporary file that only this user can read, gone when it is loaded
};

struct CodeOptions {
  ShimLibrary shims;
  /// The digest that the bytes must have, in lower-case hexadecimal digits; empty: any.
  std::string sha256;
  CodePlace place = CodePlace::memory;
  /// Folder of temporary files; null: TMPDIR, or else /tmp.
  const char* temporary_folder = nullptr;
};

/**
 * A loaded code object, unloaded by the destructor. Several instances are independent, also when
 * their bytes are the same. symbol() is thread-safe.
 */
class CodeObject {
 public:
  /**
   * Checks and loads an object. Its constructors run, so the caller decides first whether it trusts
   * the bytes, which may be freed afterwards. Nothing is left behind on failure.
   *
   * @retval InvalidProgram The digest is another one, or the bytes are no shared object.
   * @retval NotSupported The object is for another architecture, or a library or a name that it
   * needs is missing: the text says which, all of them.
   * @retval AccessFailed The dynamic linker or the file system refused.
   */
  static Error load(runtime::Span<const uint8_t> bytes, const CodeOptions& options,
                    std::unique_ptr<CodeObject>* loaded);

  ~CodeObject();
  CodeObject(const CodeObject&) = delete;
  CodeObject& operator=(const CodeObject&) = delete;

  /// The address of a name that the object exports, null when it does not.
  void* symbol(const char* name) const;

 private:
  CodeObject() = default;

  void* handle_ = nullptr;
  /// Of the anonymous file, which debuggers and profilers find by its name as long as it is open.
  /// -1: none.
  int file_ = -1;
};

}  // namespace executorch::backends::aoti
