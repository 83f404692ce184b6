/**
 * @file
 * How an operator library registers: one table of rows per source file, joined and handed to the
 * runtime when the library is loaded.
 */
#pragma once

#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {

/// Rows of one source file.
using Table = Span<const OperatorRow>;

/// Registers all rows of the tables under the library's name. A failure is logged too.
Error register_tables(const char* library_name, Span<Table (*const)()> tables);

}  // namespace kernels
}  // namespace executorch
