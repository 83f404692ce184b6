// What the profiler keeps of a run until the dump is written.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace etdump {
namespace internal {

/// Index of an interned string; kNoString for none.
using StringIndex = int64_t;
constexpr StringIndex kNoString = -1;

/// Each distinct string once. Names repeat with every run.
class StringTable {
 public:
  /// kNoString for null.
  StringIndex intern(const char* text);

  const std::deque<std::string>& strings() const { return strings_; }
  size_t size() const { return strings_.size(); }

 private:
  /// A deque, so that the views stay valid.
  std::deque<std::string> strings_;
  std::unordered_map<std::string_view, StringIndex> indices_;
};

/// Where an event happened.
struct EventPlace {
  int32_t chain = -1;
  int32_t instruction = -1;
  int32_t delegate_number = -1;
  StringIndex delegate_name = kNoString;
};

struct TimedEvent {
  StringIndex name = kNoString;
  EventPlace place;
  bool has_metadata = false;
  std::vector<uint8_t> metadata;
  et_timestamp_t start = 0;
  et_timestamp_t end = 0;
};

struct AllocationRecord {
  uint32_t allocator = 0;
  uint64_t size = 0;
};

/// A tensor whose elements went to the data sink.
struct LoggedTensor {
  executorch::aten::ScalarType type;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset;
};

using LoggedValue = std::variant<LoggedTensor, std::vector<LoggedTensor>, int64_t, double, bool>;

struct ValueEvent {
  EventPlace place;
  LoggedValue value;
  bool is_program_output = false;
};

using RecordedEvent = std::variant<TimedEvent, AllocationRecord, ValueEvent>;

struct EventBlock {
  StringIndex name;
  int32_t bundled_input_index;
  std::vector<StringIndex> allocators;
  std::vector<RecordedEvent> events;
};

struct RecordedEvents {
  StringTable strings;
  std::vector<EventBlock> blocks;
};

/// The dump: a size-prefixed flatbuffer.
std::vector<uint8_t> serialize(const RecordedEvents& recorded);

}  // namespace internal
}  // namespace etdump
}  // namespace executorch
