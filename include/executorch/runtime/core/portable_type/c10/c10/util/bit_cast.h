/**
 * @file
 * The c10 path of torch/headeronly/util/bit_cast.h.
 */
#pragma once

#include <torch/headeronly/util/bit_cast.h>
