#include "engine/weights/weight_store.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/platform/log.h>

namespace executorch::engine {
namespace {

// To be changed with every change of a packed layout that the numbers in WeightSpec do not show.
constexpr char kMagic[] =
    "et packed 4"
#if defined(__aarch64__)
    " arm";
#else
    "";
#endif
constexpr char kSecretName[] = "key";
constexpr char kEnding[] = ".packed";
// Files that were used in this time are not removed: a model over the limit would push out its own
// weights again and again.
constexpr int64_t kInUseSeconds = 600;

Digest digest_of(const HashSecret& secret, const WeightStore::Entry::Header& header,
                 const void* packed) {
  WeightStore::Entry::Header bare = header;
  bare.packed = {};
  return hash_bytes(secret, packed, header.packed_bytes, hash_bytes(secret, &bare, sizeof(bare)));
}

}  // namespace

WeightStore* WeightStore::of_folder(const char* folder) {
  // Never destroyed: plans in static objects may still be made.
  static std::mutex* const mutex = new std::mutex;
  static auto* const stores = new std::unordered_map<std::string, std::unique_ptr<WeightStore>>;
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto [place, added] = stores->try_emplace(folder);
  if (added) {
    std::unique_ptr<WeightStore> store(new (std::nothrow) WeightStore(folder));
    if (store != nullptr && store->read_secret()) {
      remove_unfinished_files(store->folder_);
      place->second = std::move(store);
    }
  }
  return place->second.get();
}

// The first process draws the secret; all read it back, so that they agree whoever was first.
bool WeightStore::read_secret() {
  const std::string path = folder_ + "/" + kSecretName;
  const auto read = [&] {
    FileMapping mapping;
    const MapResult result = map_file(path, sizeof(secret_), &mapping);
    if (result == MapResult::Mapped) std::memcpy(&secret_, mapping.data(), sizeof(secret_));
    return result;
  };
  MapResult result = read();
  std::string reason = "its key cannot be read";
  if (result != MapResult::Mapped) {
    make_folder(folder_);
    HashSecret fresh;
    const IfPresent if_present =
        result == MapResult::Missing ? IfPresent::Keep : IfPresent::Replace;
    if (random_bytes(&fresh, sizeof(fresh)) &&
        publish_file(folder_, kSecretName, {{&fresh, sizeof(fresh)}}, if_present, &reason)) {
      result = read();
    }
  }
  if (result == MapResult::Mapped) return true;
  ET_LOG(Info, "Packed weights are not shared between processes: cache folder %s: %s",
         folder_.c_str(), reason.c_str());
  return false;
}

WeightStore::Entry WeightStore::entry_of(const WeightSpec& spec, const Digest& content) const {
  static_assert(sizeof(Entry::Header) <= kHeaderBytes);
  Entry entry;
  Entry::Header& header = entry.header;
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.source_bytes = spec.source_bytes;
  header.scales = spec.scales;
  header.packed_bytes = spec.packed_bytes;
  std::memcpy(header.layout, spec.layout, sizeof(header.layout));
  header.source = content;
  const Digest name = hash_bytes(secret_, &header, sizeof(header));
  char text[64];
  std::snprintf(text, sizeof(text), "%016llx%016llx%s",
                static_cast<unsigned long long>(name.words[0]),
                static_cast<unsigned long long>(name.words[1]), kEnding);
  entry.name = text;
  return entry;
}

FileMapping WeightStore::find(const Entry& entry, bool* damaged) const {
  *damaged = false;
  size_t size;
  FileMapping mapping;
  if (!runtime::checked_add(kHeaderBytes, entry.header.packed_bytes, &size)) return mapping;
  const std::string path = folder_ + "/" + entry.name;
  const MapResult result = map_file(path, size, &mapping);
  if (result == MapResult::Missing) return mapping;
  if (result == MapResult::Mapped) {
    Entry::Header expected = entry.header;
    expected.packed = digest_of(secret_, entry.header, packed_in(mapping));
    if (std::memcmp(mapping.data(), &expected, sizeof(expected)) == 0) {
      mark_used(path);
      return mapping;
    }
  }
  *damaged = true;
  return {};
}

bool WeightStore::put(const Entry& entry, const void* packed, bool replace, uint64_t limit) {
  if (!writable_) return false;
  const size_t size = static_cast<size_t>(entry.header.packed_bytes);
  if (!make_room(kHeaderBytes + entry.header.packed_bytes, limit)) {
    note_once("it is at its limit and everything there is in use");
    return false;
  }
  Entry::Header header = entry.header;
  header.packed = digest_of(secret_, header, packed);
  static const char padding[kHeaderBytes] = {};
  std::string reason;
  writable_ = publish_file(
      folder_, entry.name,
      {{&header, sizeof(header)}, {padding, kHeaderBytes - sizeof(header)}, {packed, size}},
      replace ? IfPresent::Replace : IfPresent::Keep, &reason);
  if (!writable_) note_once(reason.c_str());
  return writable_;
}

bool WeightStore::make_room(uint64_t bytes, uint64_t limit) {
  if (bytes > limit) return false;
  const std::lock_guard<std::mutex> lock(room_mutex_);
  // Others write there, too: counted again at times.
  if (!counted_ || used_ + bytes > limit || uncounted_ > limit / 32) clear_room(bytes, limit);
  if (used_ + bytes > limit) return false;
  used_ += bytes;
  uncounted_ += bytes;
  return true;
}

/// Counts the files and removes the least recently used ones until there is room.
void WeightStore::clear_room(uint64_t bytes, uint64_t limit) {
  std::vector<FileInfo> files = list_files(folder_, kEnding);
  used_ = uncounted_ = 0;
  counted_ = true;
  for (const FileInfo& file : files) used_ += file.size;
  std::sort(files.begin(), files.end(), [](const FileInfo& a, const FileInfo& b) {
    return a.seconds_unused > b.seconds_unused;
  });
  for (const FileInfo& file : files) {
    if (used_ + bytes <= limit || file.seconds_unused < kInUseSeconds) return;
    if (remove_file(folder_ + "/" + file.name)) used_ -= file.size;
  }
}

void WeightStore::note_once(const char* reason) {
  if (noted_.exchange(true)) return;
  ET_LOG(Info, "Packed weights stay in this process, cache folder %s: %s", folder_.c_str(), reason);
}

}  // namespace executorch::engine
