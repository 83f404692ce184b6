// Options of backends as Python gives them: {backend: {key: bool, int or text}}.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/options.h>

namespace executorch::python {

class BackendOptionLists {
 public:
  /// From a dict of dicts or None. Raises TypeError for other types, ValueError for a key or text
  /// that is too long.
  static BackendOptionLists from(nanobind::handle options);

  /// The lists as the runtime takes them; they refer to this object.
  runtime::Error fill(runtime::LoadBackendOptionsMap* map) const;

 private:
  // The runtime's map wants writable lists, which it only reads.
  mutable std::vector<std::pair<std::string, std::vector<runtime::BackendOption>>> lists_;
};

}  // namespace executorch::python
