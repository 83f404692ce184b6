// Builds program files for tests: every table by hand, so that a test can also build what no
// exporter writes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace testing {

namespace fb = executorch_flatbuffer;

/// Bytes at an address that is a multiple of 16.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::vector<uint8_t>& bytes)
      : room_(bytes.size() + 16), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data());
  }
  uint8_t* data() {
    return room_.data() + (16 - reinterpret_cast<uintptr_t>(room_.data()) % 16) % 16;
  }
  size_t size() const { return size_; }

 private:
  std::vector<uint8_t> room_;
  size_t size_;
};

struct TensorSpec {
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;  ///< contiguous if empty
  fb::ScalarType type = fb::ScalarType::FLOAT;
  int64_t arena_offset = -1;  ///< -1: not planned; others as the unsigned number of the file
  uint32_t arena = 1;
  uint32_t buffer = 0;
  fb::TensorShapeDynamism dynamism = fb::TensorShapeDynamism::STATIC;
  std::string name;
  fb::TensorDataLocation location = fb::TensorDataLocation::SEGMENT;
  fb::DeviceType device = fb::DeviceType::CPU;
  int32_t storage_offset = 0;
  bool without_sizes = false;
  bool without_dim_order = false;
};

/// One method; several builders' methods can be put into one file through add_method().
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string name = "forward") : method_name(std::move(name)) {}

  // ---- values; each returns its index ----
  int null() { return add(fb::KernelTypes::Null, fb::CreateNull(fbb).Union()); }
  int integer(int64_t value) {
    return add(fb::KernelTypes::Int, fb::CreateInt(fbb, value).Union());
  }
  int boolean(bool value) { return add(fb::KernelTypes::Bool, fb::CreateBool(fbb, value).Union()); }
  int number(double value) {
    return add(fb::KernelTypes::Double, fb::CreateDouble(fbb, value).Union());
  }
  int string(const std::string& text) {
    return add(fb::KernelTypes::String, fb::CreateString(fbb, fbb.CreateString(text)).Union());
  }
  int int_list(const std::vector<int64_t>& items) {
    return add(fb::KernelTypes::IntList, fb::CreateIntList(fbb, fbb.CreateVector(items)).Union());
  }
  int double_list(const std::vector<double>& items) {
    return add(fb::KernelTypes::DoubleList,
               fb::CreateDoubleList(fbb, fbb.CreateVector(items)).Union());
  }
  int tensor_list(const std::vector<int32_t>& items) {
    return add(fb::KernelTypes::TensorList,
               fb::CreateTensorList(fbb, fbb.CreateVector(items)).Union());
  }
  int optional_tensor_list(const std::vector<int32_t>& items) {
    return add(fb::KernelTypes::OptionalTensorList,
               fb::CreateOptionalTensorList(fbb, fbb.CreateVector(items)).Union());
  }
  /// A value that says it is of a kind but has no content.
  int hollow(fb::KernelTypes kind) { return add(kind, 0); }

  int tensor(const TensorSpec& spec) {
    std::vector<uint8_t> dim_order = spec.dim_order;
    if (dim_order.empty()) {
      for (size_t d = 0; d < spec.sizes.size(); ++d) dim_order.push_back(static_cast<uint8_t>(d));
    }
    flatbuffers::Offset<fb::ExtraTensorInfo> extra = 0;
    if (!spec.name.empty() || spec.location != fb::TensorDataLocation::SEGMENT ||
        spec.device != fb::DeviceType::CPU) {
      const auto name = spec.name.empty() ? flatbuffers::Offset<flatbuffers::String>()
                                          : fbb.CreateString(spec.name);
      extra = fb::CreateExtraTensorInfo(fbb, 0, name, spec.location, spec.device);
    }
    flatbuffers::Offset<fb::AllocationDetails> allocation = 0;
    if (spec.arena_offset != -1) {
      allocation =
          fb::CreateAllocationDetails(fbb, spec.arena, static_cast<uint32_t>(spec.arena_offset),
                                      static_cast<uint32_t>(spec.arena_offset >> 32));
    }
    const auto sizes = spec.without_sizes ? flatbuffers::Offset<flatbuffers::Vector<int32_t>>()
                                          : fbb.CreateVector(spec.sizes);
    const auto order = spec.without_dim_order ? flatbuffers::Offset<flatbuffers::Vector<uint8_t>>()
                                              : fbb.CreateVector(dim_order);
    return add(fb::KernelTypes::Tensor,
               fb::CreateTensor(fbb, spec.type, spec.storage_offset, sizes, order, false,
                                spec.buffer, allocation, 0, spec.dynamism, extra)
                   .Union());
  }
  /// A float tensor at a byte offset of arena 1.
  int planned(std::vector<int32_t> sizes, int64_t offset) {
    TensorSpec spec;
    spec.sizes = std::move(sizes);
    spec.arena_offset = offset;
    return tensor(spec);
  }
  /// A float tensor without memory.
  int unplanned(std::vector<int32_t> sizes) {
    TensorSpec spec;
    spec.sizes = std::move(sizes);
    return tensor(spec);
  }
  /// A constant float tensor.
  int constant(std::vector<int32_t> sizes, const std::vector<float>& data) {
    TensorSpec spec;
    spec.sizes = std::move(sizes);
    spec.buffer = constant_data(data.data(), data.size() * sizeof(float));
    return tensor(spec);
  }

  // ---- data; each returns its index ----
  uint32_t constant_data(const void* data, size_t size) {
    return append(constants, constant_offsets, data, size);
  }
  uint32_t initial_data(const void* data, size_t size) {
    return append(initials, initial_offsets, data, size);
  }
  void named(const std::string& key, const std::string& data) { named_data[key] = data; }

  // ---- instructions ----
  void kernel(const std::string& full_name, const std::vector<int32_t>& args) {
    const size_t dot = full_name.find('.');
    const auto overload = dot == std::string::npos ? "" : full_name.substr(dot + 1);
    const auto name = full_name.substr(0, dot);
    operators.push_back(
        fb::CreateOperator(fbb, fbb.CreateString(name), fbb.CreateString(overload)));
    instruction(fb::InstructionArguments::KernelCall,
                fb::CreateKernelCall(fbb, static_cast<int32_t>(operators.size()) - 1,
                                     fbb.CreateVector(args))
                    .Union());
  }
  void delegate_call(int32_t index, const std::vector<int32_t>& args) {
    instruction(fb::InstructionArguments::DelegateCall,
                fb::CreateDelegateCall(fbb, index, fbb.CreateVector(args)).Union());
  }
  void move(int32_t from, int32_t to) {
    instruction(fb::InstructionArguments::MoveCall, fb::CreateMoveCall(fbb, from, to).Union());
  }
  void jump_false(int32_t condition, int32_t destination) {
    instruction(fb::InstructionArguments::JumpFalseCall,
                fb::CreateJumpFalseCall(fbb, condition, destination).Union());
  }
  void free(int32_t value) {
    instruction(fb::InstructionArguments::FreeCall, fb::CreateFreeCall(fbb, value).Union());
  }
  void instruction(fb::InstructionArguments kind, flatbuffers::Offset<void> args) {
    instructions.push_back(fb::CreateInstruction(fbb, kind, args));
  }
  void end_chain() {
    chains.push_back(fb::CreateChain(fbb, 0, 0, fbb.CreateVector(instructions)));
    instructions.clear();
  }
  void delegate(const std::string& backend, const std::string& blob, bool in_segment) {
    uint32_t index = 0;
    if (in_segment) {
      index = 2 + static_cast<uint32_t>(delegate_blobs.size());
      delegate_blobs.push_back(blob);
    } else {
      index = static_cast<uint32_t>(inline_blobs.size());
      inline_blobs.push_back(fb::CreateBackendDelegateInlineData(
          fbb, fbb.CreateVector(reinterpret_cast<const uint8_t*>(blob.data()), blob.size())));
    }
    const auto reference = fb::CreateBackendDelegateDataReference(
        fbb, in_segment ? fb::DataLocation::SEGMENT : fb::DataLocation::INLINE, index);
    const std::vector<flatbuffers::Offset<fb::CompileSpec>> specs = {fb::CreateCompileSpec(
        fbb, fbb.CreateString("key"), fbb.CreateVector(std::vector<uint8_t>{1, 2, 3}))};
    delegates.push_back(fb::CreateBackendDelegate(fbb, fbb.CreateString(backend), reference,
                                                  fbb.CreateVector(specs)));
  }

  /// Ends the method; values and instructions then start anew for the next one.
  void end_method(const std::string& next = "") {
    if (!instructions.empty() || chains.empty()) end_chain();
    const auto meta =
        fb::CreateContainerMetadata(fbb, fbb.CreateString("in"), fbb.CreateString("out"));
    plans.push_back(fb::CreateExecutionPlan(
        fbb, fbb.CreateString(method_name), meta, fbb.CreateVector(values),
        fbb.CreateVector(inputs), fbb.CreateVector(outputs),
        without_chains ? 0 : fbb.CreateVector(chains), fbb.CreateVector(operators),
        without_delegates ? 0 : fbb.CreateVector(delegates), fbb.CreateVector(arena_sizes)));
    method_name = next;
    values.clear();
    inputs.clear();
    outputs.clear();
    chains.clear();
    operators.clear();
    delegates.clear();
  }

  /// The file. Segments: constants, initial values, delegate blobs, named data.
  std::vector<uint8_t> build() {
    if (plans.empty() || !values.empty()) end_method();
    std::vector<std::string> parts = {constants, initials};
    parts.insert(parts.end(), delegate_blobs.begin(), delegate_blobs.end());
    std::vector<flatbuffers::Offset<fb::NamedData>> names;
    for (const auto& entry : named_data) {
      names.push_back(fb::CreateNamedData(fbb, fbb.CreateString(entry.first),
                                          static_cast<uint32_t>(parts.size())));
      parts.push_back(entry.second);
    }
    std::string data;
    std::vector<flatbuffers::Offset<fb::DataSegment>> segments;
    for (const std::string& part : parts) {
      data.resize((data.size() + kAlignment - 1) / kAlignment * kAlignment);
      segments.push_back(
          fb::CreateDataSegment(fbb, data.size() + segment_shift, part.size() + segment_growth));
      data += part;
    }
    const auto constant_segment =
        fb::CreateSubsegmentOffsets(fbb, 0, fbb.CreateVector(constant_offsets));
    std::vector<flatbuffers::Offset<fb::SubsegmentOffsets>> mutables;
    if (initial_offsets.size() > 1) {
      mutables.push_back(fb::CreateSubsegmentOffsets(fbb, 1, fbb.CreateVector(initial_offsets)));
    }
    const auto program =
        fb::CreateProgram(fbb, version, fbb.CreateVector(plans), 0, fbb.CreateVector(inline_blobs),
                          fbb.CreateVector(segments), constant_segment, fbb.CreateVector(mutables),
                          fbb.CreateVector(names));
    fbb.Finish(program, "ET12");
    return with_header(data);
  }

  static constexpr size_t kAlignment = 128;
  static constexpr size_t kHeaderSize = 32;

  flatbuffers::FlatBufferBuilder fbb;
  std::string method_name;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<int64_t> arena_sizes = {0, 4096};
  uint32_t version = 0;
  uint64_t segment_shift = 0;   ///< added to the offset of every segment
  uint64_t segment_growth = 0;  ///< added to the size of every segment
  bool without_chains = false;
  bool without_delegates = false;

 private:
  int add(fb::KernelTypes kind, flatbuffers::Offset<void> content) {
    values.push_back(fb::CreateEValue(fbb, kind, content));
    return static_cast<int>(values.size()) - 1;
  }

  static uint32_t append(std::string& segment, std::vector<uint64_t>& offsets, const void* data,
                         size_t size) {
    segment.resize((segment.size() + 15) / 16 * 16);
    offsets.push_back(segment.size());
    segment.append(static_cast<const char*>(data), size);
    return static_cast<uint32_t>(offsets.size()) - 1;
  }

  static void put(std::vector<uint8_t>& bytes, size_t offset, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) bytes[offset + i] = static_cast<uint8_t>(value >> (8 * i));
  }

  /// Puts the header between identifier and tables, as the exporter does.
  std::vector<uint8_t> with_header(const std::string& data) {
    const uint8_t* tables = fbb.GetBufferPointer();
    std::vector<uint8_t> file(tables, tables + fbb.GetSize());
    file.insert(file.begin() + 8, kHeaderSize, 0);
    uint32_t root = 0;
    std::memcpy(&root, file.data(), 4);
    put(file, 0, root + kHeaderSize, 4);
    std::memcpy(file.data() + 8, "eh00", 4);
    put(file, 12, kHeaderSize, 4);
    put(file, 16, file.size(), 8);
    const size_t base = (file.size() + kAlignment - 1) / kAlignment * kAlignment;
    put(file, 24, base, 8);
    put(file, 32, data.size(), 8);
    file.resize(base);
    file.insert(file.end(), data.begin(), data.end());
    return file;
  }

  std::vector<flatbuffers::Offset<fb::EValue>> values;
  std::vector<flatbuffers::Offset<fb::Operator>> operators;
  std::vector<flatbuffers::Offset<fb::Instruction>> instructions;
  std::vector<flatbuffers::Offset<fb::Chain>> chains;
  std::vector<flatbuffers::Offset<fb::BackendDelegate>> delegates;
  std::vector<flatbuffers::Offset<fb::ExecutionPlan>> plans;
  std::vector<flatbuffers::Offset<fb::BackendDelegateInlineData>> inline_blobs;
  std::vector<std::string> delegate_blobs;
  std::map<std::string, std::string> named_data;
  std::string constants;
  std::string initials;
  std::vector<uint64_t> constant_offsets = {0};
  std::vector<uint64_t> initial_offsets = {0};
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
