#include "runtime/loading/shared_data_map.h"

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

/// The blobs that are held, and the map as long as it lives: the last of them deletes this.
class SharedDataMap::Blobs {
 public:
  /// Empty when nobody holds the blob.
  FreeableBuffer find(std::string_view key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Blob* blob = bucket(key); blob != nullptr; blob = blob->next) {
      if (blob->is(key)) return blob->hold();
    }
    return {};
  }

  Result<FreeableBuffer> add(std::string_view key, FreeableBuffer data) {
    std::unique_ptr<char[]> copy(new (std::nothrow) char[key.size() + 1]);
    ET_REQUIRE(copy != nullptr, MemoryAllocationFailed, "no memory for a key of %zu bytes",
               key.size());
    std::memcpy(copy.get(), key.data(), key.size());
    const std::lock_guard<std::mutex> lock(mutex_);
    Blob*& first = bucket(key);
    Blob* const blob =
        new (std::nothrow) Blob{this, std::move(copy), key.size(), std::move(data), 0, first};
    ET_REQUIRE(blob != nullptr, MemoryAllocationFailed, "no memory for a blob of named data");
    first = blob;
    ++users_;
    return blob->hold();
  }

  /// One user less.
  static void leave(Blobs* blobs) {
    bool last;
    {
      const std::lock_guard<std::mutex> lock(blobs->mutex_);
      last = --blobs->users_ == 0;
    }
    if (last) delete blobs;
  }

 private:
  struct Blob {
    Blobs* all;
    std::unique_ptr<char[]> key;
    size_t key_size;
    FreeableBuffer data;
    size_t holders;
    Blob* next;

    std::string_view name() const { return {key.get(), key_size}; }
    bool is(std::string_view other) const { return name() == other; }
    FreeableBuffer hold() {
      ++holders;
      return FreeableBuffer(data.data(), data.size(), release, this);
    }
  };

  static void release(void* context, void*, size_t) {
    Blob* const blob = static_cast<Blob*>(context);
    Blobs* const all = blob->all;
    {
      const std::lock_guard<std::mutex> lock(all->mutex_);
      if (--blob->holders > 0) return;
      Blob** place = &all->bucket(blob->name());
      while (*place != blob) place = &(*place)->next;
      *place = blob->next;
    }
    delete blob;
    leave(all);
  }

  Blob*& bucket(std::string_view key) {
    return buckets_[std::hash<std::string_view>()(key) % kBuckets];
  }

  static constexpr size_t kBuckets = 256;
  std::mutex mutex_;
  size_t users_ = 1;
  Blob* buckets_[kBuckets] = {};
};

bool SharedDataMap::prepare() {
  blobs_ = new (std::nothrow) Blobs;
  return blobs_ != nullptr;
}

SharedDataMap::~SharedDataMap() {
  if (blobs_ != nullptr) Blobs::leave(blobs_);
}

Result<FreeableBuffer> SharedDataMap::get_data(std::string_view key) const {
  FreeableBuffer held = blobs_->find(key);
  if (held.size() > 0) return held;
  auto loaded = source_.get_data(key);
  // Two threads may both load; each keeps its own. Addresses of other processors are not shared.
  if (!loaded.ok() || loaded->size() == 0 || !loaded->data_safe().ok()) return loaded;
  return blobs_->add(key, std::move(loaded.get()));
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
