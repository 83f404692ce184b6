#include "kernels/support/registration.h"

#include <new>

#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace kernels {
namespace {

Error register_joined(const char* library_name, Span<Table (*const)()> tables) {
  size_t count = 0;
  for (auto table : tables) count += table().size();
  // Lives as long as the process: the registry keeps the rows by address.
  OperatorRow* rows = new (std::nothrow) OperatorRow[count];
  ET_REQUIRE(rows != nullptr, MemoryAllocationFailed, "no memory for the table of %zu %s", count,
             library_name);
  size_t next = 0;
  for (auto table : tables) {
    for (const OperatorRow& row : table()) rows[next++] = row;
  }
  return runtime::register_operator_library(library_name, {rows, count});
}

}  // namespace

Error register_tables(const char* library_name, Span<Table (*const)()> tables) {
  const Error error = register_joined(library_name, tables);
  if (error != Error::Ok) ET_LOG(Error, "%s", runtime::last_error_message());
  return error;
}

}  // namespace kernels
}  // namespace executorch
