#include "backends/aoti/tensor/shim_tensor.h"

#include <algorithm>
#include <cinttypes>
#include <new>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

namespace executorch::backends::aoti {
namespace {

using aten::ScalarType;
using runtime::Span;

std::atomic<size_t> live{0};
constinit thread_local TensorScope* current_scope = nullptr;

Error check_view(ScalarType dtype, const ViewSpec& view, uint64_t* nbytes) {
  ET_REQUIRE(view.sizes.size() == view.strides.size() && view.sizes.size() <= kMaxRank,
             InvalidArgument, "a tensor of %zu dimensions with %zu strides cannot be made",
             view.sizes.size(), view.strides.size());
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    ET_REQUIRE(view.sizes[d] >= 0 && view.strides[d] >= 0, InvalidArgument,
               "dimension %zu has size %" PRId64 " and stride %" PRId64, d, view.sizes[d],
               view.strides[d]);
  }
  ET_REQUIRE(view.offset >= 0, InvalidArgument, "a tensor's offset is %" PRId64, view.offset);
  // Strides of zero let few bytes have many elements.
  uint64_t numel = 1;
  bool counted = true;
  for (const int64_t size : view.sizes) {
    counted = counted && runtime::checked_mul(numel, static_cast<uint64_t>(size), &numel);
  }
  ET_REQUIRE(counted && numel <= INT64_MAX, InvalidArgument, "a tensor has too many elements");
  ET_REQUIRE(
      reached_bytes(view.sizes, view.strides, view.offset, runtime::elementSize(dtype), nbytes),
      InvalidArgument, "a tensor's elements lie further apart than memory is large");
  return Error::Ok;
}

}  // namespace

Storage* Storage::make(void* data, size_t nbytes, const Device& device, Release release) {
  Storage* storage = new (std::nothrow) Storage;
  if (storage == nullptr) return nullptr;
  storage->data_ = data;
  storage->nbytes_ = nbytes;
  storage->device_ = device;
  storage->release_ = release;
  return storage;
}

bool Storage::reserve(size_t nbytes) {
  if (budget_ == nullptr) return true;
  if (nbytes > *budget_) return false;
  *budget_ -= nbytes;
  return true;
}

void Storage::drop() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (release_ != nullptr) release_(data_, nbytes_, device_);
  delete this;
}

TensorScope::~TensorScope() {
  while (first_ != nullptr) delete first_;
}

void TensorScope::enter() {
  current_scope = this;
}

void TensorScope::leave() {
  current_scope = nullptr;
}

ShimTensor::ShimTensor() : scope_(current_scope) {
  live.fetch_add(1, std::memory_order_relaxed);
  if (scope_ == nullptr) return;
  next_ = scope_->first_;
  if (next_ != nullptr) next_->previous_ = this;
  scope_->first_ = this;
}

ShimTensor::~ShimTensor() {
  if (scope_ != nullptr) {
    (previous_ != nullptr ? previous_->next_ : scope_->first_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
  }
  if (storage_ != nullptr) storage_->drop();
  live.fetch_sub(1, std::memory_order_relaxed);
}

size_t live_tensors() {
  return live.load(std::memory_order_relaxed);
}

Error ShimTensor::set_view(const ViewSpec& view) {
  const size_t rank = view.sizes.size();
  int64_t* to = small_;
  std::unique_ptr<int64_t[]> large;
  if (rank > kInlineRank) {
    large.reset(new (std::nothrow) int64_t[2 * rank]);
    ET_REQUIRE(large != nullptr, MemoryAllocationFailed, "no memory for a tensor's sizes");
    to = large.get();
  }
  int64_t numel = 1;
  for (const int64_t size : view.sizes) numel *= size;
  std::copy(view.sizes.begin(), view.sizes.end(), to);
  std::copy(view.strides.begin(), view.strides.end(), to + rank);
  large_ = std::move(large);
  rank_ = rank;
  offset_ = view.offset;
  numel_ = numel;
  return Error::Ok;
}

Error ShimTensor::make(Storage* storage, ScalarType dtype, const ViewSpec& view,
                       ShimTensor** tensor) {
  uint64_t needed = 0;
  ET_TRY(check_view(dtype, view, &needed));
  ET_REQUIRE(needed <= storage->nbytes(), InvalidArgument,
             "a tensor's elements reach to byte %" PRIu64 " of a storage of %zu bytes", needed,
             storage->nbytes());
  std::unique_ptr<ShimTensor> made(new (std::nothrow) ShimTensor);
  ET_REQUIRE(made != nullptr, MemoryAllocationFailed, "no memory for a tensor");
  made->dtype_ = dtype;
  ET_TRY(made->set_view(view));
  storage->retain();
  made->storage_ = storage;
  *tensor = made.release();
  return Error::Ok;
}

Error ShimTensor::borrow(void* data, const Device& device, ScalarType dtype, const ViewSpec& view,
                         ShimTensor** tensor) {
  uint64_t needed = 0;
  ET_TRY(check_view(dtype, view, &needed));
  ET_REQUIRE(data != nullptr || needed == 0, InvalidArgument,
             "a tensor of %" PRIu64 " bytes has no memory", needed);
  Storage* storage = Storage::make(data, static_cast<size_t>(needed), device, nullptr);
  ET_REQUIRE(storage != nullptr, MemoryAllocationFailed, "no memory for a tensor");
  const Error error = make(storage, dtype, view, tensor);
  storage->drop();
  return error;
}

size_t ShimTensor::element_size() const {
  return runtime::elementSize(dtype_);
}

void* ShimTensor::data() const {
  if (storage_->data() == nullptr) return nullptr;
  return static_cast<uint8_t*>(storage_->data()) + static_cast<size_t>(offset_) * element_size();
}

bool ShimTensor::is_contiguous() const {
  int64_t expected = 1;
  for (size_t d = rank_; d-- > 0;) {
    if (sizes()[d] == 0) return true;
    if (sizes()[d] != 1 && strides()[d] != expected) return false;
    expected *= sizes()[d];
  }
  return true;
}

bool ShimTensor::has_sizes_of(const ShimTensor& other) const {
  return rank_ == other.rank_ && std::equal(sizes(), sizes() + rank_, other.sizes());
}

Error ShimTensor::assign(const ShimTensor& other) {
  if (this == &other) return Error::Ok;
  ET_TRY(set_view(other.view()));
  dtype_ = other.dtype_;
  other.storage_->retain();
  storage_->drop();
  storage_ = other.storage_;
  return Error::Ok;
}

void contiguous_strides(Span<const int64_t> sizes, int64_t* strides) {
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
}

}  // namespace executorch::backends::aoti
