#include "compute/attention/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "compute/cpu/guarded_floats.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Heads of one batch: queries [positions, heads, depth], keys and values [length, key heads, …].
struct Problem {
  int64_t positions, key_heads, group, depth, length, width;
  bool causal = false;
  int64_t first_position = 0;
  bool masked = false;
};

struct Memory {
  explicit Memory(const Problem& p)
      : query(p.positions * p.key_heads * p.group * p.depth, 1),
        key(p.length * p.key_heads * p.depth, 2),
        value(p.length * p.key_heads * p.width, 3),
        mask(p.positions * p.length, 4),
        out(p.positions * p.key_heads * p.group * p.width, 5) {
    for (size_t i = 0; i < mask.size(); i += 3) mask[i] = -kInfinity;
  }
  GuardedFloats query, key, value, mask, out;
};

struct Context {
  const Problem& problem;
  Memory& memory;
};

AttentionHead find(const void* context, int64_t head) {
  const auto& [p, m] = *static_cast<const Context*>(context);
  AttentionHead result;
  result.query.data = m.query.data() + head * p.group * p.depth;
  result.key.data = m.key.data() + head * p.depth;
  result.value.data = m.value.data() + head * p.width;
  result.out = m.out.data() + head * p.group * p.width;
  result.mask = p.masked ? m.mask.data() : nullptr;
  return result;
}

AttentionShape shape_of(const Problem& p) {
  AttentionShape shape;
  shape.heads = p.key_heads;
  shape.positions = p.positions;
  shape.group = p.group;
  shape.depth = p.depth;
  shape.length = p.length;
  shape.width = p.width;
  shape.query_position = p.key_heads * p.group * p.depth;
  shape.query_group = p.depth;
  shape.key_row = p.key_heads * p.depth;
  shape.value_row = p.key_heads * p.width;
  shape.out_position = p.key_heads * p.group * p.width;
  shape.out_group = p.width;
  shape.mask_position = p.length;
  shape.scale = 0.3f;
  shape.causal = p.causal;
  shape.first_position = p.first_position;
  return shape;
}

void run(const Problem& p, Memory& memory) {
  const AttentionShape shape = shape_of(p);
  const Context context{p, memory};
  std::vector<float> scratch(attention_scratch_bytes(shape) / sizeof(float) + 16);
  void* aligned =
      reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  attention(shape, find, &context, aligned, attention_scratch_bytes(shape));
}

double expected(const Problem& p, const Memory& m, int64_t position, int64_t head, int64_t column) {
  const int64_t heads = p.key_heads * p.group;
  const int64_t key_head = head / p.group;
  double total = 0, sum = 0;
  for (int64_t j = 0; j < p.length; ++j) {
    if (p.causal && j > p.first_position + position) break;
    double score = 0;
    for (int64_t k = 0; k < p.depth; ++k) {
      score += static_cast<double>(m.query[(position * heads + head) * p.depth + k]) *
               m.key[(j * p.key_heads + key_head) * p.depth + k];
    }
    score = score * 0.3 + (p.masked ? m.mask[position * p.length + j] : 0.0);
    const double weight = std::exp(score);
    total += weight;
    sum += weight * m.value[(j * p.key_heads + key_head) * p.width + column];
  }
  return sum / total;
}

void expect_right(const Problem& p) {
  Memory memory(p);
  run(p, memory);
  const int64_t heads = p.key_heads * p.group;
  for (int64_t i = 0; i < p.positions; ++i) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t w = 0; w < p.width; ++w) {
        ASSERT_NEAR(memory.out[(i * heads + h) * p.width + w], expected(p, memory, i, h, w), 2e-5)
            << "position " << i << " head " << h << " column " << w;
      }
    }
  }
}

const Problem kProblems[] = {{1, 2, 4, 64, 700, 64, true, 699},
                             {1, 1, 3, 33, 3000, 17},
                             {5, 2, 2, 16, 300, 24, true, 290},
                             {150, 1, 2, 24, 400, 20, true, 200},
                             {40, 2, 1, 32, 40, 32},
                             {3, 1, 2, 8, 9, 8, false, 0, true},
                             {130, 2, 1, 16, 270, 16, false, 0, true},
                             {1, 1, 1, 1, 1, 1}};

class AttentionOnIsa : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(static_cast<Isa>(GetParam()))) GTEST_SKIP() << "not on this machine";
  }
  void TearDown() override { set_active_isa(before_); }

 private:
  Isa before_;
};

TEST_P(AttentionOnIsa, AgreesWithPlainLoops) {
  for (const Problem& p : kProblems) expect_right(p);
}

INSTANTIATE_TEST_SUITE_P(Isa, AttentionOnIsa, testing::Range(0, static_cast<int>(kIsaCount)));

TEST(AttentionTest, ThreadsDoNotChangeBits) {
  for (const Problem& p : kProblems) {
    std::vector<std::vector<float>> results;
    for (const size_t threads : {1u, 2u, 5u}) {
      ASSERT_TRUE(threadpool::set_thread_count(threads));
      Memory memory(p);
      run(p, memory);
      results.emplace_back(memory.out.data(), memory.out.data() + memory.out.size());
    }
    threadpool::set_thread_count(0);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

TEST(AttentionTest, MaskedRows) {
  const Problem p{2, 1, 1, 4, 5, 4, false, 0, true};
  for (const bool zero : {true, false}) {
    Memory memory(p);
    for (int64_t j = 0; j < p.length; ++j) memory.mask[static_cast<size_t>(j)] = -kInfinity;
    AttentionShape shape = shape_of(p);
    shape.zero_masked_rows = zero;
    const Context context{p, memory};
    std::vector<char> scratch(attention_scratch_bytes(shape) + 64);
    void* aligned =
        reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
    attention(shape, find, &context, aligned, attention_scratch_bytes(shape));
    EXPECT_EQ(std::isnan(memory.out[0]), !zero);
    if (zero) {
      EXPECT_EQ(memory.out[0], 0.0f);
    }
    EXPECT_NEAR(memory.out[4], expected(p, memory, 1, 0, 0), 2e-5);
  }
}

}  // namespace
}  // namespace executorch::compute
