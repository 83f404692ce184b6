/**
 * @file
 * A reference to anything callable.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace executorch::runtime {

namespace internal {

template <typename T>
struct remove_cvref {
  using type = typename std::remove_cv<typename std::remove_reference<T>::type>::type;
};

template <typename T>
using remove_cvref_t = typename remove_cvref<T>::type;

}  // namespace internal

template <typename Fn>
class FunctionRef;

/**
 * Refers to a lambda, functor or function without owning or copying it, and without allocating.
 * Made to be a parameter: the callable must outlive every call, so never store a FunctionRef to a
 * temporary.
 */
template <typename Ret, typename... Params>
class FunctionRef<Ret(Params...)> {
 public:
  FunctionRef() = default;
  FunctionRef(std::nullptr_t) {}

  template <typename Callable>
  FunctionRef(
      Callable&& callable,
      std::enable_if_t<!std::is_same<internal::remove_cvref_t<Callable>, FunctionRef>::value>* =
          nullptr,
      std::enable_if_t<
          std::is_void<Ret>::value ||
          std::is_convertible<decltype(std::declval<Callable>()(std::declval<Params>()...)),
                              Ret>::value>* = nullptr)
      : call_(&call_target<std::remove_reference_t<Callable>>),
        target_(reinterpret_cast<intptr_t>(&callable)) {}

  /// Must not be called when empty.
  Ret operator()(Params... params) const { return call_(target_, std::forward<Params>(params)...); }

  explicit operator bool() const { return call_ != nullptr; }

  /// Whether both refer to the same callable object.
  bool operator==(const FunctionRef<Ret(Params...)>& other) const {
    return target_ == other.target_;
  }

 private:
  template <typename Callable>
  static Ret call_target(intptr_t target, Params... params) {
    return (*reinterpret_cast<Callable*>(target))(std::forward<Params>(params)...);
  }

  Ret (*call_)(intptr_t target, Params... params) = nullptr;
  intptr_t target_ = 0;
};

}  // namespace executorch::runtime
