/**
 * @file
 * The c10 path of torch/headeronly/macros/Export.h.
 */
#pragma once

#include <torch/headeronly/macros/Export.h>
