/**
 * @file
 * All operator rows of the library of language model operators, one table per source file.
 */
#pragma once

#include "kernels/support/registration.h"

namespace executorch {
namespace kernels {

Table attention_rows();
Table cache_rows();
Table delta_rule_rows();
Table hadamard_rows();
Table model_part_rows();

}  // namespace kernels
}  // namespace executorch
