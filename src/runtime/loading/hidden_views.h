// Views that a program does not spell out. Internal.
//
// The exporter leaves a view out of the instruction list where memory is planned or constant: a
// tensor that nothing writes lies in the place of another and shows its bytes under other sizes.
// Those are the elements that PyTorch means where both tensors are row-major. Where one is not
// (channels-last), or where an instruction puts another tensor in the place of the first (the
// result of a branch), the elements have to be copied in the order of their indices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/executor/method_impl.h"
#include "runtime/executor/operand_use.h"

namespace executorch {
namespace runtime {
namespace internal {

constexpr uint32_t kNoValue = UINT32_MAX;

/// Finds the hidden views of a method whose instructions are loaded. Those that cannot share their
/// tensor's bytes have a base.
class HiddenViews {
 public:
  explicit HiddenViews(const MethodImpl& method) : method_(method) {}

  /// MemoryAllocationFailed when there is no room.
  Error find();

  /// The views of a tensor that is no constant: the first one, and the one after it; kNoValue at
  /// the end.
  uint32_t first_view(size_t value) const { return traces_[value].first_view; }
  uint32_t next_view(size_t view) const { return traces_[view].next_view; }
  /// The tensor that a value is a view of; kNoValue for other values.
  uint32_t base(size_t value) const { return traces_[value].base; }
  /// The view shows what its tensor holds before the first instruction.
  bool shows_initial(size_t view) const { return traces_[view].shows_initial; }
  /// A view of any layout that shows an input, or what was written earlier in the run.
  bool shows_own_run(size_t view) const { return traces_[view].shows_own_run; }
  size_t num_initial() const { return num_initial_; }
  bool empty() const { return count_ == 0; }

 private:
  struct Trace {
    uint32_t place = kNoValue;  ///< equal for tensors that begin at the same address
    uint32_t base = kNoValue;
    uint32_t first_view = kNoValue;
    uint32_t next_view = kNoValue;
    bool written = false;  ///< by an instruction that says so
    bool shows_initial = false;
    bool shows_own_run = false;
  };
  /// What was seen of a place so far.
  struct Place {
    uint32_t holder = kNoValue;   ///< the tensor written last
    uint32_t initial = kNoValue;  ///< the one whose bytes are there before the first instruction
  };

  bool is_candidate(size_t value) const;
  bool is_parameter(size_t value) const;
  bool may_be_base(size_t value) const;
  Error assign_places();
  void note_writers();
  void note_last_input();
  void follow(const Item& item);
  void find_base(size_t view);

  const MethodImpl& method_;
  GrowingAllocator heap_;
  Trace* traces_ = nullptr;
  Place* places_ = nullptr;
  size_t last_input_ = 0;
  size_t count_ = 0;
  size_t num_initial_ = 0;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
