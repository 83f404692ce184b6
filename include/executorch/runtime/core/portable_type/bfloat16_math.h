/**
 * @file
 * The functions of <cmath> for BFloat16 and Half.
 */
#pragma once

#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/half.h>

#include <c10/util/BFloat16-math.h>
