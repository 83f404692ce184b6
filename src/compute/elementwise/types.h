/**
 * @file
 * Element types of tensors as the compute layer names them, and the few types that arithmetic is
 * done in.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::compute {

/// Element types in memory. The values are those of executorch::runtime::etensor::ScalarType, so
/// that a conversion is a cast; types without an entry here have no arithmetic.
enum class DType : int8_t {
  u8 = 0,
  i8 = 1,
  i16 = 2,
  i32 = 3,
  i64 = 4,
  f16 = 5,
  f32 = 6,
  f64 = 7,
  c32 = 8,  ///< a pair of f16
  c64 = 9,
  c128 = 10,
  boolean = 11,
  bf16 = 15,
  u16 = 27,
  u32 = 28,
  u64 = 29,
};

/// Types that loops compute in. Narrower types are widened to one of them block by block.
enum class ComputeType : uint8_t { f32, f64, i32, i64, c64, c128, count };

constexpr size_t kComputeTypeCount = static_cast<size_t>(ComputeType::count);
/// Compute types that have loops per instruction set; complex numbers have plain loops.
constexpr size_t kRealComputeTypeCount = 4;

/// Most dimensions of a tensor.
constexpr int kMaxRank = 16;

/// Bytes of an element, 0 for a type without arithmetic.
constexpr size_t element_size(DType type) {
  switch (type) {
    case DType::u8:
    case DType::i8:
    case DType::boolean:
      return 1;
    case DType::i16:
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::i32:
    case DType::u32:
    case DType::f32:
    case DType::c32:
      return 4;
    case DType::i64:
    case DType::u64:
    case DType::f64:
    case DType::c64:
      return 8;
    case DType::c128:
      return 16;
  }
  return 0;
}

constexpr bool is_complex(DType type) {
  return type == DType::c32 || type == DType::c64 || type == DType::c128;
}

constexpr bool is_floating(DType type) {
  return type == DType::f16 || type == DType::bf16 || type == DType::f32 || type == DType::f64;
}

/// Integers without boolean.
constexpr bool is_integer(DType type) {
  return element_size(type) != 0 && !is_floating(type) && !is_complex(type) &&
         type != DType::boolean;
}

/// The compute type of arithmetic whose result is rounded to `type`.
constexpr ComputeType compute_type(DType type) {
  switch (type) {
    case DType::f16:
    case DType::bf16:
    case DType::f32:
      return ComputeType::f32;
    case DType::f64:
      return ComputeType::f64;
    case DType::i64:
    case DType::u32:
    case DType::u64:
      return ComputeType::i64;
    case DType::c32:
    case DType::c64:
      return ComputeType::c64;
    case DType::c128:
      return ComputeType::c128;
    default:
      return ComputeType::i32;
  }
}

/// The type in memory that holds a compute type without conversion.
constexpr DType storage_type(ComputeType type) {
  switch (type) {
    case ComputeType::f64:
      return DType::f64;
    case ComputeType::i32:
      return DType::i32;
    case ComputeType::i64:
      return DType::i64;
    case ComputeType::c64:
      return DType::c64;
    case ComputeType::c128:
      return DType::c128;
    default:
      return DType::f32;
  }
}

constexpr size_t element_size(ComputeType type) {
  return element_size(storage_type(type));
}

}  // namespace executorch::compute
