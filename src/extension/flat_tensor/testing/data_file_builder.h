// Writes .ptd files for tests, sound ones and, field by field, damaged ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <schema/flat_tensor_generated.h>

namespace executorch {
namespace extension {
namespace testing {

struct DataFileLayout {
  executorch_flatbuffer::ScalarType type = executorch_flatbuffer::ScalarType::FLOAT;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
};

struct DataFileEntry {
  std::optional<std::string> key;
  uint32_t segment;
  std::optional<DataFileLayout> layout;
};

/// The parts of a data file. finish() derives offsets from them unless a test has set them.
struct DataFileBuilder {
  uint32_t version = 0;
  std::vector<std::vector<uint8_t>> segments;
  std::vector<DataFileEntry> entries;
  bool without_segment_table = false;
  bool without_entry_table = false;
  std::optional<uint64_t> first_segment_offset;
  std::optional<uint64_t> first_segment_size;

  /// Adds a float tensor in a segment of its own, contiguous.
  void add(const std::string& key, const std::vector<int32_t>& sizes,
           const std::vector<float>& values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(float));
    if (!values.empty()) {
      std::memcpy(bytes.data(), values.data(), bytes.size());
    }
    DataFileLayout layout;
    layout.sizes = sizes;
    for (size_t i = 0; i < sizes.size(); ++i) {
      layout.dim_order.push_back(static_cast<uint8_t>(i));
    }
    entries.push_back({key, static_cast<uint32_t>(segments.size()), layout});
    segments.push_back(std::move(bytes));
  }

  /// Adds a blob without layout.
  void add_blob(const std::string& key, const std::vector<uint8_t>& bytes) {
    entries.push_back({key, static_cast<uint32_t>(segments.size()), std::nullopt});
    segments.push_back(bytes);
  }

  /// The bytes of the file.
  std::vector<uint8_t> finish() const {
    std::vector<uint64_t> offsets;
    uint64_t data_size = 0;
    for (const auto& segment : segments) {
      data_size = align(data_size);
      offsets.push_back(data_size);
      data_size += segment.size();
    }
    const std::vector<uint8_t> tables = finish_tables(offsets);
    std::vector<uint8_t> file(tables.begin(), tables.begin() + 8);
    uint32_t root = 0;
    std::memcpy(&root, file.data(), sizeof(root));
    root += kPaddedHeaderSize;
    std::memcpy(file.data(), &root, sizeof(root));
    const uint64_t base = align(tables.size() + kPaddedHeaderSize);
    append_header(file, tables.size(), base, data_size);
    file.insert(file.end(), tables.begin() + 8, tables.end());
    file.resize(base, 0);
    for (size_t i = 0; i < segments.size(); ++i) {
      file.resize(base + offsets[i], 0);
      file.insert(file.end(), segments[i].begin(), segments[i].end());
    }
    return file;
  }

 private:
  static constexpr uint32_t kPaddedHeaderSize = 48;

  static uint64_t align(uint64_t offset) { return (offset + 127) / 128 * 128; }

  template <typename T>
  static void append(std::vector<uint8_t>& file, T value) {
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&value);
    file.insert(file.end(), bytes, bytes + sizeof(T));
  }

  static void append_header(std::vector<uint8_t>& file, uint64_t tables_size, uint64_t base,
                            uint64_t data_size) {
    for (const char c : {'F', 'H', '0', '1'}) {
      file.push_back(static_cast<uint8_t>(c));
    }
    append<uint32_t>(file, 40);
    append<uint64_t>(file, kPaddedHeaderSize);
    append<uint64_t>(file, tables_size);
    append<uint64_t>(file, base);
    append<uint64_t>(file, data_size);
    append<uint64_t>(file, 0);
  }

  std::vector<uint8_t> finish_tables(const std::vector<uint64_t>& offsets) const {
    namespace format = flat_tensor_flatbuffer;
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<format::DataSegment>> segment_tables;
    for (size_t i = 0; i < segments.size(); ++i) {
      const bool first = i == 0;
      segment_tables.push_back(format::CreateDataSegment(
          builder, first ? first_segment_offset.value_or(offsets[i]) : offsets[i],
          first ? first_segment_size.value_or(segments[i].size()) : segments[i].size()));
    }
    std::vector<flatbuffers::Offset<format::NamedData>> entry_tables;
    for (const DataFileEntry& entry : entries) {
      flatbuffers::Offset<format::TensorLayout> layout;
      if (entry.layout) {
        layout = format::CreateTensorLayoutDirect(builder, entry.layout->type, &entry.layout->sizes,
                                                  &entry.layout->dim_order);
      }
      flatbuffers::Offset<flatbuffers::String> key;
      if (entry.key) {
        key = builder.CreateString(*entry.key);
      }
      entry_tables.push_back(format::CreateNamedData(builder, key, entry.segment, layout));
    }
    const auto segment_vector = without_segment_table ? 0 : builder.CreateVector(segment_tables);
    const auto entry_vector = without_entry_table ? 0 : builder.CreateVector(entry_tables);
    builder.Finish(format::CreateFlatTensor(builder, version, segment_vector, entry_vector),
                   format::FlatTensorIdentifier());
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }
};

}  // namespace testing
}  // namespace extension
}  // namespace executorch
