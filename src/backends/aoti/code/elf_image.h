/**
 * @file
 * What the dynamic linker will ask for when it loads a shared object, read from the object's bytes
 * before anything of it runs.
 */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

namespace executorch::backends::aoti {

using runtime::Error;

/// A name that the object takes from elsewhere.
struct UndefinedName {
  std::string name;
  uint64_t place = 0;  ///< of its first byte in the file
  bool weak = false;   ///< may stay without a definition
};

/// The parts of a 64-bit little-endian ELF shared object that matter to who loads it.
struct ElfImage {
  uint16_t machine = 0;                  ///< e_machine
  std::vector<std::string> needed;       ///< DT_NEEDED, in order
  std::vector<UndefinedName> undefined;  ///< those that relocations refer to, each once
};

/// The e_machine of the process's own architecture; 0 where it is no known one.
uint16_t own_elf_machine();

/**
 * Reads an object. Every place that it names is checked against its size.
 *
 * @retval InvalidProgram The bytes are no such object, or a part lies outside.
 */
Error read_elf(runtime::Span<const uint8_t> file, ElfImage* image);

/**
 * Renames, in the file's bytes and the image, the undefined names that begin with `from` to begin
 * with `to`, which is as long.
 *
 * @retval NotSupported The bytes of such a name serve another name too.
 */
Error rename_undefined(runtime::Span<uint8_t> file, std::string_view from, std::string_view to,
                       ElfImage* image);

/**
 * Makes the symbols that compilers mark as unique in the process ordinary ones, in the file's
 * bytes. The dynamic linker would never unload an object that has one. Nothing happens to a file
 * without section headers.
 *
 * @retval InvalidProgram A section lies outside.
 */
Error clear_unique_symbols(runtime::Span<uint8_t> file);

}  // namespace executorch::backends::aoti
