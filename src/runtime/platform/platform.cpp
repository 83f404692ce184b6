#include <executorch/runtime/platform/platform.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "runtime/platform/lock.h"

namespace executorch::runtime {
namespace {

/// A table that is or was active. Former ones are kept: a reader may hold a pointer to them.
struct PalTable {
  PalImpl functions;
  const PalTable* previous;
};

const PalTable initial_table{
    PalImpl{et_pal_init, et_pal_abort, et_pal_current_ticks, et_pal_ticks_to_ns_multiplier,
            et_pal_emit_log_message, et_pal_allocate, et_pal_free, __FILE__},
    nullptr};

// Constant initialisation: static initialisers of other files may already register or log.
constinit std::atomic<const PalTable*> active_table{&initial_table};
constinit internal::Lock registration;

template <typename Function>
void replace(Function* entry, Function replacement) {
  if (replacement != nullptr) *entry = replacement;
}

}  // namespace

PalImpl PalImpl::create(pal_emit_log_message_method emit_log_message, const char* source_filename) {
  return create(nullptr, nullptr, nullptr, nullptr, emit_log_message, nullptr, nullptr,
                source_filename);
}

PalImpl PalImpl::create(pal_init_method init, pal_abort_method abort,
                        pal_current_ticks_method current_ticks,
                        pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier,
                        pal_emit_log_message_method emit_log_message, pal_allocate_method allocate,
                        pal_free_method free, const char* source_filename) {
  return PalImpl{init,     abort, current_ticks,  ticks_to_ns_multiplier, emit_log_message,
                 allocate, free,  source_filename};
}

bool register_pal(PalImpl impl) {
  const internal::LockGuard lock(registration);
  const PalTable* const previous = active_table.load(std::memory_order_acquire);
  PalTable* const table = new (std::nothrow) PalTable{previous->functions, previous};
  if (table == nullptr) return false;
  PalImpl& functions = table->functions;
  replace(&functions.init, impl.init);
  replace(&functions.abort, impl.abort);
  replace(&functions.current_ticks, impl.current_ticks);
  replace(&functions.ticks_to_ns_multiplier, impl.ticks_to_ns_multiplier);
  replace(&functions.emit_log_message, impl.emit_log_message);
  replace(&functions.allocate, impl.allocate);
  replace(&functions.free, impl.free);
  functions.source_filename = impl.source_filename;
  active_table.store(table, std::memory_order_release);
  return true;
}

const PalImpl* get_pal_impl() {
  return &active_table.load(std::memory_order_acquire)->functions;
}

void pal_init() {
  get_pal_impl()->init();
}

void pal_abort() {
  get_pal_impl()->abort();
  std::abort();  // a replacement that returns
}

et_timestamp_t pal_current_ticks() {
  return get_pal_impl()->current_ticks();
}

et_tick_ratio_t pal_ticks_to_ns_multiplier() {
  return get_pal_impl()->ticks_to_ns_multiplier();
}

void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                          const char* function, size_t line, const char* message, size_t length) {
  get_pal_impl()->emit_log_message(timestamp, level, filename, function, line, message, length);
}

void* pal_allocate(size_t size) {
  return get_pal_impl()->allocate(size);
}

void pal_free(void* ptr) {
  get_pal_impl()->free(ptr);
}

}  // namespace executorch::runtime
