// What ExecuTorchProgram and ExecuTorchModule have in common.
#pragma once

#include <optional>
#include <string>

#include "metadata.h"
#include "session.h"

namespace executorch::python {

/// Parses and verifies the program if that has not happened, without the Python lock meanwhile.
runtime::Error load_unlocked(ProgramSession& session);

/// Raises RuntimeError when there is no such method.
PyMethodMeta method_meta(ProgramSession& session, const std::string& name);

/// Raises RuntimeError when profiling is off or a file cannot be written.
void write_etdump(ProgramSession& session, const std::string& path,
                  const std::optional<std::string>& debug_path);

}  // namespace executorch::python
