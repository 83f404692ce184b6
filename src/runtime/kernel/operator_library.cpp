#include <atomic>
#include <cstdio>

#include <executorch/runtime/kernel/operator_table.h>

#include "runtime/core/growing_array.h"
#include "runtime/kernel/registry_state.h"
#include "runtime/platform/library_path.h"

namespace executorch {
namespace runtime {
namespace {

using internal::KernelTable;
using internal::LibraryPath;
using internal::registry_state;

struct Library {
  const char* name;
  Span<const OperatorRow> rows;
};

// Both guarded by the registry's lock.
constinit GrowingArray<OperatorRow> all_rows;
constinit GrowingArray<Library> libraries;

constinit internal::Lock conflict_lock;
char conflict_text[kMaxErrorMessageSize];
// Set once conflict_text is complete, which never changes afterwards.
constinit std::atomic<bool> has_conflict{false};

Error check_complete(const char* library_name, Span<const OperatorRow> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const OperatorRow& row = rows[i];
    ET_REQUIRE(row.name != nullptr && row.schema != nullptr && row.function != nullptr,
               InvalidArgument, "row %zu of the operator library '%s' lacks %s", i, library_name,
               row.name == nullptr ? "a name" : "a schema or a function");
  }
  return Error::Ok;
}

/// The library row that describes an operator, null when none does.
const OperatorRow* described_by(const KernelTable& table, const char* name) {
  for (int32_t i = table.first(name); i != KernelTable::kNone; i = table.next(i, name)) {
    if (table.row(i) != nullptr) return table.row(i);
  }
  return nullptr;
}

/// Keeps the first conflict of the process for every later load. Called without the registry's
/// lock: finding a library's file and logging may call back into this process.
Error keep_conflict(const char* library_name, OpFunction first, const OperatorRow& second) {
  const LibraryPath first_file(reinterpret_cast<const void*>(first));
  const LibraryPath second_file(reinterpret_cast<const void*>(second.function));
  set_error_message(
      "the operator library '%s' was refused, since two libraries of this process carry the "
      "operator '%s': %s and %s; link or load only one of them, or override single operators "
      "through override_kernel()",
      library_name, second.name, first_file.text, second_file.text);
  {
    const internal::LockGuard lock(conflict_lock);
    if (has_conflict.load(std::memory_order_relaxed)) return Error::RegistrationAlreadyRegistered;
    std::snprintf(conflict_text, sizeof(conflict_text), "%s", last_error_message());
    has_conflict.store(true, std::memory_order_release);
  }
  ET_LOG(Error, "%s", conflict_text);
  return Error::RegistrationAlreadyRegistered;
}

bool is_within(const OperatorRow* row, Span<const OperatorRow> rows) {
  return row != nullptr && row >= rows.data() && row < rows.data() + rows.size();
}

/// Takes the rows of an unfinished registration out again.
void roll_back(KernelTable& table, size_t size_before, Span<const OperatorRow> rows) {
  table.truncate(size_before);
  for (size_t i = 0; i < size_before; ++i) {
    const auto index = static_cast<int32_t>(i);
    if (is_within(table.row(index), rows)) table.set_row(index, nullptr);
  }
}

/// A row that was refused and the kernel that has its place.
struct Duplicate {
  OpFunction existing = nullptr;
  const OperatorRow* existing_row = nullptr;
  const OperatorRow* refused = nullptr;
};

/// Adds a row. A kernel that overrides the operator stays; the row then only describes it.
/// Returns false when the operator's place is taken.
bool add_row(KernelTable& table, const OperatorRow& row, Duplicate* duplicate) {
  const int32_t taken = table.find(row.name, KernelKey());
  if (const OperatorRow* const other = described_by(table, row.name)) {
    *duplicate = {other->function, other, &row};
    return false;
  }
  if (taken == KernelTable::kNone) {
    table.append(Kernel(row.name, row.function), &row);
  } else if (table.is_override(taken)) {
    table.set_row(taken, &row);
  } else {
    *duplicate = {table.kernel(taken).op_, nullptr, &row};
    return false;
  }
  return true;
}

/// Adds all rows, or none.
Error add_rows(const Library& library, Duplicate* duplicate) {
  const Span<const OperatorRow> rows = library.rows;
  const internal::LockGuard lock(registry_state.lock);
  KernelTable& table = registry_state.kernels;
  ET_TRY(table.reserve(rows.size()));
  ET_TRY(all_rows.reserve(rows.size()));
  ET_TRY(libraries.reserve(1));
  const size_t size_before = table.size();
  for (const OperatorRow& row : rows) {
    if (!add_row(table, row, duplicate)) {
      roll_back(table, size_before, rows);
      return Error::RegistrationAlreadyRegistered;
    }
  }
  for (const OperatorRow& row : rows) all_rows.append(row);
  libraries.append(library);
  return Error::Ok;
}

}  // namespace

Error register_operator_library(const char* library_name, Span<const OperatorRow> rows) {
  ET_REQUIRE(library_name != nullptr, InvalidArgument,
             "an operator library was registered without a name");
  ET_TRY(check_complete(library_name, rows));
  Duplicate duplicate;
  const Error error = add_rows({library_name, rows}, &duplicate);
  if (duplicate.refused == nullptr) return error;
  ET_REQUIRE(!is_within(duplicate.existing_row, rows), RegistrationAlreadyRegistered,
             "the operator library '%s' names '%s' twice or was registered before", library_name,
             duplicate.refused->name);
  return keep_conflict(library_name, duplicate.existing, *duplicate.refused);
}

const char* operator_library_conflict() {
  return has_conflict.load(std::memory_order_acquire) ? conflict_text : nullptr;
}

Span<const OperatorRow> registered_operator_rows() {
  const internal::LockGuard lock(registry_state.lock);
  return all_rows.span();
}

const OperatorRow* find_operator_row(const char* name) {
  const internal::LockGuard lock(registry_state.lock);
  return described_by(registry_state.kernels, name);
}

const char* find_operator_schema(const char* name) {
  const OperatorRow* const row = find_operator_row(name);
  return row == nullptr ? nullptr : row->schema;
}

const char* find_operator_library(const char* name) {
  const internal::LockGuard lock(registry_state.lock);
  const OperatorRow* const row = described_by(registry_state.kernels, name);
  for (const Library& library : libraries.span()) {
    if (is_within(row, library.rows)) return library.name;
  }
  return nullptr;
}

}  // namespace runtime
}  // namespace executorch
