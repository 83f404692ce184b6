#include "backends/aoti/cpu/cpu_manifest.h"

#include <algorithm>
#include <cinttypes>
#include <string_view>

namespace executorch::backends::aoti {
namespace {

using aten::ScalarType;
using runtime::Span;

constexpr std::string_view kCodeKeyEnd = "_so_blob";
constexpr size_t kDigestDigits = 64;
constexpr size_t kLeastInputBytes = 4 + 4;
constexpr size_t kDimBytes = 8 + 8 + 4 + 8 + 8 + 4;
/// Tensors of the runtime have no more.
constexpr uint32_t kMaxInputRank = 16;

Error read_code_key(ByteReader* reader, CpuManifest* manifest) {
  ET_TRY(reader->read(&manifest->code_key, "the code object's key"));
  const std::string& key = manifest->code_key;
  const bool named = key.size() == kDigestDigits + kCodeKeyEnd.size() &&
                     std::string_view(key).substr(kDigestDigits) == kCodeKeyEnd &&
                     key.find_first_not_of("0123456789abcdef") >= kDigestDigits;
  ET_REQUIRE(named, InvalidProgram,
             "the code object's key is '%s', a SHA-256 in hexadecimal digits and '_so_blob' are "
             "expected",
             key.c_str());
  manifest->sha256 = key.substr(0, kDigestDigits);
  return Error::Ok;
}

Error read_written(ByteReader* reader, CpuManifest* manifest) {
  manifest->written.assign(manifest->constants.size(), false);
  uint32_t count = 0;
  ET_TRY(reader->read_count(&count, kMaxEntries, sizeof(uint32_t), "written constants"));
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t number = 0;
    ET_TRY(reader->read(&number, "the number of a written constant"));
    ET_REQUIRE(number < manifest->written.size(), InvalidProgram,
               "constant %" PRIu32 " is written to, there are %zu", number,
               manifest->written.size());
    manifest->written[number] = true;
  }
  return Error::Ok;
}

Error read_dtype(ByteReader* reader, ScalarType* dtype) {
  int32_t number = 0;
  ET_TRY(reader->read(&number, "a type"));
  ET_REQUIRE((0 <= number && number <= 7) || number == static_cast<int32_t>(ScalarType::Bool) ||
                 number == static_cast<int32_t>(ScalarType::BFloat16),
             InvalidProgram, "type number %" PRId32 " is not known", number);
  *dtype = static_cast<ScalarType>(number);
  return Error::Ok;
}

Error read_dim(ByteReader* reader, InputDim* dim, uint32_t* ordered) {
  ET_TRY(reader->read(&dim->least, "a size"));
  ET_TRY(reader->read(&dim->most, "a size"));
  ET_TRY(reader->read(&dim->symbol, "a symbol"));
  ET_TRY(reader->read(&dim->factor, "a factor"));
  ET_TRY(reader->read(&dim->summand, "a summand"));
  ET_TRY(reader->read(ordered, "a dim order"));
  ET_REQUIRE(0 <= dim->least && dim->least <= dim->most && dim->most <= kMaxSize, InvalidProgram,
             "sizes from %" PRId64 " to %" PRId64 " are not possible", dim->least, dim->most);
  ET_REQUIRE(-1 <= dim->symbol && dim->symbol < kMaxSymbols, InvalidProgram,
             "symbol number %" PRId32 " is not possible", dim->symbol);
  ET_REQUIRE(dim->symbol >= 0 || dim->least == dim->most, InvalidProgram,
             "a fixed size is from %" PRId64 " to %" PRId64, dim->least, dim->most);
  ET_REQUIRE(1 <= dim->factor && dim->factor <= kMaxSize && -kMaxSize <= dim->summand &&
                 dim->summand <= kMaxSize,
             InvalidProgram,
             "a size of %" PRId64 " times a symbol plus %" PRId64 " is not possible", dim->factor,
             dim->summand);
  return Error::Ok;
}

Error read_input(ByteReader* reader, InputSpec* input, int32_t* symbols) {
  ET_TRY(read_dtype(reader, &input->dtype));
  uint32_t rank = 0;
  ET_TRY(reader->read_count(&rank, kMaxInputRank, kDimBytes, "dimensions"));
  std::vector<bool> seen(rank, false);
  for (uint32_t d = 0; d < rank; ++d) {
    InputDim dim;
    uint32_t ordered = 0;
    ET_TRY(read_dim(reader, &dim, &ordered));
    ET_REQUIRE(ordered < rank && !seen[ordered], InvalidProgram,
               "the dim order names dimension %" PRIu32 " of %" PRIu32 " twice or beyond", ordered,
               rank);
    seen[ordered] = true;
    input->dims.push_back(dim);
    input->dim_order.push_back(static_cast<uint8_t>(ordered));
    *symbols = std::max(*symbols, dim.symbol + 1);
  }
  return Error::Ok;
}

Error read_inputs(ByteReader* reader, CpuManifest* manifest) {
  uint32_t count = 0;
  ET_TRY(reader->read_count(&count, kMaxEntries, kLeastInputBytes, "inputs"));
  manifest->inputs.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    const Error error = read_input(reader, &manifest->inputs[i], &manifest->symbols);
    if (error == Error::Ok) continue;
    runtime::add_error_context("input %" PRIu32, i);
    return error;
  }
  return Error::Ok;
}

Error read_outputs(ByteReader* reader, CpuManifest* manifest) {
  uint32_t count = 0;
  ET_TRY(reader->read_count(&count, kMaxEntries, kLeastInputBytes, "outputs"));
  manifest->outputs.resize(count);
  for (OutputSpec& output : manifest->outputs) {
    uint32_t rank = 0;
    ET_TRY(read_dtype(reader, &output.dtype));
    ET_TRY(reader->read(&rank, "a rank"));
    ET_REQUIRE(rank <= kMaxInputRank, InvalidProgram,
               "an output has %" PRIu32 " dimensions, at most %" PRIu32 " are possible", rank,
               kMaxInputRank);
    output.rank = rank;
  }
  return Error::Ok;
}

}  // namespace

Error read_cpu_manifest(Span<const uint8_t> payload, CpuManifest* manifest) {
  *manifest = CpuManifest();
  ByteReader reader(payload);
  ET_REQUIRE(reader.skip(kCpuMagic), InvalidProgram,
             "the payload does not begin with %s, as that of an AOTInductor delegate for the CPU "
             "does",
             kCpuMagic);
  ET_TRY(read_code_key(&reader, manifest));
  ET_TRY(reader.read(&manifest->instruction_set, "the instruction set"));
  ET_TRY(reader.read(&manifest->producer, "the producer"));
  ET_TRY(read_constants(&reader, &manifest->constants));
  for (const Constant& constant : manifest->constants) {
    ET_REQUIRE(constant.device == DeviceType::cpu, InvalidProgram,
               "constant '%s' is not on the CPU", constant.fqn.c_str());
  }
  ET_TRY(read_written(&reader, manifest));
  ET_TRY(read_inputs(&reader, manifest));
  ET_TRY(read_outputs(&reader, manifest));
  ET_REQUIRE(reader.remaining() == 0, InvalidProgram, "%zu bytes follow the payload's last output",
             reader.remaining());
  return Error::Ok;
}

bool has_instruction_set(const std::string& name) {
#if defined(__x86_64__)
  // The compiler's function takes literals only.
  if (name == "x86-64") return true;
  if (name == "x86-64-v2") return __builtin_cpu_supports("x86-64-v2");
  if (name == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3");
  if (name == "x86-64-v4") return __builtin_cpu_supports("x86-64-v4");
#elif defined(__aarch64__)
  if (name == "armv8-a") return true;
#endif
  return false;
}

}  // namespace executorch::backends::aoti
