#include "backends/cuda/device/philox.h"

#include <gtest/gtest.h>

namespace executorch::backends::cuda {
namespace {

void expect(uint64_t key, Words4 counter, Words4 expected) {
  const Words4 found = philox(key, counter);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(found.word[i], expected.word[i]) << i;
}

// The known answers of the authors' library (Random123, kat_vectors).
TEST(Philox, KnownAnswers) {
  expect(0, {{0, 0, 0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  expect(~uint64_t{0}, {{~0u, ~0u, ~0u, ~0u}}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  expect(0x299f31d0a4093822, {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(Philox, UpperHalfOfAProduct) {
  for (const uint64_t a : {uint64_t{0}, uint64_t{1}, uint64_t{0xFFFFFFFF}, ~uint64_t{0},
                           uint64_t{0x123456789ABCDEF0}}) {
    for (const uint64_t b :
         {uint64_t{3}, uint64_t{1} << 32, ~uint64_t{0}, uint64_t{0xFEDCBA9876543210}}) {
      const auto product = static_cast<unsigned __int128>(a) * b;
      EXPECT_EQ(multiply_high(a, b), static_cast<uint64_t>(product >> 64));
    }
  }
}

}  // namespace
}  // namespace executorch::backends::cuda
