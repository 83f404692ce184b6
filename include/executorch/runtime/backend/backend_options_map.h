/**
 * @file
 * Options for the backends of a program that is being loaded.
 */
#pragma once

#include <cstddef>
#include <cstring>

#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/// Options by backend id, for at most 8 backends. Refers to the caller's lists, which must outlive
/// it. Not thread-safe.
class LoadBackendOptionsMap final {
 public:
  LoadBackendOptionsMap() = default;

  /// Sets or replaces the options of a backend. InvalidArgument when the id is empty or over 63
  /// bytes, or when the map is full.
  Error set_options(const char* backend_id, Span<BackendOption> options) {
    ET_REQUIRE(backend_id != nullptr && backend_id[0] != '\0', InvalidArgument,
               "options were given for a backend without an id");
    size_t place = find(backend_id);
    if (place == size_) {
      ET_REQUIRE(size_ < kMaxBackends, InvalidArgument,
                 "options for backend '%s' do not fit: the map holds %zu backends", backend_id,
                 kMaxBackends);
      const size_t length = std::strlen(backend_id);
      ET_REQUIRE(length < kMaxBackendIdLength, InvalidArgument,
                 "the backend id '%s' has %zu bytes, at most %zu fit", backend_id, length,
                 kMaxBackendIdLength - 1);
      std::memcpy(entries_[place].backend_id, backend_id, length + 1);
      ++size_;
    }
    entries_[place].options = options;
    return Error::Ok;
  }

  /// The same from an object with backend_id() and view().
  template <typename Builder>
  Error set_options(Builder& builder) {
    return set_options(builder.backend_id(), builder.view());
  }

  /// Empty when there are none.
  Span<const BackendOption> get_options(const char* backend_id) const {
    const size_t place = find(backend_id);
    return place < size_ ? entry_at(place).options
                         : Span<const BackendOption>(nullptr, static_cast<size_t>(0));
  }

  bool has_options(const char* backend_id) const { return find(backend_id) < size_; }

  /// How many backends have options.
  size_t size() const { return size_; }

  struct EntryView {
    const char* backend_id = nullptr;
    Span<const BackendOption> options;
  };

  /// `index` must be below size(), which is checked in debug builds.
  EntryView entry_at(size_t index) const {
    ET_DCHECK_MSG(index < size_, "entry %zu was asked for, there are %zu", index, size_);
    const Entry& entry = entries_[index];
    return EntryView{entry.backend_id,
                     Span<const BackendOption>(entry.options.data(), entry.options.size())};
  }

 private:
  static constexpr size_t kMaxBackends = 8;
  static constexpr size_t kMaxBackendIdLength = 64;

  struct Entry {
    char backend_id[kMaxBackendIdLength] = {};
    Span<BackendOption> options;
  };

  /// Index of the backend's entry, size_ when it has none.
  size_t find(const char* backend_id) const {
    if (backend_id == nullptr) return size_;
    size_t place = 0;
    while (place < size_ && std::strcmp(entries_[place].backend_id, backend_id) != 0) ++place;
    return place;
  }

  Entry entries_[kMaxBackends];
  size_t size_ = 0;
};

}  // namespace runtime
}  // namespace executorch
