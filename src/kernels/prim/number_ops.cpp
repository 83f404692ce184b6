// Arithmetic on sizes and other numbers, with the meaning that Python gives it.
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/prim/prim_ops.h"

namespace executorch {
namespace runtime {
namespace prim {

namespace {

bool is_number(const EValue& value) {
  return value.isInt() || value.isDouble();
}

double as_double(const EValue& value) {
  return value.isInt() ? static_cast<double>(value.payload.copyable_union.as_int)
                       : value.payload.copyable_union.as_double;
}

int64_t as_int(const EValue& value) {
  return value.payload.copyable_union.as_int;
}

Error check_numbers(Stack stack) {
  ET_REQUIRE(is_number(*stack[0]) && is_number(*stack[1]), InvalidType,
             "both arguments must be Int or Double");
  return Error::Ok;
}

bool both_int(Stack stack) {
  return stack[0]->isInt() && stack[1]->isInt();
}

void set_int(EValue* result, int64_t value) {
  *result = EValue(value);
}
void set_double(EValue* result, double value) {
  *result = EValue(value);
}
void set_bool(EValue* result, bool value) {
  *result = EValue(value);
}

/// Integers wrap, as they do in tensors.
struct Add {
  static uint64_t apply(uint64_t a, uint64_t b) { return a + b; }
  static double apply(double a, double b) { return a + b; }
};
struct Sub {
  static uint64_t apply(uint64_t a, uint64_t b) { return a - b; }
  static double apply(double a, double b) { return a - b; }
};
struct Mul {
  static uint64_t apply(uint64_t a, uint64_t b) { return a * b; }
  static double apply(double a, double b) { return a * b; }
};

template <class Op>
Error arithmetic(Stack stack) {
  ET_TRY(check_numbers(stack));
  if (both_int(stack)) {
    set_int(stack[2], static_cast<int64_t>(Op::apply(static_cast<uint64_t>(as_int(*stack[0])),
                                                     static_cast<uint64_t>(as_int(*stack[1])))));
  } else {
    set_double(stack[2], Op::apply(as_double(*stack[0]), as_double(*stack[1])));
  }
  return Error::Ok;
}

struct Equal {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct Greater {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct Less {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct GreaterEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};
struct LessEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};

template <class Op>
Error compare(Stack stack) {
  if (stack[0]->isBool() && stack[1]->isBool()) {
    set_bool(stack[2], Op::apply(static_cast<int>(stack[0]->payload.copyable_union.as_bool),
                                 static_cast<int>(stack[1]->payload.copyable_union.as_bool)));
    return Error::Ok;
  }
  ET_REQUIRE(is_number(*stack[0]) && is_number(*stack[1]), InvalidType,
             "both arguments must be numbers, or both Bool");
  set_bool(stack[2], both_int(stack) ? Op::apply(as_int(*stack[0]), as_int(*stack[1]))
                                     : Op::apply(as_double(*stack[0]), as_double(*stack[1])));
  return Error::Ok;
}

/// Quotient and remainder of integers, rounded towards negative infinity. Never traps.
Error divide_floor(int64_t a, int64_t b, int64_t* quotient, int64_t* remainder) {
  ET_REQUIRE(b != 0, InvalidArgument, "%lld is divided by zero", static_cast<long long>(a));
  if (b == -1) {
    *quotient = static_cast<int64_t>(0 - static_cast<uint64_t>(a));
    *remainder = 0;
    return Error::Ok;
  }
  *quotient = a / b;
  *remainder = a % b;
  if (*remainder != 0 && (*remainder < 0) != (b < 0)) {
    --*quotient;
    *remainder += b;
  }
  return Error::Ok;
}

/// Remainder with the sign of the divisor.
double floor_mod(double a, double b) {
  double remainder = std::fmod(a, b);
  if (remainder != 0 && (remainder < 0) != (b < 0)) remainder += b;
  return remainder;
}

/// The whole number next to (a - mod) / b, as Python's // computes it.
double floor_divide(double a, double b) {
  if (b == 0) return a / b;
  const double quotient = (a - floor_mod(a, b)) / b;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

/// InvalidArgument for what no int64 can hold.
Error set_rounded(EValue* result, double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  ET_REQUIRE(value >= -kLimit && value < kLimit, InvalidArgument, "%g does not fit an Int", value);
  set_int(result, static_cast<int64_t>(value));
  return Error::Ok;
}

template <double (*function)(double)>
Error round_with(Stack stack) {
  ET_REQUIRE(stack[0]->isDouble(), InvalidType, "the argument must be Double");
  return set_rounded(stack[1], function(stack[0]->payload.copyable_union.as_double));
}

double ceil_of(double value) {
  return std::ceil(value);
}
double trunc_of(double value) {
  return std::trunc(value);
}
/// Halves go to the even neighbour, whatever the rounding mode is.
double round_of(double value) {
  const double floored = std::floor(value);
  const double fraction = value - floored;
  if (fraction != 0.5) return fraction < 0.5 ? floored : floored + 1;
  return std::fmod(floored, 2.0) == 0 ? floored : floored + 1;
}

Error check_ints(Stack stack) {
  ET_REQUIRE(both_int(stack), InvalidType, "both arguments must be Int");
  return Error::Ok;
}

}  // namespace

Error add(Stack stack) {
  return arithmetic<Add>(stack);
}
Error sub(Stack stack) {
  return arithmetic<Sub>(stack);
}
Error mul(Stack stack) {
  return arithmetic<Mul>(stack);
}

Error floordiv(Stack stack) {
  ET_TRY(check_numbers(stack));
  if (!both_int(stack)) {
    set_double(stack[2], floor_divide(as_double(*stack[0]), as_double(*stack[1])));
    return Error::Ok;
  }
  int64_t quotient = 0;
  int64_t remainder = 0;
  ET_TRY(divide_floor(as_int(*stack[0]), as_int(*stack[1]), &quotient, &remainder));
  set_int(stack[2], quotient);
  return Error::Ok;
}

Error mod(Stack stack) {
  ET_TRY(check_numbers(stack));
  if (!both_int(stack)) {
    const double divisor = as_double(*stack[1]);
    ET_REQUIRE(divisor != 0, InvalidArgument, "%g is divided by zero", as_double(*stack[0]));
    set_double(stack[2], floor_mod(as_double(*stack[0]), divisor));
    return Error::Ok;
  }
  int64_t quotient = 0;
  int64_t remainder = 0;
  ET_TRY(divide_floor(as_int(*stack[0]), as_int(*stack[1]), &quotient, &remainder));
  set_int(stack[2], remainder);
  return Error::Ok;
}

Error truediv(Stack stack) {
  ET_TRY(check_numbers(stack));
  set_double(stack[2], as_double(*stack[0]) / as_double(*stack[1]));
  return Error::Ok;
}

Error neg(Stack stack) {
  ET_REQUIRE(is_number(*stack[0]), InvalidType, "the argument must be Int or Double");
  if (stack[0]->isInt()) {
    set_int(stack[1], static_cast<int64_t>(0 - static_cast<uint64_t>(as_int(*stack[0]))));
  } else {
    set_double(stack[1], -as_double(*stack[0]));
  }
  return Error::Ok;
}

Error eq(Stack stack) {
  return compare<Equal>(stack);
}
Error gt(Stack stack) {
  return compare<Greater>(stack);
}
Error lt(Stack stack) {
  return compare<Less>(stack);
}
Error ge(Stack stack) {
  return compare<GreaterEqual>(stack);
}
Error le(Stack stack) {
  return compare<LessEqual>(stack);
}

Error sym_max(Stack stack) {
  ET_TRY(check_ints(stack));
  const int64_t a = as_int(*stack[0]);
  const int64_t b = as_int(*stack[1]);
  set_int(stack[2], a > b ? a : b);
  return Error::Ok;
}

Error sym_min(Stack stack) {
  ET_TRY(check_ints(stack));
  const int64_t a = as_int(*stack[0]);
  const int64_t b = as_int(*stack[1]);
  set_int(stack[2], a < b ? a : b);
  return Error::Ok;
}

Error sym_float(Stack stack) {
  const EValue& value = *stack[0];
  ET_REQUIRE(is_number(value) || value.isBool(), InvalidType,
             "the argument must be Int, Double or Bool");
  set_double(stack[1], value.isBool() ? (value.payload.copyable_union.as_bool ? 1.0 : 0.0)
                                      : as_double(value));
  return Error::Ok;
}

Error sym_int(Stack stack) {
  const EValue& value = *stack[0];
  ET_REQUIRE(is_number(value) || value.isBool(), InvalidType,
             "the argument must be Int, Double or Bool");
  if (value.isDouble()) return set_rounded(stack[1], std::trunc(as_double(value)));
  set_int(stack[1], value.isBool() ? static_cast<int64_t>(value.payload.copyable_union.as_bool)
                                   : as_int(value));
  return Error::Ok;
}

Error sym_not(Stack stack) {
  ET_REQUIRE(stack[0]->isBool(), InvalidType, "the argument must be Bool");
  set_bool(stack[1], !stack[0]->payload.copyable_union.as_bool);
  return Error::Ok;
}

Error sym_ite(Stack stack) {
  ET_REQUIRE(stack[0]->isBool(), InvalidType, "the condition must be Bool");
  const EValue& chosen = stack[0]->payload.copyable_union.as_bool ? *stack[1] : *stack[2];
  ET_REQUIRE(is_number(chosen) || chosen.isBool(), InvalidType,
             "the chosen value must be Int, Double or Bool");
  *stack[3] = chosen;
  return Error::Ok;
}

Error ceil(Stack stack) {
  return round_with<ceil_of>(stack);
}
Error round(Stack stack) {
  return round_with<round_of>(stack);
}
Error trunc(Stack stack) {
  return round_with<trunc_of>(stack);
}

}  // namespace prim
}  // namespace runtime
}  // namespace executorch
