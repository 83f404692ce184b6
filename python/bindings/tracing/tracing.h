// Optional profiling of a program's runs into an ETDump.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>

namespace executorch::python {

/// Owns the tracer and its debug buffer. Off until start().
class Tracing {
 public:
  void start(size_t debug_buffer_size);
  bool enabled() const { return tracer_ != nullptr; }
  runtime::EventTracer* tracer() const { return tracer_.get(); }
  /// Writes what was recorded since the last call, then starts over. `debug_path` may be empty.
  runtime::Error write(const std::string& path, const std::string& debug_path);

 private:
  std::unique_ptr<runtime::EventTracer> tracer_;
  std::vector<uint8_t> debug_buffer_;
};

}  // namespace executorch::python
