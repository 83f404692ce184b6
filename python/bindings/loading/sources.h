// Where programs and data files come from.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include <executorch/runtime/core/data_loader.h>

namespace executorch::python {

/// A contiguous view of bytes.
struct ByteView {
  const void* data = nullptr;
  size_t size = 0;
};

/// A path that is mapped, bytes that are used in place, or a loader that reads on demand.
struct Source {
  std::string path;         // as the file system spells it, which need not be UTF-8
  nanobind::object buffer;  // what stable_buffer() made; kept alive while in use
  std::shared_ptr<runtime::DataLoader> loader;  // shared with Python

  /// For texts.
  const char* name() const { return buffer ? "buffer" : loader ? "data loader" : path.c_str(); }
};

/// Bytes that stay where they are: bytes and views of read-only memory themselves, a copy of
/// anything that may change under the program, and of bytes that lie at an address without the
/// alignment that files want.
nanobind::object stable_buffer(nanobind::handle object);

/// The bytes of what stable_buffer() made.
ByteView view_bytes(const nanobind::object& buffer);

/// A bytes-like object or a path. Raises TypeError for anything else.
Source source_from(nanobind::handle object);

/// None, one path or bytes-like object, or a list of them.
std::vector<Source> sources_from(nanobind::handle object);

/// Raises RuntimeError when a file cannot be mapped. Callers hold the lock.
std::shared_ptr<runtime::DataLoader> open_source(const Source& source);

}  // namespace executorch::python
