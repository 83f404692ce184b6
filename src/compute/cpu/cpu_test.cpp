#include "compute/cpu/cpu.h"

#include <gtest/gtest.h>

namespace executorch::compute {
namespace {

TEST(Cpu, NamesParseBack) {
  for (size_t i = 0; i < kIsaCount; ++i) {
    Isa parsed;
    ASSERT_TRUE(parse_isa(isa_name(static_cast<Isa>(i)), &parsed));
    EXPECT_EQ(parsed, static_cast<Isa>(i));
  }
  Isa parsed;
  EXPECT_FALSE(parse_isa("z80", &parsed));
  EXPECT_FALSE(parse_isa("", &parsed));
}

TEST(Cpu, ActiveIsSupportedAndCanBeForced) {
  const Isa before = active_isa();
  EXPECT_TRUE(isa_supported(before));
  for (size_t i = 0; i < kIsaCount; ++i) {
    const Isa isa = static_cast<Isa>(i);
    EXPECT_EQ(set_active_isa(isa), isa_supported(isa));
    if (isa_supported(isa)) {
      EXPECT_EQ(active_isa(), isa);
    }
  }
  EXPECT_TRUE(set_active_isa(before));
}

TEST(Cpu, CacheSizesAreSane) {
  EXPECT_GE(cache_sizes().level1, 8u * 1024);
  EXPECT_GE(cache_sizes().level2, cache_sizes().level1);
}

}  // namespace
}  // namespace executorch::compute
