// Places of values in sorted sequences, and in cells of one width.
#include "compute/sort/search.h"

#include <algorithm>

#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {
namespace {

/// Elements rounded to the common dtype, in the type that is compared in.
class Comparable {
 public:
  explicit Comparable(Context& context) : rounded_(context), wide_(context) {}

  Error prepare(const Tensor& tensor, ScalarType common) {
    const ScalarType wide = is_floating(common) ? ScalarType::Double : ScalarType::Long;
    ET_TRY(rounded_.prepare(tensor, common));
    if (common == wide) {
      data_ = rounded_.view().data;
      return Error::Ok;
    }
    ET_TRY(wide_.allocate(static_cast<size_t>(tensor.numel()), sizeof(double)));
    TensorView to = rounded_.view();
    data_ = wide_.data();
    to = compute::contiguous_view(wide_.data(), compute_dtype(wide), sizeof(double), to.rank,
                                  to.sizes);
    compute::convert(to, rounded_.view());
    return Error::Ok;
  }
  const void* data() const { return data_; }

 private:
  ContiguousInput rounded_;
  Scratch wide_;
  const void* data_ = nullptr;
};

/// A number rounded to the common dtype, in the type that is compared in.
class ComparableNumber {
 public:
  ComparableNumber(const Scalar& number, ScalarType common) {
    if (!is_floating(common)) {
      integer_ = to_int64(number);
      data_ = &integer_;
      return;
    }
    float_ = to_double(number);
    if (common == ScalarType::Float) float_ = static_cast<float>(float_);
  }
  const void* data() const { return data_; }

 private:
  double float_ = 0;
  int64_t integer_ = 0;
  const void* data_ = &float_;
};

Error check_search(const Tensor& sequence, const char* sequence_name, ScalarType common,
                   bool out_int32, const Tensor& out) {
  ET_REQUIRE(common != ScalarType::Bool && !is_complex(common), InvalidArgument,
             "argument '%s': not defined for dtype %s", sequence_name, dtype_name(common));
  ET_REQUIRE(sequence.dim() > 0, InvalidArgument, "argument '%s': expected dimensions, found %s",
             sequence_name, describe(sequence).text);
  const ScalarType expected = out_int32 ? ScalarType::Int : ScalarType::Long;
  ET_REQUIRE(out.scalar_type() == expected, InvalidArgument,
             "argument 'out': expected dtype %s, found %s", dtype_name(expected),
             describe(out).text);
  return check_no_overlap(out, sequence, sequence_name);
}

/// Which side of equal elements: `side` names it, or else `right`.
Error choose_side(bool right, std::optional<std::string_view> side, bool* result) {
  ET_REQUIRE(!side || *side == "left" || *side == "right", InvalidArgument,
             "argument 'side': expected \"left\" or \"right\", found \"%.*s\"",
             static_cast<int>(side->size() < 64 ? side->size() : 64), side->data());
  ET_REQUIRE(!side || *side == "right" || !right, InvalidArgument,
             "arguments 'side' and 'right': \"left\" and true contradict each other");
  *result = side ? *side == "right" : right;
  return Error::Ok;
}

/// The order of the sequences' elements, checked.
Error check_sorter(const Tensor& sorter, const Tensor& sequence, const int64_t* order) {
  ET_REQUIRE(sorter.scalar_type() == ScalarType::Long && same_sizes(sorter, sequence),
             InvalidArgument, "argument 'sorter': expected int64 of the sizes of %s, found %s",
             describe(sequence).text, describe(sorter).text);
  const int64_t length = sequence.sizes()[static_cast<size_t>(sequence.dim() - 1)];
  for (int64_t i = 0; i < sorter.numel(); ++i) {
    ET_REQUIRE(order[i] >= 0 && order[i] < length, InvalidArgument,
               "argument 'sorter': index %lld is out of range for a sequence of %lld elements",
               static_cast<long long>(order[i]), static_cast<long long>(length));
  }
  return Error::Ok;
}

/// Fills in what the sequences and the values say, and searches.
Error search(Context& context, compute::SearchCall call, const Tensor& sequence,
             const std::optional<Tensor>& sorter, ScalarType common, const Tensor& out) {
  Comparable sorted(context);
  ET_TRY(sorted.prepare(sequence, common));
  ContiguousInput order(context);
  if (sorter) {
    ET_TRY(check_no_overlap(out, *sorter, "sorter"));
    ET_TRY(order.prepare(*sorter));
    ET_TRY(check_sorter(*sorter, sequence, order.data<int64_t>()));
    call.sorter = order.data<int64_t>();
  }
  ContiguousOutput places(context);
  ET_TRY(places.prepare(out, ScalarType::Long));
  call.type = is_floating(common) ? compute::ComputeType::f64 : compute::ComputeType::i64;
  call.sorted = sorted.data();
  call.length = sequence.sizes()[static_cast<size_t>(sequence.dim() - 1)];
  call.count = out.numel();
  call.out = places.data<int64_t>();
  compute::search_sorted(call);
  places.finish();
  return Error::Ok;
}

/// Several sequences go with as many lines of values.
Error check_shapes(const Tensor& sequence, const char* sequence_name, const Tensor& values) {
  bool fits = sequence.dim() == 1 || sequence.dim() == values.dim();
  for (size_t d = 0; fits && sequence.dim() > 1 && d + 1 < static_cast<size_t>(sequence.dim()); ++d)
    fits = sequence.sizes()[d] == values.sizes()[d];
  ET_REQUIRE(fits, InvalidArgument,
             "argument '%s': %s must have one dimension or, but for the last, the sizes of self, "
             "%s",
             sequence_name, describe(sequence).text, describe(values).text);
  return Error::Ok;
}

Error search_tensor(Context& context, const Tensor& sequence, const char* sequence_name,
                    const Tensor& self, bool out_int32, bool right,
                    const std::optional<Tensor>& sorter, Tensor& out) {
  ScalarType common;
  ET_TRY(result_type({{sequence_name, sequence}, {"self", self}}, &common));
  ET_TRY(check_search(sequence, sequence_name, common, out_int32, out));
  ET_TRY(check_shapes(sequence, sequence_name, self));
  ET_TRY(resize_output_like(out, self));
  ET_TRY(check_no_overlap(out, self, "self"));
  Comparable values(context);
  ET_TRY(values.prepare(self, common));
  compute::SearchCall call = {};
  call.values = values.data();
  call.right = right;
  call.sequences = 1;
  for (size_t d = 0; d + 1 < static_cast<size_t>(sequence.dim()); ++d)
    call.sequences *= sequence.sizes()[d];
  return search(context, call, sequence, sorter, common, out);
}

Error search_number(Context& context, const Tensor& sequence, const char* sequence_name,
                    const Scalar& self, bool out_int32, bool right,
                    const std::optional<Tensor>& sorter, Tensor& out) {
  ScalarType common;
  ET_TRY(result_type({{sequence_name, sequence}, {"self", self}}, &common));
  ET_TRY(check_search(sequence, sequence_name, common, out_int32, out));
  ET_TRY(check_rank(sequence, sequence_name, 1, 1));
  ET_TRY(resize_output(out, Sizes{}));
  const ComparableNumber number(self, common);
  compute::SearchCall call = {};
  call.values = number.data();
  call.right = right;
  call.sequences = 1;
  return search(context, call, sequence, sorter, common, out);
}

Error searchsorted_tensor(Context& context, const Tensor& sorted_sequence, const Tensor& self,
                          bool out_int32, bool right, std::optional<std::string_view> side,
                          std::optional<Tensor> sorter, Tensor& out) {
  bool behind = false;
  ET_TRY(choose_side(right, side, &behind));
  return search_tensor(context, sorted_sequence, "sorted_sequence", self, out_int32, behind, sorter,
                       out);
}

Error searchsorted_number(Context& context, const Tensor& sorted_sequence, Scalar self,
                          bool out_int32, bool right, std::optional<std::string_view> side,
                          std::optional<Tensor> sorter, Tensor& out) {
  bool behind = false;
  ET_TRY(choose_side(right, side, &behind));
  return search_number(context, sorted_sequence, "sorted_sequence", self, out_int32, behind, sorter,
                       out);
}

Error bucketize_tensor(Context& context, const Tensor& self, const Tensor& boundaries,
                       bool out_int32, bool right, Tensor& out) {
  ET_TRY(check_rank(boundaries, "boundaries", 1, 1));
  return search_tensor(context, boundaries, "boundaries", self, out_int32, right, std::nullopt,
                       out);
}

Error bucketize_number(Context& context, Scalar self, const Tensor& boundaries, bool out_int32,
                       bool right, Tensor& out) {
  return search_number(context, boundaries, "boundaries", self, out_int32, right, std::nullopt,
                       out);
}

// ---- histograms ----

/// Counts the values in [low, high] by cells of one width.
template <class T>
void count_cells(const T* values, int64_t n, T low, T high, int64_t* counts, int64_t cells) {
  for (int64_t i = 0; i < n; ++i) {
    if (!(values[i] >= low && values[i] <= high)) continue;
    const T place = (values[i] - low) * static_cast<T>(cells) / (high - low);
    ++counts[place < static_cast<T>(cells) ? static_cast<int64_t>(place) : cells - 1];
  }
}

/// The range of the values where none is given, widened where it has no width.
template <class T>
Error find_range(const T* values, int64_t n, T* low, T* high) {
  if (*low == *high && n > 0) {
    *low = *high = values[0];
    for (int64_t i = 0; i < n; ++i) {
      if (values[i] != values[i]) {
        *low = *high = values[i];
        break;
      }
      if (values[i] < *low) *low = values[i];
      if (values[i] > *high) *high = values[i];
    }
  }
  if (*low == *high) {
    *low -= 1;
    *high += 1;
  }
  const bool finite = *low - *low == 0 && *high - *high == 0;
  ET_REQUIRE(finite && *low < *high, InvalidArgument,
             "arguments 'min' and 'max': %g to %g is not a finite range that rises",
             static_cast<double>(*low), static_cast<double>(*high));
  return Error::Ok;
}

template <class T>
Error histogram(const T* values, int64_t n, double min, double max, int64_t* counts,
                int64_t cells) {
  T low = static_cast<T>(min), high = static_cast<T>(max);
  ET_TRY(find_range(values, n, &low, &high));
  count_cells(values, n, low, high, counts, cells);
  return Error::Ok;
}

Error histc(Context& context, const Tensor& self, int64_t bins, Scalar min, Scalar max,
            Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  ET_REQUIRE(bins > 0, InvalidArgument, "argument 'bins': %lld is no number of cells",
             static_cast<long long>(bins));
  const ScalarType type = accumulation_type(self.scalar_type());
  ContiguousInput values(context);
  ET_TRY(values.prepare(self, type));
  Sizes sizes;
  sizes.push(bins);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  Scratch counts(context);
  ET_TRY(counts.allocate(static_cast<size_t>(bins), sizeof(int64_t)));
  std::fill_n(counts.as<int64_t>(), bins, 0);
  const double low = to_double(min), high = to_double(max);
  ET_TRY(
      type == ScalarType::Double
          ? histogram(values.data<double>(), self.numel(), low, high, counts.as<int64_t>(), bins)
          : histogram(values.data<float>(), self.numel(), low, high, counts.as<int64_t>(), bins));
  compute::convert(view_of(out), compute::contiguous_view(counts.data(), compute::DType::i64,
                                                          sizeof(int64_t), 1, &bins));
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::histc.out", histc>(
        "(Tensor self, int bins=100, Scalar min=0, Scalar max=0, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::searchsorted.Tensor_out", searchsorted_tensor>(
        "(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? "
        "side=None, Tensor? sorter=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::searchsorted.Scalar_out", searchsorted_number>(
        "(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? "
        "side=None, Tensor? sorter=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::bucketize.Tensor_out", bucketize_tensor>(
        "(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False, Tensor(a!) "
        "out) -> Tensor(a!)"),
    row<"aten::bucketize.Scalar_out", bucketize_number>(
        "(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False, Tensor(a!) "
        "out) -> Tensor(a!)"),
};

}  // namespace

Table search_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
