/**
 * @file
 * Which memory is a read-only mapping of a file, so that pages of it that are not needed for now
 * can be given back: the system reads them again at the next access, mostly from its own cache.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Notes an unchanged private or shared mapping. One that there is no memory to note is never given
/// back. Thread-safe.
EXECUTORCH_API void add_file_mapping(const void* data, size_t size);

/// Forgets a mapping by its first byte; to be called before it is unmapped. Thread-safe.
EXECUTORCH_API void remove_file_mapping(const void* data);

/// Gives back the whole pages within [data, data + size) if they lie in one noted mapping; else
/// does nothing. Contents stay the same. Thread-safe. True when pages were given back.
EXECUTORCH_API bool release_file_pages(const void* data, size_t size);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
