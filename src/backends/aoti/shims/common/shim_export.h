/**
 * @file
 * How shims are declared: every one is a row of a table, the tables are all that a shim library
 * exports, and the prefix of the names is the library's own.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/export.h>

#include "backends/aoti/tensor/shim_tensor.h"

// Nothing is exported from a Windows library by itself. Defined by the shim library that is built.
#if defined(AOTI_BUILDING_SHIMS)
#define AOTI_SHIM_EXPORT EXECUTORCH_EXPORT_SYMBOL
#else
#define AOTI_SHIM_EXPORT EXECUTORCH_IMPORT_SYMBOL
#endif

// AOTI_SHIM_PREFIX is what the names begin with instead of aoti_torch_.
#if !defined(AOTI_SHIM_PREFIX)
#error "AOTI_SHIM_PREFIX is to be defined for a shim library and its users"
#endif
#define AOTI_JOIN_(a__, b__) a__##b__
#define AOTI_JOIN(a__, b__) AOTI_JOIN_(a__, b__)
#define AOTI_TEXT_(a__) #a__
#define AOTI_TEXT(a__) AOTI_TEXT_(a__)
/// The name of a shim in this library.
#define AOTI_SHIM(name__) AOTI_JOIN(AOTI_SHIM_PREFIX, name__)
/// A row of a table as a declaration.
#define AOTI_DECLARE_SHIM(result__, name__, parameters__) \
  AOTI_SHIM_EXPORT result__ AOTI_SHIM(name__) parameters__;

namespace executorch::backends::aoti {

/// What generated code gets from a shim: 0, or the number of an Error, whose text is on the thread.
using Status = int32_t;

inline Status status_of(Error error) {
  return static_cast<Status>(error);
}

}  // namespace executorch::backends::aoti

/// Refuses a null pointer argument.
#define AOTI_REQUIRE_NOT_NULL(argument__)                                                 \
  do {                                                                                    \
    if ((argument__) == nullptr)                                                          \
      return ::executorch::backends::aoti::status_of(                                     \
          ET_ERROR(InvalidArgument, "%s: argument '" #argument__ "' is null", __func__)); \
  } while (0)
