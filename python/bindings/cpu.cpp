// Which instruction set the hot loops run on.
#include "compute/cpu/cpu.h"

#include <nanobind/nanobind.h>

#include "bindings.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

nb::list instruction_sets() {
  nb::list result;
  for (size_t i = 0; i < compute::kIsaCount; ++i) {
    const auto isa = static_cast<compute::Isa>(i);
    nb::dict row;
    row["name"] = compute::isa_name(isa);
    row["supported"] = compute::isa_supported(isa);
    row["active"] = isa == compute::active_isa();
    result.append(row);
  }
  return result;
}

}  // namespace

void bind_cpu(nb::module_& m) {
  m.def("_instruction_sets", &instruction_sets,
        "The instruction sets that hot loops are compiled for, ascending: which of them this "
        "machine runs, and which is in use.");
}

}  // namespace executorch::python
