#include "engine/graph/graph_source.h"

#include <mutex>
#include <unordered_map>

namespace executorch::engine {
namespace {

struct Sources {
  std::mutex mutex;
  std::unordered_map<const void*, GraphSource*> by_handle;
};

// Never destroyed: methods in static objects may outlive it.
Sources& sources() {
  static Sources* const instance = new Sources;
  return *instance;
}

}  // namespace

GraphSource* find_graph_source(const void* handle) {
  const std::lock_guard<std::mutex> lock(sources().mutex);
  const auto found = sources().by_handle.find(handle);
  return found == sources().by_handle.end() ? nullptr : found->second;
}

void register_graph_source(const void* handle, GraphSource* source) {
  const std::lock_guard<std::mutex> lock(sources().mutex);
  sources().by_handle[handle] = source;
}

void unregister_graph_source(const void* handle) {
  const std::lock_guard<std::mutex> lock(sources().mutex);
  sources().by_handle.erase(handle);
}

}  // namespace executorch::engine
