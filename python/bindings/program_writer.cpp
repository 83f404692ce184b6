// Writes the tables of a program whose methods are one delegate call each.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <schema/program_generated.h>

#include "bindings.h"

namespace nb = nanobind;
namespace fb = executorch_flatbuffer;

namespace executorch::python {
namespace {

/// Type, greatest sizes, dim order, and whether sizes may be smaller.
using TensorSpec = std::tuple<int, std::vector<int32_t>, std::vector<uint8_t>, bool>;
/// Name, backend, payload, inputs, outputs.
using MethodSpec = std::tuple<std::string, std::string, nb::bytes, std::vector<TensorSpec>,
                              std::vector<TensorSpec>>;
/// Key and number of a segment.
using DataSpec = std::pair<std::string, uint32_t>;

constexpr size_t kHeaderBytes = 32;
constexpr size_t kRootBytes = 8;
constexpr size_t kAlignment = 16;

template <class T>
void put(uint8_t* to, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<uint8_t>(uint64_t{value} >> (8 * i));
}

size_t align_up(size_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

class Writer {
 public:
  nb::bytes write(const std::vector<MethodSpec>& methods, const std::vector<DataSpec>& data,
                  const std::vector<uint64_t>& segments) {
    std::vector<flatbuffers::Offset<fb::ExecutionPlan>> plans;
    for (const MethodSpec& method : methods) plans.push_back(write_method(method));
    std::vector<flatbuffers::Offset<fb::DataSegment>> places;
    uint64_t end = 0;
    for (const uint64_t size : segments) {
      places.push_back(fb::CreateDataSegment(fbb_, end, size));
      end += align_up(size);
    }
    std::vector<flatbuffers::Offset<fb::NamedData>> names;
    for (const auto& [key, segment] : data) {
      names.push_back(fb::CreateNamedDataDirect(fbb_, key.c_str(), segment));
    }
    const std::vector<uint64_t> no_constants = {0};
    const auto constants = fb::CreateSubsegmentOffsetsDirect(fbb_, 0, &no_constants);
    const auto plan_list = fbb_.CreateVector(plans);
    const auto payload_list = fbb_.CreateVector(payloads_);
    const auto segment_list = fbb_.CreateVector(places);
    const auto name_list = fbb_.CreateVector(names);
    fbb_.Finish(fb::CreateProgram(fbb_, 0, plan_list, 0, payload_list, segment_list, constants, 0,
                                  name_list),
                fb::ProgramIdentifier());
    return with_header(segments.empty() ? 0 : segments.back(), end);
  }

 private:
  flatbuffers::Offset<fb::EValue> write_tensor(const TensorSpec& spec, uint64_t* arena) {
    const auto& [dtype, sizes, dim_order, dynamic] = spec;
    uint64_t nbytes = runtime::elementSize(static_cast<aten::ScalarType>(dtype));
    for (const int32_t size : sizes) {
      if (size < 0 || !runtime::checked_mul(nbytes, static_cast<uint64_t>(size), &nbytes) ||
          nbytes > uint64_t{1} << 48) {
        throw nb::value_error("a tensor's size is negative or too large");
      }
    }
    const auto allocation = fb::CreateAllocationDetails(fbb_, 1, static_cast<uint32_t>(*arena),
                                                        static_cast<uint32_t>(*arena >> 32));
    *arena += align_up(nbytes);
    const auto tensor = fb::CreateTensor(
        fbb_, static_cast<fb::ScalarType>(dtype), 0, fbb_.CreateVector(sizes),
        fbb_.CreateVector(dim_order), false, 0, allocation, 0,
        dynamic ? fb::TensorShapeDynamism::DYNAMIC_BOUND : fb::TensorShapeDynamism::STATIC);
    return fb::CreateEValue(fbb_, fb::KernelTypes::Tensor, tensor.Union());
  }

  flatbuffers::Offset<fb::ExecutionPlan> write_method(const MethodSpec& method) {
    const auto& [name, backend, payload, inputs, outputs] = method;
    std::vector<flatbuffers::Offset<fb::EValue>> values;
    std::vector<int32_t> in, out, all;
    uint64_t arena = 0;
    for (const TensorSpec& tensor : inputs) {
      in.push_back(static_cast<int32_t>(values.size()));
      values.push_back(write_tensor(tensor, &arena));
    }
    for (const TensorSpec& tensor : outputs) {
      out.push_back(static_cast<int32_t>(values.size()));
      values.push_back(write_tensor(tensor, &arena));
    }
    all = in;
    all.insert(all.end(), out.begin(), out.end());
    const auto call = fb::CreateInstruction(fbb_, fb::InstructionArguments::DelegateCall,
                                            fb::CreateDelegateCallDirect(fbb_, 0, &all).Union());
    const std::vector<flatbuffers::Offset<fb::Instruction>> instructions = {call};
    const std::vector<flatbuffers::Offset<fb::Chain>> chains = {
        fb::CreateChainDirect(fbb_, &in, &out, &instructions)};
    const auto reference = fb::CreateBackendDelegateDataReference(
        fbb_, fb::DataLocation::INLINE, static_cast<uint32_t>(payloads_.size()));
    fbb_.ForceVectorAlignment(payload.size(), 1, kAlignment);
    payloads_.push_back(fb::CreateBackendDelegateInlineData(
        fbb_, fbb_.CreateVector(static_cast<const uint8_t*>(payload.data()), payload.size())));
    const std::vector<flatbuffers::Offset<fb::BackendDelegate>> delegates = {
        fb::CreateBackendDelegate(fbb_, fbb_.CreateString(backend), reference)};
    const std::vector<flatbuffers::Offset<fb::Operator>> operators;
    const std::vector<int64_t> arenas = {0, static_cast<int64_t>(arena)};
    return fb::CreateExecutionPlanDirect(fbb_, name.c_str(), 0, &values, &in, &out, &chains,
                                         &operators, &delegates, &arenas);
  }

  /// The finished tables with a header behind the identifier, padded up to the first segment.
  nb::bytes with_header(uint64_t last_segment, uint64_t segments_end) const {
    const uint8_t* tables = fbb_.GetBufferPointer();
    const size_t size = fbb_.GetSize() + kHeaderBytes;
    const size_t base = align_up(size);
    std::string file(base, '\0');
    auto* to = reinterpret_cast<uint8_t*>(file.data());
    // The root table moves back by the header, which keeps all alignments.
    put(to, static_cast<uint32_t>(flatbuffers::ReadScalar<uint32_t>(tables) + kHeaderBytes));
    std::memcpy(to + 4, tables + 4, 4);
    std::memcpy(to + kRootBytes + kHeaderBytes, tables + kRootBytes, fbb_.GetSize() - kRootBytes);
    uint8_t* header = to + kRootBytes;
    std::memcpy(header, "eh00", 4);
    put(header + 4, static_cast<uint32_t>(kHeaderBytes));
    put(header + 8, static_cast<uint64_t>(size));
    const bool any = segments_end > 0;
    put(header + 16, static_cast<uint64_t>(any ? base : 0));
    // The last segment ends the file without padding.
    put(header + 24, any ? segments_end - align_up(last_segment) + last_segment : uint64_t{0});
    return nb::bytes(file.data(), file.size());
  }

  flatbuffers::FlatBufferBuilder fbb_;
  std::vector<flatbuffers::Offset<fb::BackendDelegateInlineData>> payloads_;
};

}  // namespace

void bind_program_writer(nb::module_& m) {
  m.def(
      "_write_delegated_program",
      [](const std::vector<MethodSpec>& methods, const std::vector<DataSpec>& data,
         const std::vector<uint64_t>& segments) { return Writer().write(methods, data, segments); },
      nb::arg("methods"), nb::arg("data"), nb::arg("segments"),
      "The head of a program file. Its methods are one delegate call each, (name, backend, "
      "payload, "
      "inputs, outputs), tensors are (type, greatest sizes, dim order, dynamic), data are (key, "
      "number of the segment). Segments of the sizes given follow, each padded to 16 bytes but the "
      "last.");
}

}  // namespace executorch::python
