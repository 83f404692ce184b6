#include "devtools/etdump/recorded_events.h"

#include <schema/etdump_generated.h>

#include <executorch/devtools/etdump/etdump_flatcc.h>

namespace executorch {
namespace etdump {
namespace internal {

StringIndex StringTable::intern(const char* text) {
  if (text == nullptr) {
    return kNoString;
  }
  const auto found = indices_.find(text);
  if (found != indices_.end()) {
    return found->second;
  }
  const StringIndex index = static_cast<StringIndex>(strings_.size());
  strings_.emplace_back(text);
  indices_.emplace(strings_.back(), index);
  return index;
}

namespace {

namespace format = ::etdump;
using flatbuffers::Offset;

class Serializer {
 public:
  explicit Serializer(const RecordedEvents& recorded) : recorded_(recorded) {}

  std::vector<uint8_t> run() {
    // Every distinct string is stored once.
    for (const std::string& text : recorded_.strings.strings()) {
      strings_.push_back(builder_.CreateString(text));
    }
    std::vector<Offset<format::RunData>> blocks;
    for (const EventBlock& block : recorded_.blocks) {
      blocks.push_back(write(block));
    }
    const auto root = format::CreateETDump(builder_, ETDUMP_VERSION, builder_.CreateVector(blocks));
    builder_.FinishSizePrefixed(root, format::ETDumpIdentifier());
    return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
  }

 private:
  Offset<flatbuffers::String> string(StringIndex index) const {
    return index == kNoString ? Offset<flatbuffers::String>() : strings_[index];
  }

  Offset<format::RunData> write(const EventBlock& block) {
    std::vector<Offset<format::Allocator>> allocators;
    for (const StringIndex name : block.allocators) {
      allocators.push_back(format::CreateAllocator(builder_, string(name)));
    }
    std::vector<Offset<format::Event>> events;
    events.reserve(block.events.size());
    for (const RecordedEvent& event : block.events) {
      events.push_back(std::visit([this](const auto& kind) { return write(kind); }, event));
    }
    return format::CreateRunData(builder_, string(block.name), block.bundled_input_index,
                                 builder_.CreateVector(allocators), builder_.CreateVector(events));
  }

  Offset<format::Event> write(const TimedEvent& event) {
    const auto metadata = event.has_metadata ? builder_.CreateVector(event.metadata)
                                             : Offset<flatbuffers::Vector<uint8_t>>();
    const EventPlace& place = event.place;
    const auto timed = format::CreateProfileEvent(
        builder_, string(event.name), place.chain, place.instruction, place.delegate_number,
        string(place.delegate_name), metadata, event.start, event.end);
    return format::CreateEvent(builder_, timed);
  }

  Offset<format::Event> write(const AllocationRecord& event) {
    const auto allocation =
        format::CreateAllocationEvent(builder_, static_cast<int32_t>(event.allocator), event.size);
    return format::CreateEvent(builder_, 0, allocation);
  }

  Offset<format::Event> write(const ValueEvent& event) {
    const auto value = std::visit(
        [&](const auto& kind) { return write_value(kind, event.is_program_output); }, event.value);
    const EventPlace& place = event.place;
    const auto logged = format::CreateDebugEvent(
        builder_, static_cast<uint64_t>(static_cast<int64_t>(place.chain)), place.instruction,
        value, place.delegate_number, string(place.delegate_name));
    return format::CreateEvent(builder_, 0, 0, logged);
  }

  Offset<format::Tensor> write(const LoggedTensor& tensor) {
    return format::CreateTensor(
        builder_, static_cast<executorch_flatbuffer::ScalarType>(tensor.type),
        builder_.CreateVector(tensor.sizes), builder_.CreateVector(tensor.strides), tensor.offset);
  }

  /// Tensors only say whether they are outputs of the program.
  Offset<format::Bool> output_flag(bool is_program_output) {
    return is_program_output ? format::CreateBool(builder_, true) : Offset<format::Bool>();
  }

  Offset<format::Value> write_value(const LoggedTensor& tensor, bool is_program_output) {
    const auto written = write(tensor);
    const auto output = output_flag(is_program_output);
    format::ValueBuilder value(builder_);
    value.add_val(format::ValueType::Tensor);
    value.add_tensor(written);
    value.add_output(output);
    return value.Finish();
  }

  Offset<format::Value> write_value(const std::vector<LoggedTensor>& tensors,
                                    bool is_program_output) {
    std::vector<Offset<format::Tensor>> written;
    for (const LoggedTensor& tensor : tensors) {
      written.push_back(write(tensor));
    }
    const auto list = format::CreateTensorList(builder_, builder_.CreateVector(written));
    const auto output = output_flag(is_program_output);
    format::ValueBuilder value(builder_);
    value.add_val(format::ValueType::TensorList);
    value.add_tensor_list(list);
    value.add_output(output);
    return value.Finish();
  }

  Offset<format::Value> write_value(int64_t number, bool /*is_program_output*/) {
    const auto written = format::CreateInt(builder_, number);
    format::ValueBuilder value(builder_);
    value.add_val(format::ValueType::Int);
    value.add_int_value(written);
    return value.Finish();
  }

  Offset<format::Value> write_value(double number, bool /*is_program_output*/) {
    const auto written = format::CreateDouble(builder_, number);
    format::ValueBuilder value(builder_);
    value.add_val(format::ValueType::Double);
    value.add_double_value(written);
    return value.Finish();
  }

  Offset<format::Value> write_value(bool truth, bool /*is_program_output*/) {
    const auto written = format::CreateBool(builder_, truth);
    format::ValueBuilder value(builder_);
    value.add_val(format::ValueType::Bool);
    value.add_bool_value(written);
    return value.Finish();
  }

  const RecordedEvents& recorded_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<Offset<flatbuffers::String>> strings_;
};

}  // namespace

std::vector<uint8_t> serialize(const RecordedEvents& recorded) {
  return Serializer(recorded).run();
}

}  // namespace internal
}  // namespace etdump
}  // namespace executorch
