/**
 * @file
 * A former path of torch/headeronly/util/BFloat16.h.
 */
#pragma once

#include <torch/headeronly/util/BFloat16.h>
