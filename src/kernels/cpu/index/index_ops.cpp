// Operators that read the places that indices or masks name.
#include "compute/copy/indexed.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/indexing.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

Error index_tensor(Context& context, const Tensor& self, OptionalTensorList indices, Tensor& out) {
  IndexedSlices slices(context);
  ET_TRY(slices.resolve(context, self, indices));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(resize_output(out, slices.result_sizes()));
  ET_TRY(check_no_overlap(out, self, "self"));
  if (out.numel() == 0) return Error::Ok;
  const TensorView to = view_of(out);
  Scratch to_offsets(context);
  ET_TRY(to_offsets.allocate(static_cast<size_t>(slices.count()), sizeof(int64_t)));
  slices.result_offsets(to, to_offsets.as<int64_t>());
  compute::copy_slices(slices.slice_of_result(to), to_offsets.as<int64_t>(),
                       slices.slice_of_self(view_of(self)), slices.offsets(), slices.count());
  return Error::Ok;
}

/// Copies the slices of dimension `d` that `index` names, in its row-major order, to the successive
/// places `to` has for them.
Error select_slices(Context& context, const TensorView& to_slice, const int64_t* to_offsets,
                    const TensorView& from, int d, const Tensor& index, const char* name,
                    bool wrap) {
  const int64_t count = index.numel();
  Scratch offsets(context);
  ET_TRY(offsets.allocate(static_cast<size_t>(count), sizeof(int64_t)));
  for (int64_t i = 0; i < count; ++i) offsets.as<int64_t>()[i] = 0;
  const int64_t limit = from.sizes[d];
  const compute::BadIndex bad = compute::add_index_offsets(view_of(index), limit, from.strides[d],
                                                           offsets.as<int64_t>(), wrap);
  if (bad.found) return bad_index(name, bad.value, d, limit);
  TensorView slice = from;
  slice.remove(d);
  compute::copy_slices(to_slice, to_offsets, slice, offsets.as<int64_t>(), count);
  return Error::Ok;
}

Error index_select(Context& context, const Tensor& self, int64_t dim, const Tensor& index,
                   Tensor& out) {
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  ET_TRY(check_rank(index, "index", 0, 1));
  ET_TRY(check_index_type(index, "index"));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  const int64_t count = index.numel();
  Sizes sizes = sizes_of(self);
  ET_REQUIRE(sizes.rank > 0 || count == 1, InvalidArgument,
             "argument 'index': a 0-d tensor takes one index, found %lld",
             static_cast<long long>(count));
  if (sizes.rank > 0) sizes[d] = count;
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  TensorView from = view_of(self);
  TensorView to = view_of(out);
  if (from.rank == 0) {
    from.insert(0, 1, 1);
    to.insert(0, 1, 1);
  }
  Scratch to_offsets(context);
  ET_TRY(to_offsets.allocate(static_cast<size_t>(count), sizeof(int64_t)));
  for (int64_t i = 0; i < count; ++i) to_offsets.as<int64_t>()[i] = i * to.strides[d];
  to.remove(d);
  return select_slices(context, to, to_offsets.as<int64_t>(), from, d, index, "index", false);
}

Error embedding(Context& context, const Tensor& weight, const Tensor& indices, int64_t, bool, bool,
                Tensor& out) {
  ET_TRY(check_rank(weight, "weight", 2, 2));
  ET_TRY(check_index_type(indices, "indices"));
  ET_TRY(check_same_dtype(weight, "weight", out, "out"));
  Sizes sizes = sizes_of(indices);
  ET_REQUIRE(sizes.rank < kMaxRank, InvalidArgument, "argument 'indices': too many dimensions");
  const int64_t count = indices.numel();
  sizes.push(weight.sizes()[1]);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, weight, "weight"));
  if (is_contiguous(weight) && is_contiguous(indices) && is_contiguous(out)) {
    const TensorView table = view_of(weight);
    const int64_t rows = table.sizes[0];
    const int64_t bytes = table.sizes[1] * static_cast<int64_t>(table.element_size);
    const compute::BadIndex bad = compute::copy_rows(static_cast<char*>(out.mutable_data_ptr()),
                                                     table.data, rows, bytes, view_of(indices));
    return bad.found ? bad_index("indices", bad.value, 0, rows) : Error::Ok;
  }
  ContiguousOutput output(context);
  ET_TRY(output.prepare(out));
  TensorView row = output.view();
  while (row.rank > 1) row.remove(0);
  Scratch to_offsets(context);
  ET_TRY(to_offsets.allocate(static_cast<size_t>(count), sizeof(int64_t)));
  for (int64_t i = 0; i < count; ++i) to_offsets.as<int64_t>()[i] = i * row.sizes[0];
  ET_TRY(select_slices(context, row, to_offsets.as<int64_t>(), view_of(weight), 0, indices,
                       "indices", false));
  output.finish();
  return Error::Ok;
}

Error gather(Context&, const Tensor& self, int64_t dim, const Tensor& index, bool, Tensor& out) {
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(resize_output_like(out, index));
  ET_TRY(check_no_overlap(out, self, "self"));
  ET_TRY(check_no_overlap(out, index, "index"));
  if (index.numel() == 0) return Error::Ok;
  ET_TRY(check_index_type(index, "index"));
  const TensorView from = at_least_1d(view_of(self));
  const TensorView places = at_least_1d(view_of(index));
  bool fits = from.rank == places.rank;
  for (int i = 0; fits && i < from.rank; ++i) fits = i == d || places.sizes[i] <= from.sizes[i];
  ET_REQUIRE(fits, InvalidArgument, "argument 'index': %s does not fit %s in all dimensions but %d",
             describe(index).text, describe(self).text, d);
  const compute::BadIndex bad = compute::gather(at_least_1d(view_of(out)), from, places, d);
  if (bad.found) return bad_index("index", bad.value, d, from.sizes[d]);
  return Error::Ok;
}

Error nonzero(Context&, const Tensor& self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_REQUIRE(out.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument 'out': expected int64, found %s", dtype_name(out.scalar_type()));
  const TensorView from = view_of(self);
  Sizes sizes;
  sizes.push(compute::count_nonzero(from));
  sizes.push(from.rank);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  const TensorView to = view_of(out);
  compute::find_nonzero(from, reinterpret_cast<int64_t*>(to.data), to.strides[0], to.strides[1]);
  return Error::Ok;
}

/// The first `size` coordinates; places beyond those that there are hold `fill_value`.
Error nonzero_static(Context& context, const Tensor& self, int64_t size, int64_t fill_value,
                     Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_REQUIRE(out.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument 'out': expected int64, found %s", dtype_name(out.scalar_type()));
  ET_REQUIRE(size >= 0, InvalidArgument, "argument 'size': %lld is negative",
             static_cast<long long>(size));
  const TensorView from = view_of(self);
  const int64_t found = compute::count_nonzero(from);
  Sizes sizes;
  sizes.push(size);
  sizes.push(from.rank);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  Scratch coordinates(context);
  ET_TRY(coordinates.allocate(static_cast<size_t>(found), sizeof(int64_t) * kMaxRank));
  compute::find_nonzero(from, coordinates.as<int64_t>(), from.rank, 1);
  TensorView known = view_of(out), rest = known;
  const int64_t kept = found < size ? found : size;
  known.narrow(0, 0, kept);
  rest.narrow(0, kept, size - kept);
  const int64_t shape[] = {kept, from.rank};
  compute::copy(known, compute::contiguous_view(coordinates.data(), compute::DType::i64,
                                                sizeof(int64_t), 2, shape));
  compute::fill(rest, &fill_value);
  return Error::Ok;
}

/// The largest of numbers that must not be negative, -1 when there is none.
Error largest_number(const int64_t* numbers, int64_t count, int64_t* largest) {
  *largest = -1;
  for (int64_t i = 0; i < count; ++i) {
    ET_REQUIRE(numbers[i] >= 0, InvalidArgument, "argument 'self': %lld is negative",
               static_cast<long long>(numbers[i]));
    if (numbers[i] > *largest) *largest = numbers[i];
  }
  return Error::Ok;
}

/// Adds the weight of each number, or one, to the number's place in `sums`.
template <class T>
void add_weights(const int64_t* numbers, const double* weights, int64_t count, void* sums) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<T*>(sums)[numbers[i]] += weights != nullptr ? static_cast<T>(weights[i]) : T{1};
}

/// How often each number occurs, or the sum of its weights.
Error bincount(Context& context, const Tensor& self, std::optional<Tensor> weights,
               int64_t minlength, Tensor& out) {
  ET_TRY(check_rank(self, "self", 1, 1));
  ET_REQUIRE(is_integral(self.scalar_type(), false), InvalidArgument,
             "argument 'self': expected integers, found %s", describe(self).text);
  ET_REQUIRE(minlength >= 0, InvalidArgument, "argument 'minlength': %lld is negative",
             static_cast<long long>(minlength));
  const int64_t count = self.numel();
  const bool weighted = weights.has_value() && count > 0;
  ScalarType type = ScalarType::Long;
  if (weighted) {
    ET_TRY(check_arithmetic(*weights, "weights"));
    ET_REQUIRE(same_sizes(*weights, self), InvalidArgument,
               "argument 'weights': %s has other sizes than self, %s", describe(*weights).text,
               describe(self).text);
    type = weights->scalar_type() == ScalarType::Float ? ScalarType::Float : ScalarType::Double;
  }
  ET_REQUIRE(out.scalar_type() == type, InvalidArgument,
             "argument 'out': expected dtype %s, found %s", dtype_name(type), describe(out).text);
  ContiguousInput numbers(context), factors(context);
  ET_TRY(numbers.prepare(self, ScalarType::Long));
  if (weighted) ET_TRY(factors.prepare(*weights, ScalarType::Double));
  int64_t largest = -1;
  ET_TRY(largest_number(numbers.data<int64_t>(), count, &largest));
  ET_REQUIRE(largest < INT64_MAX, InvalidArgument, "argument 'self': %lld is too large",
             static_cast<long long>(largest));
  Sizes sizes;
  sizes.push(largest + 1 > minlength ? largest + 1 : minlength);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  const char zero[compute::kMaxElementSize] = {};
  compute::fill(view_of(out), zero);
  const auto add = type == ScalarType::Long    ? add_weights<int64_t>
                   : type == ScalarType::Float ? add_weights<float>
                                               : add_weights<double>;
  add(numbers.data<int64_t>(), weighted ? factors.data<double>() : nullptr, count,
      out.mutable_data_ptr());
  return Error::Ok;
}

Error masked_select(Context&, const Tensor& self, const Tensor& mask, Tensor& out) {
  ET_REQUIRE(is_mask(mask), InvalidArgument, "argument 'mask': expected bool, found %s",
             dtype_name(mask.scalar_type()));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  TensorView from;
  TensorView places;
  ET_TRY(broadcast_views(self, "self", mask, "mask", &from, &places));
  Sizes sizes;
  sizes.push(compute::count_nonzero(places));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  ET_TRY(check_no_overlap(out, mask, "mask"));
  compute::select_masked(static_cast<char*>(out.mutable_data_ptr()), from, places);
  return Error::Ok;
}

/// Reads the repeats of each index and adds them up.
Error sum_repeats(const TensorView& repeats, int64_t* sum) {
  *sum = 0;
  for (int64_t i = 0; i < repeats.sizes[0]; ++i) {
    const char* element = repeats.data + i * static_cast<int64_t>(repeats.element_size);
    const int64_t count = repeats.dtype == compute::DType::i64
                              ? *reinterpret_cast<const int64_t*>(element)
                              : *reinterpret_cast<const int32_t*>(element);
    ET_REQUIRE(count >= 0 && !__builtin_add_overflow(*sum, count, sum), InvalidArgument,
               "argument 'repeats': %lld is out of range", static_cast<long long>(count));
  }
  return Error::Ok;
}

template <class T>
void write_repeats(const TensorView& repeats, void* out) {
  T* next = static_cast<T*>(out);
  const T* counts = reinterpret_cast<const T*>(repeats.data);
  for (int64_t i = 0; i < repeats.sizes[0]; ++i) {
    for (T n = 0; n < counts[i]; ++n) *next++ = static_cast<T>(i);
  }
}

Error repeat_interleave(Context&, const Tensor& repeats, std::optional<int64_t> output_size,
                        Tensor& out) {
  ET_TRY(check_rank(repeats, "repeats", 1, 1));
  ET_TRY(check_index_type(repeats, "repeats"));
  ET_TRY(check_same_dtype(repeats, "repeats", out, "out"));
  const TensorView counts = view_of(repeats);
  int64_t total = 0;
  ET_TRY(sum_repeats(counts, &total));
  ET_REQUIRE(output_size.value_or(total) == total, InvalidArgument,
             "argument 'output_size': %lld is not the sum of the repeats, %lld",
             static_cast<long long>(*output_size), static_cast<long long>(total));
  Sizes sizes;
  sizes.push(total);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, repeats, "repeats"));
  if (repeats.scalar_type() == ScalarType::Long) {
    write_repeats<int64_t>(counts, out.mutable_data_ptr());
  } else {
    write_repeats<int32_t>(counts, out.mutable_data_ptr());
  }
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::index.Tensor_out", index_tensor>(
        "(Tensor self, Tensor?[] indices, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::index_select.out", index_select>(
        "(Tensor self, int dim, Tensor index, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::embedding.out", embedding>("(Tensor weight, Tensor indices, SymInt padding_idx=-1, "
                                          "bool scale_grad_by_freq=False, bool sparse=False, *, "
                                          "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::gather.out", gather>("(Tensor self, int dim, Tensor index, *, bool "
                                    "sparse_grad=False, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::nonzero.out", nonzero>("(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::nonzero_static.out", nonzero_static>(
        "(Tensor self, *, SymInt size, int fill_value=-1, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::bincount.out", bincount>(
        "(Tensor self, Tensor? weights=None, SymInt minlength=0, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::masked_select.out", masked_select>(
        "(Tensor self, Tensor mask, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::repeat_interleave.Tensor_out", repeat_interleave>(
        "(Tensor repeats, *, SymInt? output_size=None, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table index_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
