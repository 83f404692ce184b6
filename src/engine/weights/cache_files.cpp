// Systems with POSIX calls; cache_files_windows.cpp has the other one.
#if !defined(_WIN32)

#include "engine/weights/cache_files.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace executorch::engine {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int fd, const FilePart& part) {
  // Some systems take no more than 2 GiB at once.
  constexpr size_t kMost = size_t{1} << 30;
  const char* data = static_cast<const char*>(part.data);
  for (size_t left = part.size; left > 0;) {
    const ssize_t written = ::write(fd, data, left < kMost ? left : kMost);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    left -= static_cast<size_t>(written);
  }
  return true;
}

constexpr char kUnfinished[] = ".new-";
// Younger files may not be locked yet by their writer.
constexpr int64_t kUnfinishedSeconds = 60;

bool write_all(int fd, std::initializer_list<FilePart> parts) {
  for (const FilePart& part : parts) {
    if (!write_all(fd, part)) return false;
  }
  return true;
}

bool starts_with(const char* name, std::string_view start) {
  return std::string_view(name).substr(0, start.size()) == start;
}

bool ends_with(std::string_view name, std::string_view end) {
  return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
}

/// Calls f(name, stat) for each regular file of a folder.
template <class F>
void for_each_file(const std::string& folder, F&& f) {
  DIR* const listing = ::opendir(folder.c_str());
  if (listing == nullptr) return;
  while (const dirent* entry = ::readdir(listing)) {
    struct stat info;
    if (::fstatat(::dirfd(listing), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(info.st_mode)) {
      f(entry->d_name, info);
    }
  }
  ::closedir(listing);
}

int64_t seconds_since(const struct stat& info) {
  return static_cast<int64_t>(std::time(nullptr)) - static_cast<int64_t>(info.st_mtime);
}

// A file system without hard links is given the name by renaming: of two writers the later one
// wins.
bool give_name(const std::string& from, const std::string& to, IfPresent if_present) {
  if (if_present == IfPresent::Keep) {
    if (::link(from.c_str(), to.c_str()) == 0 || errno == EEXIST) {
      ::unlink(from.c_str());
      return true;
    }
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK) return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

FileMapping::~FileMapping() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

MapResult map_file(const std::string& path, size_t size, FileMapping* mapping) {
  // Not to wait for a writer of what turns out to be a pipe.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) return errno == ENOENT ? MapResult::Missing : MapResult::Unusable;
  struct stat info;
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < 0 ||
      static_cast<uint64_t>(info.st_size) != size || size == 0) {
    return MapResult::Unusable;
  }
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return MapResult::Unusable;
  *mapping = FileMapping(static_cast<const char*>(data), size);
  return MapResult::Mapped;
}

bool publish_file(const std::string& folder, const std::string& name,
                  std::initializer_list<FilePart> parts, IfPresent if_present,
                  std::string* reason) {
  uint64_t random = 0;
  random_bytes(&random, sizeof(random));
  char suffix[64];
  std::snprintf(suffix, sizeof(suffix), "/%s%lld-%016llx", kUnfinished,
                static_cast<long long>(::getpid()), static_cast<unsigned long long>(random));
  const std::string temporary = folder + suffix;
  const Descriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444));
  if (file.get() >= 0) {
    // Held until the file has its name: one that is not locked has lost its writer. Where a file
    // system has no locks, nobody gets one and such files stay.
    static_cast<void>(::flock(file.get(), LOCK_EX | LOCK_NB));
    if (write_all(file.get(), parts) && give_name(temporary, folder + "/" + name, if_present))
      return true;
  }
  *reason = std::strerror(errno);
  ::unlink(temporary.c_str());
  return false;
}

void remove_unfinished_files(const std::string& folder) {
  for_each_file(folder, [&](const char* name, const struct stat& info) {
    if (!starts_with(name, kUnfinished) || seconds_since(info) < kUnfinishedSeconds) return;
    const std::string path = folder + "/" + name;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  });
}

std::vector<FileInfo> list_files(const std::string& folder, const char* ending) {
  std::vector<FileInfo> files;
  for_each_file(folder, [&](const char* name, const struct stat& info) {
    if (ends_with(name, ending))
      files.push_back({name, static_cast<uint64_t>(info.st_size), seconds_since(info)});
  });
  return files;
}

void mark_used(const std::string& path) {
  static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW));
}

bool remove_file(const std::string& path) {
  return ::unlink(path.c_str()) == 0;
}

void make_folder(const std::string& path) {
  static_cast<void>(::mkdir(path.c_str(), 0700));
}

bool random_bytes(void* data, size_t size) {
  return ::getentropy(data, size) == 0;
}

}  // namespace executorch::engine

#endif
