#include "engine/steps/step.h"

namespace executorch::engine {

std::string to_text(const Dims& dims) {
  std::string text = "[";
  for (int d = 0; d < dims.rank; ++d) {
    if (d > 0) text += ", ";
    text += std::to_string(dims[d]);
  }
  return text + "]";
}

const char* dtype_text(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return "u8";
    case DType::i8:
      return "i8";
    case DType::i16:
      return "i16";
    case DType::i32:
      return "i32";
    case DType::i64:
      return "i64";
    case DType::f16:
      return "f16";
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::c32:
      return "c32";
    case DType::c64:
      return "c64";
    case DType::c128:
      return "c128";
    case DType::boolean:
      return "bool";
    case DType::bf16:
      return "bf16";
    case DType::u16:
      return "u16";
    case DType::u32:
      return "u32";
    case DType::u64:
      return "u64";
  }
  return "other";
}

}  // namespace executorch::engine
