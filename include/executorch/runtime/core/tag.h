/**
 * @file
 * The kinds of value that an EValue or a Scalar can hold.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/defines.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

// X11 headers define it as a macro.
#if defined(__linux__)
#undef None
#endif

namespace executorch {
namespace runtime {

#define EXECUTORCH_FORALL_TAGS(_) \
  _(None)                         \
  _(Tensor)                       \
  _(String)                       \
  _(Double)                       \
  _(Int)                          \
  _(Bool)                         \
  _(ListBool)                     \
  _(ListDouble)                   \
  _(ListInt)                      \
  _(ListTensor)                   \
  _(ListScalar)                   \
  _(ListOptionalTensor)

enum class Tag : uint32_t {
#define ET_DEFINE_TAG(name__) name__,
  EXECUTORCH_FORALL_TAGS(ET_DEFINE_TAG)
#undef ET_DEFINE_TAG
};

#if ET_ENABLE_ENUM_STRINGS
/// The enumerator's name, "Unknown" for a value that has none. Never null.
inline const char* tag_to_string(Tag tag) {
  switch (tag) {
#define ET_TAG_NAME(name__) \
  case Tag::name__:         \
    return #name__;
    EXECUTORCH_FORALL_TAGS(ET_TAG_NAME)
#undef ET_TAG_NAME
  }
  return "Unknown";
}
#endif  // ET_ENABLE_ENUM_STRINGS

/**
 * Writes the tag's name, or its number when names are left out of the build, into `buffer`.
 *
 * @param[out] buffer Gets the text with its terminating zero, cut to fit. May be null if
 * `buffer_size` is 0.
 * @returns The length of the whole text without the zero, as snprintf() does.
 */
EXECUTORCH_API size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size);

/// A buffer of this size holds the text of every tag.
constexpr size_t kTagNameBufferSize = 19;

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Tag;
}  // namespace executor
}  // namespace torch
