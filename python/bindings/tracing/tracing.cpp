#include "tracing/tracing.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/runtime/core/error_message.h>

using executorch::runtime::Error;

namespace executorch::python {

namespace {

Error write_file(const std::string& path, const void* data, size_t size) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ET_REQUIRE(file != nullptr, AccessFailed, "cannot open %s for writing: %s", path.c_str(),
             std::strerror(errno));
  const bool written = size == 0 || std::fwrite(data, 1, size, file) == size;
  const bool closed = std::fclose(file) == 0;
  ET_REQUIRE(written && closed, AccessFailed, "cannot write %zu bytes to %s: %s", size,
             path.c_str(), std::strerror(errno));
  return Error::Ok;
}

}  // namespace

void Tracing::start(size_t debug_buffer_size) {
  auto tracer = std::make_unique<etdump::ETDumpGen>();
  if (debug_buffer_size > 0) {
    debug_buffer_.resize(debug_buffer_size);
    tracer->set_debug_buffer({debug_buffer_.data(), debug_buffer_.size()});
    tracer->set_event_tracer_debug_level(runtime::EventTracerDebugLogLevel::kIntermediateOutputs);
  }
  tracer_ = std::move(tracer);
}

Error Tracing::write(const std::string& path, const std::string& debug_path) {
  auto& generator = static_cast<etdump::ETDumpGen&>(*tracer_);
  const etdump::ETDumpResult result = generator.get_etdump_data();
  ET_REQUIRE(result.buf != nullptr && result.size > 0, InvalidState,
             "nothing was recorded: run a method first");
  const Error error = write_file(path, result.buf, result.size);
  std::free(result.buf);
  ET_TRY(error);
  if (!debug_path.empty())
    ET_TRY(write_file(debug_path, debug_buffer_.data(), debug_buffer_.size()));
  return Error::Ok;
}

}  // namespace executorch::python
