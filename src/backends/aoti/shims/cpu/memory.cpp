#include "backends/aoti/shims/cpu/memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <new>

#include "backends/aoti/shims/cpu/cpu_table.h"

namespace executorch::backends::aoti {
namespace {

using compute::DType;
using compute::TensorView;

constexpr size_t kAlignment = 64;

/// Of the model that runs on this thread.
constinit thread_local RunMemory* run_memory = nullptr;

/// At least one byte, so that no tensor has null for memory. 0 when it is too large.
size_t block_size(size_t nbytes) {
  const size_t size = std::max(nbytes, size_t{1});
  return size > SIZE_MAX - kAlignment ? 0 : (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

RunMemory::~RunMemory() {
  for (const Block& block : blocks_) std::free(block.data);
}

void* RunMemory::take(size_t nbytes) {
  const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                  [&](const Block& block) { return block.nbytes == nbytes; });
  if (found == blocks_.rend()) return nullptr;
  void* data = found->data;
  *found = blocks_.back();
  blocks_.pop_back();
  return data;
}

void RunMemory::put(void* data, size_t nbytes) {
  blocks_.push_back({data, nbytes, run_});
}

void RunMemory::trim() {
  const auto unused = [&](const Block& block) { return block.run != run_; };
  for (const Block& block : blocks_) {
    if (unused(block)) std::free(block.data);
  }
  blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), unused), blocks_.end());
  ++run_;
}

void* take_block(size_t nbytes) {
  const size_t size = block_size(nbytes);
  if (size == 0) return nullptr;
  void* data = run_memory == nullptr ? nullptr : run_memory->take(size);
  return data != nullptr ? data : std::aligned_alloc(kAlignment, size);
}

void give_block(void* data, size_t nbytes) {
  if (data == nullptr) return;
  if (run_memory == nullptr) {
    std::free(data);
  } else {
    run_memory->put(data, block_size(nbytes));
  }
}

Error Scratch::allocate(size_t nbytes) {
  give_block(data_, size_);
  size_ = 0;
  data_ = take_block(nbytes);
  ET_REQUIRE(data_ != nullptr, MemoryAllocationFailed, "no memory for %zu bytes of scratch",
             nbytes);
  size_ = nbytes;
  return Error::Ok;
}

Error allocate(uint64_t nbytes, const Device& device, Storage** storage) {
  ET_REQUIRE(device.type == DeviceType::cpu, NotSupported,
             "these shims have memory of the CPU only");
  const size_t size = static_cast<size_t>(nbytes);
  void* data = size == nbytes ? take_block(size) : nullptr;
  if (data != nullptr) {
    *storage = Storage::make(data, size, device, [](void* memory, size_t bytes, const Device&) {
      give_block(memory, bytes);
    });
    if (*storage != nullptr) return Error::Ok;
    give_block(data, size);
  }
  return ET_ERROR(MemoryAllocationFailed, "no memory for a tensor of %" PRIu64 " bytes", nbytes);
}

Error current_device(DeviceType, int32_t* index) {
  *index = 0;
  return Error::Ok;
}

Error view_of(const ShimTensor& tensor, const char* name, TensorView* view) {
  ET_REQUIRE(tensor.device().type == DeviceType::cpu, InvalidArgument,
             "argument '%s' is not on the CPU", name);
  ET_REQUIRE(tensor.rank() <= static_cast<size_t>(compute::kMaxRank), NotSupported,
             "argument '%s' has %zu dimensions, at most %d are supported", name, tensor.rank(),
             compute::kMaxRank);
  view->data = static_cast<char*>(tensor.data());
  view->dtype = static_cast<DType>(tensor.dtype());
  view->element_size = tensor.element_size();
  view->rank = static_cast<int>(tensor.rank());
  std::copy(tensor.sizes(), tensor.sizes() + tensor.rank(), view->sizes);
  std::copy(tensor.strides(), tensor.strides() + tensor.rank(), view->strides);
  return Error::Ok;
}

Error copy_elements(const ShimTensor& to, const ShimTensor& from) {
  ET_REQUIRE(to.has_sizes_of(from), InvalidArgument,
             "a tensor cannot be copied to one of other sizes");
  TensorView target, source;
  ET_TRY(view_of(to, "self", &target));
  ET_TRY(view_of(from, "src", &source));
  ET_REQUIRE(compute::convertible(target.dtype, source.dtype), NotSupported,
             "elements of type %d cannot be copied as type %d", static_cast<int>(source.dtype),
             static_cast<int>(target.dtype));
  if (to.numel() > 0) compute::convert(target, source);
  return Error::Ok;
}

Error Operand::convert(DType dtype) {
  const size_t unit = compute::element_size(dtype);
  ET_TRY(memory_.allocate(static_cast<size_t>(view_.numel()) * unit));
  const TensorView copy =
      compute::contiguous_view(memory_.data(), dtype, unit, view_.rank, view_.sizes);
  if (copy.numel() > 0) compute::convert(copy, view_);
  view_ = copy;
  return Error::Ok;
}

Error Operand::read(const ShimTensor& tensor, const char* name, DType dtype) {
  ET_TRY(view_of(tensor, name, &view_));
  return view_.dtype == dtype ? Error::Ok : convert(dtype);
}

Error Operand::read_rows(const ShimTensor& tensor, const char* name, DType dtype) {
  ET_TRY(view_of(tensor, name, &view_));
  return view_.dtype == dtype && compute::is_contiguous(view_) ? Error::Ok : convert(dtype);
}

bool sum_type(DType dtype, DType* sum) {
  switch (dtype) {
    case DType::f16:
    case DType::bf16:
    case DType::f32:
      *sum = DType::f32;
      return true;
    case DType::u8:
    case DType::i8:
    case DType::i16:
    case DType::i32:
      *sum = DType::i32;
      return true;
    case DType::f64:
    case DType::i64:
    case DType::c64:
    case DType::c128:
      *sum = dtype;
      return true;
    default:
      return false;
  }
}

extern "C" {

Status AOTI_SHIM(create_constant)(void* data, int64_t rank, const int64_t* sizes,
                                  const int64_t* strides, int64_t offset, int32_t dtype,
                                  size_t* budget, ShimTensor** tensor) {
  const Status status =
      AOTI_SHIM(create_tensor_from_blob)(data, rank, sizes, strides, offset, dtype, 0, 0, tensor);
  if (status == 0) (*tensor)->storage()->make_constant(budget);
  return status;
}

RunMemory* AOTI_SHIM(make_run_memory)() {
  return new (std::nothrow) RunMemory;
}

void AOTI_SHIM(delete_run_memory)(RunMemory* memory) {
  delete memory;
}

void AOTI_SHIM(enter_run)(RunMemory* memory) {
  run_memory = memory;
  memory->tensors.enter();
}

void AOTI_SHIM(leave_run)() {
  if (run_memory != nullptr) run_memory->trim();
  run_memory = nullptr;
  TensorScope::leave();
}

size_t AOTI_SHIM(live_tensors)() {
  return live_tensors();
}

}  // extern "C"

}  // namespace executorch::backends::aoti
