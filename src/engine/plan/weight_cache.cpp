#include "engine/plan/weight_cache.h"

#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace executorch::engine {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  const __uint128_t product = static_cast<__uint128_t>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t kOdd[4] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0xd6e8feb86659fd93};

struct KeyHash {
  size_t operator()(const WeightKey& key) const {
    return static_cast<size_t>(key.content[0] ^ (key.layout[0] * kOdd[0]));
  }
};

struct Cache {
  std::mutex mutex;
  std::unordered_map<WeightKey, std::weak_ptr<const MemoryBlock>, KeyHash> entries;
};

// Never destroyed: plans in static objects may outlive it.
Cache& cache() {
  static Cache* const instance = new Cache;
  return *instance;
}

void drop_expired(Cache& cache) {
  for (auto entry = cache.entries.begin(); entry != cache.entries.end();) {
    entry = entry->second.expired() ? cache.entries.erase(entry) : std::next(entry);
  }
}

}  // namespace

void hash_bytes(const void* data, size_t size, uint64_t hash[2]) {
  const char* bytes = static_cast<const char*>(data);
  uint64_t a = hash[0] ^ kOdd[0], b = hash[1] ^ kOdd[1], c = size * kOdd[2], d = ~size;
  uint64_t words[4];
  for (; size >= sizeof(words); bytes += sizeof(words), size -= sizeof(words)) {
    std::memcpy(words, bytes, sizeof(words));
    a = mix(a ^ words[0], kOdd[0] ^ words[1]);
    b = mix(b ^ words[1], kOdd[1] ^ words[2]);
    c = mix(c ^ words[2], kOdd[2] ^ words[3]);
    d = mix(d ^ words[3], kOdd[3] ^ words[0]);
  }
  words[0] = words[1] = words[2] = words[3] = 0;
  std::memcpy(words, bytes, size);
  a = mix(a ^ words[0], kOdd[1] ^ words[1]);
  b = mix(b ^ words[2], kOdd[2] ^ words[3]);
  hash[0] = mix(a ^ kOdd[2], c ^ b);
  hash[1] = mix(b ^ kOdd[3], d ^ hash[0]);
}

std::shared_ptr<const MemoryBlock> packed_weight(const WeightKey& key, size_t bytes, const WeightPacker& packer) {
  Cache& shared = cache();
  {
    const std::lock_guard<std::mutex> lock(shared.mutex);
    const auto found = shared.entries.find(key);
    if (found != shared.entries.end()) {
      if (std::shared_ptr<const MemoryBlock> block = found->second.lock()) return block;
    }
  }
  // Packed outside the lock: two threads may both do it, the first to finish wins.
  MemoryBlock block = MemoryBlock::allocate(bytes);
  if (!block.holds(bytes)) return nullptr;
  packer.pack(reinterpret_cast<float*>(block.data()));
  auto packed = std::make_shared<const MemoryBlock>(std::move(block));
  const std::lock_guard<std::mutex> lock(shared.mutex);
  std::weak_ptr<const MemoryBlock>& entry = shared.entries[key];
  if (std::shared_ptr<const MemoryBlock> earlier = entry.lock()) return earlier;
  entry = packed;
  if (shared.entries.size() % 256 == 0) drop_expired(shared);
  return packed;
}

bool has_packed_weight(const WeightKey& key) {
  Cache& shared = cache();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  const auto found = shared.entries.find(key);
  return found != shared.entries.end() && !found->second.expired();
}

}  // namespace executorch::engine
