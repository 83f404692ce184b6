#include <executorch/runtime/platform/profiler.h>

#include <cstdio>

#include <executorch/runtime/platform/platform.h>

#include "runtime/platform/lock.h"

namespace executorch {
namespace runtime {
namespace {

/// One block with the layout that prof_*_offset tell.
struct Block {
  prof_header_t header;
  prof_event_t events[MAX_PROFILE_EVENTS];
  prof_allocator_t allocators[MEM_PROFILE_MAX_ALLOCATORS];
  mem_prof_event_t allocations[MAX_MEM_PROFILE_EVENTS];
};
static_assert(sizeof(Block) == prof_buf_size);
static_assert(offsetof(Block, events) == prof_events_offset);
static_assert(offsetof(Block, allocators) == prof_mem_alloc_info_offset);
static_assert(offsetof(Block, allocations) == prof_mem_alloc_events_offset);

constexpr uint32_t kNoId = UINT32_MAX;

Block blocks[MAX_PROFILE_BLOCKS];
uint32_t used_blocks = 0;
EXECUTORCH_THREAD_LOCAL prof_state_t current_instruction{-1, 0};

void set_name(char (&to)[PROF_NAME_MAX_LEN], const char* name) {
  std::snprintf(to, sizeof(to), "%s", name == nullptr ? "" : name);
}

/// Opens the first block if nobody has.
Block& current_block() {
  if (used_blocks == 0) profiling_create_block("default");
  return blocks[used_blocks - 1];
}

}  // namespace

void profiler_init(void) {
  (void)current_block();
}

void profiling_create_block(const char* name) {
  if (used_blocks == MAX_PROFILE_BLOCKS) return;
  Block& block = blocks[used_blocks];
  const Block* const previous = used_blocks > 0 ? &blocks[used_blocks - 1] : nullptr;
  ++used_blocks;
  block.header = prof_header_t{};
  set_name(block.header.name, name);
  block.header.prof_ver = ET_PROF_VER;
  block.header.max_prof_entries = MAX_PROFILE_EVENTS;
  block.header.max_allocator_entries = MEM_PROFILE_MAX_ALLOCATORS;
  block.header.max_mem_prof_entries = MAX_MEM_PROFILE_EVENTS;
  if (previous == nullptr) return;
  // Allocators live longer than blocks: each block lists them all.
  memcpy(block.allocators, previous->allocators, sizeof(block.allocators));
  block.header.allocator_entries = previous->header.allocator_entries;
}

uint32_t begin_profiling(const char* name) {
  Block& block = current_block();
  if (block.header.prof_entries == MAX_PROFILE_EVENTS) return kNoId;
  prof_event_t& event = block.events[block.header.prof_entries];
  event.name_str = name;
  event.chain_idx = current_instruction.chain_idx;
  event.instruction_idx = current_instruction.instruction_idx;
  event.end_time = 0;
  event.start_time = pal_current_ticks();
  return block.header.prof_entries++;
}

void end_profiling(uint32_t token_id) {
  const uint64_t now = pal_current_ticks();
  Block& block = current_block();
  if (token_id >= block.header.prof_entries) return;
  prof_event_t& event = block.events[token_id];
  if (event.end_time != 0) return;
  event.end_time = now;
  // The event no longer refers to the caller's name from here on.
  const char* const name = event.name_str;
  set_name(event.name, name);
}

void dump_profile_stats(prof_result_t* prof_result) {
  prof_result->prof_data = reinterpret_cast<uint8_t*>(blocks);
  prof_result->num_bytes = used_blocks * prof_buf_size;
  prof_result->num_blocks = used_blocks;
}

void reset_profile_stats() {
  for (uint32_t i = 0; i < used_blocks; ++i) {
    blocks[i].header.prof_entries = 0;
    blocks[i].header.mem_prof_entries = 0;
  }
}

void track_allocation(int32_t id, uint32_t size) {
  Block& block = current_block();
  if (id < 0 || block.header.mem_prof_entries == MAX_MEM_PROFILE_EVENTS) return;
  block.allocations[block.header.mem_prof_entries++] = {static_cast<uint32_t>(id), size};
}

uint32_t track_allocator(const char* name) {
  Block& block = current_block();
  const uint32_t id = block.header.allocator_entries;
  if (id == MEM_PROFILE_MAX_ALLOCATORS) return kNoId;
  set_name(block.allocators[id].name, name);
  block.allocators[id].allocator_id = id;
  ++block.header.allocator_entries;
  return id;
}

const prof_state_t& get_profile_tls_state() {
  return current_instruction;
}

void set_profile_tls_state(const prof_state_t& state) {
  current_instruction = state;
}

}  // namespace runtime
}  // namespace executorch
