/**
 * @file
 * What a folder of shared files needs of the operating system.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace executorch::engine {

/// A file mapped whole and read-only; processes that map it share its pages. Empty when there is
/// nothing mapped.
class FileMapping {
 public:
  FileMapping() = default;
  FileMapping(const char* data, size_t size) : data_(data), size_(size) {}
  FileMapping(FileMapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  FileMapping& operator=(FileMapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~FileMapping();

  const char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

enum class MapResult {
  Mapped,
  Missing,   ///< no such file
  Unusable,  ///< another size, not a regular file, or it cannot be read
};

/// Maps a regular file of exactly `size` bytes.
MapResult map_file(const std::string& path, size_t size, FileMapping* mapping);

/// What to do with a file of the same name.
enum class IfPresent { Keep, Replace };

struct FilePart {
  const void* data;
  size_t size;
};

/// Writes `parts` one after the other to the new file `folder`/`name`, read-only for all. The name
/// appears only once everything is written, however many processes write it. On failure `reason`
/// says why; a file that is there already and kept is none.
bool publish_file(const std::string& folder, const std::string& name,
                  std::initializer_list<FilePart> parts, IfPresent if_present, std::string* reason);

/// Removes what writers have left that ended before they were done.
void remove_unfinished_files(const std::string& folder);

struct FileInfo {
  std::string name;
  uint64_t size;
  int64_t seconds_unused;  ///< since it was written or mark_used()
};

/// The regular files of a folder whose names end so; none when it cannot be read.
std::vector<FileInfo> list_files(const std::string& folder, const char* ending);

/// Notes that a file is in use now, where that is allowed.
void mark_used(const std::string& path);

bool remove_file(const std::string& path);

/// Makes the last folder of a path, for this user only, unless it is there.
void make_folder(const std::string& path);

/// Unpredictable bytes. False when the system gives none.
bool random_bytes(void* data, size_t size);

}  // namespace executorch::engine
