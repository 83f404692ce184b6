/**
 * @file
 * How hot code is compiled once per instruction set and reached through a table.
 *
 *   // scale.h, seen by everyone: what the table holds
 *   struct ScaleLoops { void (*f32)(const float* in, float* out, int64_t n, float factor); };
 *   EXECUTORCH_DECLARE_ISA_TABLE(ScaleLoops, scale_loops);
 *
 *   // scale.isa.cpp, compiled once per instruction set, includes no header with inline functions
 * of std namespace EXECUTORCH_ISA_NAMESPACE { namespace { void scale_f32(…) {…} } const ScaleLoops
 * scale_loops_table = {scale_f32};
 *   }
 *
 *   // scale.cpp, compiled once
 *   EXECUTORCH_DEFINE_ISA_TABLE(ScaleLoops, scale_loops);
 *   …
 *   scale_loops().f32(…);            // of the active instruction set
 *   scale_loops(Isa::baseline)…      // of a given one
 *
 * The table type must be an aggregate of constants and function pointers, so that it is filled at
 * compile time. DECLARE and DEFINE stand in namespace executorch::compute.
 */
#pragma once

#include "compute/cpu/cpu.h"

#define EXECUTORCH_ISA_JOIN_(a__, b__) a__##b__
#define EXECUTORCH_ISA_JOIN(a__, b__) EXECUTORCH_ISA_JOIN_(a__, b__)

#if defined(EXECUTORCH_ISA)
/// Namespace of the instruction set being compiled, e.g. executorch::compute::isa_avx2.
#define EXECUTORCH_ISA_NAMESPACE executorch::compute::EXECUTORCH_ISA_JOIN(isa_, EXECUTORCH_ISA)
#endif

// Applies m(isa, …) to each instruction set of the architecture; a minimal build has one.
#if defined(EXECUTORCH_MINIMAL)
#define EXECUTORCH_FOR_EACH_ISA(m__, type__, name__) m__(baseline, type__, name__)
#elif defined(__x86_64__) || defined(_M_X64)
#define EXECUTORCH_FOR_EACH_ISA(m__, type__, name__) \
  m__(baseline, type__, name__) m__(avx2, type__, name__) m__(avx512, type__, name__)
#elif defined(__aarch64__) || defined(_M_ARM64)
#define EXECUTORCH_FOR_EACH_ISA(m__, type__, name__) \
  m__(baseline, type__, name__) m__(dotprod, type__, name__) m__(i8mm, type__, name__)
#else
#define EXECUTORCH_FOR_EACH_ISA(m__, type__, name__) m__(baseline, type__, name__)
#endif

#define EXECUTORCH_ISA_DECLARE_ONE_(isa__, type__, name__) \
  namespace isa_##isa__ {                                  \
    extern const type__ name__##_table;                    \
  }
#define EXECUTORCH_ISA_ADDRESS_OF_(isa__, type__, name__) &isa_##isa__::name__##_table,

/// Declares `<name>_table` in each instruction set's namespace and the accessors `<name>()` and
/// `<name>(Isa)`.
#define EXECUTORCH_DECLARE_ISA_TABLE(type__, name__)                       \
  EXECUTORCH_FOR_EACH_ISA(EXECUTORCH_ISA_DECLARE_ONE_, type__, name__)     \
  EXECUTORCH_COMPUTE_API const type__& name__(::executorch::compute::Isa); \
  EXECUTORCH_COMPUTE_API const type__& name__()

/// Defines the accessors, in one file per table.
#define EXECUTORCH_DEFINE_ISA_TABLE(type__, name__)                           \
  const type__& name__(::executorch::compute::Isa isa) {                      \
    static constexpr const type__* kTables[] = {                              \
        EXECUTORCH_FOR_EACH_ISA(EXECUTORCH_ISA_ADDRESS_OF_, type__, name__)}; \
    return *kTables[static_cast<decltype(sizeof(0))>(isa)];                   \
  }                                                                           \
  const type__& name__() {                                                    \
    return name__(::executorch::compute::active_isa());                       \
  }                                                                           \
  static_assert(true)
