/**
 * @file
 * A memory allocator over the platform's heap.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Takes every allocation from pal_allocate() and gives all of them back at reset() or destruction.
/// Not thread-safe.
class PlatformMemoryAllocator final : public MemoryAllocator {
 public:
  PlatformMemoryAllocator() : MemoryAllocator(0, nullptr) {}
  ~PlatformMemoryAllocator() override { free_all(); }

  /// Null when the heap has no room, or alignment is no power of two.
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    if (!isPowerOf2(alignment)) return nullptr;
    const size_t overhead = sizeof(Node) + alignment - 1;
    if (size > SIZE_MAX - overhead) return nullptr;
    auto* node = static_cast<Node*>(pal_allocate(size + overhead));
    if (node == nullptr) return nullptr;
    node->next = head_;
    head_ = node;
    return alignPointer(node + 1, alignment);
  }

  void reset() override { free_all(); }

 private:
  struct Node {
    Node* next;
  };

  void free_all() {
    while (head_ != nullptr) {
      Node* next = head_->next;
      pal_free(head_);
      head_ = next;
    }
  }

  PlatformMemoryAllocator(const PlatformMemoryAllocator&) = delete;
  PlatformMemoryAllocator& operator=(const PlatformMemoryAllocator&) = delete;
  PlatformMemoryAllocator(PlatformMemoryAllocator&&) = delete;
  PlatformMemoryAllocator& operator=(PlatformMemoryAllocator&&) = delete;

  Node* head_ = nullptr;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
