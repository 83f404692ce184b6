/**
 * @file
 * Build switches of the core types.
 */
#pragma once

#ifndef ET_ENABLE_ENUM_STRINGS
/// 1: enumerators can be turned into their names; 0 leaves the name tables out of small programs.
#define ET_ENABLE_ENUM_STRINGS 1
#endif
