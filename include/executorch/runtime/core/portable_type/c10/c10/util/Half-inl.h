/**
 * @file
 * A former path of torch/headeronly/util/Half.h.
 */
#pragma once

#include <torch/headeronly/util/Half.h>
