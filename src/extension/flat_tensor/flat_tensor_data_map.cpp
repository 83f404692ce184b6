#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>

#include <cinttypes>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>

#include <schema/flat_tensor_generated.h>

namespace executorch {
namespace extension {

using executorch::aten::ScalarType;
using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;
using runtime::TensorLayout;

namespace {

namespace format = flat_tensor_flatbuffer;
using SegmentInfo = DataLoader::SegmentInfo;

/// FlatBuffers reads numbers at their natural alignment; exporters align the whole to this.
constexpr uintptr_t kTableAlignment = 16;

/// A key as an argument for "%.*s".
int printed_length(std::string_view key) {
  constexpr size_t kLongestPrinted = 200;
  return static_cast<int>(key.size() < kLongestPrinted ? key.size() : kLongestPrinted);
}

Result<FlatTensorHeader> load_header(const DataLoader& loader) {
  const Result<FreeableBuffer> head =
      loader.load(0, FlatTensorHeader::kNumHeadBytes, SegmentInfo(SegmentInfo::Type::External));
  if (!head.ok()) {
    runtime::add_error_context("data file: its header cannot be loaded");
    return head.error();
  }
  return FlatTensorHeader::Parse(head->data(), head->size());
}

Error check_header(const FlatTensorHeader& header, size_t file_size) {
  const uint64_t tables_end = header.flatbuffer_offset + header.flatbuffer_size;
  ET_REQUIRE(tables_end <= file_size, InvalidExternalData,
             "data file: its tables end at %" PRIu64 ", the file has %zu bytes", tables_end,
             file_size);
  const uint64_t segments_end = header.segment_base_offset + header.segment_data_size;
  ET_REQUIRE(segments_end <= file_size, InvalidExternalData,
             "data file: its segments end at %" PRIu64 ", the file has %zu bytes", segments_end,
             file_size);
  return Error::Ok;
}

Result<FreeableBuffer> load_tables(const DataLoader& loader, const FlatTensorHeader& header) {
  const size_t size = static_cast<size_t>(header.flatbuffer_offset + header.flatbuffer_size);
  ET_REQUIRE(size >= FlatTensorHeader::kNumHeadBytes, InvalidExternalData,
             "data file: its tables have %zu bytes, at least %zu are expected", size,
             FlatTensorHeader::kNumHeadBytes);
  Result<FreeableBuffer> tables = loader.load(0, size, SegmentInfo(SegmentInfo::Type::External));
  if (!tables.ok()) {
    runtime::add_error_context("data file: its tables cannot be loaded");
    return tables;
  }
  ET_REQUIRE(reinterpret_cast<uintptr_t>(tables->data()) % kTableAlignment == 0, InvalidArgument,
             "data file: its bytes lie at address %p, which is not a multiple of %zu",
             tables->data(), static_cast<size_t>(kTableAlignment));
  return tables;
}

/// The root table of a structurally sound flatbuffer.
Result<const format::FlatTensor*> verify_tables(const FreeableBuffer& tables) {
  const uint8_t* const data = static_cast<const uint8_t*>(tables.data());
  ET_REQUIRE(format::FlatTensorBufferHasIdentifier(data), InvalidExternalData,
             "data file: expected the identifier %s, found '%.4s'", format::FlatTensorIdentifier(),
             reinterpret_cast<const char*>(data) + sizeof(flatbuffers::uoffset_t));
  ET_REQUIRE(tables.size() < FLATBUFFERS_MAX_BUFFER_SIZE, InvalidExternalData,
             "data file: its tables have %zu bytes, the format allows less than %zu", tables.size(),
             static_cast<size_t>(FLATBUFFERS_MAX_BUFFER_SIZE));
  flatbuffers::Verifier::Options options;
  options.max_size = FLATBUFFERS_MAX_BUFFER_SIZE;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(tables.size());
  flatbuffers::Verifier verifier(data, tables.size(), options);
  ET_REQUIRE(format::VerifyFlatTensorBuffer(verifier), InvalidExternalData,
             "data file: its tables are damaged: an offset, length or string leaves them");
  const format::FlatTensor* root = format::GetFlatTensor(data);
  ET_REQUIRE(root->version() <= FlatTensorDataMap::kMaxSupportedSchemaVersion, InvalidExternalData,
             "data file: it has version %" PRIu32
             " of the format, this runtime reads up to %" PRIu32,
             root->version(), FlatTensorDataMap::kMaxSupportedSchemaVersion);
  ET_REQUIRE(root->segments() != nullptr, InvalidExternalData,
             "data file: the table of segments is missing");
  ET_REQUIRE(root->named_data() != nullptr, InvalidExternalData,
             "data file: the table of named data is missing");
  return root;
}

Error check_segments(const format::FlatTensor& root, const FlatTensorHeader& header) {
  uint32_t index = 0;
  for (const format::DataSegment* segment : *root.segments()) {
    ET_REQUIRE(segment != nullptr, InvalidExternalData, "data file: segment %" PRIu32 " is missing",
               index);
    ET_REQUIRE(runtime::range_fits(segment->offset(), segment->size(), header.segment_data_size),
               InvalidExternalData,
               "data file: segment %" PRIu32 ", %" PRIu64 " bytes at offset %" PRIu64
               ", leaves the segment data, which has %" PRIu64 " bytes",
               index, segment->size(), segment->offset(), header.segment_data_size);
    ++index;
  }
  return Error::Ok;
}

template <typename T>
Span<const T> to_span(const flatbuffers::Vector<T>* values) {
  return values == nullptr ? Span<const T>() : Span<const T>(values->data(), values->size());
}

Result<const TensorLayout> read_layout(const format::TensorLayout& layout) {
  const Span<const int32_t> sizes = to_span(layout.sizes());
  const Span<const uint8_t> dim_order = to_span(layout.dim_order());
  ET_REQUIRE(sizes.size() <= runtime::kTensorDimensionLimit, InvalidExternalData,
             "the layout has %zu dimensions, at most %zu are supported", sizes.size(),
             static_cast<size_t>(runtime::kTensorDimensionLimit));
  ET_REQUIRE(sizes.size() == dim_order.size(), InvalidExternalData,
             "the layout has %zu sizes and a dim order of %zu", sizes.size(), dim_order.size());
  const ScalarType type = static_cast<ScalarType>(layout.scalar_type());
  ET_REQUIRE(runtime::isValid(type), InvalidExternalData,
             "the layout has the unknown scalar type %d", static_cast<int>(type));
  Result<const TensorLayout> result = TensorLayout::create(sizes, dim_order, type);
  if (!result.ok()) {
    return Error::InvalidExternalData;
  }
  return result;
}

Error check_entry(const format::FlatTensor& root, const format::NamedData& entry) {
  ET_REQUIRE(entry.segment_index() < root.segments()->size(), InvalidExternalData,
             "its segment is %" PRIu32 ", the file has %" PRIu32, entry.segment_index(),
             root.segments()->size());
  if (entry.tensor_layout() == nullptr) {
    return Error::Ok;
  }
  const Result<const TensorLayout> layout = read_layout(*entry.tensor_layout());
  if (!layout.ok()) {
    return layout.error();
  }
  const uint64_t size = root.segments()->Get(entry.segment_index())->size();
  ET_REQUIRE(layout->nbytes() <= size, InvalidExternalData,
             "its tensor takes %zu bytes, segment %" PRIu32 " has %" PRIu64, layout->nbytes(),
             entry.segment_index(), size);
  return Error::Ok;
}

std::string_view key_of(const format::NamedData& entry) {
  return {entry.key()->c_str(), entry.key()->size()};
}

Error index_entries(const format::FlatTensor& root,
                    std::unordered_map<std::string_view, const format::NamedData*>& entries) {
  uint32_t index = 0;
  for (const format::NamedData* entry : *root.named_data()) {
    ET_REQUIRE(entry != nullptr && entry->key() != nullptr, InvalidExternalData,
               "data file: named data %" PRIu32 " has no key", index);
    const std::string_view key = key_of(*entry);
    ET_REQUIRE(key.find('\0') == std::string_view::npos, InvalidExternalData,
               "data file: the key of named data %" PRIu32 " contains a zero byte", index);
    const Error error = check_entry(root, *entry);
    if (error != Error::Ok) {
      runtime::add_error_context("data file: named data %" PRIu32 ", key '%.*s'", index,
                                 printed_length(key), key.data());
      return error;
    }
    ET_REQUIRE(entries.emplace(key, entry).second, InvalidArgument,
               "data file: key '%.*s' occurs twice, the second time as named data %" PRIu32,
               printed_length(key), key.data(), index);
    ++index;
  }
  return Error::Ok;
}

}  // namespace

Result<FlatTensorDataMap> FlatTensorDataMap::load(DataLoader* loader) {
  ET_REQUIRE(loader != nullptr, InvalidArgument, "data file: its loader is null");
  const Result<size_t> file_size = loader->size();
  if (!file_size.ok()) {
    return file_size.error();
  }
  const Result<FlatTensorHeader> header = load_header(*loader);
  if (!header.ok()) {
    return header.error();
  }
  ET_TRY(check_header(*header, *file_size));
  Result<FreeableBuffer> tables = load_tables(*loader, *header);
  if (!tables.ok()) {
    return tables.error();
  }
  const Result<const format::FlatTensor*> root = verify_tables(*tables);
  if (!root.ok()) {
    return root.error();
  }
  ET_TRY(check_segments(**root, *header));
  KeyIndex entries;
  ET_TRY(index_entries(**root, entries));
  return FlatTensorDataMap(*header, std::move(*tables), *root, std::move(entries), loader);
}

FlatTensorDataMap::FlatTensorDataMap(const FlatTensorHeader& header,
                                     FreeableBuffer&& flat_tensor_data,
                                     const format::FlatTensor* flat_tensor, KeyIndex&& entries,
                                     DataLoader* loader)
    : header_(header),
      flat_tensor_data_(std::move(flat_tensor_data)),
      flat_tensor_(flat_tensor),
      entries_(std::move(entries)),
      loader_(loader) {}

Result<const format::NamedData*> FlatTensorDataMap::find(std::string_view key) const {
  const auto found = entries_.find(key);
  ET_REQUIRE(found != entries_.end(), NotFound, "data file: there is no key '%.*s'",
             printed_length(key), key.data());
  return found->second;
}

Result<const TensorLayout> FlatTensorDataMap::get_tensor_layout(std::string_view key) const {
  const Result<const format::NamedData*> entry = find(key);
  if (!entry.ok()) {
    return entry.error();
  }
  const format::TensorLayout* layout = (*entry)->tensor_layout();
  ET_REQUIRE(layout != nullptr, InvalidExternalData,
             "data file: key '%.*s' names a blob without a tensor layout", printed_length(key),
             key.data());
  return read_layout(*layout);
}

Result<FreeableBuffer> FlatTensorDataMap::get_data(std::string_view key) const {
  const Result<const format::NamedData*> entry = find(key);
  if (!entry.ok()) {
    return entry.error();
  }
  const uint32_t index = (*entry)->segment_index();
  const format::DataSegment& segment = *flat_tensor_->segments()->Get(index);
  return loader_->load(static_cast<size_t>(header_.segment_base_offset + segment.offset()),
                       static_cast<size_t>(segment.size()),
                       SegmentInfo(SegmentInfo::Type::External, index));
}

Error FlatTensorDataMap::load_data_into(std::string_view key, void* buffer, size_t size) const {
  const Result<const format::NamedData*> entry = find(key);
  if (!entry.ok()) {
    return entry.error();
  }
  ET_REQUIRE(buffer != nullptr, InvalidArgument, "data file: key '%.*s': the destination is null",
             printed_length(key), key.data());
  const uint32_t index = (*entry)->segment_index();
  const format::DataSegment& segment = *flat_tensor_->segments()->Get(index);
  size_t available = static_cast<size_t>(segment.size());
  if (const format::TensorLayout* layout = (*entry)->tensor_layout()) {
    const Result<const TensorLayout> tensor = read_layout(*layout);
    if (!tensor.ok()) {
      return tensor.error();
    }
    available = tensor->nbytes();
  }
  ET_REQUIRE(size <= available, InvalidArgument,
             "data file: key '%.*s' has %zu bytes, %zu were asked for", printed_length(key),
             key.data(), available, size);
  return loader_->load_into(static_cast<size_t>(header_.segment_base_offset + segment.offset()),
                            size, SegmentInfo(SegmentInfo::Type::External, index), buffer);
}

Result<uint32_t> FlatTensorDataMap::get_num_keys() const {
  return flat_tensor_->named_data()->size();
}

Result<const char*> FlatTensorDataMap::get_key(uint32_t index) const {
  const uint32_t count = flat_tensor_->named_data()->size();
  ET_REQUIRE(index < count, InvalidArgument,
             "data file: key %" PRIu32 " was asked for, it has %" PRIu32, index, count);
  return flat_tensor_->named_data()->Get(index)->key()->c_str();
}

}  // namespace extension
}  // namespace executorch
