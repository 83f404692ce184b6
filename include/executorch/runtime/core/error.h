/**
 * @file
 * Error codes, and the macros that return them. The sentence behind a code is in error_message.h.
 */
#pragma once

#include <stdint.h>

#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

/// Type of a code as a number.
typedef uint32_t error_code_t;

/// Result of an operation. The numbers are part of the interface.
enum class Error : error_code_t {
  Ok = 0x00,

  // Of the system.
  Internal = 0x01,      ///< something went wrong inside the runtime
  InvalidState = 0x02,  ///< the object is not in a state that allows the call
  EndOfMethod = 0x03,   ///< no instruction is left to step over
  AlreadyLoaded = 0x04,

  // Of a request.
  NotSupported = 0x10,
  NotImplemented = 0x11,
  InvalidArgument = 0x12,
  InvalidType = 0x13,
  OperatorMissing = 0x14,
  RegistrationExceedingMaxKernels = 0x15,
  RegistrationAlreadyRegistered = 0x16,

  // Of resources and files.
  NotFound = 0x20,
  MemoryAllocationFailed = 0x21,
  AccessFailed = 0x22,  ///< a file or device could not be read or written
  InvalidProgram = 0x23,
  InvalidExternalData = 0x24,
  OutOfResources = 0x25,

  // Of delegates.
  DelegateInvalidCompatibility = 0x30,
  DelegateMemoryAllocationFailed = 0x31,
  DelegateInvalidHandle = 0x32,
};

/// "Error::<name>", or "Error::Unknown" for a number that is no code.
constexpr const char* to_string(const Error error) {
#define ET_INTERNAL_ERROR_NAME(name__) \
  case Error::name__:                  \
    return "Error::" #name__
  switch (error) {
    ET_INTERNAL_ERROR_NAME(Ok);
    ET_INTERNAL_ERROR_NAME(Internal);
    ET_INTERNAL_ERROR_NAME(InvalidState);
    ET_INTERNAL_ERROR_NAME(EndOfMethod);
    ET_INTERNAL_ERROR_NAME(AlreadyLoaded);
    ET_INTERNAL_ERROR_NAME(NotSupported);
    ET_INTERNAL_ERROR_NAME(NotImplemented);
    ET_INTERNAL_ERROR_NAME(InvalidArgument);
    ET_INTERNAL_ERROR_NAME(InvalidType);
    ET_INTERNAL_ERROR_NAME(OperatorMissing);
    ET_INTERNAL_ERROR_NAME(RegistrationExceedingMaxKernels);
    ET_INTERNAL_ERROR_NAME(RegistrationAlreadyRegistered);
    ET_INTERNAL_ERROR_NAME(NotFound);
    ET_INTERNAL_ERROR_NAME(MemoryAllocationFailed);
    ET_INTERNAL_ERROR_NAME(AccessFailed);
    ET_INTERNAL_ERROR_NAME(InvalidProgram);
    ET_INTERNAL_ERROR_NAME(InvalidExternalData);
    ET_INTERNAL_ERROR_NAME(OutOfResources);
    ET_INTERNAL_ERROR_NAME(DelegateInvalidCompatibility);
    ET_INTERNAL_ERROR_NAME(DelegateMemoryAllocationFailed);
    ET_INTERNAL_ERROR_NAME(DelegateInvalidHandle);
  }
#undef ET_INTERNAL_ERROR_NAME
  return "Error::Unknown";
}

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Error;
using ::executorch::runtime::error_code_t;
}  // namespace executor
}  // namespace torch

// The macros below set this thread's error text.
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Puts a caller's message before this thread's error text. True when there was a message.
inline constexpr bool add_message() {
  return false;
}
ET_PRINTFLIKE(1, 2) EXECUTORCH_API bool add_message(const char* format, ...) noexcept;

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

/// Returns `Error::error__` unless the condition holds; the printf-like message is logged and kept
/// as error text.
#define ET_CHECK_OR_RETURN_ERROR(cond__, error__, message__, ...)         \
  {                                                                       \
    if (!(cond__)) {                                                      \
      ::executorch::runtime::set_error_message(message__, ##__VA_ARGS__); \
      ET_LOG(Error, "%s", ::executorch::runtime::last_error_message());   \
      return ::executorch::runtime::Error::error__;                       \
    }                                                                     \
  }

/// Returns false unless the condition holds; the printf-like message is logged and kept as error
/// text.
#define ET_CHECK_OR_RETURN_FALSE(cond__, message__, ...)                        \
  {                                                                             \
    if (!(cond__)) {                                                            \
      ::executorch::runtime::set_error_message("Check failed (%s): " message__, \
                                               #cond__, ##__VA_ARGS__);         \
      ET_LOG(Error, "%s", ::executorch::runtime::last_error_message());         \
      return false;                                                             \
    }                                                                           \
  }

/// Returns the error of the first argument unless it is Ok. Further arguments are a printf-like
/// message that is put before the error text and logged.
#define ET_CHECK_OK_OR_RETURN_ERROR(error__, ...)         \
  do {                                                    \
    const auto et_error__ = (error__);                    \
    if (et_error__ != ::executorch::runtime::Error::Ok) { \
      ET_INTERNAL_LOG_MESSAGE(__VA_ARGS__);               \
      return et_error__;                                  \
    }                                                     \
  } while (0)

#define ET_INTERNAL_LOG_MESSAGE(...)                                    \
  do {                                                                  \
    if (::executorch::runtime::internal::add_message(__VA_ARGS__)) {    \
      ET_LOG(Error, "%s", ::executorch::runtime::last_error_message()); \
    }                                                                   \
  } while (0)
