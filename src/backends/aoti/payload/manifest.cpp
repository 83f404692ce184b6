#include "backends/aoti/payload/manifest.h"

#include <algorithm>
#include <cinttypes>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

namespace executorch::backends::aoti {
namespace {

using aten::ScalarType;
using runtime::checked_add;
using runtime::checked_mul;
using runtime::Span;

/// Two empty texts, a size, a type, a device, an offset and a rank.
constexpr size_t kLeastConstantBytes = 4 + 4 + 8 + 4 + 4 + 8 + 4;

bool is_known_dtype(int32_t dtype) {
  return (0 <= dtype && dtype <= 7) || dtype == static_cast<int32_t>(ScalarType::Bool) ||
         dtype == static_cast<int32_t>(ScalarType::BFloat16);
}

Error read_dims(ByteReader* reader, uint32_t rank, const char* what, std::vector<int64_t>* dims) {
  dims->resize(rank);
  for (int64_t& dim : *dims) {
    ET_TRY(reader->read(&dim, what));
    ET_REQUIRE(dim >= 0, InvalidProgram, "a number of %s is %" PRId64, what, dim);
  }
  return Error::Ok;
}

Error read_kind(ByteReader* reader, Constant* constant) {
  int32_t dtype = 0;
  int32_t device = 0;
  ET_TRY(reader->read(&dtype, "a constant's type"));
  ET_TRY(reader->read(&device, "a constant's device"));
  ET_REQUIRE(is_known_dtype(dtype), InvalidProgram, "type number %" PRId32 " is not known", dtype);
  ET_REQUIRE(device == 0 || device == 1, InvalidProgram,
             "device number %" PRId32 " is not known: 0 is the CPU, 1 is CUDA", device);
  constant->dtype = static_cast<ScalarType>(dtype);
  constant->device = static_cast<DeviceType>(device);
  return Error::Ok;
}

Error read_constant(ByteReader* reader, Constant* constant) {
  ET_TRY(reader->read(&constant->fqn, "a constant's name"));
  ET_TRY(reader->read(&constant->key, "a constant's key"));
  ET_REQUIRE(!constant->fqn.empty() && !constant->key.empty(), InvalidProgram,
             "its name or key is empty");
  ET_TRY(reader->read(&constant->nbytes, "a constant's size"));
  ET_TRY(read_kind(reader, constant));
  ET_TRY(reader->read(&constant->offset, "a constant's offset"));
  ET_REQUIRE(constant->offset >= 0, InvalidProgram, "its offset is %" PRId64, constant->offset);
  uint32_t rank = 0;
  ET_TRY(reader->read_count(&rank, kMaxRank, 2 * sizeof(int64_t), "dimensions"));
  ET_TRY(read_dims(reader, rank, "a constant's sizes", &constant->sizes));
  ET_TRY(read_dims(reader, rank, "a constant's strides", &constant->strides));
  uint64_t needed = 0;
  const bool counted =
      reached_bytes({constant->sizes.data(), rank}, {constant->strides.data(), rank},
                    constant->offset, runtime::elementSize(constant->dtype), &needed);
  ET_REQUIRE(counted && needed <= constant->nbytes, InvalidProgram,
             "its elements reach to byte %" PRIu64 ", its storage has %" PRIu64 " bytes",
             counted ? needed : UINT64_MAX, constant->nbytes);
  return Error::Ok;
}

Error read_key_lines(Span<const uint8_t> payload, Manifest* manifest) {
  const auto* const break_at =
      std::find(payload.begin(), payload.end(), static_cast<uint8_t>('\n'));
  ET_REQUIRE(break_at != payload.end(), InvalidProgram,
             "the payload is no manifest of an AOTInductor delegate: it neither starts with %s nor "
             "holds two keys on two lines",
             kConstantListMagic);
  manifest->code_key.assign(payload.begin(), break_at);
  manifest->blob_key.assign(break_at + 1, payload.end());
  ET_REQUIRE(!manifest->code_key.empty(), InvalidProgram,
             "the payload names no code object: its first line is empty");
  return Error::Ok;
}

}  // namespace

bool reached_bytes(Span<const int64_t> sizes, Span<const int64_t> strides, int64_t offset,
                   size_t element_size, uint64_t* nbytes) {
  if (offset < 0) return false;
  uint64_t last = static_cast<uint64_t>(offset);
  bool empty = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) return false;
    if (sizes[d] == 0) {
      empty = true;
      continue;
    }
    uint64_t reach = 0;
    if (!checked_mul(static_cast<uint64_t>(sizes[d] - 1), static_cast<uint64_t>(strides[d]),
                     &reach) ||
        !checked_add(last, reach, &last)) {
      return false;
    }
  }
  *nbytes = 0;
  if (empty) return true;
  return checked_add(last, uint64_t{1}, &last) &&
         checked_mul(last, static_cast<uint64_t>(element_size), nbytes) && *nbytes <= INT64_MAX;
}

Error read_constants(ByteReader* reader, std::vector<Constant>* constants) {
  uint32_t count = 0;
  ET_TRY(reader->read_count(&count, kMaxEntries, kLeastConstantBytes, "constants"));
  constants->resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    const Error error = read_constant(reader, &(*constants)[i]);
    if (error == Error::Ok) continue;
    runtime::add_error_context("constant %" PRIu32 " '%s'", i, (*constants)[i].fqn.c_str());
    return error;
  }
  return Error::Ok;
}

Error read_manifest(Span<const uint8_t> payload, const char* method_name, Manifest* manifest) {
  *manifest = Manifest();
  ByteReader reader(payload);
  if (reader.skip(kConstantListMagic)) {
    manifest->layout = ConstantLayout::apart;
    ET_TRY(reader.read(&manifest->code_key, "the code object's key"));
    ET_REQUIRE(!manifest->code_key.empty(), InvalidProgram, "the code object's key is empty");
    ET_TRY(read_constants(&reader, &manifest->constants));
    ET_REQUIRE(reader.remaining() == 0, InvalidProgram,
               "%zu bytes follow the payload's last constant", reader.remaining());
    return Error::Ok;
  }
  if (!payload.empty()) return read_key_lines(payload, manifest);
  const bool named = method_name != nullptr && method_name[0] != '\0';
  const std::string before = named ? std::string(method_name) + "_" : std::string();
  manifest->code_key = before + "so_blob";
  manifest->blob_key = before + "weights_blob";
  return Error::Ok;
}

}  // namespace executorch::backends::aoti
