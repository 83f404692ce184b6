/**
 * @file
 * Macros that expand a macro `_(C++ type, name)` for each element type of a group. The _WITH forms
 * pass their first arguments through, `_(first, C++ type, name)`, for use in nested expansions:
 * that is why every list is written out, a macro cannot expand inside itself.
 *
 * INT are the signed integers and Byte, FLOAT is Float and Double, REAL is both. H adds Half, B
 * adds Bool, BF16 adds BFloat16.
 */
#pragma once

// -- Integers --

#define ET_FORALL_INT_TYPES(_) \
  _(uint8_t, Byte)             \
  _(int8_t, Char)              \
  _(int16_t, Short)            \
  _(int32_t, Int)              \
  _(int64_t, Long)

#define ET_FORALL_INT_TYPES_WITH(ANOTHER_INPUT, _) \
  _(ANOTHER_INPUT, uint8_t, Byte)                  \
  _(ANOTHER_INPUT, int8_t, Char)                   \
  _(ANOTHER_INPUT, int16_t, Short)                 \
  _(ANOTHER_INPUT, int32_t, Int)                   \
  _(ANOTHER_INPUT, int64_t, Long)

#define ET_FORALL_INT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                   \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                    \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                  \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                    \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)

#define ET_FORALL_INT_TYPES_AND(SCALARTYPE, _)                                                    \
  _(uint8_t, Byte)                                                                                \
  _(int8_t, Char)                                                                                 \
  _(int16_t, Short)                                                                               \
  _(int32_t, Int)                                                                                 \
  _(int64_t, Long)                                                                                \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE>::type, \
    SCALARTYPE)

// -- Floats --

#define ET_FORALL_FLOAT_TYPES(_) \
  _(float, Float)                \
  _(double, Double)

#define ET_FORALL_FLOAT_TYPES_AND(SCALARTYPE, _)                                                  \
  _(float, Float)                                                                                 \
  _(double, Double)                                                                               \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE>::type, \
    SCALARTYPE)

#define ET_FORALL_FLOAT_TYPES_AND2(SCALARTYPE1, SCALARTYPE2, _)                                    \
  _(float, Float)                                                                                  \
  _(double, Double)                                                                                \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE1>::type, \
    SCALARTYPE1)                                                                                   \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE2>::type, \
    SCALARTYPE2)

#define ET_FORALL_FLOATH_TYPES(_) ET_FORALL_FLOAT_TYPES_AND(Half, _)
#define ET_FORALL_FLOATHBF16_TYPES(_) ET_FORALL_FLOAT_TYPES_AND2(Half, BFloat16, _)

#define ET_FORALL_FLOAT_TYPES_WITH(ANOTHER_INPUT, _) \
  _(ANOTHER_INPUT, float, Float)                     \
  _(ANOTHER_INPUT, double, Double)

#define ET_FORALL_FLOATH_TYPES_WITH(ANOTHER_INPUT, _) \
  _(ANOTHER_INPUT, float, Float)                      \
  _(ANOTHER_INPUT, double, Double)                    \
  _(ANOTHER_INPUT, ::executorch::aten::Half, Half)

#define ET_FORALL_FLOAT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                      \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)

#define ET_FORALL_FLOATHBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                           \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)                         \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::Half, Half)         \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::BFloat16, BFloat16)

// -- Integers and floats --

#define ET_FORALL_REAL_TYPES(_) \
  _(uint8_t, Byte)              \
  _(int8_t, Char)               \
  _(int16_t, Short)             \
  _(int32_t, Int)               \
  _(int64_t, Long)              \
  _(float, Float)               \
  _(double, Double)

#define ET_FORALL_REAL_TYPES_WITH(ANOTHER_INPUT, _) \
  _(ANOTHER_INPUT, uint8_t, Byte)                   \
  _(ANOTHER_INPUT, int8_t, Char)                    \
  _(ANOTHER_INPUT, int16_t, Short)                  \
  _(ANOTHER_INPUT, int32_t, Int)                    \
  _(ANOTHER_INPUT, int64_t, Long)                   \
  _(ANOTHER_INPUT, float, Float)                    \
  _(ANOTHER_INPUT, double, Double)

#define ET_FORALL_REAL_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                    \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                     \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                   \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                     \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)                    \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                     \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)

#define ET_FORALL_REALHBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                         \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                          \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                        \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                          \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)                         \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                          \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)                        \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::Half, Half)        \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_REALHBBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                          \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                           \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                         \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                           \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)                          \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                           \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)                         \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::Half, Half)         \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::BFloat16, BFloat16) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, bool, Bool)

#define ET_FORALL_REAL_TYPES_AND(SCALARTYPE, _)                                                   \
  _(uint8_t, Byte)                                                                                \
  _(int8_t, Char)                                                                                 \
  _(int16_t, Short)                                                                               \
  _(int32_t, Int)                                                                                 \
  _(int64_t, Long)                                                                                \
  _(float, Float)                                                                                 \
  _(double, Double)                                                                               \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE>::type, \
    SCALARTYPE)

#define ET_FORALL_REAL_TYPES_AND_WITH(SCALARTYPE, ANOTHER_INPUT, _)                               \
  _(ANOTHER_INPUT, uint8_t, Byte)                                                                 \
  _(ANOTHER_INPUT, int8_t, Char)                                                                  \
  _(ANOTHER_INPUT, int16_t, Short)                                                                \
  _(ANOTHER_INPUT, int32_t, Int)                                                                  \
  _(ANOTHER_INPUT, int64_t, Long)                                                                 \
  _(ANOTHER_INPUT, float, Float)                                                                  \
  _(ANOTHER_INPUT, double, Double)                                                                \
  _(ANOTHER_INPUT,                                                                                \
    ::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE>::type, \
    SCALARTYPE)

#define ET_FORALL_REAL_TYPES_AND2(SCALARTYPE1, SCALARTYPE2, _)                                     \
  _(uint8_t, Byte)                                                                                 \
  _(int8_t, Char)                                                                                  \
  _(int16_t, Short)                                                                                \
  _(int32_t, Int)                                                                                  \
  _(int64_t, Long)                                                                                 \
  _(float, Float)                                                                                  \
  _(double, Double)                                                                                \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE1>::type, \
    SCALARTYPE1)                                                                                   \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE2>::type, \
    SCALARTYPE2)

#define ET_FORALL_REAL_TYPES_AND3(SCALARTYPE1, SCALARTYPE2, SCALARTYPE3, _)                        \
  _(uint8_t, Byte)                                                                                 \
  _(int8_t, Char)                                                                                  \
  _(int16_t, Short)                                                                                \
  _(int32_t, Int)                                                                                  \
  _(int64_t, Long)                                                                                 \
  _(float, Float)                                                                                  \
  _(double, Double)                                                                                \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE1>::type, \
    SCALARTYPE1)                                                                                   \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE2>::type, \
    SCALARTYPE2)                                                                                   \
  _(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE3>::type, \
    SCALARTYPE3)

#define ET_FORALL_REALH_TYPES(_) ET_FORALL_REAL_TYPES_AND(Half, _)
#define ET_FORALL_REALHBF16_TYPES(_) ET_FORALL_REAL_TYPES_AND2(Half, BFloat16, _)
#define ET_FORALL_REALHBBF16_TYPES(_) ET_FORALL_REAL_TYPES_AND3(Bool, Half, BFloat16, _)

// -- Quantized and complex --

#define ET_FORALL_QINT_TYPES(_)             \
  _(::executorch::aten::qint8, QInt8)       \
  _(::executorch::aten::quint8, QUInt8)     \
  _(::executorch::aten::qint32, QInt32)     \
  _(::executorch::aten::quint4x2, QUInt4x2) \
  _(::executorch::aten::quint2x4, QUInt2x4)

#define ET_FORALL_COMPLEX_TYPES(_)                    \
  _(::executorch::aten::complex<float>, ComplexFloat) \
  _(::executorch::aten::complex<double>, ComplexDouble)

#define ET_FORALL_COMPLEXH_TYPES(_)                                     \
  _(::executorch::aten::complex<::executorch::aten::Half>, ComplexHalf) \
  _(::executorch::aten::complex<float>, ComplexFloat)                   \
  _(::executorch::aten::complex<double>, ComplexDouble)
