#include <executorch/extension/tensor/tensor_ptr.h>

#include <cstring>
#include <numeric>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "extension/tensor/element_types.h"

namespace executorch {
namespace extension {

using executorch::aten::BFloat16;
using executorch::aten::Device;
using executorch::aten::DimOrderType;
using executorch::aten::Half;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::aten::TensorShapeDynamism;

namespace {

/// A tensor and the arrays that it points into.
struct TensorStorage {
  std::vector<SizesType> sizes;
  std::vector<DimOrderType> dim_order;
  std::vector<StridesType> strides;
  std::function<void(void*)> deleter;
  TensorImpl impl;
  Tensor tensor;

  TensorStorage(ScalarType type, std::vector<SizesType>&& sizes_, void* data,
                std::vector<DimOrderType>&& dim_order_, std::vector<StridesType>&& strides_,
                TensorShapeDynamism dynamism, Device device, std::function<void(void*)>&& deleter_)
      : sizes(std::move(sizes_)),
        dim_order(std::move(dim_order_)),
        strides(std::move(strides_)),
        deleter(std::move(deleter_)),
        impl(type, static_cast<ssize_t>(sizes.size()), sizes.data(), data, dim_order.data(),
             strides.data(), dynamism, device.type(), device.index()),
        tensor(&impl) {}

  TensorStorage(const TensorStorage&) = delete;
  TensorStorage& operator=(const TensorStorage&) = delete;

  ~TensorStorage() {
    if (deleter) {
      deleter(impl.mutable_data());
    }
  }
};

std::vector<DimOrderType> identity_order(size_t rank) {
  std::vector<DimOrderType> order(rank);
  std::iota(order.begin(), order.end(), DimOrderType{0});
  return order;
}

/// Dimensions by falling stride; those of equal stride keep their order.
std::vector<DimOrderType> order_by_strides(const std::vector<StridesType>& strides) {
  std::vector<DimOrderType> order = identity_order(strides.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](DimOrderType a, DimOrderType b) { return strides[a] > strides[b]; });
  return order;
}

std::vector<StridesType> packed_strides(const std::vector<SizesType>& sizes,
                                        const std::vector<DimOrderType>& dim_order) {
  std::vector<StridesType> strides(sizes.size());
  const runtime::Error error =
      runtime::dim_order_to_stride(sizes.data(), dim_order.data(), sizes.size(), strides.data());
  ET_CHECK_MSG(error == runtime::Error::Ok, "make_tensor_ptr: %s", runtime::last_error_message());
  return strides;
}

void check_strides(const std::vector<SizesType>& sizes, const std::vector<StridesType>& given,
                   const std::vector<StridesType>& packed) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    ET_CHECK_MSG(sizes[i] == 1 || given[i] == packed[i],
                 "make_tensor_ptr: stride %d of dimension %zu, %d would be densely packed",
                 static_cast<int>(given[i]), i, static_cast<int>(packed[i]));
  }
}

size_t checked_nbytes(size_t numel, ScalarType type) {
  size_t nbytes = 0;
  ET_CHECK_MSG(runtime::checked_mul<size_t>(numel, executorch::aten::elementSize(type), &nbytes),
               "make_tensor_ptr: %zu elements of %zu bytes exceed the address space", numel,
               static_cast<size_t>(executorch::aten::elementSize(type)));
  return nbytes;
}

template <typename To, typename From>
To cast_element(From value) {
  constexpr bool both_half = (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) &&
                             (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>);
  if constexpr (both_half) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

bool is_cpu(Device device) {
  return device.type() == executorch::aten::DeviceType::CPU;
}

runtime::DeviceAllocator& device_allocator(Device device) {
  runtime::DeviceAllocator* allocator = runtime::get_device_allocator(device.type());
  ET_CHECK_MSG(allocator != nullptr, "clone_tensor_ptr_to: no allocator for device type %d",
               static_cast<int>(device.type()));
  return *allocator;
}

/// A tensor like `tensor` over other memory, on another device.
TensorPtr make_like(const Tensor& tensor, void* data, Device device,
                    std::function<void(void*)> deleter) {
  return make_tensor_ptr({tensor.sizes().begin(), tensor.sizes().end()}, data,
                         {tensor.dim_order().begin(), tensor.dim_order().end()},
                         {tensor.strides().begin(), tensor.strides().end()}, tensor.scalar_type(),
                         device, tensor.shape_dynamism(), std::move(deleter));
}

TensorPtr copy_to_device(const Tensor& tensor, Device target) {
  runtime::DeviceAllocator& allocator = device_allocator(target);
  const runtime::Result<void*> memory = allocator.allocate(tensor.nbytes(), target.index());
  ET_CHECK_MSG(memory.ok(), "clone_tensor_ptr_to: %zu bytes on the device: %s", tensor.nbytes(),
               runtime::last_error_message());
  TensorPtr copy = make_like(tensor, *memory, target, [&allocator, target](void* data) {
    allocator.deallocate(data, target.index());
  });
  const runtime::Error error = allocator.copy_host_to_device(*memory, tensor.const_data_ptr(),
                                                             tensor.nbytes(), target.index());
  ET_CHECK_MSG(error == runtime::Error::Ok, "clone_tensor_ptr_to: copying to the device: %s",
               runtime::last_error_message());
  return copy;
}

TensorPtr copy_from_device(const Tensor& tensor, Device source, Device target) {
  auto bytes = std::make_shared<std::vector<uint8_t>>(tensor.nbytes());
  const runtime::Error error = device_allocator(source).copy_device_to_host(
      bytes->data(), tensor.const_data_ptr(), tensor.nbytes(), source.index());
  ET_CHECK_MSG(error == runtime::Error::Ok, "clone_tensor_ptr_to: copying from the device: %s",
               runtime::last_error_message());
  void* const data = bytes->data();
  return make_like(tensor, data, target, [bytes = std::move(bytes)](void*) {});
}

}  // namespace

namespace internal {

size_t checked_numel(const std::vector<SizesType>& sizes) {
  const auto numel = executorch::aten::safe_numel(sizes.data(), static_cast<ssize_t>(sizes.size()));
  ET_CHECK_MSG(numel.ok(), "make_tensor_ptr: %s", runtime::last_error_message());
  return static_cast<size_t>(numel.get());
}

std::vector<uint8_t> cast_elements(const void* source, ScalarType from, ScalarType to,
                                   size_t count) {
  ET_CHECK_MSG(runtime::canCast(from, to), "make_tensor_ptr: %s cannot be cast to %s",
               runtime::toString(from), runtime::toString(to));
  std::vector<uint8_t> bytes(checked_nbytes(count, to));
  if (from == to) {
    if (count > 0) {
      std::memcpy(bytes.data(), source, bytes.size());
    }
    return bytes;
  }
  bool done = false;
  visit_element_type(from, [&](auto from_tag) {
    done = visit_element_type(to, [&](auto to_tag) {
      using From = decltype(from_tag);
      using To = decltype(to_tag);
      const From* elements = static_cast<const From*>(source);
      std::transform(elements, elements + count, reinterpret_cast<To*>(bytes.data()),
                     cast_element<To, From>);
    });
  });
  ET_CHECK_MSG(done, "make_tensor_ptr: casting %s to %s is not supported", runtime::toString(from),
               runtime::toString(to));
  return bytes;
}

}  // namespace internal

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, void* data,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          const ScalarType type, Device device, const TensorShapeDynamism dynamism,
                          std::function<void(void*)> deleter) {
  const size_t rank = sizes.size();
  const size_t numel = internal::checked_numel(sizes);
  checked_nbytes(numel, type);
  ET_CHECK_MSG(dim_order.empty() || dim_order.size() == rank,
               "make_tensor_ptr: a dim order of %zu for a tensor of rank %zu", dim_order.size(),
               rank);
  ET_CHECK_MSG(strides.empty() || strides.size() == rank,
               "make_tensor_ptr: %zu strides for a tensor of rank %zu", strides.size(), rank);
  if (dim_order.empty()) {
    dim_order = strides.empty() ? identity_order(rank) : order_by_strides(strides);
  }
  std::vector<StridesType> packed = packed_strides(sizes, dim_order);
  if (!strides.empty() && numel > 0) {
    check_strides(sizes, strides, packed);
  }
  auto storage =
      std::make_shared<TensorStorage>(type, std::move(sizes), data, std::move(dim_order),
                                      std::move(packed), dynamism, device, std::move(deleter));
  Tensor* const tensor = &storage->tensor;
  return TensorPtr(std::move(storage), tensor);
}

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, std::vector<uint8_t> data,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          ScalarType type, TensorShapeDynamism dynamism) {
  const size_t nbytes = checked_nbytes(internal::checked_numel(sizes), type);
  ET_CHECK_MSG(data.size() >= nbytes, "make_tensor_ptr: %zu bytes given for a shape of %zu bytes",
               data.size(), nbytes);
  auto bytes = std::make_shared<std::vector<uint8_t>>(std::move(data));
  void* const raw = bytes->data();
  return make_tensor_ptr(std::move(sizes), raw, std::move(dim_order), std::move(strides), type,
                         Device(executorch::aten::DeviceType::CPU), dynamism,
                         [bytes = std::move(bytes)](void*) {});
}

TensorPtr make_tensor_ptr(const Tensor& tensor, std::vector<SizesType> sizes,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          std::function<void(void*)> deleter) {
  if (sizes.empty()) {
    sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  }
  const size_t numel = internal::checked_numel(sizes);
  ET_CHECK_MSG(numel <= static_cast<size_t>(tensor.numel()),
               "make_tensor_ptr: a view of %zu elements of a tensor that has %zd", numel,
               static_cast<ssize_t>(tensor.numel()));
  if (dim_order.empty() && strides.empty() && sizes.size() == static_cast<size_t>(tensor.dim())) {
    dim_order.assign(tensor.dim_order().begin(), tensor.dim_order().end());
  }
  return make_tensor_ptr(std::move(sizes), tensor.mutable_data_ptr(), std::move(dim_order),
                         std::move(strides), tensor.scalar_type(),
                         Device(tensor.device_type(), tensor.device_index()),
                         tensor.shape_dynamism(), std::move(deleter));
}

TensorPtr clone_tensor_ptr(const Tensor& tensor, ScalarType type) {
  ET_CHECK_MSG(is_cpu(Device(tensor.device_type(), tensor.device_index())),
               "clone_tensor_ptr: the tensor is not on the CPU; use clone_tensor_ptr_to");
  std::vector<SizesType> sizes(tensor.sizes().begin(), tensor.sizes().end());
  std::vector<DimOrderType> dim_order(tensor.dim_order().begin(), tensor.dim_order().end());
  if (tensor.const_data_ptr() == nullptr) {
    return make_tensor_ptr(std::move(sizes), nullptr, std::move(dim_order), {}, type,
                           Device(executorch::aten::DeviceType::CPU), tensor.shape_dynamism());
  }
  return make_tensor_ptr(std::move(sizes),
                         internal::cast_elements(tensor.const_data_ptr(), tensor.scalar_type(),
                                                 type, static_cast<size_t>(tensor.numel())),
                         std::move(dim_order), {}, type, tensor.shape_dynamism());
}

runtime::Error resize_tensor_ptr(TensorPtr& tensor, const std::vector<SizesType>& sizes) {
  return runtime::resize_tensor(*tensor,
                                executorch::aten::ArrayRef<SizesType>(sizes.data(), sizes.size()));
}

TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor, Device target) {
  const Device source(tensor->device_type(), tensor->device_index());
  ET_CHECK_MSG(
      is_cpu(source) != is_cpu(target),
      "clone_tensor_ptr_to copies between CPU and device only; found device types %d and %d",
      static_cast<int>(source.type()), static_cast<int>(target.type()));
  ET_CHECK_MSG(tensor->const_data_ptr() != nullptr, "clone_tensor_ptr_to: the tensor has no data");
  return is_cpu(source) ? copy_to_device(*tensor, target)
                        : copy_from_device(*tensor, source, target);
}

}  // namespace extension
}  // namespace executorch
