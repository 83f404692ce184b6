#include "backends/aoti/shims/cpu/memory.h"

#include <algorithm>
#include <cinttypes>

#include "backends/aoti/shims/cpu/cpu_table.h"

namespace executorch::backends::aoti {
namespace {

using compute::DType;
using compute::TensorView;

constexpr size_t kAlignment = 64;

/// At least one byte, so that no tensor has null for memory.
void* aligned_bytes(size_t nbytes) {
  const size_t size = std::max(nbytes, size_t{1});
  if (size > SIZE_MAX - kAlignment) return nullptr;
  return std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

Error Scratch::allocate(size_t nbytes) {
  std::free(data_);
  size_ = 0;
  data_ = aligned_bytes(nbytes);
  ET_REQUIRE(data_ != nullptr, MemoryAllocationFailed, "no memory for %zu bytes of scratch",
             nbytes);
  size_ = nbytes;
  return Error::Ok;
}

Error allocate(uint64_t nbytes, const Device& device, Storage** storage) {
  ET_REQUIRE(device.type == DeviceType::cpu, NotSupported,
             "these shims have memory of the CPU only");
  void* data = nbytes <= SIZE_MAX ? aligned_bytes(static_cast<size_t>(nbytes)) : nullptr;
  if (data != nullptr) {
    *storage = Storage::make(data, static_cast<size_t>(nbytes), device,
                             [](void* memory, size_t, const Device&) { std::free(memory); });
    if (*storage != nullptr) return Error::Ok;
    std::free(data);
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

extern "C" size_t AOTI_SHIM(live_tensors)() {
  return live_tensors();
}

}  // namespace executorch::backends::aoti
