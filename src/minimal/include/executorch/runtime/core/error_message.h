/**
 * @file
 * Takes the place of the header of this name in a minimal build: errors are their codes, and what
 * would be said of them is neither formatted nor in the program.
 */
#pragma once

#include_next <executorch/runtime/core/error_message.h>

#undef ET_ERROR
#define ET_ERROR(error__, ...)                                                             \
  ((false ? ::executorch::runtime::set_error_message(__VA_ARGS__) : static_cast<void>(0)), \
   ::executorch::runtime::Error::error__)
