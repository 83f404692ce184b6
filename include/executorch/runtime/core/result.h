/**
 * @file
 * A value or the error that prevented it.
 */
#pragma once

#include <new>
#include <utility>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/**
 * Return type of functions that yield a value or fail. A function returns either plainly:
 *
 *     Result<Buffer> load(size_t size) {
 *       if (size == 0) return Error::InvalidArgument;
 *       return Buffer(size);
 *     }
 *
 * The caller asks ok() or error() before it touches the value; touching the value of a failed
 * result aborts the process with a text.
 */
template <typename T>
class Result final {
 public:
  typedef T value_type;

  /// A failure. Error::Ok is none and becomes Error::Internal.
  /* implicit */ Result(Error error)
      : error_(error == Error::Ok ? Error::Internal : error), has_value_(false) {}
  /* implicit */ Result(const T& val) : value_(val), has_value_(true) {}
  /* implicit */ Result(T&& val) : value_(std::move(val)), has_value_(true) {}

  Result(Result&& rhs) noexcept : has_value_(rhs.has_value_) {
    if (has_value_) {
      // T may be const: Result<const TensorLayout>.
      new (const_cast<void*>(static_cast<const void*>(&value_))) T(std::move(rhs.value_));
    } else {
      error_ = rhs.error_;
    }
  }

  ~Result() {
    if (has_value_) value_.~T();
  }

  Result() = delete;
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;

  ET_NODISCARD bool ok() const { return has_value_; }

  /// Error::Ok when there is a value.
  ET_NODISCARD Error error() const { return has_value_ ? Error::Ok : error_; }

  T& get() {
    check_ok();
    return value_;
  }
  const T& get() const {
    check_ok();
    return value_;
  }
  T& operator*() & { return get(); }
  const T& operator*() const& { return get(); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &get(); }

 private:
  void check_ok() const {
    ET_CHECK_MSG(has_value_, "the value of a failed Result was used (%s: %s)", to_string(error_),
                 last_error_message());
  }

  union {
    T value_;
    Error error_;
  };
  const bool has_value_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Result;
}  // namespace executor
}  // namespace torch

/// The value of a Result, moved out, as an expression: `auto buffer = ET_UNWRAP(load(n));` A
/// failure returns its error from the calling function. Further arguments are a printf-like message
/// as in ET_CHECK_OK_OR_RETURN_ERROR. Needs statement expressions (GCC, Clang); ET_ASSIGN_OR_RETURN
/// does not.
#define ET_UNWRAP(result__, ...)            \
  ({                                        \
    auto et_result__ = (result__);          \
    if (!et_result__.ok()) {                \
      ET_INTERNAL_LOG_MESSAGE(__VA_ARGS__); \
      return et_result__.error();           \
    }                                       \
    std::move(*et_result__);                \
  })

/// Declares `var__` with the value of a Result: `ET_ASSIGN_OR_RETURN(buffer, load(n));` Otherwise
/// as ET_UNWRAP.
#define ET_ASSIGN_OR_RETURN(var__, result__, ...) \
  auto et_assign_result_##var__ = (result__);     \
  if (!et_assign_result_##var__.ok()) {           \
    ET_INTERNAL_LOG_MESSAGE(__VA_ARGS__);         \
    return et_assign_result_##var__.error();      \
  }                                               \
  auto var__ = std::move(*et_assign_result_##var__)
