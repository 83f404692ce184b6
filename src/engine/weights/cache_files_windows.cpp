#if defined(_WIN32)

#ifndef NOMINMAX
#define NOMINMAX
#endif
// For rand_s, which asks the system for random bits.
#define _CRT_RAND_S
#include <stdlib.h>
#include <windows.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "engine/weights/cache_files.h"

namespace executorch::engine {
namespace {

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  ~Handle() {
    if (valid()) CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  HANDLE get() const { return handle_; }
  bool valid() const { return handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE; }

 private:
  HANDLE handle_;
};

constexpr char kUnfinished[] = ".new-";
// A writer keeps its file open without sharing it for writing; a younger file may lie between two
// steps of its writer.
constexpr int64_t kUnfinishedSeconds = 60;
constexpr int64_t kTicksPerSecond = 10'000'000;  // of FILETIME

int64_t ticks(const FILETIME& time) {
  return static_cast<int64_t>(static_cast<uint64_t>(time.dwHighDateTime) << 32 |
                              time.dwLowDateTime);
}

int64_t seconds_since(const FILETIME& time) {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return (ticks(now) - ticks(time)) / kTicksPerSecond;
}

std::string system_message(DWORD code) {
  char text[256] = "";
  const DWORD length = FormatMessageA(
      FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK,
      nullptr, code, 0, text, sizeof(text), nullptr);
  return length > 0 ? text : "Windows error " + std::to_string(code);
}

bool write_all(HANDLE file, std::initializer_list<FilePart> parts) {
  for (const FilePart& part : parts) {
    const char* data = static_cast<const char*>(part.data);
    for (size_t left = part.size; left > 0;) {
      DWORD written = 0;
      const DWORD wanted = static_cast<DWORD>(std::min(left, size_t{1} << 30));
      if (!WriteFile(file, data, wanted, &written, nullptr) || written == 0) return false;
      data += written;
      left -= written;
    }
  }
  return true;
}

bool is_regular(DWORD attributes) {
  return (attributes &
          (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE)) == 0;
}

/// Calls f(WIN32_FIND_DATAA) for each regular file of a folder.
template <class F>
void for_each_file(const std::string& folder, F&& f) {
  WIN32_FIND_DATAA entry;
  const HANDLE search = FindFirstFileA((folder + "\\*").c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) return;
  do {
    if (is_regular(entry.dwFileAttributes)) f(entry);
  } while (FindNextFileA(search, &entry));
  FindClose(search);
}

}  // namespace

FileMapping::~FileMapping() {
  if (data_ != nullptr) UnmapViewOfFile(data_);
}

MapResult map_file(const std::string& path, size_t size, FileMapping* mapping) {
  const Handle file(CreateFileA(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                nullptr, OPEN_EXISTING,
                                FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file.valid()) {
    const DWORD reason = GetLastError();
    return reason == ERROR_FILE_NOT_FOUND || reason == ERROR_PATH_NOT_FOUND ? MapResult::Missing
                                                                            : MapResult::Unusable;
  }
  BY_HANDLE_FILE_INFORMATION info;
  if (!GetFileInformationByHandle(file.get(), &info) || !is_regular(info.dwFileAttributes) ||
      (static_cast<uint64_t>(info.nFileSizeHigh) << 32 | info.nFileSizeLow) != size || size == 0) {
    return MapResult::Unusable;
  }
  const Handle section(CreateFileMappingA(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
  if (!section.valid()) return MapResult::Unusable;
  // The view keeps the section alive.
  const void* const data = MapViewOfFile(section.get(), FILE_MAP_READ, 0, 0, size);
  if (data == nullptr) return MapResult::Unusable;
  *mapping = FileMapping(static_cast<const char*>(data), size);
  return MapResult::Mapped;
}

bool publish_file(const std::string& folder, const std::string& name,
                  std::initializer_list<FilePart> parts, IfPresent if_present,
                  std::string* reason) {
  uint64_t random = 0;
  random_bytes(&random, sizeof(random));
  char suffix[64];
  std::snprintf(suffix, sizeof(suffix), "/%s%lu-%016llx", kUnfinished, GetCurrentProcessId(),
                static_cast<unsigned long long>(random));
  const std::string temporary = folder + suffix, target = folder + "/" + name;
  DWORD failure = 0;
  {
    const Handle file(CreateFileA(temporary.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                  FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!file.valid() || !write_all(file.get(), parts)) failure = GetLastError();
  }
  const DWORD replace = if_present == IfPresent::Replace ? MOVEFILE_REPLACE_EXISTING : 0;
  if (failure == 0 && !MoveFileExA(temporary.c_str(), target.c_str(), replace))
    failure = GetLastError();
  if (failure == 0) return true;
  DeleteFileA(temporary.c_str());
  if (if_present == IfPresent::Keep && failure == ERROR_ALREADY_EXISTS) return true;
  *reason = system_message(failure);
  return false;
}

void remove_unfinished_files(const std::string& folder) {
  for_each_file(folder, [&](const WIN32_FIND_DATAA& entry) {
    const bool unfinished =
        std::strncmp(entry.cFileName, kUnfinished, sizeof(kUnfinished) - 1) == 0;
    // Windows refuses while its writer has it open.
    if (unfinished && seconds_since(entry.ftLastWriteTime) >= kUnfinishedSeconds)
      DeleteFileA((folder + "/" + entry.cFileName).c_str());
  });
}

std::vector<FileInfo> list_files(const std::string& folder, const char* ending) {
  std::vector<FileInfo> files;
  const size_t length = std::strlen(ending);
  for_each_file(folder, [&](const WIN32_FIND_DATAA& entry) {
    const std::string name = entry.cFileName;
    if (name.size() < length || name.compare(name.size() - length, length, ending) != 0) return;
    files.push_back({name, static_cast<uint64_t>(entry.nFileSizeHigh) << 32 | entry.nFileSizeLow,
                     seconds_since(entry.ftLastWriteTime)});
  });
  return files;
}

void mark_used(const std::string& path) {
  const Handle file(CreateFileA(path.c_str(), FILE_WRITE_ATTRIBUTES,
                                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  if (file.valid()) SetFileTime(file.get(), nullptr, nullptr, &now);
}

bool remove_file(const std::string& path) {
  return DeleteFileA(path.c_str()) != 0;
}

// A folder inherits who may read it from the user's profile.
void make_folder(const std::string& path) {
  CreateDirectoryA(path.c_str(), nullptr);
}

bool random_bytes(void* data, size_t size) {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    unsigned bits;
    if (rand_s(&bits) != 0) return false;
    const size_t part = std::min(size, sizeof(bits));
    std::memcpy(to, &bits, part);
    to += part;
    size -= part;
  }
  return true;
}

}  // namespace executorch::engine

#endif
