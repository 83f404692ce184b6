/**
 * @file
 * For tests: what they need of the process and of the file system, on every platform.
 */
#pragma once

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>

namespace executorch::test_support {

/// A path that no file has, in the system's folder for temporary files. Nothing is created.
inline std::string temporary_path(const std::string& stem) {
  static const unsigned process = std::random_device()();
  static std::atomic<int> count{0};
  const std::string name = stem + "_" + std::to_string(process) + "_" + std::to_string(count++);
  return (std::filesystem::temp_directory_path() / name).generic_string();
}

/// Sets or, without a value, removes a variable of the environment for a scope.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    const char* const before = std::getenv(name);
    if (before != nullptr) before_ = before;
    set(value);
  }
  ~EnvironmentVariable() { set(before_ ? before_->c_str() : nullptr); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  void set(const char* value) const {
#if defined(_WIN32)
    _putenv_s(name_, value != nullptr ? value : "");
#else
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
#endif
  }

  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace executorch::test_support
