/**
 * @file
 * The blobs that a program file carries under names.
 */
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/platform/export.h>

namespace executorch_flatbuffer {
struct NamedData;
struct DataSegment;
}  // namespace executorch_flatbuffer

namespace flatbuffers {
template <typename T>
struct Offset;
template <typename T, typename SizeT>
class Vector;
using FlatbufferNamedData =
    flatbuffers::Vector<flatbuffers::Offset<executorch_flatbuffer::NamedData>, uint32_t>;
using FlatbufferDataSegment =
    flatbuffers::Vector<flatbuffers::Offset<executorch_flatbuffer::DataSegment>, uint32_t>;
}  // namespace flatbuffers

namespace executorch {
namespace runtime {
namespace internal {

/// Named data of a program. The blobs are opaque: they have no tensor layout. Thread-safe if the
/// loader is.
class PteDataMap final : public NamedDataMap {
 public:
  /**
   * None of the arguments is copied; all must outlive the map.
   *
   * @param[in] loader Reads the program file.
   * @param[in] segment_base_offset File offset of the first segment, in bytes.
   * @param[in] named_data Keys and segment indices.
   * @param[in] segments The program's segments, offsets relative to segment_base_offset.
   * @retval InvalidArgument A pointer is null.
   * @retval InvalidProgram An entry lacks its key, or two have the same one.
   */
  EXECUTORCH_API static Result<PteDataMap> create(
      DataLoader* loader, size_t segment_base_offset,
      const flatbuffers::FlatbufferNamedData* named_data,
      const flatbuffers::FlatbufferDataSegment* segments);

  /// NotFound for an absent key, NotImplemented for a present one: blobs have no layout.
  ET_NODISCARD Result<const TensorLayout> get_tensor_layout(std::string_view key) const override {
    if (find(key) < 0) return ET_ERROR(NotFound, "Program has no named data of that key");
    return Error::NotImplemented;
  }

  /// @retval NotFound Absent key. @retval InvalidArgument Its segment does not exist. Else the
  /// loader's errors.
  ET_NODISCARD Result<FreeableBuffer> get_data(std::string_view key) const override {
    return load_blob(key);
  }

  /// Copies `size` bytes of the blob. InvalidArgument if it has fewer.
  ET_NODISCARD Error load_data_into(std::string_view key, void* buffer,
                                    size_t size) const override {
    return copy_blob(key, buffer, size);
  }

  ET_NODISCARD Result<uint32_t> get_num_keys() const override { return num_keys(); }
  ET_NODISCARD Result<const char*> get_key(uint32_t index) const override { return key_at(index); }

  PteDataMap(PteDataMap&&) noexcept = default;
  ~PteDataMap() override = default;

 private:
  // The virtual functions above are inline so that no file owns the class's type information: this
  // library is built without RTTI, applications may be built with it.
  EXECUTORCH_API int64_t find(std::string_view key) const;
  EXECUTORCH_API Result<FreeableBuffer> load_blob(std::string_view key) const;
  EXECUTORCH_API Error copy_blob(std::string_view key, void* buffer, size_t size) const;
  EXECUTORCH_API uint32_t num_keys() const;
  EXECUTORCH_API Result<const char*> key_at(uint32_t index) const;

  PteDataMap(DataLoader* loader, size_t segment_base_offset,
             const flatbuffers::FlatbufferNamedData* named_data,
             const flatbuffers::FlatbufferDataSegment* segments)
      : loader_(loader),
        segment_base_offset_(segment_base_offset),
        named_data_(named_data),
        segments_(segments) {}
  PteDataMap(const PteDataMap&) = delete;
  PteDataMap& operator=(const PteDataMap&) = delete;
  PteDataMap& operator=(PteDataMap&&) = delete;

  DataLoader* loader_;
  size_t segment_base_offset_;
  const flatbuffers::FlatbufferNamedData* named_data_;
  const flatbuffers::FlatbufferDataSegment* segments_;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
