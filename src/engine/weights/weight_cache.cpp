#include "engine/weights/weight_cache.h"

#include <cstring>
#include <iterator>
#include <mutex>
#include <unordered_map>

#include "engine/weights/content_hash.h"
#include "engine/weights/weight_store.h"

namespace executorch::engine {
namespace {

struct Key {
  Digest content;
  int64_t layout[WeightSpec::kLayoutNumbers];
  size_t bytes[4];
  friend bool operator==(const Key& a, const Key& b) {
    return std::memcmp(&a, &b, sizeof(Key)) == 0;
  }
};

struct KeyHash {
  size_t operator()(const Key& key) const { return static_cast<size_t>(key.content.words[0]); }
};

Digest content_of(const WeightSpec& spec, const HashSecret& secret) {
  const Digest digest = hash_bytes(secret, spec.scale, spec.scales * sizeof(float),
                                   hash_bytes(secret, spec.source, spec.source_bytes));
  return spec.extra_bytes == 0 ? digest : hash_bytes(secret, spec.extra, spec.extra_bytes, digest);
}

Key key_of(const WeightSpec& spec, const Digest& content) {
  Key key{};
  key.content = content;
  std::memcpy(key.layout, spec.layout, sizeof(key.layout));
  key.bytes[0] = spec.source_bytes;
  key.bytes[1] = spec.scales;
  key.bytes[2] = spec.packed_bytes;
  key.bytes[3] = spec.extra_bytes;
  return key;
}

using Shared = std::shared_ptr<const PackedWeight>;

class Cache {
 public:
  Shared find(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : found->second.lock();
  }

  /// Returns what another thread has added meanwhile, else `weight`.
  Shared add(const Key& key, Shared weight) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<const PackedWeight>& entry = entries_[key];
    if (Shared earlier = entry.lock()) return earlier;
    entry = weight;
    if (entries_.size() % 256 == 0) drop_expired();
    return weight;
  }

 private:
  void drop_expired() {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      entry = entry->second.expired() ? entries_.erase(entry) : std::next(entry);
    }
  }

  std::mutex mutex_;
  std::unordered_map<Key, std::weak_ptr<const PackedWeight>, KeyHash> entries_;
};

// Never destroyed: plans in static objects may outlive it.
Cache& cache() {
  static Cache* const instance = new Cache;
  return *instance;
}

Shared pack(const WeightSpec& spec, const WeightPacker& packer, WeightMemory& memory) {
  WeightPart part = memory.allocate(spec.packed_bytes);
  if (part.data() == nullptr) return nullptr;
  if (!packer.pack(reinterpret_cast<float*>(part.data()))) return nullptr;
  return std::make_shared<const PackedWeight>(std::move(part), spec.packed_bytes);
}

Shared in_store(const WeightStore& store, const WeightStore::Entry& entry, bool* damaged) {
  FileMapping mapping = store.find(entry, damaged);
  if (mapping.data() == nullptr) return nullptr;
  const char* data = WeightStore::packed_in(mapping);
  return std::make_shared<const PackedWeight>(std::move(mapping), data,
                                              static_cast<size_t>(entry.header.packed_bytes));
}

Shared load_or_pack(const WeightSpec& spec, const Digest& content, const WeightPacker& packer,
                    WeightStore& store, uint64_t limit) {
  const WeightStore::Entry entry = store.entry_of(spec, content);
  bool damaged;
  if (Shared found = in_store(store, entry, &damaged)) return found;
  // Only until it is written.
  WeightMemory memory(0);
  Shared packed = pack(spec, packer, memory);
  if (packed == nullptr) return nullptr;
  if (!store.put(entry, packed->data(), damaged, limit)) return packed;
  // This process, too, uses the copy in the folder.
  Shared stored = in_store(store, entry, &damaged);
  return stored != nullptr ? stored : packed;
}

}  // namespace

Shared packed_weight(const WeightSpec& spec, const WeightPacker& packer, const CacheFolder& folder,
                     WeightMemory& memory) {
  const bool share = folder.path != nullptr && spec.packed_bytes >= kSmallestSharedWeight;
  WeightStore* store = share ? WeightStore::of_folder(folder.path) : nullptr;
  // One digest serves both: a folder's secret is as unknown to models as that of the process.
  const Digest content = content_of(spec, store != nullptr ? store->secret() : process_secret());
  const Key key = key_of(spec, content);
  if (Shared found = cache().find(key)) return found;
  // Made outside the lock: two threads may both do it, the first to finish wins.
  Shared weight = store != nullptr ? load_or_pack(spec, content, packer, *store, folder.limit)
                                   : pack(spec, packer, memory);
  return weight == nullptr ? nullptr : cache().add(key, std::move(weight));
}

}  // namespace executorch::engine
