#include "loading/data_loaders.h"

#include <executorch/extension/data_loader/file_data_loader.h>

#include "bindings.h"
#include "errors.h"
#include "loading/sources.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

PyDataLoader file_data_loader(nb::handle path) {
  const Source source = source_from(path);
  if (source.buffer) throw nb::type_error("expected a path");
  auto loader = extension::FileDataLoader::from(source.path.c_str());
  ET_RAISE_UNLESS_OK(loader.error(), "Failed to create FileDataLoader from file %s, error: 0x:%x",
                     source.path.c_str(), static_cast<unsigned>(loader.error()));
  return {std::make_shared<extension::FileDataLoader>(std::move(*loader))};
}

}  // namespace

void bind_data_loaders(nb::module_& m) {
  nb::class_<PyDataLoader>(m, "PyDataLoader",
                           "A native loader of bytes. Native code hands out instances.");
  m.def("_file_data_loader", &file_data_loader, nb::arg("path"),
        "A loader that reads a file into memory instead of mapping it: for files that may be cut "
        "short or replaced while "
        "they are in use, and for file systems that cannot map.");
}

}  // namespace executorch::python
