#include <executorch/devtools/etdump/emitter.h>

#include <cstdlib>
#include <cstring>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace etdump {
namespace internal {

using ::executorch::runtime::Error;
using ::executorch::runtime::Span;

Result<ETDumpResult> emit_dump(Span<const uint8_t> bytes, Span<uint8_t> buffer) {
  void* destination = buffer.data();
  if (destination == nullptr) {
    destination = std::malloc(bytes.size());
    ET_REQUIRE(destination != nullptr, MemoryAllocationFailed,
               "profile dump: no memory for %zu bytes", bytes.size());
  } else {
    ET_REQUIRE(bytes.size() <= buffer.size(), OutOfResources,
               "profile dump: it takes %zu bytes, its buffer has %zu", bytes.size(), buffer.size());
  }
  std::memcpy(destination, bytes.data(), bytes.size());
  return ETDumpResult{destination, bytes.size()};
}

}  // namespace internal
}  // namespace etdump
}  // namespace executorch
