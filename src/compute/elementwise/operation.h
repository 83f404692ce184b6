/**
 * @file
 * The elementwise operations and their loops over contiguous blocks. Kernels reach them through
 * elementwise(), the graph engine calls the loops of fused steps directly.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/elementwise/types.h"

// X(name, number of operands, compute types: F float, S single precision, I integer, A both)
// Parameters of an operation (alpha, bounds, slopes) are operands like any other, usually a single
// value.
#define EXECUTORCH_ELEMENTWISE_OPERATIONS(X)                                     \
  X(Copy, 1, A)                                                                  \
  X(Abs, 1, A)                                                                   \
  X(Neg, 1, A)                                                                   \
  X(Sign, 1, A)                                                                  \
  X(Ceil, 1, F)                                                                  \
  X(Floor, 1, F)                                                                 \
  X(Trunc, 1, F)                                                                 \
  X(Round, 1, F) /* half to even */                                              \
  X(Relu, 1, A)                                                                  \
  X(Reciprocal, 1, F)                                                            \
  X(Sqrt, 1, F)                                                                  \
  X(Rsqrt, 1, F)                                                                 \
  X(Exp, 1, F)                                                                   \
  X(Expm1, 1, F)                                                                 \
  X(Log, 1, F)                                                                   \
  X(Log1p, 1, F)                                                                 \
  X(Log2, 1, F)                                                                  \
  X(Log10, 1, F)                                                                 \
  X(Sin, 1, F)                                                                   \
  X(Cos, 1, F)                                                                   \
  X(Tan, 1, F)                                                                   \
  X(Asin, 1, F)                                                                  \
  X(Acos, 1, F)                                                                  \
  X(Atan, 1, F)                                                                  \
  X(Sinh, 1, F)                                                                  \
  X(Cosh, 1, F)                                                                  \
  X(Tanh, 1, F)                                                                  \
  X(Asinh, 1, F)                                                                 \
  X(Acosh, 1, F)                                                                 \
  X(Atanh, 1, F)                                                                 \
  X(Erf, 1, F)                                                                   \
  X(Erfc, 1, F)                                                                  \
  X(Exp2, 1, F)                                                                  \
  X(Erfinv, 1, F)                                                                \
  X(Erfcx, 1, F) /* exp(x^2) erfc(x) */                                          \
  X(Ndtri, 1, F) /* the inverse of the normal distribution function */           \
  X(Lgamma, 1, F)                                                                \
  X(Digamma, 1, F)                                                               \
  X(I0, 1, F) /* modified Bessel functions; those with e over exp(|x|) */        \
  X(I0e, 1, F)                                                                   \
  X(I1, 1, F)                                                                    \
  X(I1e, 1, F)                                                                   \
  X(BesselJ0, 1, F)                                                              \
  X(BesselJ1, 1, F)                                                              \
  X(BesselY0, 1, F)                                                              \
  X(BesselY1, 1, F)                                                              \
  X(BesselK0, 1, F)                                                              \
  X(BesselK1, 1, F)                                                              \
  X(BesselK0e, 1, F) /* times exp(x) */                                          \
  X(BesselK1e, 1, F)                                                             \
  X(SphericalBesselJ0, 1, F)                                                     \
  X(AiryAi, 1, F)                                                                \
  X(Sigmoid, 1, F)                                                               \
  X(Silu, 1, F)                                                                  \
  X(Gelu, 1, F)     /* through erf */                                            \
  X(GeluTanh, 1, F) /* the tanh approximation */                                 \
  X(Logit, 1, F)                                                                 \
  X(IsNan, 1, F)                                                                 \
  X(IsInf, 1, F)                                                                 \
  X(SignBit, 1, A)                                                               \
  X(RealAngle, 1, F) /* 0 or pi */                                               \
  X(Mantissa, 1, F)  /* m of x = m * 2^e, 0.5 <= |m| < 1 */                      \
  X(Exponent, 1, F)                                                              \
  X(Square, 1, A)                                                                \
  X(Cube, 1, A)                                                                  \
  X(LogicalNot, 1, A)                                                            \
  X(BitwiseNot, 1, I)                                                            \
  X(Add, 2, A)                                                                   \
  X(Sub, 2, A)                                                                   \
  X(Mul, 2, A)                                                                   \
  X(Div, 2, F)                                                                   \
  X(DivTrunc, 2, A)  /* rounded towards zero; an integer divided by zero is 0 */ \
  X(DivFloor, 2, A)  /* rounded down; likewise */                                \
  X(Fmod, 2, A)      /* sign of the dividend */                                  \
  X(Remainder, 2, A) /* sign of the divisor */                                   \
  X(Pow, 2, A)                                                                   \
  X(Atan2, 2, F)                                                                 \
  X(LogAddExp, 2, F) /* log(exp(a) + exp(b)) */                                  \
  X(Hypot, 2, F)                                                                 \
  X(CopySign, 2, F)                                                              \
  X(NextAfter, 2, F)                                                             \
  X(NextAfterBf16, 2, S) /* among numbers of bfloat16 */                         \
  X(NextAfterHalf, 2, S) /* among those of half precision */                     \
  X(Ldexp, 2, F)         /* a * 2^b */                                           \
  X(Igamma, 2, F)        /* a, x: the lower incomplete gamma function */         \
  X(Igammac, 2, F)       /* the upper one */                                     \
  X(Zeta, 2, F)          /* s, q: Hurwitz' */                                    \
  X(Polygamma, 2, F)     /* n >= 1, x */                                         \
  X(Fmax, 2, A)          /* NaN only when both are */                            \
  X(Fmin, 2, A)                                                                  \
  X(Gcd, 2, I)                                                                   \
  X(Lcm, 2, I)                                                                   \
  X(Maximum, 2, A) /* NaN when either is */                                      \
  X(Minimum, 2, A)                                                               \
  X(Eq, 2, A)                                                                    \
  X(Ne, 2, A)                                                                    \
  X(Lt, 2, A)                                                                    \
  X(Le, 2, A)                                                                    \
  X(Gt, 2, A)                                                                    \
  X(Ge, 2, A)                                                                    \
  X(LogicalAnd, 2, A)                                                            \
  X(LogicalOr, 2, A)                                                             \
  X(LogicalXor, 2, A)                                                            \
  X(BitwiseAnd, 2, I)                                                            \
  X(BitwiseOr, 2, I)                                                             \
  X(BitwiseXor, 2, I)                                                            \
  X(ShiftLeft, 2, I) /* 0 when the count is outside the type */                  \
  X(ShiftRight, 2, I)                                                            \
  X(LeakyRelu, 2, F)  /* x, slope */                                             \
  X(Glu, 2, F)        /* a * sigmoid(b) */                                       \
  X(AddScaled, 3, A)  /* a + c * b */                                            \
  X(MulAdd, 3, A)     /* a * b + c, rounded twice */                             \
  X(Clamp, 3, A)      /* x, low, high; NaN when any is */                        \
  X(LogitClamp, 3, F) /* logit of x within low, high */                          \
  X(Where, 3, A)      /* condition, then, else */                                \
  X(Elu, 4, F)        /* x, alpha, scale, input scale */

// X(name, number of operands) of those that also have loops over bytes: the result's byte follows
// from the operands' bytes, whatever their sign.
#define EXECUTORCH_BYTE_OPERATIONS(X) \
  X(Neg, 1)                           \
  X(LogicalNot, 1)                    \
  X(BitwiseNot, 1)                    \
  X(Add, 2)                           \
  X(Sub, 2)                           \
  X(Eq, 2)                            \
  X(Ne, 2)                            \
  X(LogicalAnd, 2)                    \
  X(LogicalOr, 2)                     \
  X(LogicalXor, 2)                    \
  X(BitwiseAnd, 2)                    \
  X(BitwiseOr, 2)                     \
  X(BitwiseXor, 2)

namespace executorch::compute {

enum class ElementwiseOp : uint8_t {
#define EXECUTORCH_ENUMERATOR(name__, arity__, types__) name__,
  EXECUTORCH_ELEMENTWISE_OPERATIONS(EXECUTORCH_ENUMERATOR)
#undef EXECUTORCH_ENUMERATOR
      count,
};

constexpr int kElementwiseOpCount = static_cast<int>(ElementwiseOp::count);
constexpr int kMaxOperands = 4;

/// Number of operands.
constexpr int arity(ElementwiseOp op) {
  constexpr int8_t kArity[] = {
#define EXECUTORCH_ARITY(name__, arity__, types__) arity__,
      EXECUTORCH_ELEMENTWISE_OPERATIONS(EXECUTORCH_ARITY)
#undef EXECUTORCH_ARITY
  };
  return kArity[static_cast<int>(op)];
}

/**
 * Applies an operation to `n` elements. All operands and the result are contiguous and of the
 * loop's compute type (comparisons and predicates give 0 or 1 of it); an operand whose bit is set
 * in `scalars` is a single value instead. `out` may be one of the operands exactly; partial overlap
 * is not allowed. No alignment is needed. An element's result does not depend on its position or on
 * `n`. Never traps.
 */
using BlockLoop = void (*)(void* out, const void* const* operands, uint32_t scalars, int64_t n);

/// Loops of one instruction set, null where an operation has none for a type.
struct ElementwiseLoops {
  BlockLoop loop[kElementwiseOpCount][kRealComputeTypeCount];
  /// Over integers of a byte, as they lie in memory.
  BlockLoop byte_loop[kElementwiseOpCount];
};
EXECUTORCH_DECLARE_ISA_TABLE(ElementwiseLoops, elementwise_loops);

/// The loop of the active instruction set; null when the operation is not defined for the type (Exp
/// of integers). For complex types: Copy, Neg, Add, Sub, Mul, Div, AddScaled, Eq, Ne, Where.
EXECUTORCH_COMPUTE_API BlockLoop block_loop(ElementwiseOp op, ComputeType type);

/// "Add", "Gelu", ….
EXECUTORCH_COMPUTE_API const char* operation_name(ElementwiseOp op);

}  // namespace executorch::compute
