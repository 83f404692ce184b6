#include "engine/weights/cache_files.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace executorch::engine {

#if !defined(_WIN32)

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  /// False when the system reports that written bytes were lost.
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

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

bool write_new_file(const std::string& path, std::initializer_list<FilePart> parts) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444));
  if (file.get() < 0) return false;
  for (const FilePart& part : parts) {
    if (!write_all(file.get(), part)) return false;
  }
  return file.close();
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
  std::snprintf(suffix, sizeof(suffix), "/.new-%lld-%016llx", static_cast<long long>(::getpid()),
                static_cast<unsigned long long>(random));
  const std::string temporary = folder + suffix;
  if (write_new_file(temporary, parts) && give_name(temporary, folder + "/" + name, if_present))
    return true;
  *reason = std::strerror(errno);
  ::unlink(temporary.c_str());
  return false;
}

void make_folder(const std::string& path) {
  static_cast<void>(::mkdir(path.c_str(), 0700));
}

bool random_bytes(void* data, size_t size) {
  return ::getentropy(data, size) == 0;
}

#else

FileMapping::~FileMapping() = default;
MapResult map_file(const std::string&, size_t, FileMapping*) {
  return MapResult::Unusable;
}
bool publish_file(const std::string&, const std::string&, std::initializer_list<FilePart>,
                  IfPresent, std::string* reason) {
  *reason = "not available on this system";
  return false;
}
void make_folder(const std::string&) {}
bool random_bytes(void*, size_t) {
  return false;
}

#endif

}  // namespace executorch::engine
