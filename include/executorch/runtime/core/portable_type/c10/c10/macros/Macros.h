/**
 * @file
 * The c10 path of torch/headeronly/macros/Macros.h.
 */
#pragma once

#include <torch/headeronly/macros/Macros.h>
