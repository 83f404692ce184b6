/**
 * @file
 * The plans that a front end keeps for the sizes that came lately.
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "engine/plan/plan.h"

namespace executorch::engine {

/// `Entry` says what its member `plan`, a std::unique_ptr<Plan> that may be empty, was made for.
/// The latest entry comes first; all plans are of one program.
template <class Entry>
class RecentPlans {
 public:
  static constexpr size_t kMost = 8;

  /// Makes the entry for which `matches(entry)` holds the latest; null when there is none.
  /// Allocates nothing.
  template <class Matches>
  Entry* find(Matches matches) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& entry) { return matches(*entry); });
    if (found == entries_.end()) return nullptr;
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().get();
  }
  /// Drops the oldest entry when there are too many.
  Entry* add(std::unique_ptr<Entry> entry) {
    if (entries_.size() == kMost) entries_.pop_back();
    entries_.insert(entries_.begin(), std::move(entry));
    return entries_.front().get();
  }
  Entry* replace_latest(std::unique_ptr<Entry> entry) {
    entries_.front() = std::move(entry);
    return entries_.front().get();
  }

  /// The latest plan; null when there is none.
  const Plan* latest() const { return entries_.empty() ? nullptr : entries_.front()->plan.get(); }

  /// Bytes held by all plans, which share their weights.
  size_t memory_bytes() const {
    size_t own = 0, packed = 0;
    for (const auto& entry : entries_) {
      if (entry->plan == nullptr) continue;
      own += entry->plan->memory_bytes() - entry->plan->packed_bytes();
      packed = std::max(packed, entry->plan->packed_bytes());
    }
    return own + packed;
  }

 private:
  std::vector<std::unique_ptr<Entry>> entries_;
};

/// Two ranges of bytes have one in common.
inline bool ranges_meet(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const auto* first_a = static_cast<const char*>(a);
  const auto* first_b = static_cast<const char*>(b);
  return first_a < first_b + b_bytes && first_b < first_a + a_bytes;
}

}  // namespace executorch::engine
