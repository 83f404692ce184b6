#include "kernels/cpu/elementwise/elementwise_call.h"

#include <algorithm>

#include "compute/elementwise/cast.h"

namespace executorch {
namespace kernels {
namespace {

using compute::DType;

/// Strides of a view for the loop over `rank` dimensions, aligned at the last one, 0 where it is
/// broadcast.
void broadcast_strides(const TensorView& view, const Sizes& sizes, int64_t* strides) {
  const int shift = sizes.rank - view.rank;
  for (int d = 0; d < sizes.rank; ++d) {
    const bool own = d >= shift && view.sizes[d - shift] == sizes[d] && sizes[d] != 1;
    strides[d] = own ? view.strides[d - shift] : 0;
  }
}

/// A call whose result goes to `target`, without operands.
compute::ElementwiseCall call_into(ElementwiseOp op, ScalarType common, const TensorView& target) {
  compute::ElementwiseCall call;
  call.op = op;
  call.common = compute_dtype(common);
  call.rank = target.rank;
  call.out.data = target.data;
  call.out.dtype = target.dtype;
  for (int d = 0; d < target.rank; ++d) {
    call.sizes[d] = target.sizes[d];
    call.out.strides[d] = target.strides[d];
  }
  return call;
}

void set_operand(compute::Operand& operand, const TensorView& view, const Sizes& sizes) {
  operand.data = view.data;
  operand.dtype = view.dtype;
  broadcast_strides(view, sizes, operand.strides);
}

/// Tensors of the result's shape and dim order: elements pair up as they lie in memory.
bool laid_out_alike(Inputs inputs, const Tensor& out) {
  for (const Input& input : inputs) {
    if (input.tensor() == nullptr || !same_sizes(*input.tensor(), out)) return false;
    const auto order = input.tensor()->dim_order();
    const auto out_order = out.dim_order();
    if (order.data() == nullptr || out_order.data() == nullptr) return false;
    if (!std::equal(order.begin(), order.end(), out_order.begin())) return false;
  }
  return true;
}

/// The call over `out` and operands laid out like it, without their memory.
compute::ElementwiseCall flat_call(ElementwiseOp op, ScalarType common, const Tensor& out) {
  compute::ElementwiseCall call;
  call.op = op;
  call.common = compute_dtype(common);
  call.rank = 1;
  call.sizes[0] = out.numel();
  call.out.data = out.mutable_data_ptr();
  call.out.dtype = compute_dtype(out.scalar_type());
  call.out.strides[0] = 1;
  return call;
}

void set_flat_operand(compute::Operand& operand, const Tensor& tensor) {
  operand.data = tensor.const_data_ptr();
  operand.dtype = compute_dtype(tensor.scalar_type());
  operand.strides[0] = 1;
}

/// Where a number lies while the operation runs.
union NumberStorage {
  double f64;
  int64_t i64;
  bool boolean;
};

void set_number(compute::Operand& operand, int rank, const Scalar& number, NumberStorage& storage) {
  operand.data = &storage;
  operand.dtype = DType::f64;
  for (int d = 0; d < rank; ++d) operand.strides[d] = 0;
  if (number.isBoolean()) {
    storage.boolean = number.to<bool>();
    operand.dtype = DType::boolean;
  } else if (number.isIntegral(false)) {
    storage.i64 = number.to<int64_t>();
    operand.dtype = DType::i64;
  } else {
    storage.f64 = number.to<double>();
  }
}

Error check_types(ElementwiseOp op, ScalarType common, ScalarType result, const Tensor& out) {
  ET_REQUIRE(compute::elementwise_supported(op, compute_dtype(common)), InvalidArgument,
             "not defined for operands of dtype %s", dtype_name(common));
  ET_REQUIRE(is_arithmetic(out.scalar_type()) || is_complex(out.scalar_type()), InvalidArgument,
             "argument 'out': %s is not a dtype of numbers", describe(out).text);
  return check_can_cast(result, out);
}

}  // namespace

Error broadcast_sizes(Inputs inputs, Sizes* sizes) {
  *sizes = Sizes{};
  for (const Input& input : inputs) {
    if (input.tensor() == nullptr) continue;
    const Sizes own = sizes_of(*input.tensor());
    if (own.rank == sizes->rank && std::equal(own.begin(), own.end(), sizes->begin())) continue;
    const Sizes before = *sizes;
    if (own.rank > sizes->rank) {
      for (int d = 0; d < own.rank; ++d) {
        const int from = d - (own.rank - before.rank);
        sizes->values[d] = from < 0 ? 1 : before[from];
      }
      sizes->rank = own.rank;
    }
    for (int d = 0; d < own.rank; ++d) {
      int64_t& size = sizes->values[sizes->rank - own.rank + d];
      if (own[d] == 1 || own[d] == size) continue;
      ET_REQUIRE(size == 1, InvalidArgument, "argument '%s': %s does not broadcast with %s",
                 input.name(), describe(own).text, describe(before).text);
      size = own[d];
    }
  }
  return Error::Ok;
}

Error result_type(Inputs inputs, ScalarType* type) {
  ResultType result;
  for (const Input& input : inputs) {
    if (input.tensor() == nullptr) {
      result.add(input.number());
      continue;
    }
    const ScalarType dtype = input.tensor()->scalar_type();
    ET_REQUIRE(is_arithmetic(dtype) || is_complex(dtype), InvalidArgument,
               "argument '%s': %s is not a dtype of numbers", input.name(),
               describe(*input.tensor()).text);
    result.add(*input.tensor());
  }
  *type = result.get();
  ET_REQUIRE(*type != ScalarType::Undefined, InvalidArgument,
             "the dtypes of the operands have no common dtype");
  return Error::Ok;
}

Error float_result_type(Inputs inputs, ScalarType* type) {
  ET_TRY(result_type(inputs, type));
  if (is_integral(*type, true)) *type = ScalarType::Float;
  return Error::Ok;
}

Error run_elementwise(ElementwiseOp op, ScalarType common, ScalarType result, Inputs inputs,
                      Tensor& out, Rounding rounding) {
  ET_TRY(check_types(op, common, result, out));
  Sizes sizes;
  ET_TRY(broadcast_sizes(inputs, &sizes));
  ET_TRY(resize_output(out, sizes));
  const bool flat = laid_out_alike(inputs, out);
  compute::ElementwiseCall call =
      flat ? flat_call(op, common, out) : call_into(op, common, view_of(out));
  NumberStorage numbers[compute::kMaxOperands];
  int k = 0;
  for (const Input& input : inputs) {
    compute::Operand& operand = call.in[k];
    if (input.tensor() == nullptr) {
      set_number(operand, call.rank, input.number(), numbers[k]);
    } else {
      ET_TRY(check_no_partial_overlap(out, *input.tensor(), input.name()));
      if (flat) {
        set_flat_operand(operand, *input.tensor());
      } else {
        set_operand(operand, view_of(*input.tensor()), sizes);
      }
    }
    if (rounding == Rounding::tensors && input.single()) call.unrounded |= 1u << k;
    ++k;
  }
  compute::elementwise(call);
  return Error::Ok;
}

void run_on_views(ElementwiseOp op, ScalarType common, const TensorView& out,
                  std::initializer_list<TensorView> inputs) {
  compute::ElementwiseCall call = call_into(op, common, out);
  Sizes sizes;
  for (int d = 0; d < out.rank; ++d) sizes.push(out.sizes[d]);
  int k = 0;
  for (const TensorView& input : inputs) set_operand(call.in[k++], input, sizes);
  compute::elementwise(call);
}

Error check_divisor(const Input& divisor) {
  bool zero = false;
  if (divisor.tensor() == nullptr) {
    zero = to_double(divisor.number()) == 0;
  } else {
    const TensorView view = view_of(*divisor.tensor());
    compute::Operand operand = {view.data, view.dtype, {}};
    for (int d = 0; d < view.rank; ++d) operand.strides[d] = view.strides[d];
    zero = compute::any_zero(operand, view.rank, view.sizes);
  }
  ET_REQUIRE(!zero, InvalidArgument, "argument '%s': integer division by zero", divisor.name());
  return Error::Ok;
}

Scalar negated(const Scalar& value) {
  if (value.isFloatingPoint()) return -value.to<double>();
  return static_cast<int64_t>(0 - static_cast<uint64_t>(to_int64(value)));
}

bool is_one(const Scalar& value) {
  return to_double(value) == 1;
}

}  // namespace kernels
}  // namespace executorch
