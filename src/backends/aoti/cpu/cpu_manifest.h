/**
 * @file
 * The payload of a CPU delegate. Numbers are little-endian, texts have a u32 byte count before
 * them:
 *
 *     "ETAOTICPU1"
 *     text key of the code object, its SHA-256 in 64 hexadecimal digits and "_so_blob"
 *     text instruction set that the code needs, as compilers call it: "x86-64-v3", "armv8-a"
 *     text producer, for messages
 *     u32 count of constants, and each as in a CUDA payload with a list of constants, in the order
 * of the code u32 count of constants that the code writes to, and the u32 number of each u32 count
 * of inputs, and for each: i32 type, u32 rank, and for each dimension i64 least size, i64 greatest
 * size, i32 symbol, i64 factor, i64 summand, u32 dimension that is at this place of the dim order
 *     u32 count of outputs, and for each: i32 type, u32 rank
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/aoti/payload/manifest.h"

namespace executorch::backends::aoti {

constexpr char kCpuMagic[] = "ETAOTICPU1";
/// Most symbols of a payload: sizes that are not known before the run.
constexpr int32_t kMaxSymbols = 1024;
/// Greatest size, factor or summand.
constexpr int64_t kMaxSize = int64_t{1} << 40;

/// A dimension of an input. Its size is factor * symbol + summand; inputs that share a symbol have
/// sizes that go together.
struct InputDim {
  int64_t least = 0;
  int64_t most = 0;
  int32_t symbol = -1;  ///< -1: the size is fixed
  int64_t factor = 1;   ///< positive
  int64_t summand = 0;
};

/// What generated code takes for granted of an input.
struct InputSpec {
  aten::ScalarType dtype{};
  std::vector<InputDim> dims;
  std::vector<uint8_t> dim_order;  ///< dimensions, outermost in memory first
};

struct OutputSpec {
  aten::ScalarType dtype{};
  size_t rank = 0;
};

struct CpuManifest {
  std::string code_key;
  std::string sha256;  ///< of the code object, from its key
  std::string instruction_set;
  std::string producer;
  std::vector<Constant> constants;
  std::vector<bool> written;  ///< by constant: whether the code writes to it
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  int32_t symbols = 0;  ///< one more than the greatest
};

/// InvalidProgram when the bytes are no such payload.
Error read_cpu_manifest(runtime::Span<const uint8_t> payload, CpuManifest* manifest);

/// Whether this machine has an instruction set; false for one that is not known.
bool has_instruction_set(const std::string& name);

}  // namespace executorch::backends::aoti
