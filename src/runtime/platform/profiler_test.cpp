#include <executorch/runtime/platform/profiler.h>

#include <gtest/gtest.h>

namespace executorch::runtime {
namespace {

/// The recorded part of block `index`.
struct BlockView {
  explicit BlockView(size_t index) {
    prof_result_t result;
    dump_profile_stats(&result);
    EXPECT_GT(result.num_blocks, index);
    data = result.prof_data + index * prof_buf_size;
  }
  const prof_header_t& header() const { return *reinterpret_cast<const prof_header_t*>(data); }
  const prof_event_t& event(size_t i) const {
    return reinterpret_cast<const prof_event_t*>(data + prof_events_offset)[i];
  }
  const uint8_t* data;
};

TEST(Profiler, RecordsEventsWithTheirInstruction) {
  profiler_init();
  reset_profile_stats();
  {
    ExecutorchProfilerInstructionScope instruction({1, 7});
    ExecutorchProfiler event("an event whose name is longer than the room for it");
  }
  const BlockView block(0);
  ASSERT_EQ(block.header().prof_entries, 1u);
  EXPECT_EQ(block.header().prof_ver, static_cast<uint32_t>(ET_PROF_VER));
  EXPECT_STREQ(block.event(0).name, "an event whose name is longer t");
  EXPECT_EQ(block.event(0).chain_idx, 1);
  EXPECT_EQ(block.event(0).instruction_idx, 7u);
  EXPECT_GE(block.event(0).end_time, block.event(0).start_time);
  EXPECT_EQ(get_profile_tls_state().chain_idx, -1);
}

TEST(Profiler, StopsWhenTheBlockIsFull) {
  profiler_init();
  reset_profile_stats();
  for (int i = 0; i < MAX_PROFILE_EVENTS; ++i) EXPECT_NE(begin_profiling("event"), UINT32_MAX);
  EXPECT_EQ(begin_profiling("one too many"), UINT32_MAX);
  end_profiling(UINT32_MAX);
  reset_profile_stats();
}

TEST(Profiler, TracksAllocations) {
  profiler_init();
  reset_profile_stats();
  const uint32_t id = track_allocator("allocator");
  track_allocation(static_cast<int32_t>(id), 64);
  track_allocation(-1, 64);
  EXPECT_EQ(BlockView(0).header().mem_prof_entries, 1u);
  reset_profile_stats();
}

}  // namespace
}  // namespace executorch::runtime
