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

#include <memory>
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
  /// Puts a packed weight there. On failure nothing is left behind; the first one is logged.
  void put(const Entry& entry, const void* packed, bool replace) const;

  /// The packed bytes within a mapped file.
  static const char* packed_in(const FileMapping& mapping) { return mapping.data() + kHeaderBytes; }

 private:
  explicit WeightStore(std::string folder) : folder_(std::move(folder)) {}
  bool read_secret();

  // A page, so that what follows is aligned for vectors.
  static constexpr size_t kHeaderBytes = 4096;

  std::string folder_;
  HashSecret secret_;
};

}  // namespace executorch::engine
