// Sorting, and choosing elements by their rank or frequency.
#include "compute/sort/sort.h"

#include <cstring>

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/reduction.h"
#include "kernels/support/scratch.h"

namespace executorch {
namespace kernels {
namespace {

using compute::Choice;

/// Memory to order lines in.
class LineMemory {
 public:
  explicit LineMemory(Context& context) : scratch_(context) {}
  Error allocate(const TensorView& in, int dim) {
    bytes_ = compute::sort_scratch_bytes(in, dim);
    return scratch_.allocate(bytes_, 1);
  }
  compute::SortMemory get() const { return {scratch_.data(), bytes_}; }

 private:
  Scratch scratch_;
  size_t bytes_ = 0;
};

Error check_index_output(const Tensor& out, const char* name, const Tensor& self) {
  ET_REQUIRE(out.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument '%s': expected int64, found %s", name, describe(out).text);
  return check_no_overlap(out, self, "self");
}

// ---- sorting ----

/// Sorts into the outputs that are given.
Error sort_into(Context& context, const Tensor& self, int64_t dim, bool descending,
                const Tensor* values, const Tensor* indices, const char* indices_name) {
  ET_TRY(check_arithmetic(self, "self"));
  compute::SortCall call = {};
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &call.dim));
  call.in = at_least_1d(view_of(self));
  call.descending = descending;
  if (values != nullptr) {
    ET_TRY(check_same_dtype(*values, "values", self, "self"));
    ET_TRY(resize_output_like(*values, self, "values"));
    ET_TRY(check_no_overlap(*values, self, "self"));
    call.values = at_least_1d(view_of(*values));
  } else {
    call.values = call.in;
    call.values.data = nullptr;
  }
  if (indices != nullptr) {
    ET_TRY(check_index_output(*indices, indices_name, self));
    ET_TRY(resize_output_like(*indices, self, indices_name));
    call.indices = at_least_1d(view_of(*indices));
  } else {
    call.indices = call.in;
    call.indices.data = nullptr;
  }
  if (values != nullptr && indices != nullptr)
    ET_TRY(check_no_overlap(*indices, *values, "values"));
  LineMemory memory(context);
  ET_TRY(memory.allocate(call.in, call.dim));
  compute::sort(call, memory.get());
  return Error::Ok;
}

Error sort(Context& context, const Tensor& self, int64_t dim, bool descending, Tensor& values,
           Tensor& indices) {
  return sort_into(context, self, dim, descending, &values, &indices, "indices");
}

Error sort_stable(Context& context, const Tensor& self, std::optional<bool>, int64_t dim,
                  bool descending, Tensor& values, Tensor& indices) {
  return sort_into(context, self, dim, descending, &values, &indices, "indices");
}

Error argsort(Context& context, const Tensor& self, bool, int64_t dim, bool descending,
              Tensor& out) {
  return sort_into(context, self, dim, descending, nullptr, &out, "out");
}

Error msort(Context& context, const Tensor& self, Tensor& out) {
  return sort_into(context, self, 0, false, &out, nullptr, "");
}

// ---- choosing ----

/// A view with the sizes of `in` but 1 in dimension `dim`, on memory shaped without it or with 1.
TensorView chosen_view(const Tensor& out, const TensorView& in, int dim) {
  TensorView view = view_of(out);
  if (view.rank < in.rank) view.insert(dim, 1, 1);
  return view;
}

Error choose(Context& context, const Tensor& self, int64_t dim, bool keepdim, Choice choice,
             int64_t rank, Tensor& values, Tensor& indices) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_same_dtype(values, "values", self, "self"));
  ET_TRY(check_index_output(indices, "indices", self));
  ET_TRY(check_no_overlap(values, self, "self"));
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  ET_TRY(reduction.check_not_empty(self));
  ET_TRY(resize_output(values, reduction.out_sizes(), "values"));
  ET_TRY(resize_output(indices, reduction.out_sizes(), "indices"));
  ET_TRY(check_no_overlap(indices, values, "values"));
  compute::ChoiceCall call;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &call.dim));
  call.in = at_least_1d(view_of(self));
  call.choice = choice;
  call.rank = rank;
  call.values = chosen_view(values, call.in, call.dim);
  call.indices = chosen_view(indices, call.in, call.dim);
  LineMemory memory(context);
  ET_TRY(memory.allocate(call.in, call.dim));
  compute::choose(call, memory.get());
  return Error::Ok;
}

template <Choice choice>
Error choose_in_dim(Context& context, const Tensor& self, int64_t dim, bool keepdim, Tensor& values,
                    Tensor& indices) {
  return choose(context, self, dim, keepdim, choice, 0, values, indices);
}

Error check_not_bool(const Tensor& self) {
  ET_REQUIRE(self.scalar_type() != ScalarType::Bool, InvalidArgument,
             "argument 'self': not defined for bool tensors");
  return Error::Ok;
}

template <Choice choice>
Error median_in_dim(Context& context, const Tensor& self, int64_t dim, bool keepdim, Tensor& values,
                    Tensor& indices) {
  ET_TRY(check_not_bool(self));
  return choose_in_dim<choice>(context, self, dim, keepdim, values, indices);
}

Error kthvalue(Context& context, const Tensor& self, int64_t k, int64_t dim, bool keepdim,
               Tensor& values, Tensor& indices) {
  ET_TRY(check_not_bool(self));
  int axis = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &axis));
  const int64_t length = self.dim() == 0 ? 1 : self.sizes()[static_cast<size_t>(axis)];
  ET_REQUIRE(k >= 1 && k <= length, InvalidArgument, "argument 'k': %lld is not within [1, %lld]",
             static_cast<long long>(k), static_cast<long long>(length));
  return choose(context, self, dim, keepdim, Choice::rank, k - 1, values, indices);
}

/// The elements in one line, in memory order: a median does not depend on it.
TensorView flattened(const Tensor& self) {
  TensorView view = view_of(self);
  const int64_t numel = view.numel();
  return compute::contiguous_view(view.data, view.dtype, view.element_size, 1, &numel);
}

/// The median of all elements; NaN, or the smallest integer, when there is none.
template <Choice choice>
Error median_of_all(Context& context, const Tensor& self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_not_bool(self));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  ET_TRY(resize_output(out, Sizes{}));
  ET_TRY(check_no_overlap(out, self, "self"));
  if (self.numel() == 0) {
    const double nan = __builtin_nan("");
    compute::DType type = compute_dtype(out.scalar_type());
    return compute::number_to_element(nan, type, out.mutable_data_ptr()) ? Error::Ok
                                                                         : Error::InvalidArgument;
  }
  compute::ChoiceCall call;
  call.in = flattened(self);
  call.dim = 0;
  call.choice = choice;
  call.values = at_least_1d(view_of(out));
  call.indices = call.values;
  call.indices.data = nullptr;
  LineMemory memory(context);
  ET_TRY(memory.allocate(call.in, 0));
  compute::choose(call, memory.get());
  return Error::Ok;
}

// ---- distinct elements ----

/// Gives `out`, of int64, these values.
Error write_line(const Tensor& out, const int64_t* values, int64_t count, const char* name) {
  Sizes sizes;
  sizes.push(count);
  ET_TRY(resize_output(out, sizes, name));
  if (count > 0)
    std::memcpy(out.mutable_data_ptr(), values, static_cast<size_t>(count) * sizeof(int64_t));
  return Error::Ok;
}

/// Where the distinct elements of a tensor lie.
class Unique {
 public:
  explicit Unique(Context& context) : elements_(context), arrays_(context), memory_(context) {}

  Error find(const Tensor& self, bool sorted) {
    ET_TRY(check_arithmetic(self, "self"));
    count_ = self.numel();
    ET_TRY(elements_.prepare(self));
    TensorView line = elements_.view();
    line = compute::contiguous_view(line.data, line.dtype, line.element_size, 1, &count_);
    ET_TRY(arrays_.allocate(static_cast<size_t>(count_), 3 * sizeof(int64_t)));
    ET_TRY(memory_.allocate(line, 0));
    found_ = compute::find_unique({line, sorted}, inverse(), first(), counts(), memory_.get());
    return Error::Ok;
  }

  Error write_values(const Tensor& self, const Tensor& out) const {
    ET_TRY(check_same_dtype(out, "out0", self, "self"));
    ET_TRY(resize_output(out, line_sizes(found_), "out0"));
    ET_TRY(check_no_overlap(out, self, "self"));
    const size_t unit = elements_.view().element_size;
    auto* to = static_cast<char*>(out.mutable_data_ptr());
    for (int64_t i = 0; i < found_; ++i)
      std::memcpy(to + static_cast<size_t>(i) * unit,
                  elements_.view().data + static_cast<size_t>(first()[i]) * unit, unit);
    return Error::Ok;
  }

  /// The number of each element's value, in the shape of `self`, or nothing.
  Error write_inverse(const Tensor& self, bool wanted, const Tensor& out) const {
    ET_TRY(check_index_output(out, "out1", self));
    if (!wanted) return write_line(out, nullptr, 0, "out1");
    ET_TRY(resize_output_like(out, self, "out1"));
    const Sizes sizes = sizes_of(self);
    compute::convert(view_of(out), compute::contiguous_view(inverse(), compute::DType::i64, 8,
                                                            sizes.rank, sizes.values));
    return Error::Ok;
  }

  Error write_counts(const Tensor& self, bool wanted, const Tensor& out) const {
    ET_TRY(check_index_output(out, "out2", self));
    return write_line(out, counts(), wanted ? found_ : 0, "out2");
  }

 private:
  static Sizes line_sizes(int64_t length) {
    Sizes sizes;
    sizes.push(length);
    return sizes;
  }
  int64_t* inverse() const { return arrays_.as<int64_t>(); }
  int64_t* first() const { return inverse() + count_; }
  int64_t* counts() const { return first() + count_; }

  ContiguousInput elements_;
  Scratch arrays_;
  LineMemory memory_;
  int64_t count_ = 0;
  int64_t found_ = 0;
};

Error unique_of_all(Context& context, const Tensor& self, bool sorted, bool return_inverse,
                    bool return_counts, Tensor& out0, Tensor& out1, Tensor& out2) {
  Unique unique(context);
  ET_TRY(unique.find(self, sorted));
  ET_TRY(unique.write_values(self, out0));
  ET_TRY(unique.write_inverse(self, return_inverse, out1));
  return unique.write_counts(self, return_counts, out2);
}

/// The values come sorted also where the caller would not mind disorder.
Error unique(Context& context, const Tensor& self, bool, bool return_inverse, bool return_counts,
             Tensor& out0, Tensor& out1, Tensor& out2) {
  return unique_of_all(context, self, true, return_inverse, return_counts, out0, out1, out2);
}

/// Whether two slices of `length` numbers each are equal; NaN equals nothing.
template <class T>
bool equal_slices(const T* a, const T* b, int64_t length) {
  for (int64_t i = 0; i < length; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/// Numbers the runs of equal slices: `inverse` has the run of each slice, `first` and `counts` the
/// first slice and the length of each run. Returns the number of runs.
template <class T>
int64_t find_runs(const T* slices, int64_t count, int64_t length, int64_t* inverse, int64_t* first,
                  int64_t* counts) {
  int64_t runs = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (i == 0 || !equal_slices(slices + first[runs - 1] * length, slices + i * length, length)) {
      first[runs] = i;
      counts[runs++] = 0;
    }
    ++counts[runs - 1];
    inverse[i] = runs - 1;
  }
  return runs;
}

/// A dimension's slices without those that equal the one before.
Error consecutive_slices(Context& context, const Tensor& self, int64_t dim, Tensor& out0,
                         Tensor& out1, Tensor& out2) {
  int d = 0;
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_same_dtype(out0, "out0", self, "self"));
  ET_TRY(check_index_output(out1, "out1", self));
  ET_TRY(check_index_output(out2, "out2", self));
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  TensorView slices = view_of(self);
  const int64_t count = slices.sizes[d], stride = slices.strides[d];
  ET_REQUIRE(count == 0 || self.numel() > 0, InvalidArgument,
             "argument 'self': %s has slices without elements", describe(self).text);
  slices.remove(d);
  slices.insert(0, count, stride);
  const int64_t length = count > 0 ? self.numel() / count : 0;
  // Wide types hold the numbers of all others.
  const bool whole = is_integral(self.scalar_type(), true);
  Scratch numbers(context), arrays(context);
  ET_TRY(numbers.allocate(static_cast<size_t>(self.numel()), sizeof(int64_t)));
  ET_TRY(arrays.allocate(static_cast<size_t>(count), 3 * sizeof(int64_t)));
  compute::convert(
      compute::contiguous_view(numbers.data(), whole ? compute::DType::i64 : compute::DType::f64,
                               sizeof(int64_t), slices.rank, slices.sizes),
      slices);
  auto* inverse = arrays.as<int64_t>();
  int64_t *first = inverse + count, *counts = first + count;
  const int64_t runs = whole
                           ? find_runs(numbers.as<int64_t>(), count, length, inverse, first, counts)
                           : find_runs(numbers.as<double>(), count, length, inverse, first, counts);

  Sizes sizes = sizes_of(self);
  sizes[d] = runs;
  ET_TRY(resize_output(out0, sizes, "out0"));
  ET_TRY(check_no_overlap(out0, self, "self"));
  for (int64_t i = 0; i < runs; ++i) {
    TensorView to = view_of(out0), from = view_of(self);
    to.select(d, i);
    from.select(d, first[i]);
    compute::convert(to, from);
  }
  ET_TRY(write_line(out1, inverse, count, "out1"));
  return write_line(out2, counts, runs, "out2");
}

Error unique_consecutive(Context& context, const Tensor& self, bool return_inverse,
                         bool return_counts, std::optional<int64_t> dim, Tensor& out0, Tensor& out1,
                         Tensor& out2) {
  if (dim && self.dim() > 1) return consecutive_slices(context, self, *dim, out0, out1, out2);
  // Slices, which eager also calls these elements, come with everything.
  const bool all = dim.value_or(0) != 0;
  return unique_of_all(context, self, false, return_inverse || all, return_counts || all, out0,
                       out1, out2);
}

#define CHOICE_SCHEMA                                                                        \
  "(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) -> " \
  "(Tensor(a!) values, Tensor(b!) indices)"

constexpr OperatorRow kRows[] = {
    row<"aten::sort.values", sort>(
        "(Tensor self, int dim=-1, bool descending=False, *, Tensor(a!) values, Tensor(b!) "
        "indices) -> (Tensor(a!) values, Tensor(b!) indices)"),
    row<"aten::sort.values_stable", sort_stable>(
        "(Tensor self, *, bool? stable, int dim=-1, bool descending=False, Tensor(a!) values, "
        "Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)"),
    row<"aten::argsort.stable_out", argsort>(
        "(Tensor self, *, bool stable, int dim=-1, bool descending=False, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"aten::msort.out", msort>("(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::kthvalue.values", kthvalue>(
        "(Tensor self, SymInt k, int dim=-1, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) "
        "indices) -> (Tensor(a!) values, Tensor(b!) indices)"),
    row<"aten::median.dim_values", median_in_dim<Choice::median>>(CHOICE_SCHEMA),
    row<"aten::nanmedian.dim_values", median_in_dim<Choice::nanmedian>>(CHOICE_SCHEMA),
    row<"aten::median.out", median_of_all<Choice::median>>(
        "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::nanmedian.out", median_of_all<Choice::nanmedian>>(
        "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::mode.values", choose_in_dim<Choice::mode>>(
        "(Tensor self, int dim=-1, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) "
        "-> (Tensor(a!) values, Tensor(b!) indices)"),
    row<"aten::_unique2.out", unique>(
        "(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, *, "
        "Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2) -> (Tensor(a!), Tensor(b!), "
        "Tensor(c!))"),
    row<"aten::unique_consecutive.out", unique_consecutive>(
        "(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None, *, "
        "Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2) -> (Tensor(a!), Tensor(b!), "
        "Tensor(c!))"),
};

#undef CHOICE_SCHEMA

}  // namespace

Table sort_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
