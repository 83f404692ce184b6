// Loading where shared objects are ELF files.
#if !defined(_WIN32)
#include "backends/aoti/code/code_object.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/aoti/code/elf_image.h"
#include "backends/aoti/code/sha256.h"

namespace executorch::backends::aoti {
namespace {

using runtime::Span;

/// A handle of dlopen(), closed at the end of its scope.
class Library {
 public:
  Library() = default;
  explicit Library(void* handle) : handle_(handle) {}
  Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Library& operator=(Library&&) = delete;
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  explicit operator bool() const { return handle_ != nullptr; }
  bool has(const char* name) const {
    dlerror();
    dlsym(handle_, name);
    return dlerror() == nullptr;
  }

 private:
  void* handle_ = nullptr;
};

/// Opens the library that contains `anchor` once more, visible to all of the process.
Error publish(const void* anchor, Library* opened) {
  Dl_info info{};
  ET_REQUIRE(dladdr(anchor, &info) != 0, Internal, "the shims lie in no shared library");
  // The program itself is known by no path.
  void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
  if (handle == nullptr) handle = dlopen(nullptr, RTLD_LAZY);
  ET_REQUIRE(handle != nullptr, AccessFailed, "the shims cannot be made visible: %s", dlerror());
  new (opened) Library(handle);
  return Error::Ok;
}

void append(std::string* list, const std::string& item) {
  if (!list->empty()) *list += ", ";
  *list += item;
}

/// Refuses an object that needs what is not there, naming all of it.
Error check_needs(const ElfImage& image, const Library& shims) {
  std::vector<Library> libraries;
  std::string missing;
  for (const std::string& name : image.needed) {
    libraries.emplace_back(dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL));
    if (!libraries.back()) append(&missing, name);
  }
  ET_REQUIRE(missing.empty(), NotSupported,
             "the code object needs libraries that are not there: %s", missing.c_str());
  size_t count = 0;
  for (const UndefinedName& undefined : image.undefined) {
    const char* name = undefined.name.c_str();
    const auto has = [name](const Library& library) { return library.has(name); };
    if (undefined.weak || (shims && shims.has(name)) ||
        std::any_of(libraries.begin(), libraries.end(), has)) {
      continue;
    }
    ++count;
    append(&missing, undefined.name);
  }
  ET_REQUIRE(count == 0, NotSupported, "the code object needs %zu functions that are not there: %s",
             count, missing.c_str());
  return Error::Ok;
}

/// Writes all of the bytes. False with errno.
bool write_all(int file, Span<const uint8_t> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

/// A private temporary file with the bytes; it is closed and removed at the end of its scope.
class TemporaryFile {
 public:
  ~TemporaryFile() {
    if (file_ < 0) return;
    close(file_);
    unlink(path_.c_str());
  }

  Error write(const char* folder, Span<const uint8_t> bytes) {
    if (folder == nullptr) folder = std::getenv("TMPDIR");
    if (folder == nullptr || folder[0] == '\0') folder = "/tmp";
    path_ = std::string(folder) + "/executorch-XXXXXX.so";
    file_ = mkostemps(path_.data(), 3, O_CLOEXEC);
    ET_REQUIRE(file_ >= 0, AccessFailed, "no temporary file can be made in %s: %s", folder,
               std::strerror(errno));
    ET_REQUIRE(write_all(file_, bytes), AccessFailed, "%zu bytes cannot be written to %s: %s",
               bytes.size(), path_.c_str(), std::strerror(errno));
    return Error::Ok;
  }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
  int file_ = -1;
};

/// Null with dlerror().
void* open_code(const char* path) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/// The path of an open file, written in a way that no path was before: the dynamic linker takes a
/// name that it has met for the same object, even where that could not be unloaded.
std::string unique_path(int file) {
  static std::atomic<uint64_t> count{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t bits = count.fetch_add(1) + 1; bits != 0; bits >>= 1) path += bits & 1 ? "./" : "/";
  return path + std::to_string(file);
}

/// Null when the system has no anonymous files, or does not let them be executed.
void* open_in_memory(Span<const uint8_t> bytes, int* kept) {
#if defined(__linux__)
  const int file = memfd_create("executorch-code", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  void* handle = nullptr;
  if (write_all(file, bytes)) handle = open_code(unique_path(file).c_str());
  if (handle == nullptr) {
    close(file);
  } else {
    *kept = file;
  }
  return handle;
#else
  static_cast<void>(bytes);
  static_cast<void>(kept);
  return nullptr;
#endif
}

Error open_from_file(Span<const uint8_t> bytes, const char* folder, void** handle) {
  TemporaryFile file;
  ET_TRY(file.write(folder, bytes));
  *handle = open_code(file.path());
  ET_REQUIRE(*handle != nullptr, AccessFailed, "the code object was not loaded: %s", dlerror());
  return Error::Ok;
}

Error check_digest(Span<const uint8_t> bytes, const std::string& expected) {
  if (expected.empty()) return Error::Ok;
  const std::string found = sha256_hex(bytes.data(), bytes.size());
  ET_REQUIRE(found == expected, InvalidProgram,
             "the code object has the SHA-256 %s, %s is expected", found.c_str(), expected.c_str());
  return Error::Ok;
}

Error check_image(const ElfImage& image) {
  ET_REQUIRE(image.machine == own_elf_machine(), NotSupported,
             "the code object is for machine %u, this process runs on machine %u (ELF numbers)",
             image.machine, own_elf_machine());
  return Error::Ok;
}

}  // namespace

Error CodeObject::load(Span<const uint8_t> bytes, const CodeOptions& options,
                       std::unique_ptr<CodeObject>* loaded) {
  ET_TRY(check_digest(bytes, options.sha256));
  ElfImage image;
  ET_TRY(read_elf(bytes, &image));
  ET_TRY(check_image(image));
  std::vector<uint8_t> changed(bytes.begin(), bytes.end());
  const Span<uint8_t> copy(changed.data(), changed.size());
  ET_TRY(clear_unique_symbols(copy));
  Library shims;
  if (options.shims.anchor != nullptr) {
    ET_TRY(rename_undefined(copy, kPlainShimPrefix, options.shims.prefix, &image));
    ET_TRY(publish(options.shims.anchor, &shims));
  }
  bytes = {changed.data(), changed.size()};
  ET_TRY(check_needs(image, shims));
  std::unique_ptr<CodeObject> object(new (std::nothrow) CodeObject);
  ET_REQUIRE(object != nullptr, MemoryAllocationFailed, "no memory for a code object");
  if (options.place == CodePlace::memory) {
    object->handle_ = open_in_memory(bytes, &object->file_);
  }
  if (object->handle_ == nullptr) {
    ET_TRY(open_from_file(bytes, options.temporary_folder, &object->handle_));
  }
  *loaded = std::move(object);
  return Error::Ok;
}

CodeObject::~CodeObject() {
  if (handle_ != nullptr) dlclose(handle_);
  if (file_ >= 0) close(file_);
}

void* CodeObject::symbol(const char* name) const {
  return dlsym(handle_, name);
}

}  // namespace executorch::backends::aoti
#endif
