#include "runtime/loading/shared_data_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

/// Blobs that hold their key. Counts those that are loaded and not freed.
class CountingMap final : public NamedDataMap {
 public:
  Result<const TensorLayout> get_tensor_layout(std::string_view) const override {
    return Error::NotImplemented;
  }
  Result<FreeableBuffer> get_data(std::string_view key) const override {
    if (key == "missing") return Error::NotFound;
    ++loads;
    ++alive;
    auto* text = new std::string(key);
    return FreeableBuffer(
        text->data(), text->size(),
        [](void* context, void*, size_t) {
          auto* owned = static_cast<std::pair<const CountingMap*, std::string*>*>(context);
          --owned->first->alive;
          delete owned->second;
          delete owned;
        },
        new std::pair<const CountingMap*, std::string*>(this, text));
  }
  Error load_data_into(std::string_view, void*, size_t) const override { return Error::Ok; }
  Result<uint32_t> get_num_keys() const override { return 7u; }
  Result<const char*> get_key(uint32_t) const override { return "seven"; }

  mutable std::atomic<int> loads{0};
  mutable std::atomic<int> alive{0};
};

TEST(SharedDataMap, LoadsABlobOnceWhileItIsHeld) {
  const CountingMap source;
  SharedDataMap map(source);
  ASSERT_TRUE(map.prepare());
  {
    const auto one = map.get_data("weight"), two = map.get_data("weight"),
               other = map.get_data("bias");
    ASSERT_TRUE(one.ok() && two.ok() && other.ok());
    EXPECT_EQ(one->data(), two->data());
    EXPECT_EQ(std::string(static_cast<const char*>(other->data()), other->size()), "bias");
    EXPECT_EQ(source.loads, 2);
  }
  EXPECT_EQ(source.alive, 0);
  EXPECT_TRUE(map.get_data("weight").ok());
  EXPECT_EQ(source.loads, 3);
}

TEST(SharedDataMap, PassesErrorsAndTheRestOn) {
  const CountingMap source;
  SharedDataMap map(source);
  ASSERT_TRUE(map.prepare());
  EXPECT_EQ(map.get_data("missing").error(), Error::NotFound);
  EXPECT_EQ(map.get_tensor_layout("weight").error(), Error::NotImplemented);
  EXPECT_EQ(map.get_num_keys().get(), 7u);
  EXPECT_STREQ(map.get_key(0).get(), "seven");
}

TEST(SharedDataMap, BlobsOutliveTheMap) {
  const CountingMap source;
  std::optional<SharedDataMap> map(std::in_place, source);
  ASSERT_TRUE(map->prepare());
  auto blob = map->get_data("weight");
  map.reset();
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ(std::string(static_cast<const char*>(blob->data()), blob->size()), "weight");
  blob->Free();
  EXPECT_EQ(source.alive, 0);
}

TEST(SharedDataMap, MayBeUsedByManyThreads) {
  const CountingMap source;
  SharedDataMap map(source);
  ASSERT_TRUE(map.prepare());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&map, t] {
      for (int i = 0; i < 200; ++i) {
        const std::string key = std::to_string((i + t) % 5);
        const auto blob = map.get_data(key);
        ASSERT_TRUE(blob.ok());
        EXPECT_EQ(std::string(static_cast<const char*>(blob->data()), blob->size()), key);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(source.alive, 0);
}

}  // namespace
}  // namespace internal
}  // namespace runtime
}  // namespace executorch
