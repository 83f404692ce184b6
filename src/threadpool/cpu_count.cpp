#include "threadpool/cpu_count.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "threadpool/os.h"
#include "threadpool/parallel.h"

namespace executorch::threadpool {
namespace {

constexpr size_t kPathSize = 1024;

size_t smaller_limit(size_t a, size_t b) {
  if (a == 0) return b;
  if (b == 0) return a;
  return a < b ? a : b;
}

size_t cpus_of_quota(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<size_t>((quota - 1) / period + 1);
}

/// First line of a file without its end; false when it cannot be read.
bool read_line(const char* path, char* line, size_t size) {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return false;
  const bool read = std::fgets(line, static_cast<int>(size), file) != nullptr;
  std::fclose(file);
  if (read) line[std::strcspn(line, "\n")] = '\0';
  return read;
}

/// cpu.max of version 2: "<quota or max> <period>".
size_t unified_limit(const char* root, const char* group) {
  char path[kPathSize], line[128];
  std::snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s/cpu.max", root, group);
  long long quota = 0, period = 0;
  if (!read_line(path, line, sizeof(line)) || std::sscanf(line, "%lld %lld", &quota, &period) != 2)
    return 0;
  return cpus_of_quota(quota, period);
}

/// cpu.cfs_quota_us and cpu.cfs_period_us of version 1.
size_t controller_limit(const char* root, const char* group) {
  char path[kPathSize], quota[64], period[64];
  std::snprintf(path, sizeof(path), "%s/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", root, group);
  if (!read_line(path, quota, sizeof(quota))) return 0;
  std::snprintf(path, sizeof(path), "%s/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", root, group);
  if (!read_line(path, period, sizeof(period))) return 0;
  return cpus_of_quota(std::atoll(quota), std::atoll(period));
}

/// The smallest limit of a group and its ancestors: each of them binds.
size_t limit_along_path(const char* root, char* group,
                        size_t (*limit_of)(const char*, const char*)) {
  size_t limit = 0;
  for (;;) {
    const bool top = group[0] == '\0' || std::strcmp(group, "/") == 0;
    if (top) group[0] = '\0';
    limit = smaller_limit(limit, limit_of(root, group));
    if (top) return limit;
    *std::strrchr(group, '/') = '\0';
  }
}

/// True when a comma-separated list holds "cpu".
bool has_cpu_controller(const char* list) {
  while (*list != '\0') {
    const size_t length = std::strcspn(list, ",");
    if (length == 3 && std::strncmp(list, "cpu", 3) == 0) return true;
    list += length;
    if (*list == ',') ++list;
  }
  return false;
}

}  // namespace

size_t cgroup_cpu_limit(const char* root) noexcept {
  char path[kPathSize], line[kPathSize];
  std::snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return 0;
  size_t limit = 0;
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    line[std::strcspn(line, "\n")] = '\0';
    // hierarchy-id:controllers:path
    char* controllers = std::strchr(line, ':');
    char* group = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
    if (group == nullptr || group[1] != '/') continue;
    *group++ = '\0';
    ++controllers;
    if (*controllers == '\0') {
      limit = smaller_limit(limit, limit_along_path(root, group, unified_limit));
    } else if (has_cpu_controller(controllers)) {
      limit = smaller_limit(limit, limit_along_path(root, group, controller_limit));
    }
  }
  std::fclose(file);
  return limit;
}

size_t parse_thread_count(const char* text) noexcept {
  if (text == nullptr) return 0;
  char* end = nullptr;
  const long long count = std::strtoll(text, &end, 10);
  if (end == text || count <= 0 || (*end != '\0' && *end != ',' && *end != ' ')) return 0;
  return count < static_cast<long long>(kMaxThreads) ? static_cast<size_t>(count) : kMaxThreads;
}

size_t default_thread_count() noexcept {
  size_t cap = parse_thread_count(std::getenv("EXECUTORCH_NUM_THREADS"));
  if (cap == 0) cap = parse_thread_count(std::getenv("OMP_NUM_THREADS"));
  const size_t allowed = smaller_limit(affinity_cpu_count(), cgroup_cpu_limit(""));
  return smaller_limit(smaller_limit(allowed, cap), kMaxThreads);
}

}  // namespace executorch::threadpool
