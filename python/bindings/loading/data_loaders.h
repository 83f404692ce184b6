// Data loaders that Python code passes around.
#pragma once

#include <memory>

#include <executorch/runtime/core/data_loader.h>

namespace executorch::python {

/// Opaque in Python. Programs opened from it share it, so it must be safe to use from several
/// threads.
struct PyDataLoader {
  std::shared_ptr<runtime::DataLoader> loader;
};

}  // namespace executorch::python
