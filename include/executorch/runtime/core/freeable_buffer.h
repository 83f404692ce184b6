/**
 * @file
 * Bytes with a function that releases them.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/// Read-only bytes together with what releases them. Instead of a pointer it may hold a 64-bit
/// address of another processor. Movable, not copyable, not thread-safe.
class FreeableBuffer final {
 public:
  /// Releases `data`; `context` is the pointer that was given with the function.
  using FreeFn = void (*)(void* context, void* data, size_t size);
  using FreeUInt64Fn = void (*)(void* context, uint64_t data_uint64, size_t size);

  /// An empty buffer.
  FreeableBuffer() : data_(PointerData{nullptr, nullptr}), free_fn_context_(nullptr), size_(0) {}

  /// `free_fn` may be null when nothing needs to be released.
  FreeableBuffer(const void* data, size_t size, FreeFn free_fn, void* free_fn_context = nullptr)
      : data_(PointerData{data, free_fn}), free_fn_context_(free_fn_context), size_(size) {}

  explicit FreeableBuffer(const uint64_t data_uint64, size_t size, FreeUInt64Fn free_fn,
                          void* free_fn_context = nullptr)
      : data_(UInt64Data{data_uint64, free_fn}), free_fn_context_(free_fn_context), size_(size) {}

  FreeableBuffer(FreeableBuffer&& rhs) noexcept
      : data_(rhs.data_), free_fn_context_(rhs.free_fn_context_), size_(rhs.size_) {
    rhs.forget();
    rhs.free_fn_context_ = nullptr;
  }

  FreeableBuffer(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(FreeableBuffer&&) = delete;

  ~FreeableBuffer() { Free(); }

  /// Releases the bytes now. Does nothing when called again.
  void Free() {
    if (const PointerData* pointer = std::get_if<PointerData>(&data_)) {
      if (pointer->data_ != nullptr && pointer->free_fn_ != nullptr) {
        pointer->free_fn_(free_fn_context_, const_cast<void*>(pointer->data_), size_);
      }
    } else if (const UInt64Data* address = std::get_if<UInt64Data>(&data_)) {
      if (address->data_ != 0 && address->free_fn_ != nullptr) {
        address->free_fn_(free_fn_context_, address->data_, size_);
      }
    }
    forget();
  }

  /// Bytes; 0 once freed.
  size_t size() const { return size_; }

  /// The bytes; null once freed. Aborts when the buffer holds a 64-bit address: see data_safe().
  const void* data() const {
    const PointerData* pointer = std::get_if<PointerData>(&data_);
    ET_CHECK_MSG(pointer != nullptr,
                 "the buffer holds a 64-bit address, use data_uint64_type() instead of data()");
    return pointer->data_;
  }

  /// data(), or InvalidType when the buffer holds a 64-bit address.
  Result<const void*> data_safe() const {
    const PointerData* pointer = std::get_if<PointerData>(&data_);
    ET_CHECK_OR_RETURN_ERROR(
        pointer != nullptr, InvalidType,
        "the buffer holds a 64-bit address, use data_uint64_type() instead of data()");
    return pointer->data_;
  }

  /// The 64-bit address, or InvalidType when the buffer holds a pointer.
  Result<uint64_t> data_uint64_type() const {
    const UInt64Data* address = std::get_if<UInt64Data>(&data_);
    ET_CHECK_OR_RETURN_ERROR(
        address != nullptr, InvalidType,
        "the buffer holds a pointer, use data() instead of data_uint64_type()");
    return address->data_;
  }

 private:
  struct PointerData {
    const void* data_;
    FreeFn free_fn_;
  };
  struct UInt64Data {
    uint64_t data_;
    FreeUInt64Fn free_fn_;
  };

  /// Drops the bytes without releasing them; the kind of buffer stays.
  void forget() {
    if (std::holds_alternative<PointerData>(data_)) {
      data_ = PointerData{nullptr, nullptr};
    } else {
      data_ = UInt64Data{0, nullptr};
    }
    size_ = 0;
  }

  std::variant<PointerData, UInt64Data> data_;
  void* free_fn_context_;
  size_t size_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::FreeableBuffer;
}  // namespace executor
}  // namespace torch
