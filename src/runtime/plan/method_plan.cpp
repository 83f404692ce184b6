// The planners of this process, and how they are asked.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/executor/method_planner.h>

#include "runtime/loading/method_loader.h"
#include "runtime/plan/plan_editor.h"
#include "runtime/plan/plan_view.h"

namespace executorch {
namespace runtime {

namespace {

constexpr size_t kMaxPlanners = 8;

/// Filled from the front; never emptied.
std::atomic<MethodPlanner*> g_planners[kMaxPlanners];

bool planning_is_off() {
  const char* setting = std::getenv("EXECUTORCH_PLAN");
  return setting != nullptr && std::strcmp(setting, "off") == 0;
}

}  // namespace

Error register_method_planner(MethodPlanner* planner) {
  ET_REQUIRE(planner != nullptr, InvalidArgument, "the planner is null");
  for (auto& slot : g_planners) {
    MethodPlanner* expected = nullptr;
    if (slot.compare_exchange_strong(expected, planner)) return Error::Ok;
    ET_REQUIRE(expected != planner, RegistrationAlreadyRegistered,
               "planner '%s' is registered already", planner->name());
  }
  return ET_ERROR(OutOfResources, "more than %zu planners", kMaxPlanners);
}

namespace internal {

const char* cache_dir(const LoadOptions& options) {
  const char* folder =
      options.cache_dir != nullptr ? options.cache_dir : std::getenv("EXECUTORCH_CACHE_DIR");
  return folder != nullptr && *folder != '\0' ? folder : nullptr;
}

bool is_planned(const LoadOptions& options) {
  return options.plan && !planning_is_off() && g_planners[0].load() != nullptr;
}

Error plan_method(MethodImpl& method, const LoadOptions& options) {
  if (!is_planned(options)) return Error::Ok;
  const size_t limit = plan_limit(method, options);
  LoadedMethodView view(method, limit, cache_dir(options), options.cache_limit);
  ET_TRY(view.build());
  RecordingPlanEditor editor(method);
  ET_TRY(editor.build());
  for (auto& slot : g_planners) {
    MethodPlanner* planner = slot.load();
    if (planner == nullptr) break;
    const Error error = planner->plan(view, editor);
    if (error != Error::Ok) {
      add_error_context("planning by %s", planner->name());
      return error;
    }
  }
  ET_REQUIRE(editor.memory_bytes() <= limit, MemoryAllocationFailed,
             "its plan needs %zu bytes, the limit is %zu", editor.memory_bytes(), limit);
  return editor.apply();
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
