/**
 * @file
 * Packed weights in a folder, one file each, so that all processes of a host map one copy and later
 * ones start warm.
 *
 * A file is named by a keyed digest of what the weight is made from and of its layout. It begins
 * with a header that repeats both together with all sizes and a digest of the packed bytes; header
 * and bytes are checked each time before a file is used. The key lies in the folder too: who may
 * write there is trusted, whoever makes models is not.
 */
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "engine/weights/cache_files.h"
#include "engine/weights/content_hash.h"
#include "engine/weights/weight_spec.h"

namespace executorch::engine {

class WeightStore {
 public:
  /// The store of a folder, which is made if need be; kept for the life of the process. Null when
  /// it cannot be used: that is logged, once per folder. Thread-safe.
  static WeightStore* of_folder(const char* folder);

  const HashSecret& secret() const { return secret_; }

  /// Where a weight lies in the folder.
  struct Entry {
    std::string name;
    struct Header {
      char magic[16] = {};
      uint64_t source_bytes = 0;
      uint64_t scales = 0;
      uint64_t packed_bytes = 0;
      int64_t layout[WeightSpec::kLayoutNumbers] = {};
      Digest source;
      Digest packed;  ///< of the numbers above and of the packed bytes
    } header;
  };
  /// `content`: digest, under the store's secret, of source and scale.
  Entry entry_of(const WeightSpec& spec, const Digest& content) const;

  /// Maps the packed weight if the folder has it undamaged. `damaged`: it has a file of this name
  /// that is none.
  FileMapping find(const Entry& entry, bool* damaged) const;
  /// Puts a packed weight there, so that all files together take at most about `limit` bytes. False
  /// when it cannot: the first time is logged, nothing is left behind, and a folder that cannot be
  /// written is not tried again. Thread-safe.
  bool put(const Entry& entry, const void* packed, bool replace, uint64_t limit);

  /// The packed bytes within a mapped file.
  static const char* packed_in(const FileMapping& mapping) { return mapping.data() + kHeaderBytes; }

 private:
  explicit WeightStore(std::string folder) : folder_(std::move(folder)) {}
  bool read_secret();
  bool make_room(uint64_t bytes, uint64_t limit);
  void clear_room(uint64_t bytes, uint64_t limit);
  void note_once(const char* reason);

  // A page, so that what follows is aligned for vectors.
  static constexpr size_t kHeaderBytes = 4096;

  std::string folder_;
  HashSecret secret_;
  std::atomic<bool> writable_ = true;
  std::atomic<bool> noted_ = false;
  std::mutex room_mutex_;
  uint64_t used_ = 0;       ///< bytes of the folder's files, as far as this process knows
  uint64_t uncounted_ = 0;  ///< of them, added since they were counted
  bool counted_ = false;
};

}  // namespace executorch::engine
