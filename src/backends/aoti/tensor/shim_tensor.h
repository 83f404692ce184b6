/**
 * @file
 * The tensors behind the handles that generated code and its runtime exchange.
 *
 * A tensor is a view of a storage; views share it by reference count. A storage owns its memory,
 * through a function that releases it, or borrows it. The counts are atomic; a tensor itself is
 * used by one thread at a time.
 */
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>

#include "backends/aoti/payload/manifest.h"

namespace executorch::backends::aoti {

/// Where memory is.
struct Device {
  DeviceType type = DeviceType::cpu;
  int32_t index = 0;
  friend bool operator==(const Device& a, const Device& b) {
    return a.type == b.type && a.index == b.index;
  }
};

/// What was made from the bytes of a storage that never change; it goes with the storage.
class Derived {
 public:
  virtual ~Derived() = default;

  std::unique_ptr<Derived> next;
};

/// Memory with a reference count.
class Storage {
 public:
  using Release = void (*)(void* data, size_t nbytes, const Device& device);

  /// A storage with one reference. `release` is called with the last one; null: the memory is
  /// borrowed. Null when there is no memory for the object, in which case nothing was released.
  static Storage* make(void* data, size_t nbytes, const Device& device, Release release);

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop();

  void* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  const Device& device() const { return device_; }
  /// Whether the memory goes with the storage.
  bool owned() const { return release_ != nullptr; }

  /**
   * Says that the bytes never change as long as the storage lives, and that one thread at a time
   * uses it: things may then be derived from it.
   *
   * @param[in] budget Bytes that derived things may have, which they subtract themselves from. Must
   * live as long as the storage; null: no limit.
   */
  void make_constant(size_t* budget) {
    constant_ = true;
    budget_ = budget;
  }
  bool constant() const { return constant_; }
  Derived* derived() const { return derived_.get(); }
  /// Takes `nbytes` off the budget. False when there are not as many.
  bool reserve(size_t nbytes);
  void add(std::unique_ptr<Derived> derived) {
    derived->next = std::move(derived_);
    derived_ = std::move(derived);
  }

 private:
  Storage() = default;

  std::atomic<size_t> references_{1};
  void* data_ = nullptr;
  size_t nbytes_ = 0;
  Device device_;
  Release release_ = nullptr;
  bool constant_ = false;
  size_t* budget_ = nullptr;
  std::unique_ptr<Derived> derived_;
};

/// Sizes and strides, in elements, of a view; owns nothing.
struct ViewSpec {
  runtime::Span<const int64_t> sizes;
  runtime::Span<const int64_t> strides;
  int64_t offset = 0;  ///< of the first element within the storage, in elements
};

class ShimTensor;

/// Tensors that a thread made while the scope was entered and that nobody deleted yet: generated
/// code keeps handles that it never deletes. The destructor deletes them. Used by one thread at a
/// time.
class TensorScope {
 public:
  TensorScope() = default;
  ~TensorScope();
  TensorScope(const TensorScope&) = delete;
  TensorScope& operator=(const TensorScope&) = delete;

  /// Makes the scope that of the calling thread, or ends it.
  void enter();
  static void leave();

 private:
  friend class ShimTensor;
  ShimTensor* first_ = nullptr;
};

/// What a handle points to.
class ShimTensor {
 public:
  /**
   * A view of a storage, which gains a reference.
   *
   * @retval InvalidArgument A size, a stride or the offset is negative, there are more than
   * kMaxRank dimensions, or an element lies outside of the storage.
   */
  static Error make(Storage* storage, aten::ScalarType dtype, const ViewSpec& view,
                    ShimTensor** tensor);

  /// A view of memory that stays the caller's; null data goes with no elements only.
  static Error borrow(void* data, const Device& device, aten::ScalarType dtype,
                      const ViewSpec& view, ShimTensor** tensor);

  ~ShimTensor();
  ShimTensor(const ShimTensor&) = delete;
  ShimTensor& operator=(const ShimTensor&) = delete;

  Storage* storage() const { return storage_; }
  const Device& device() const { return storage_->device(); }
  aten::ScalarType dtype() const { return dtype_; }
  size_t rank() const { return rank_; }
  /// Of rank() numbers each; valid as long as the tensor.
  const int64_t* sizes() const { return dims(); }
  const int64_t* strides() const { return dims() + rank_; }
  int64_t offset() const { return offset_; }
  int64_t numel() const { return numel_; }
  size_t element_size() const;
  /// The first element.
  void* data() const;
  ViewSpec view() const { return {{sizes(), rank_}, {strides(), rank_}, offset_}; }
  /// Whether elements lie behind each other in row-major order.
  bool is_contiguous() const;
  bool has_sizes_of(const ShimTensor& other) const;

  /// Becomes the view that another tensor is.
  Error assign(const ShimTensor& other);

 private:
  static constexpr size_t kInlineRank = 6;

  ShimTensor();
  Error set_view(const ViewSpec& view);
  const int64_t* dims() const { return large_ ? large_.get() : small_; }

  Storage* storage_ = nullptr;
  aten::ScalarType dtype_{};
  size_t rank_ = 0;
  int64_t offset_ = 0;
  int64_t numel_ = 0;
  int64_t small_[2 * kInlineRank] = {};  ///< sizes, then strides
  std::unique_ptr<int64_t[]> large_;     ///< the same for more dimensions

  // The list of the scope; null outside of any.
  TensorScope* scope_ = nullptr;
  ShimTensor* previous_ = nullptr;
  ShimTensor* next_ = nullptr;
};

/// How many tensors there are: what generated code and its callers have not deleted.
size_t live_tensors();

/// Row-major strides of sizes, which must not be negative. As in PyTorch, a dimension without
/// elements counts as one.
void contiguous_strides(runtime::Span<const int64_t> sizes, int64_t* strides);

}  // namespace executorch::backends::aoti
