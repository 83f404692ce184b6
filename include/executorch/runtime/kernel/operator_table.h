/**
 * @file
 * Registration of a whole operator library. A library describes its operators in one table, a row
 * each with the schema, and registers the table once when it loads. The schema lets the runtime
 * check the count and the kinds of a program's arguments before the first call, and name them in
 * errors.
 *
 * Single kernels registered through operator_registry.h live in the same registry.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/kernel_signature.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

/// One operator. The strings must live as long as the process.
struct OperatorRow {
  /// Full name with overload, e.g. "aten::add.out".
  const char* name;
  /// Argument list and returns in PyTorch's schema language, without the name:
  /// "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)".
  const char* schema;
  /// Called with one EValue per schema argument and one for the return(s).
  OpFunction function;
};

/**
 * Registers all rows, or none. Refused when one of the names is registered already (a second copy
 * of an operator set in one process), other than through override_kernel(): both library files are
 * logged and kept, and every later Program::load_method fails with that text. The process lives.
 *
 * @param[in] library_name Name used in messages, e.g. "CPU operators". Must live as long as the
 * process.
 * @param[in] rows Must live as long as the process.
 * @retval Error::Ok, RegistrationAlreadyRegistered, MemoryAllocationFailed.
 * Thread-safe.
 */
ET_NODISCARD EXECUTORCH_API Error register_operator_library(const char* library_name,
                                                            Span<const OperatorRow> rows);

/// Why an operator library was refused: names both library files. Null when none was. Stays valid.
EXECUTORCH_API const char* operator_library_conflict();

/// All rows of all registered operator libraries, in order of registration. The span stays valid
/// for the life of the process, and lacks what is registered after the call.
EXECUTORCH_API Span<const OperatorRow> registered_operator_rows();

/// One parsed argument. `name` points into the schema text and is not terminated.
struct SchemaArgument {
  const char* name;
  uint16_t name_length;
  ArgumentKind kind;
  bool optional;  ///< `?` behind the type: None is accepted
  bool written;   ///< `(a!)`: the operator writes it
  bool out;       ///< behind `*` and written
};

/// Most arguments that a schema may have.
constexpr size_t kMaxSchemaArguments = 64;

/// A parsed schema.
struct OperatorSchema {
  SchemaArgument arguments[kMaxSchemaArguments];
  size_t num_arguments;
  size_t num_returns;
};

/// Parses the text of OperatorRow::schema. InvalidArgument with a text when it is malformed.
ET_NODISCARD EXECUTORCH_API Error parse_operator_schema(const char* text, OperatorSchema* schema);

/// The row of the operator library that describes an operator, or null when none does. Its function
/// is the library's own kernel, which is not the one called where another overrides it.
EXECUTORCH_API const OperatorRow* find_operator_row(const char* name);

/// The schema text of a registered operator, or null when it has none (registered through a bare
/// function pointer).
EXECUTORCH_API const char* find_operator_schema(const char* name);

/// The name of the operator library that describes an operator, or null when none does.
EXECUTORCH_API const char* find_operator_library(const char* name);

/// The signature of a kernel registered under `name`, or null when none of them has one.
EXECUTORCH_API const KernelSignature* find_kernel_signature(const char* name);

/// The component and CMake target that carries an operator missing from this process, by its
/// namespace or name; null when unknown. For error texts.
EXECUTORCH_API const char* operator_component_hint(const char* name);

}  // namespace runtime
}  // namespace executorch
