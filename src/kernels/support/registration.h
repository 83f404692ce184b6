/**
 * @file
 * How an operator library registers: one table of rows per source file, joined and handed to the
 * runtime when the library is loaded.
 */
#pragma once

#include <algorithm>
#include <array>
#include <iterator>

#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {

/// Rows of one source file.
using Table = Span<const OperatorRow>;

namespace internal {

template <const auto& rows>
constexpr auto kept_rows() {
  constexpr auto kept = [](const OperatorRow& row) { return row.name != nullptr; };
  std::array<OperatorRow, std::count_if(std::begin(rows), std::end(rows), kept)> result{};
  std::copy_if(std::begin(rows), std::end(rows), result.begin(), kept);
  return result;
}

}  // namespace internal

/// The rows of a file that this build has.
template <const auto& rows>
Table table() {
  static constexpr auto kept = internal::kept_rows<rows>();
  return {kept.data(), kept.size()};
}

/// Registers all rows of the tables under the library's name. A failure is logged too.
Error register_tables(const char* library_name, Span<Table (*const)()> tables);

}  // namespace kernels
}  // namespace executorch
