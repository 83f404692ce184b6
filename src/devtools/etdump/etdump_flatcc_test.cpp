#include <executorch/devtools/etdump/etdump_flatcc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <schema/etdump_generated.h>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace etdump {
namespace {

namespace format = ::etdump;
using ::executorch::aten::ScalarType;
using ::executorch::extension::full;
using ::executorch::extension::make_tensor_ptr;
using ::executorch::extension::TensorPtr;
using ::executorch::runtime::Error;
using ::executorch::runtime::EValue;
using ::executorch::runtime::last_error_message;
using ::executorch::runtime::LoggedEValueType;
using ::executorch::runtime::Span;

/// A dump, checked and freed.
class Dump {
 public:
  explicit Dump(ETDumpGen& tracer) {
    const ETDumpResult result = tracer.get_etdump_data();
    bytes_.assign(static_cast<uint8_t*>(result.buf),
                  static_cast<uint8_t*>(result.buf) + result.size);
    std::free(result.buf);
  }

  const format::ETDump* root() const {
    flatbuffers::Verifier verifier(bytes_.data(), bytes_.size());
    const bool sound = format::VerifySizePrefixedETDumpBuffer(verifier);
    EXPECT_TRUE(sound);
    return sound ? format::GetSizePrefixedETDump(bytes_.data()) : nullptr;
  }

  const format::RunData& block(uint32_t index) const { return *root()->run_data()->Get(index); }

  const format::ProfileEvent& timed(uint32_t block_index, uint32_t index) const {
    return *block(block_index).events()->Get(index)->profile_event();
  }

  const format::DebugEvent& logged(uint32_t block_index, uint32_t index) const {
    return *block(block_index).events()->Get(index)->debug_event();
  }

  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

TEST(ETDumpGenTest, NothingRecordedGivesNoDump) {
  ETDumpGen tracer;
  EXPECT_EQ(tracer.get_etdump_data().buf, nullptr);
  EXPECT_EQ(tracer.get_num_blocks(), 0u);
  EXPECT_FALSE(tracer.is_static_etdump());
}

TEST(ETDumpGenTest, DumpIsSizePrefixedWithIdentifier) {
  ETDumpGen tracer;
  tracer.create_event_block("Execute");
  const Dump dump(tracer);
  uint32_t size = 0;
  std::memcpy(&size, dump.bytes().data(), sizeof(size));
  EXPECT_EQ(size + 4, dump.bytes().size());
  EXPECT_EQ(std::memcmp(dump.bytes().data() + 8, "ED00", 4), 0);
  EXPECT_EQ(dump.root()->version(), 0u);
  EXPECT_STREQ(dump.block(0).name()->c_str(), "Execute");
  EXPECT_EQ(dump.block(0).bundled_input_index(), -1);
}

TEST(ETDumpGenTest, EventsComeInTheOrderOfTheirEnds) {
  ETDumpGen tracer;
  tracer.create_event_block("Execute");
  const auto outer = tracer.start_profiling("Method::execute");
  tracer.set_chain_debug_handle(2, 5);
  const auto inner = tracer.start_profiling("native_call_add.out");
  tracer.end_profiling(inner);
  tracer.end_profiling(outer);
  const auto explicit_place = tracer.start_profiling("OPERATOR_CALL", 1, 7);
  tracer.end_profiling(explicit_place);

  const Dump dump(tracer);
  ASSERT_EQ(dump.block(0).events()->size(), 3u);
  EXPECT_STREQ(dump.timed(0, 0).name()->c_str(), "native_call_add.out");
  EXPECT_EQ(dump.timed(0, 0).chain_index(), 2);
  EXPECT_EQ(dump.timed(0, 0).instruction_id(), 5);
  EXPECT_EQ(dump.timed(0, 0).delegate_debug_id_int(), -1);
  EXPECT_EQ(dump.timed(0, 0).delegate_debug_metadata(), nullptr);
  EXPECT_STREQ(dump.timed(0, 1).name()->c_str(), "Method::execute");
  EXPECT_EQ(dump.timed(0, 1).chain_index(), -1);
  EXPECT_EQ(dump.timed(0, 1).instruction_id(), 0);
  EXPECT_LE(dump.timed(0, 1).start_time(), dump.timed(0, 0).start_time());
  EXPECT_GE(dump.timed(0, 1).end_time(), dump.timed(0, 0).end_time());
  EXPECT_EQ(dump.timed(0, 2).chain_index(), 1);
  EXPECT_EQ(dump.timed(0, 2).instruction_id(), 7);
}

TEST(ETDumpGenTest, DelegateEventsCarryNameOrNumberAndMetadata) {
  ETDumpGen tracer;
  tracer.create_event_block("Execute");
  tracer.set_chain_debug_handle(0, 3);
  tracer.end_profiling_delegate(tracer.start_profiling_delegate("GEMM #1", -1), "xy", 2);
  tracer.end_profiling_delegate(tracer.start_profiling_delegate(nullptr, 12), nullptr, 0);
  tracer.log_profiling_delegate("ReLU #1", -1, 100, 250, nullptr, 0);

  const Dump dump(tracer);
  const auto& named = dump.timed(0, 0);
  EXPECT_EQ(named.name(), nullptr);
  EXPECT_STREQ(named.delegate_debug_id_str()->c_str(), "GEMM #1");
  ASSERT_EQ(named.delegate_debug_metadata()->size(), 2u);
  EXPECT_EQ(named.delegate_debug_metadata()->Get(1), 'y');
  EXPECT_EQ(named.instruction_id(), 3);
  EXPECT_EQ(dump.timed(0, 1).delegate_debug_id_int(), 12);
  EXPECT_EQ(dump.timed(0, 1).delegate_debug_id_str(), nullptr);
  EXPECT_EQ(dump.timed(0, 2).start_time(), 100u);
  EXPECT_EQ(dump.timed(0, 2).end_time(), 250u);
}

TEST(ETDumpGenTest, EventsOutsideABlockOpenOne) {
  ETDumpGen tracer;
  tracer.end_profiling(tracer.start_profiling("early"));
  const Dump dump(tracer);
  EXPECT_STREQ(dump.block(0).name()->c_str(), "Default");
  EXPECT_STREQ(dump.timed(0, 0).name()->c_str(), "early");
}

TEST(ETDumpGenTest, TakingADumpBeginsAnother) {
  ETDumpGen tracer;
  tracer.create_event_block("first");
  tracer.create_event_block("second");
  EXPECT_EQ(tracer.get_num_blocks(), 2u);
  EXPECT_EQ(Dump(tracer).root()->run_data()->size(), 2u);
  // Taking it again gives the same.
  EXPECT_EQ(Dump(tracer).root()->run_data()->size(), 2u);
  tracer.set_bundled_input_index(4);
  tracer.create_event_block("third");
  const Dump dump(tracer);
  ASSERT_EQ(dump.root()->run_data()->size(), 1u);
  EXPECT_STREQ(dump.block(0).name()->c_str(), "third");
  EXPECT_EQ(dump.block(0).bundled_input_index(), 4);
  tracer.reset();
  EXPECT_EQ(tracer.get_etdump_data().buf, nullptr);
}

TEST(ETDumpGenTest, RecordsAllocations) {
  ETDumpGen tracer;
  tracer.create_event_block("Default");
  EXPECT_EQ(tracer.track_allocator("method"), 1u);
  EXPECT_EQ(tracer.track_allocator("temp"), 2u);
  tracer.track_allocation(2, 4096);
  const Dump dump(tracer);
  EXPECT_STREQ(dump.block(0).allocators()->Get(1)->name()->c_str(), "temp");
  const auto& allocation = *dump.block(0).events()->Get(0)->allocation_event();
  EXPECT_EQ(allocation.allocator_id(), 2);
  EXPECT_EQ(allocation.allocation_size(), 4096u);
}

TEST(ETDumpGenTest, LogsValues) {
  alignas(64) uint8_t storage[256];
  ETDumpGen tracer;
  ASSERT_TRUE(tracer.set_debug_buffer(Span<uint8_t>(storage, sizeof(storage))).ok());
  tracer.create_event_block("Execute");
  const TensorPtr tensor = make_tensor_ptr({1, 2}, std::vector<float>{1.5f, 2.5f});
  const TensorPtr nothing = make_tensor_ptr({0}, std::vector<float>{});
  ASSERT_TRUE(tracer.log_evalue(EValue(*tensor)).ok()) << last_error_message();
  ASSERT_TRUE(tracer.log_evalue(EValue(*tensor), LoggedEValueType::kProgramOutput).ok());
  ASSERT_TRUE(tracer.log_evalue(EValue(*nothing)).ok());
  ASSERT_TRUE(tracer.log_evalue(EValue(int64_t{-7})).ok());
  ASSERT_TRUE(tracer.log_evalue(EValue(0.25)).ok());
  ASSERT_TRUE(tracer.log_evalue(EValue(true)).ok());

  const Dump dump(tracer);
  const auto& first = dump.logged(0, 0);
  EXPECT_EQ(first.chain_index(), UINT64_MAX);
  const format::Tensor& stored = *first.debug_entry()->tensor();
  EXPECT_EQ(first.debug_entry()->val(), format::ValueType::Tensor);
  EXPECT_EQ(first.debug_entry()->output(), nullptr);
  EXPECT_EQ(stored.sizes()->Get(1), 2);
  EXPECT_EQ(stored.strides()->Get(0), 2);
  EXPECT_EQ(std::memcmp(storage + stored.offset(), tensor->const_data_ptr(), 8), 0);
  EXPECT_TRUE(dump.logged(0, 1).debug_entry()->output()->bool_val());
  EXPECT_EQ(dump.logged(0, 1).debug_entry()->tensor()->offset(), 64);
  EXPECT_EQ(dump.logged(0, 2).debug_entry()->tensor()->offset(), -1);
  EXPECT_EQ(dump.logged(0, 3).debug_entry()->int_value()->int_val(), -7);
  EXPECT_EQ(dump.logged(0, 4).debug_entry()->double_value()->double_val(), 0.25);
  EXPECT_TRUE(dump.logged(0, 5).debug_entry()->bool_value()->bool_val());
}

TEST(ETDumpGenTest, RefusesWhatCannotBeLogged) {
  ETDumpGen tracer;
  tracer.create_event_block("Execute");
  const TensorPtr tensor = make_tensor_ptr({2}, std::vector<float>{1, 2});
  EXPECT_EQ(tracer.log_evalue(EValue(*tensor)).error(), Error::InvalidState);
  EXPECT_THAT(last_error_message(), ::testing::HasSubstr("data sink"));
  EXPECT_EQ(tracer.log_evalue(EValue()).error(), Error::InvalidArgument);

  uint8_t storage[16];
  ASSERT_TRUE(tracer.set_debug_buffer(Span<uint8_t>(storage, sizeof(storage))).ok());
  EXPECT_EQ(tracer.log_evalue(EValue(*full({100}, 1))).error(), Error::OutOfResources);
  EXPECT_EQ(tracer.log_evalue(EValue(*full({1}, 1, ScalarType::BFloat16))).error(),
            Error::InvalidArgument);
  const Dump dump(tracer);
  EXPECT_EQ(dump.block(0).events()->size(), 0u);
}

/// Wants the event called "keep".
class KeepFilter : public EventTracerFilterBase {
 public:
  Result<bool> filter(const char* name, DelegateDebugIntId) override {
    if (name == nullptr) {
      return Error::InvalidState;
    }
    return std::string(name) == "keep";
  }
};

TEST(ETDumpGenTest, FiltersOutputsInsideDelegates) {
  ETDumpGen tracer;
  KeepFilter filter;
  tracer.create_event_block("Execute");
  tracer.set_delegation_intermediate_output_filter(&filter);
  EXPECT_TRUE(tracer.log_intermediate_output_delegate("keep", -1, 3).get());
  EXPECT_FALSE(tracer.log_intermediate_output_delegate("drop", -1, 3).get());
  EXPECT_EQ(tracer.log_intermediate_output_delegate(nullptr, 8, 0.5).error(), Error::InvalidState);
  tracer.set_delegation_intermediate_output_filter(nullptr);
  EXPECT_TRUE(tracer.log_intermediate_output_delegate(nullptr, 8, true).get());
  EXPECT_EQ(tracer.log_intermediate_output_delegate("both", 8, true).error(),
            Error::InvalidArgument);
  EXPECT_EQ(tracer.log_intermediate_output_delegate(nullptr, -1, true).error(),
            Error::InvalidArgument);
  const Dump dump(tracer);
  ASSERT_EQ(dump.block(0).events()->size(), 2u);
  EXPECT_STREQ(dump.logged(0, 0).delegate_debug_id_str()->c_str(), "keep");
  EXPECT_EQ(dump.logged(0, 1).delegate_debug_id_int(), 8);
}

TEST(ETDumpGenTest, WritesIntoABufferOfTheApplication) {
  std::vector<uint8_t> storage(4096);
  ETDumpGen tracer(Span<uint8_t>(storage.data(), storage.size()));
  EXPECT_TRUE(tracer.is_static_etdump());
  tracer.create_event_block("Execute");
  const ETDumpResult result = tracer.get_etdump_data();
  EXPECT_EQ(result.buf, storage.data());
  flatbuffers::Verifier verifier(storage.data(), result.size);
  EXPECT_TRUE(format::VerifySizePrefixedETDumpBuffer(verifier));

  ETDumpGen cramped(Span<uint8_t>(storage.data(), 8));
  cramped.create_event_block("Execute");
  EXPECT_EQ(cramped.get_etdump_data().buf, nullptr);
  EXPECT_THAT(last_error_message(), ::testing::HasSubstr("its buffer has 8"));
}

}  // namespace
}  // namespace etdump
}  // namespace executorch
