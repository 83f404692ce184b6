/**
 * @file
 * Types shared by the platform hooks, usable from C.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A point in time in platform ticks; see et_pal_ticks_to_ns_multiplier().
typedef uint64_t et_timestamp_t;

#ifdef __cplusplus
}
#endif
