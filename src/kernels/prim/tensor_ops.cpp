// Primitive operators that look at tensors.
#include <cstdint>
#include <cstring>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "kernels/prim/prim_ops.h"
#include "runtime/executor/tensor_copy.h"

namespace executorch {
namespace runtime {
namespace prim {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;

namespace {

constexpr size_t kMaxRank = 16;

Error check_tensor(const EValue& value, const char* name) {
  ET_REQUIRE(value.isTensor(), InvalidType, "'%s' must be a Tensor", name);
  return Error::Ok;
}

/// Rows of the outermost dimension must follow each other in memory.
bool has_outermost_rows(const Tensor& list, const Tensor& row) {
  if (list.dim_order()[0] != 0) return false;
  for (ssize_t d = 0; d < row.dim(); ++d) {
    if (list.dim_order()[d + 1] != row.dim_order()[d] + 1) return false;
  }
  return true;
}

bool is_row_major(const Tensor& tensor) {
  return is_contiguous_dim_order(tensor.dim_order().data(), static_cast<size_t>(tensor.dim()));
}

internal::Arrangement arrangement_of(const Tensor& tensor) {
  return {static_cast<size_t>(tensor.dim()), tensor.sizes().data(), tensor.strides().data()};
}

/// Gives `out` the elements of `self` in the order of their indices.
Error copy_in_order(const Tensor& self, const Tensor& out) {
  const size_t nbytes = self.nbytes();
  if (nbytes == 0) return Error::Ok;
  ET_REQUIRE(
      self.unsafeGetTensorImpl()->device().is_cpu() && out.unsafeGetTensorImpl()->device().is_cpu(),
      NotSupported, "a view of another dim order is only made on the CPU");
  const auto* from = static_cast<const uint8_t*>(self.const_data_ptr());
  auto* to = static_cast<uint8_t*>(out.mutable_data_ptr());
  ET_REQUIRE(from != nullptr && to != nullptr, InvalidArgument,
             "the tensor or its view has no memory, and their dim orders forbid to share it");
  ET_REQUIRE(to + nbytes <= from || from + nbytes <= to, InvalidArgument,
             "the view lies in the memory of the tensor, but their dim orders forbid to share it");
  internal::copy_reshaped(to, arrangement_of(out), from, arrangement_of(self),
                          static_cast<size_t>(self.element_size()));
  return Error::Ok;
}

/// Sizes of a view of `numel` elements; one of them may be -1 and is then worked out.
Error resolve_view_sizes(executorch::aten::ArrayRef<int64_t> given, int64_t numel, int32_t* sizes) {
  ET_REQUIRE(given.size() <= kMaxRank, InvalidArgument,
             "a view of %zu dimensions, at most %zu are supported", given.size(), kMaxRank);
  uint64_t known = 1;
  const auto total = static_cast<uint64_t>(numel);
  size_t unknown = given.size();
  for (size_t d = 0; d < given.size(); ++d) {
    const int64_t size = given[d];
    ET_REQUIRE(size >= -1 && size <= INT32_MAX, InvalidArgument, "size %lld of dimension %zu",
               static_cast<long long>(size), d);
    ET_REQUIRE(size != -1 || unknown == given.size(), InvalidArgument, "more than one size is -1");
    sizes[d] = static_cast<int32_t>(size);
    if (size == -1) {
      unknown = d;
    } else {
      ET_REQUIRE(checked_mul(known, static_cast<uint64_t>(size), &known), InvalidArgument,
                 "the view has more elements than the tensor");
    }
  }
  if (unknown < given.size()) {
    ET_REQUIRE(known > 0 && total % known == 0 && total / known <= INT32_MAX, InvalidArgument,
               "%lld elements cannot be divided by %lld to find the size that is -1",
               static_cast<long long>(numel), static_cast<long long>(known));
    sizes[unknown] = static_cast<int32_t>(total / known);
    known = total;
  }
  ET_REQUIRE(known == total, InvalidArgument, "a view of %lld elements of a tensor of %lld",
             static_cast<long long>(known), static_cast<long long>(numel));
  return Error::Ok;
}

Error check_same_type(const Tensor& self, const Tensor& view) {
  ET_REQUIRE(self.scalar_type() == view.scalar_type(), InvalidArgument,
             "the view has element type %d, the tensor %d", static_cast<int>(view.scalar_type()),
             static_cast<int>(self.scalar_type()));
  return Error::Ok;
}

template <class T>
T first_element(const Tensor& tensor) {
  T value;
  std::memcpy(&value, tensor.const_data_ptr(), sizeof(T));
  return value;
}

template <class T>
EValue int_element(const Tensor& tensor) {
  return EValue(static_cast<int64_t>(first_element<T>(tensor)));
}

}  // namespace

Error sym_size(Stack stack) {
  ET_TRY(check_tensor(*stack[0], "self"));
  ET_REQUIRE(stack[1]->isInt(), InvalidType, "'dim' must be Int");
  const Tensor& self = stack[0]->payload.as_tensor;
  const int64_t given = stack[1]->payload.copyable_union.as_int;
  const int64_t rank = self.dim();
  ET_REQUIRE(given >= -rank && given < rank, InvalidArgument,
             "dimension %lld of a tensor of %lld dimensions", static_cast<long long>(given),
             static_cast<long long>(rank));
  *stack[2] = EValue(
      static_cast<int64_t>(self.sizes()[static_cast<size_t>(given < 0 ? given + rank : given)]));
  return Error::Ok;
}

Error sym_numel(Stack stack) {
  ET_TRY(check_tensor(*stack[0], "self"));
  *stack[1] = EValue(static_cast<int64_t>(stack[0]->payload.as_tensor.numel()));
  return Error::Ok;
}

Error local_scalar_dense(Stack stack) {
  ET_TRY(check_tensor(*stack[0], "self"));
  const Tensor self = stack[0]->payload.as_tensor;
  ET_REQUIRE(self.numel() >= 1 && self.const_data_ptr() != nullptr, InvalidArgument,
             "the tensor has no element to read");
  EValue* result = stack[1];
  switch (self.scalar_type()) {
    case ScalarType::Byte:
      *result = int_element<uint8_t>(self);
      return Error::Ok;
    case ScalarType::Char:
      *result = int_element<int8_t>(self);
      return Error::Ok;
    case ScalarType::Short:
      *result = int_element<int16_t>(self);
      return Error::Ok;
    case ScalarType::UInt16:
      *result = int_element<uint16_t>(self);
      return Error::Ok;
    case ScalarType::Int:
      *result = int_element<int32_t>(self);
      return Error::Ok;
    case ScalarType::UInt32:
      *result = int_element<uint32_t>(self);
      return Error::Ok;
    case ScalarType::Long:
      *result = int_element<int64_t>(self);
      return Error::Ok;
    case ScalarType::Bool:
      *result = EValue(first_element<uint8_t>(self) != 0);
      return Error::Ok;
    case ScalarType::Half:
      *result = EValue(
          static_cast<double>(static_cast<float>(first_element<executorch::aten::Half>(self))));
      return Error::Ok;
    case ScalarType::BFloat16:
      *result = EValue(
          static_cast<double>(static_cast<float>(first_element<executorch::aten::BFloat16>(self))));
      return Error::Ok;
    case ScalarType::Float:
      *result = EValue(static_cast<double>(first_element<float>(self)));
      return Error::Ok;
    case ScalarType::Double:
      *result = EValue(first_element<double>(self));
      return Error::Ok;
    default:
      return ET_ERROR(NotSupported, "element type %d cannot become a number",
                      static_cast<int>(self.scalar_type()));
  }
}

/// Writes one more row of a list that grows: row `index`, which becomes the last one.
Error et_copy_index(Stack stack) {
  ET_TRY(check_tensor(*stack[0], "self"));
  ET_TRY(check_tensor(*stack[1], "source"));
  ET_REQUIRE(stack[2]->isInt(), InvalidType, "'index' must be Int");
  Tensor list = stack[0]->payload.as_tensor;
  const Tensor row = stack[1]->payload.as_tensor;
  const int64_t index = stack[2]->payload.copyable_union.as_int;
  ET_REQUIRE(list.scalar_type() == row.scalar_type(), InvalidArgument,
             "the list has element type %d, the row %d", static_cast<int>(list.scalar_type()),
             static_cast<int>(row.scalar_type()));
  ET_REQUIRE(list.dim() == row.dim() + 1 && static_cast<size_t>(list.dim()) <= kMaxRank,
             InvalidArgument, "a row of %zd dimensions for a list of %zd",
             static_cast<ssize_t>(row.dim()), static_cast<ssize_t>(list.dim()));
  ET_REQUIRE(index >= 0 && index < INT32_MAX, InvalidArgument, "row %lld",
             static_cast<long long>(index));
  ET_REQUIRE(has_outermost_rows(list, row), InvalidArgument,
             "list and row have different dim orders");

  int32_t sizes[kMaxRank];
  sizes[0] = static_cast<int32_t>(index + 1);
  for (ssize_t d = 0; d < row.dim(); ++d) {
    ET_REQUIRE(list.sizes()[d + 1] == row.sizes()[d], InvalidArgument,
               "dimension %zd of the row has size %d, that of the list %d", d, row.sizes()[d],
               list.sizes()[d + 1]);
    sizes[d + 1] = row.sizes()[d];
  }
  ET_TRY(resize_tensor(
      list, executorch::aten::ArrayRef<int32_t>(sizes, static_cast<size_t>(list.dim()))));
  const size_t nbytes = row.nbytes();
  if (nbytes == 0) return Error::Ok;
  ET_REQUIRE(list.const_data_ptr() != nullptr && row.const_data_ptr() != nullptr, InvalidArgument,
             "list or row has no memory");
  std::memmove(static_cast<uint8_t*>(list.mutable_data_ptr()) + static_cast<size_t>(index) * nbytes,
               row.const_data_ptr(), nbytes);
  return Error::Ok;
}

/// Lets the result share the memory of `self` under other sizes. Where one of them is not row-major
/// by its dim order, the elements are copied into the result's own memory.
Error et_view(Stack stack) {
  ET_TRY(check_tensor(*stack[0], "self"));
  ET_TRY(check_tensor(*stack[2], "out"));
  const Tensor self = stack[0]->payload.as_tensor;
  Tensor out = stack[2]->payload.as_tensor;
  auto given = stack[1]->tryToIntList();
  if (!given.ok()) return given.error();
  ET_TRY(check_same_type(self, out));
  int32_t sizes[kMaxRank];
  ET_TRY(resolve_view_sizes(given.get(), self.numel(), sizes));
  ET_TRY(resize_tensor(out, executorch::aten::ArrayRef<int32_t>(sizes, given->size())));
  if (!is_row_major(self) || !is_row_major(out)) return copy_in_order(self, out);
  out.unsafeGetTensorImpl()->set_data(self.mutable_data_ptr());
  return Error::Ok;
}

/// Copies the elements of `self` in the order of their indices into `out`, which has other sizes.
Error copy_elements(Stack stack) {
  ET_TRY(check_tensor(*stack[0], "self"));
  ET_TRY(check_tensor(*stack[1], "out"));
  const Tensor& self = stack[0]->payload.as_tensor;
  const Tensor& out = stack[1]->payload.as_tensor;
  ET_TRY(check_same_type(self, out));
  ET_REQUIRE(self.numel() == out.numel(), InvalidArgument,
             "a view of %lld elements of a tensor of %lld", static_cast<long long>(out.numel()),
             static_cast<long long>(self.numel()));
  return copy_in_order(self, out);
}

}  // namespace prim
}  // namespace runtime
}  // namespace executorch
