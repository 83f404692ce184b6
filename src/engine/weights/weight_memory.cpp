#include "engine/weights/weight_memory.h"

#include <algorithm>
#include <utility>

namespace executorch::engine {

// Others may hold the block on.
WeightPart::~WeightPart() {
  if (block_ != nullptr && block_.use_count() > 1) block_->discard(data_, size_);
}

WeightPart WeightMemory::allocate(size_t size) {
  constexpr size_t kAlignment = MemoryBlock::kAlignment;
  if (block_ == nullptr && expected_ > size) {
    // Packed weights are padded: somewhat more than expected.
    const size_t padding = expected_ / 8;
    block_ = std::make_shared<const MemoryBlock>(MemoryBlock::map(expected_ + padding, expected_));
  }
  if (block_ != nullptr && size <= block_->size() - used_) {
    char* const data = block_->data() + used_;
    used_ = std::min(used_ + (size + kAlignment - 1) / kAlignment * kAlignment, block_->size());
    return {block_, data, size};
  }
  auto own = std::make_shared<const MemoryBlock>(MemoryBlock::allocate_large(size));
  if (!own->holds(size)) return {};
  char* const data = own->data();
  return {std::move(own), data, size};
}

}  // namespace executorch::engine
