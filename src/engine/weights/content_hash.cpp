#include "engine/weights/content_hash.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "engine/weights/cache_files.h"
#include "threadpool/parallel.h"

namespace executorch::engine {
namespace {

constexpr size_t kBlockWords = 4;
// Hashed one by one, by several threads.
constexpr size_t kChunkBytes = 256 * 1024;

uint64_t mix(uint64_t a, uint64_t b) {
  const __uint128_t product = static_cast<__uint128_t>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Four lanes; each word goes into two of them, paired with different neighbours.
struct Lanes {
  uint64_t state[4];
  const uint64_t* secret;

  void add(const uint64_t words[kBlockWords]) {
    for (size_t i = 0; i < 4; ++i) {
      state[i] = mix(state[i] ^ words[i] ^ secret[i], secret[4 + i] ^ words[(i + 1) % kBlockWords]);
    }
  }
};

HashSecret make_process_secret() {
  HashSecret secret;
  if (random_bytes(&secret, sizeof(secret))) return secret;
  // Good enough to share within a process; nothing is stored under it.
  uint64_t word =
      static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  word ^= reinterpret_cast<uintptr_t>(&secret);
  for (uint64_t& w : secret.words)
    w = word = mix(word ^ 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f) + 1;
  return secret;
}

Digest hash_chunk(const HashSecret& secret, const void* data, size_t size, const Digest& before) {
  Lanes lanes{{before.words[0], before.words[1], size, ~size}, secret.words};
  const char* bytes = static_cast<const char*>(data);
  uint64_t words[kBlockWords];
  for (; size >= sizeof(words); bytes += sizeof(words), size -= sizeof(words)) {
    std::memcpy(words, bytes, sizeof(words));
    lanes.add(words);
  }
  std::memset(words, 0, sizeof(words));
  if (size > 0) std::memcpy(words, bytes, size);
  lanes.add(words);
  // Twice more, with the lanes as input: every lane reaches both words of the result.
  for (int round = 0; round < 2; ++round) {
    const uint64_t crossed[kBlockWords] = {lanes.state[2], lanes.state[3], lanes.state[0],
                                           lanes.state[1]};
    lanes.add(crossed);
  }
  return {
      {mix(lanes.state[0] ^ secret.words[1], lanes.state[1] ^ secret.words[6]) ^ lanes.state[2],
       mix(lanes.state[2] ^ secret.words[3], lanes.state[3] ^ secret.words[4]) ^ lanes.state[0]}};
}

}  // namespace

const HashSecret& process_secret() {
  static const HashSecret secret = make_process_secret();
  return secret;
}

Digest hash_bytes(const HashSecret& secret, const void* data, size_t size, const Digest& before) {
  if (size <= kChunkBytes) return hash_chunk(secret, data, size, before);
  const size_t chunks = (size - 1) / kChunkBytes + 1;
  std::vector<Digest> digests(chunks);
  threadpool::parallel_for(0, static_cast<int64_t>(chunks), 1, [&](int64_t first, int64_t last) {
    for (size_t i = static_cast<size_t>(first); i < static_cast<size_t>(last); ++i) {
      const size_t offset = i * kChunkBytes;
      digests[i] = hash_chunk(secret, static_cast<const char*>(data) + offset,
                              std::min(kChunkBytes, size - offset), {});
    }
  });
  Digest result = before;
  for (const Digest& digest : digests) result = hash_chunk(secret, &digest, sizeof(digest), result);
  return result;
}

}  // namespace executorch::engine
