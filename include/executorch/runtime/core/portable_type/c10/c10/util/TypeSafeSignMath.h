/**
 * @file
 * The c10 path of torch/headeronly/util/TypeSafeSignMath.h.
 */
#pragma once

#include <torch/headeronly/util/TypeSafeSignMath.h>
