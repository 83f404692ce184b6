/**
 * @file
 * What the payload of an AOTInductor delegate says: under which keys the program's named data holds
 * the code object and its constants.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>

#include "backends/aoti/payload/byte_reader.h"

namespace executorch::backends::aoti {

/// Most dimensions that a tensor of a payload may have.
constexpr uint32_t kMaxRank = 64;
/// Most entries of a list in a payload.
constexpr uint32_t kMaxEntries = uint32_t{1} << 20;

/// Numbers that payloads and code objects use for devices, those of PyTorch.
enum class DeviceType : int32_t { cpu = 0, cuda = 1 };

/// A constant of a code object that has a storage of its own in the named data. The elements that
/// sizes, strides and offset reach lie within the storage: that was checked.
struct Constant {
  std::string fqn;           ///< the name in the exported model
  std::string key;           ///< of the bytes in the named data
  uint64_t nbytes = 0;       ///< of the storage
  aten::ScalarType dtype{};  ///< of the elements
  DeviceType device{};
  int64_t offset = 0;  ///< of the first element within the storage, in elements
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  ///< in elements
};

/// How a payload keeps the constants.
enum class ConstantLayout : uint8_t {
  blob,   ///< all behind each other under one key, in the order of the code object
  apart,  ///< one key for each
};

struct Manifest {
  std::string code_key;  ///< of the code object in the named data
  ConstantLayout layout = ConstantLayout::blob;
  std::string blob_key;             ///< of the constants together, with ConstantLayout::blob
  std::vector<Constant> constants;  ///< with ConstantLayout::apart
};

/// Magic bytes of a payload with a list of constants.
constexpr char kConstantListMagic[] = "ETCUDAFQN3";

/**
 * Reads the payload of a CUDA program in any of its layouts: a list of constants after
 * kConstantListMagic; the texts of two keys with a line feed between them; or no bytes, when the
 * keys follow from the method's name, which may be null or empty.
 *
 * @retval InvalidProgram Any other bytes.
 */
Error read_manifest(runtime::Span<const uint8_t> payload, const char* method_name,
                    Manifest* manifest);

/// A u32 count and the entries of a list of constants.
Error read_constants(ByteReader* reader, std::vector<Constant>* constants);

/// Bytes up to the end of the last element that is reached, from the start of the storage. False
/// when they are more than 2^63 or a number is negative.
bool reached_bytes(runtime::Span<const int64_t> sizes, runtime::Span<const int64_t> strides,
                   int64_t offset, size_t element_size, uint64_t* nbytes);

}  // namespace executorch::backends::aoti
