/**
 * @file
 * Arithmetic of the 16-bit float types, which all compute in float.
 */
#pragma once

#include <cstdint>

#include <torch/headeronly/macros/Macros.h>

// One operator between two values of the type.
#define C10_REDUCED_FLOAT_BINARY(type__, op__)                                     \
  inline C10_HOST_DEVICE type__ operator op__(const type__& a, const type__& b)    \
      __ubsan_ignore_float_divide_by_zero__ {                                      \
    return type__(static_cast<float>(a) op__ static_cast<float>(b));               \
  }                                                                                \
  inline C10_HOST_DEVICE type__& operator op__## = (type__ & a, const type__& b) { \
    return a = a op__ b;                                                           \
  }                                                                                \
  inline C10_HOST_DEVICE float& operator op__## =                                  \
      (float& a, const type__& b)__ubsan_ignore_float_divide_by_zero__ {           \
    return a = a op__ static_cast<float>(b);                                       \
  }

// With a wider float the result is as wide.
#define C10_REDUCED_FLOAT_WITH_WIDER(type__, wider__, op__)         \
  inline C10_HOST_DEVICE wider__ operator op__(type__ a, wider__ b) \
      __ubsan_ignore_float_divide_by_zero__ {                       \
    return static_cast<wider__>(static_cast<float>(a)) op__ b;      \
  }                                                                 \
  inline C10_HOST_DEVICE wider__ operator op__(wider__ a, type__ b) \
      __ubsan_ignore_float_divide_by_zero__ {                       \
    return a op__ static_cast<wider__>(static_cast<float>(b));      \
  }

// An integer is rounded to the type first.
#define C10_REDUCED_FLOAT_WITH_INTEGER(type__, integer__, op__)        \
  inline C10_HOST_DEVICE type__ operator op__(type__ a, integer__ b) { \
    return a op__ type__(static_cast<float>(b));                       \
  }                                                                    \
  inline C10_HOST_DEVICE type__ operator op__(integer__ a, type__ b) { \
    return type__(static_cast<float>(a)) op__ b;                       \
  }

#define C10_REDUCED_FLOAT_OPERATOR(type__, op__)     \
  C10_REDUCED_FLOAT_BINARY(type__, op__)             \
  C10_REDUCED_FLOAT_WITH_WIDER(type__, float, op__)  \
  C10_REDUCED_FLOAT_WITH_WIDER(type__, double, op__) \
  C10_REDUCED_FLOAT_WITH_INTEGER(type__, int, op__)  \
  C10_REDUCED_FLOAT_WITH_INTEGER(type__, int64_t, op__)

/// Defines + - * / and the unary minus of a type that converts to and from float.
#define C10_DEFINE_REDUCED_FLOAT_OPERATORS(type__)           \
  C10_REDUCED_FLOAT_OPERATOR(type__, +)                      \
  C10_REDUCED_FLOAT_OPERATOR(type__, -)                      \
  C10_REDUCED_FLOAT_OPERATOR(type__, *)                      \
  C10_REDUCED_FLOAT_OPERATOR(type__, /)                      \
  inline C10_HOST_DEVICE type__ operator-(const type__& a) { \
    return type__(-static_cast<float>(a));                   \
  }
