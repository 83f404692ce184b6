#include "engine/weights/weight_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace executorch::engine {
namespace {

constexpr size_t kWeight = 1 << 20;

TEST(WeightMemory, PartsDoNotMeetAndAreAligned) {
  WeightMemory memory(3 * kWeight);
  std::vector<WeightPart> parts;
  // More than expected as well.
  for (size_t i = 0; i < 6; ++i) {
    parts.push_back(memory.allocate(kWeight - i));
    ASSERT_NE(parts[i].data(), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(parts[i].data()) % MemoryBlock::kAlignment, 0u);
    std::memset(parts[i].data(), static_cast<int>(i), kWeight - i);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t at : {size_t{0}, kWeight / 2, kWeight - i - 1}) EXPECT_EQ(parts[i].data()[at], i);
  }
}

TEST(WeightMemory, ThoseThatStayOutliveTheMemoryAndTheRest) {
  auto memory = std::make_unique<WeightMemory>(8 * kWeight);
  std::vector<WeightPart> parts;
  for (int i = 0; i < 3; ++i) {
    parts.push_back(memory->allocate(kWeight + 100));
    std::memset(parts.back().data(), 1 + i, kWeight + 100);
  }
  const WeightPart kept = std::move(parts[1]);
  memory.reset();
  parts.clear();
  for (size_t i = 0; i < kWeight + 100; ++i) ASSERT_EQ(kept.data()[i], 2);
}

TEST(WeightMemory, RefusesWhatNoMachineHas) {
  EXPECT_EQ(WeightMemory(0).allocate(size_t{1} << 60).data(), nullptr);
  WeightMemory hopeless(size_t{1} << 60);
  // What can be had is given one by one.
  EXPECT_NE(hopeless.allocate(kWeight).data(), nullptr);
}

}  // namespace
}  // namespace executorch::engine
