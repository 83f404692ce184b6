/**
 * @file
 * Names for bytes by their content. The hash is keyed: whoever makes a model does not know the
 * secret and cannot look for two contents of one name.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::engine {

struct Digest {
  uint64_t words[2] = {};
  friend bool operator==(const Digest& a, const Digest& b) {
    return a.words[0] == b.words[0] && a.words[1] == b.words[1];
  }
  friend bool operator!=(const Digest& a, const Digest& b) { return !(a == b); }
};

struct HashSecret {
  uint64_t words[8] = {};
};

/// The secret of this process, drawn at its first use.
const HashSecret& process_secret();

/// Hash of `size` bytes that follow what `before` stands for.
Digest hash_bytes(const HashSecret& secret, const void* data, size_t size,
                  const Digest& before = {});

}  // namespace executorch::engine
