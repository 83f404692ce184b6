/**
 * @file
 * The c10 path of torch/headeronly/util/floating_point_utils.h.
 */
#pragma once

#include <torch/headeronly/util/floating_point_utils.h>
