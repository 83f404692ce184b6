/**
 * @file
 * All operator rows of the library of quantised operators, one table per source file.
 */
#pragma once

#include "kernels/support/registration.h"

namespace executorch {
namespace kernels {

Table quantize_rows();
Table dequantize_rows();
Table choose_parameters_rows();
Table quantized_add_rows();
Table quantized_embedding_rows();
Table mixed_product_rows();

}  // namespace kernels
}  // namespace executorch
