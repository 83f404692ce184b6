// The original's ExecuTorchModule.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "session.h"

namespace executorch::python {

/// A program whose methods are loaded at their first use, each with arenas of its own. Callers hold
/// the Python lock.
class PyModule {
 public:
  explicit PyModule(std::shared_ptr<ProgramSession> session) : session_(std::move(session)) {}

  ProgramSession& session() { return *session_; }
  /// Loads the method if it is not loaded; raises RuntimeError when that fails.
  std::shared_ptr<MethodSession> method(const std::string& name);

 private:
  std::shared_ptr<ProgramSession> session_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<MethodSession>> methods_;
};

}  // namespace executorch::python
