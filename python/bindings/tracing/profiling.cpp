// The legacy profiler: blocks of events that code compiled with PROFILING_ENABLED records.
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <executorch/runtime/platform/profiler.h>

#include "bindings.h"

namespace nb = nanobind;

namespace executorch::python {

void bind_profiling(nb::module_& m) {
  m.def(
      "_create_profile_block",
      [](const std::string& name) { runtime::profiling_create_block(name.c_str()); },
      nb::arg("name"),
      "Opens a block, to which later events go. When all are in use, they go to the last one.");
  m.def(
      "_dump_profile_results",
      [] {
        runtime::prof_result_t result{};
        runtime::dump_profile_stats(&result);
        return nb::bytes(result.prof_data, result.num_bytes);
      },
      "The blocks as they lie in memory, laid out as profiler.h says.");
  m.def("_reset_profile_results", [] { runtime::reset_profile_stats(); }, "Empties all blocks.");
}

}  // namespace executorch::python
