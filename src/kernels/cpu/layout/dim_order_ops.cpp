// Copies that change a tensor's dim order, and copies between devices.
#include <executorch/runtime/core/device_allocator.h>

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {
namespace {

bool is_permutation(IntList dim_order, size_t rank) {
  uint32_t seen = 0;
  for (int64_t d : dim_order) {
    if (d < 0 || d >= static_cast<int64_t>(rank)) return false;
    seen |= 1u << d;
  }
  return dim_order.size() == rank && seen == (1u << rank) - 1;
}

/// A given dim order must be the output's; None leaves it to the program. Dimensions of size 1 may
/// stand anywhere: exporters derive one order from memory formats and the other from strides.
Error check_dim_order(std::optional<IntList> dim_order, const Sizes& sizes, const Tensor& out) {
  if (!dim_order.has_value()) return Error::Ok;
  const auto order = out.dim_order();
  const size_t rank = order.size();
  bool equal = is_permutation(*dim_order, rank) && static_cast<size_t>(sizes.rank) == rank;
  for (size_t i = 0, j = 0; equal && i < rank; ++i) {
    const int64_t d = (*dim_order)[i];
    if (sizes[static_cast<int>(d)] == 1) continue;
    while (sizes[order[j]] == 1) ++j;
    equal = order[j++] == d;
  }
  ET_REQUIRE(equal, InvalidArgument, "argument 'dim_order': %s is not the dim order of out, %s",
             describe(*dim_order).text, describe(out).text);
  return Error::Ok;
}

Error check_blocking(bool non_blocking) {
  ET_REQUIRE(!non_blocking, InvalidArgument, "argument 'non_blocking': only False is supported");
  return Error::Ok;
}

Error clone_dim_order(Context&, const Tensor& self, bool non_blocking,
                      std::optional<IntList> dim_order, Tensor& out) {
  ET_TRY(check_blocking(non_blocking));
  ET_TRY(check_dim_order(dim_order, sizes_of(self), out));
  return write_view(out, self, view_of(self));
}

Error to_dim_order_copy(Context&, const Tensor& self, bool non_blocking,
                        std::optional<IntList> dim_order, Tensor& out) {
  ET_TRY(check_blocking(non_blocking));
  ET_TRY(check_dim_order(dim_order, sizes_of(self), out));
  return write_converted(out, self);
}

Error empty_dim_order(Context&, IntList size, std::optional<IntList> dim_order, Tensor& out) {
  ET_TRY(check_list_rank(size, "size"));
  ET_TRY(resize_output(out, to_sizes(size)));
  return check_dim_order(dim_order, to_sizes(size), out);
}

/// Checks both sides of a copy between devices and finds the allocator of the device that is not
/// the CPU.
Error prepare_device_copy(const Tensor& self, const Tensor& out, const Tensor& remote,
                          const char* name, runtime::DeviceAllocator** allocator) {
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(resize_output_like(out, self));
  ET_REQUIRE(same_layout(self, out), InvalidArgument,
             "argument 'out': %s is not laid out as the input, %s", describe(out).text,
             describe(self).text);
  *allocator = runtime::get_device_allocator(remote.device_type());
  ET_REQUIRE(*allocator != nullptr, NotFound,
             "argument '%s': no allocator is registered for device type %d", name,
             static_cast<int>(remote.device_type()));
  return Error::Ok;
}

Error copy_host_to_device(Context&, const Tensor& self, Tensor& out) {
  runtime::DeviceAllocator* allocator = nullptr;
  ET_TRY(prepare_device_copy(self, out, out, "out", &allocator));
  return allocator->copy_host_to_device(out.mutable_data_ptr(), self.const_data_ptr(),
                                        self.nbytes(), out.device_index());
}

Error copy_device_to_host(Context&, const Tensor& self, Tensor& out) {
  runtime::DeviceAllocator* allocator = nullptr;
  ET_TRY(prepare_device_copy(self, out, self, "self", &allocator));
  return allocator->copy_device_to_host(out.mutable_data_ptr(), self.const_data_ptr(),
                                        self.nbytes(), self.device_index());
}

constexpr OperatorRow kRows[] = {
    row<"dim_order_ops::_clone_dim_order.out", clone_dim_order>(
        "(Tensor self, *, bool non_blocking=False, int[]? dim_order=None, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"dim_order_ops::_to_dim_order_copy.out", to_dim_order_copy>(
        "(Tensor self, *, bool non_blocking=False, int[]? dim_order=None, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"dim_order_ops::_empty_dim_order.out", empty_dim_order>(
        "(int[] size, *, int[]? dim_order=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"et_copy::_h2d_copy.out", copy_host_to_device>(
        "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"et_copy::_d2h_copy.out", copy_device_to_host>(
        "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table dim_order_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
