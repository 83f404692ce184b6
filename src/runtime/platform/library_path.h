/**
 * @file
 * Which file of the process a thing comes from.
 */
#pragma once

namespace executorch {
namespace runtime {
namespace internal {

/// Longest path told, in bytes, with the terminating zero.
constexpr int kMaxLibraryPath = 512;

/// The shared library or program that contains a function or a static object. "(unknown file)" when
/// the system cannot tell.
struct LibraryPath {
  explicit LibraryPath(const void* address);
  char text[kMaxLibraryPath];
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
