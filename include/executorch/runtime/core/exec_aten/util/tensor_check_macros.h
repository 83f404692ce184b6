/**
 * @file
 * Check macros for kernels. The ET_KERNEL_CHECK family fails the kernel's context and returns; the
 * others abort and are meant for the author's own mistakes only.
 */
#pragma once

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>

#define ET_TENSOR_CHECK_PREFIX__ "Tensors do not match"
#define ET_MIN2(a, b) (std::min(a, b))
#define ET_MIN3(a, b, c) (std::min(a, std::min(b, c)))

// -- Failing a kernel --

/**
 * Unless the condition holds: fails `context`, a KernelRuntimeContext, with `Error::error` and
 * returns `retval`. The text that a check inside the condition left is kept.
 */
#define ET_KERNEL_CHECK(context, cond, error, retval)                       \
  do {                                                                      \
    ::executorch::runtime::clear_error_message();                           \
    if (!(cond)) {                                                          \
      ::executorch::runtime::add_error_context("Check failed (%s)", #cond); \
      ET_LOG(Error, "%s", ::executorch::runtime::last_error_message());     \
      (context).fail(::executorch::runtime::Error::error);                  \
      return retval;                                                        \
    }                                                                       \
  } while (false)

/// As ET_KERNEL_CHECK, with a printf-like message.
#define ET_KERNEL_CHECK_MSG(context, cond, error, retval, message, ...)       \
  do {                                                                        \
    if (!(cond)) {                                                            \
      ::executorch::runtime::set_error_message("Check failed (%s): " message, \
                                               #cond, ##__VA_ARGS__);         \
      ET_LOG(Error, "%s", ::executorch::runtime::last_error_message());       \
      (context).fail(::executorch::runtime::Error::error);                    \
      return retval;                                                          \
    }                                                                         \
  } while (false)

/// Returns false unless the condition holds.
#define ET_LOG_AND_RETURN_IF_FALSE(cond) ET_CHECK_OR_RETURN_FALSE(cond, "")

/// Returns false unless the condition holds, with a printf-like message.
#define ET_LOG_MSG_AND_RETURN_IF_FALSE ET_CHECK_OR_RETURN_FALSE

// -- Indices --

/// An index that may count from the end, as one that does not.
#define ET_NORMALIZE_IX(IX, UPPER_BOUND) IX < 0 ? IX + UPPER_BOUND : IX

#define ET_INTERNAL_CHECK_IN_RANGE(what__, value__, bound__)                           \
  ET_CHECK_MSG(static_cast<int64_t>(value__) >= -static_cast<int64_t>(bound__) &&      \
                   static_cast<int64_t>(value__) < static_cast<int64_t>(bound__),      \
               what__ " %" PRId64 " is not in the range [-%" PRId64 ", %" PRId64 ").", \
               static_cast<int64_t>(value__), static_cast<int64_t>(bound__),           \
               static_cast<int64_t>(bound__))

/// Aborts unless IX is in [-UPPER_BOUND, UPPER_BOUND).
#define ET_CHECK_VALID_IX(IX, UPPER_BOUND) ET_INTERNAL_CHECK_IN_RANGE("index", IX, UPPER_BOUND)

/// Aborts unless DIM is in [-UPPER_BOUND, UPPER_BOUND).
#define ET_CHECK_VALID_DIM(DIM, UPPER_BOUND) ET_INTERNAL_CHECK_IN_RANGE("dim", DIM, UPPER_BOUND)

/// Aborts when dimension DIM of T has no elements. Defines `udim`, DIM counted from the start.
#define ET_CHECK_NON_ZERO_DIM_SIZE(DIM, T)           \
  const size_t udim = ET_NORMALIZE_IX(DIM, T.dim()); \
  ET_CHECK_MSG(T.size(udim) != 0, "dim %zu must not have size 0.", udim);

// -- Tensors --

#define ET_INTERNAL_CHECK_TENSORS(check__, ...)                                              \
  ET_CHECK_MSG(::executorch::runtime::check__(__VA_ARGS__), ET_TENSOR_CHECK_PREFIX__ ": %s", \
               ::executorch::runtime::last_error_message())

/// Abort unless the tensors have the same sizes; tensors of one element all match.
#define ET_CHECK_SAME_SHAPE2(a__, b__) ET_INTERNAL_CHECK_TENSORS(tensors_have_same_shape, a__, b__)
#define ET_CHECK_SAME_SHAPE3(a__, b__, c__) \
  ET_INTERNAL_CHECK_TENSORS(tensors_have_same_shape, a__, b__, c__)

/// Abort unless the tensors have the same element type.
#define ET_CHECK_SAME_DTYPE2(a__, b__) ET_INTERNAL_CHECK_TENSORS(tensors_have_same_dtype, a__, b__)
#define ET_CHECK_SAME_DTYPE3(a__, b__, c__) \
  ET_INTERNAL_CHECK_TENSORS(tensors_have_same_dtype, a__, b__, c__)

/// Abort unless both match.
#define ET_CHECK_SAME_SHAPE_AND_DTYPE2(a__, b__) \
  ET_INTERNAL_CHECK_TENSORS(tensors_have_same_shape_and_dtype, a__, b__)
#define ET_CHECK_SAME_SHAPE_AND_DTYPE3(a__, b__, c__) \
  ET_INTERNAL_CHECK_TENSORS(tensors_have_same_shape_and_dtype, a__, b__, c__)

/// Aborts unless the strides are those of a contiguous tensor.
#define ET_CHECK_CONTIGUOUS(a__) ET_INTERNAL_CHECK_TENSORS(tensor_is_contiguous, a__)

/// Abort unless the tensors have the same strides.
#define ET_CHECK_SAME_STRIDES2(a__, b__) \
  ET_INTERNAL_CHECK_TENSORS(tensors_have_same_strides, a__, b__)
#define ET_CHECK_SAME_STRIDES3(a__, b__, c__) \
  ET_INTERNAL_CHECK_TENSORS(tensors_have_same_strides, a__, b__, c__)

/// Aborts unless the dim order is the contiguous or the channels-last one.
#define ET_CHECK_DEFAULT_OR_CHANNELSLAST_DIMORDER(t__) \
  ET_INTERNAL_CHECK_TENSORS(tensor_is_default_or_channels_last_dim_order, t__)

/// Aborts unless the single element of a tensor can be stored in `out_val`.
#define ET_EXTRACT_SCALAR_TENSOR(scalar_tensor, out_val)                              \
  ET_CHECK_MSG(::executorch::runtime::extract_scalar_tensor(scalar_tensor, &out_val), \
               #scalar_tensor " could not be extracted: wrong type or out of range");
