// Quantised values.
#include "engine/plan/lowering.h"

namespace executorch::engine {

Error Lowering::lower(const Node&, const Quantize&) {
  return ET_ERROR(NotSupported, "quantised values");
}

Error Lowering::lower(const Node&, const Dequantize&) {
  return ET_ERROR(NotSupported, "quantised values");
}

Error Lowering::lower(const Node&, const Requantize&) {
  return ET_ERROR(NotSupported, "quantised values");
}

Error Lowering::lower(const Node&, const QuantizeRows&) {
  return ET_ERROR(NotSupported, "quantised values");
}

Error Lowering::lower(const Node&, const QuantizedLinear&) {
  return ET_ERROR(NotSupported, "quantised values");
}

Error Lowering::lower(const Node&, const QuantizedConvolution&) {
  return ET_ERROR(NotSupported, "quantised values");
}

Error Lowering::lower(const Node&, const QuantizedElementwise&) {
  return ET_ERROR(NotSupported, "quantised values");
}

Error Lowering::lower(const Node&, const QuantizedMean&) {
  return ET_ERROR(NotSupported, "quantised values");
}

}  // namespace executorch::engine
