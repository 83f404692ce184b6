// Sums over rows of an embedding table, and gradients and limits of its rows.
#include <cstring>

#include "compute/elementwise/cast.h"
#include "compute/reduce/vector_norm.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/indexing.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

enum class BagMode : int64_t { sum, mean, max };

/// Indices as int64, each within a table of `rows`.
class RowIndices {
 public:
  explicit RowIndices(Context& context) : wide_(context) {}
  Error prepare(const Tensor& indices, const char* name, int64_t rows) {
    ET_TRY(check_index_type(indices, name));
    ET_TRY(wide_.prepare(indices, ScalarType::Long));
    count_ = indices.numel();
    for (int64_t i = 0; i < count_; ++i) {
      const int64_t value = (*this)[i];
      if (value < 0 || value >= rows) return bad_index(name, value, 0, rows);
    }
    return Error::Ok;
  }
  int64_t count() const { return count_; }
  int64_t operator[](int64_t i) const { return wide_.data<int64_t>()[i]; }

 private:
  ContiguousInput wide_;
  int64_t count_ = 0;
};

/// Rows of a table in the type that they are added in.
class RowReader {
 public:
  RowReader(const TensorView& table, compute::ComputeType type)
      : table_(table), load_(compute::load_loop(table.dtype, type)) {}
  int64_t length() const { return table_.sizes[1]; }
  void read(int64_t row, void* to) const {
    load_(to, table_.data + row * table_.strides[0] * static_cast<int64_t>(table_.element_size),
          table_.strides[1], length());
  }

 private:
  TensorView table_;
  compute::LoadLoop load_;
};

/// What the bags of indices are: bag b has those from its offset up to the next one.
struct Bags {
  const RowIndices& indices;
  const int64_t* offsets;
  int64_t count;
  BagMode mode;
  int64_t padding;        ///< index that takes no part, -1 for none
  const double* weights;  ///< of each index, or null
  int64_t last;           ///< end of the last bag

  int64_t first(int64_t bag) const { return offsets[bag]; }
  int64_t end(int64_t bag) const { return bag + 1 < count ? offsets[bag + 1] : last; }
};

/// Reduces one bag to `result`; `chosen` gets the row of each maximum. Returns the number of
/// indices that took part.
template <class T>
int64_t reduce_bag(const Bags& bags, int64_t bag, const RowReader& table, T* row, T* result,
                   int64_t* chosen) {
  const int64_t length = table.length();
  for (int64_t k = 0; k < length; ++k) {
    result[k] = 0;
    if (chosen != nullptr) chosen[k] = 0;
  }
  int64_t size = 0;
  for (int64_t i = bags.first(bag); i < bags.end(bag); ++i) {
    const int64_t index = bags.indices[i];
    if (index == bags.padding) continue;
    table.read(index, row);
    const bool first = size++ == 0;
    if (bags.mode == BagMode::max) {
      for (int64_t k = 0; k < length; ++k) {
        if (!first && !(row[k] > result[k])) continue;
        result[k] = row[k];
        if (chosen != nullptr) chosen[k] = index;
      }
      continue;
    }
    const T weight = bags.weights != nullptr ? static_cast<T>(bags.weights[i]) : T{1};
    for (int64_t k = 0; k < length; ++k) result[k] += weight * row[k];
  }
  if (bags.mode == BagMode::mean && size > 0) {
    for (int64_t k = 0; k < length; ++k) result[k] /= static_cast<T>(size);
  }
  return size;
}

template <class T>
Error reduce_bags(Context& context, const Bags& bags, const TensorView& weight,
                  const ContiguousOutput& out, int64_t* sizes, int64_t* chosen) {
  const RowReader table(weight,
                        sizeof(T) == 8 ? compute::ComputeType::f64 : compute::ComputeType::f32);
  Scratch row(context);
  ET_TRY(row.allocate(static_cast<size_t>(table.length()), sizeof(T)));
  for (int64_t bag = 0; bag < bags.count; ++bag) {
    int64_t* places = chosen != nullptr ? chosen + bag * table.length() : nullptr;
    sizes[bag] =
        reduce_bag(bags, bag, table, row.as<T>(), out.data<T>() + bag * table.length(), places);
  }
  return Error::Ok;
}

Error check_offsets(const int64_t* offsets, int64_t count, int64_t indices) {
  for (int64_t b = 0; b < count; ++b) {
    const int64_t previous = b == 0 ? 0 : offsets[b - 1];
    ET_REQUIRE(offsets[b] >= previous && offsets[b] <= indices && (b > 0 || offsets[b] == 0),
               InvalidArgument,
               "argument 'offsets': %lld at place %lld; they start at 0 and rise up to the %lld "
               "indices",
               static_cast<long long>(offsets[b]), static_cast<long long>(b),
               static_cast<long long>(indices));
  }
  return Error::Ok;
}

/// Writes numbers that tell how bags were made to an output of an index type. Exporters and eager
/// give these outputs different shapes, which nothing but a gradient reads: one that cannot take
/// the shape keeps its own, with as many numbers as it has room for and zeros behind.
Error write_bookkeeping(Context& context, const Tensor& out, const char* name, const Sizes& sizes,
                        const int64_t* numbers, int64_t count) {
  ET_TRY(check_index_type(out, name));
  if (resize_output(out, sizes, name) != Error::Ok) runtime::clear_error_message();
  ContiguousOutput whole(context);
  ET_TRY(whole.prepare(out, ScalarType::Long));
  for (int64_t i = 0; i < out.numel(); ++i) whole.data<int64_t>()[i] = i < count ? numbers[i] : 0;
  whole.finish();
  return Error::Ok;
}

Sizes sizes_list(int64_t a) {
  Sizes sizes;
  sizes.push(a);
  return sizes;
}
Sizes sizes_list(int64_t a, int64_t b) {
  Sizes sizes = sizes_list(a);
  sizes.push(b);
  return sizes;
}

/// What a sum leaves out: which bag an index is in, and how large bags are. Eager skips them where
/// it takes its shortest way.
bool is_plain_sum(const Tensor& weight, BagMode mode, int64_t padding_idx) {
  const ScalarType type = weight.scalar_type();
  return mode == BagMode::sum && padding_idx < 0 && type != ScalarType::Double;
}

Error check_bag_operands(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                         int64_t mode, const std::optional<Tensor>& per_sample_weights) {
  ET_TRY(check_floating(weight, "weight"));
  ET_TRY(check_rank(weight, "weight", 2, 2));
  ET_TRY(check_rank(indices, "indices", 1, 1));
  ET_TRY(check_rank(offsets, "offsets", 1, 1));
  ET_TRY(check_index_type(offsets, "offsets"));
  ET_REQUIRE(mode >= 0 && mode <= 2, InvalidArgument,
             "argument 'mode': expected 0 (sum), 1 (mean) or 2 (max), found %lld",
             static_cast<long long>(mode));
  if (!per_sample_weights) return Error::Ok;
  ET_TRY(check_same_dtype(*per_sample_weights, "per_sample_weights", weight, "weight"));
  ET_REQUIRE(same_sizes(*per_sample_weights, indices) && mode == 0, InvalidArgument,
             "argument 'per_sample_weights': expected one for each index of a sum, found %s",
             describe(*per_sample_weights).text);
  return Error::Ok;
}

/// The indices of a call, put into bags.
class BagInputs {
 public:
  explicit BagInputs(Context& context) : places_(context), starts_(context), factors_(context) {}

  Error prepare(const Tensor& weight, const Tensor& indices, const Tensor& offsets, BagMode mode,
                const std::optional<Tensor>& per_sample_weights, bool include_last_offset,
                int64_t padding_idx) {
    const int64_t rows = weight.sizes()[0];
    ET_TRY(places_.prepare(indices, "indices", rows));
    ET_TRY(starts_.prepare(offsets, ScalarType::Long));
    const auto* starts = starts_.data<int64_t>();
    ET_TRY(check_offsets(starts, offsets.numel(), places_.count()));
    if (per_sample_weights) ET_TRY(factors_.prepare(*per_sample_weights, ScalarType::Double));
    ET_REQUIRE(!include_last_offset || offsets.numel() > 0, InvalidArgument,
               "argument 'offsets': the last offset is missing");
    count_ = offsets.numel() - (include_last_offset ? 1 : 0);
    mode_ = mode;
    padding_ = padding_idx < -1 ? padding_idx + rows : padding_idx;
    weighted_ = per_sample_weights.has_value();
    last_ = include_last_offset ? starts[count_] : places_.count();
    return Error::Ok;
  }

  Bags bags() const {
    return {places_,  starts_.data<int64_t>(),
            count_,   mode_,
            padding_, weighted_ ? factors_.data<double>() : nullptr,
            last_};
  }

 private:
  RowIndices places_;
  ContiguousInput starts_;
  ContiguousInput factors_;
  int64_t count_ = 0;
  BagMode mode_ = BagMode::sum;
  int64_t padding_ = -1;
  bool weighted_ = false;
  int64_t last_ = 0;
};

/// The bag of each index; those behind the last offset count as one more bag.
void number_bags(const Bags& bags, int64_t* bag_of) {
  for (int64_t bag = 0; bag < bags.count; ++bag) {
    for (int64_t i = bags.first(bag); i < bags.end(bag); ++i) bag_of[i] = bag;
  }
  for (int64_t i = bags.last; i < bags.indices.count(); ++i) bag_of[i] = bags.count;
}

/// out0: the reduced bags; out1: the bag of each index; out2: the sizes of the bags; out3: the row
/// of each maximum.
Error embedding_bag(Context& context, const Tensor& weight, const Tensor& indices,
                    const Tensor& offsets, bool, int64_t mode, bool,
                    std::optional<Tensor> per_sample_weights, bool include_last_offset,
                    int64_t padding_idx, Tensor& out0, Tensor& out1, Tensor& out2, Tensor& out3) {
  ET_TRY(check_bag_operands(weight, indices, offsets, mode, per_sample_weights));
  BagInputs inputs(context);
  ET_TRY(inputs.prepare(weight, indices, offsets, static_cast<BagMode>(mode), per_sample_weights,
                        include_last_offset, padding_idx));
  const Bags bags = inputs.bags();
  const int64_t count = bags.count, length = weight.sizes()[1], places = bags.indices.count();
  ET_TRY(check_same_dtype(out0, "out0", weight, "weight"));
  ET_TRY(resize_output(out0, sizes_list(count, length), "out0"));
  ET_TRY(check_no_overlap(out0, weight, "weight"));
  Scratch numbers(context);
  const int64_t chosen_count = bags.mode == BagMode::max ? count * length : 0;
  ET_TRY(numbers.allocate(static_cast<size_t>(count + places + chosen_count), sizeof(int64_t)));
  int64_t* sizes = numbers.as<int64_t>();
  int64_t* bag_of = sizes + count;
  int64_t* chosen = chosen_count > 0 ? bag_of + places : nullptr;
  const ScalarType dtype = accumulation_type(weight.scalar_type());
  ContiguousOutput results(context);
  ET_TRY(results.prepare(out0, dtype));
  ET_TRY(dtype == ScalarType::Double
             ? reduce_bags<double>(context, bags, view_of(weight), results, sizes, chosen)
             : reduce_bags<float>(context, bags, view_of(weight), results, sizes, chosen));
  results.finish();
  number_bags(bags, bag_of);
  // Sums have no use for the sizes, nor does eager count them.
  for (int64_t bag = 0; bags.mode == BagMode::sum && bag < count; ++bag) sizes[bag] = 0;
  const int64_t known = is_plain_sum(weight, bags.mode, padding_idx) ? 0 : places;
  ET_TRY(write_bookkeeping(context, out1, "out1", sizes_list(known), bag_of, known));
  ET_TRY(write_bookkeeping(context, out2, "out2", sizes_list(count), sizes, count));
  if (chosen == nullptr)
    return write_bookkeeping(context, out3, "out3", sizes_list(count), sizes, count);
  return write_bookkeeping(context, out3, "out3", sizes_list(count, length), chosen, chosen_count);
}

// ---- gradients ----

template <class T>
Error add_gradients(Context& context, const TensorView& gradients, const RowIndices& indices,
                    int64_t padding_idx, bool by_frequency, int64_t rows, T* out) {
  const int64_t length = gradients.sizes[1];
  const RowReader table(gradients,
                        sizeof(T) == 8 ? compute::ComputeType::f64 : compute::ComputeType::f32);
  Scratch row(context), counts(context);
  ET_TRY(row.allocate(static_cast<size_t>(length), sizeof(T)));
  ET_TRY(counts.allocate(static_cast<size_t>(rows), sizeof(int64_t)));
  std::memset(out, 0, static_cast<size_t>(rows * length) * sizeof(T));
  std::memset(counts.data(), 0, static_cast<size_t>(rows) * sizeof(int64_t));
  for (int64_t i = 0; i < indices.count(); ++i) ++counts.as<int64_t>()[indices[i]];
  for (int64_t i = 0; i < indices.count(); ++i) {
    const int64_t index = indices[i];
    if (index == padding_idx) continue;
    table.read(i, row.data());
    const T scale = by_frequency ? 1 / static_cast<T>(counts.as<int64_t>()[index]) : T{1};
    T* to = out + index * length;
    for (int64_t k = 0; k < length; ++k) to[k] += scale * row.as<T>()[k];
  }
  return Error::Ok;
}

Error embedding_dense_backward(Context& context, const Tensor& grad_output, const Tensor& indices,
                               int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq,
                               Tensor& out) {
  ET_TRY(check_floating(grad_output, "grad_output"));
  ET_TRY(check_same_dtype(out, "out", grad_output, "grad_output"));
  const Sizes sizes = sizes_of(grad_output), places = sizes_of(indices);
  bool fits = sizes.rank == places.rank + 1;
  for (int d = 0; fits && d < places.rank; ++d) fits = sizes[d] == places[d];
  ET_REQUIRE(fits, InvalidArgument,
             "argument 'grad_output': %s does not have one row for each of the indices, %s",
             describe(grad_output).text, describe(indices).text);
  const int64_t length = sizes[sizes.rank - 1];
  int64_t numel = 0;
  ET_TRY(checked_numel(sizes_list(num_weights, length), "num_weights", &numel));
  ET_TRY(resize_output(out, sizes_list(num_weights, length)));
  ET_TRY(check_no_overlap(out, grad_output, "grad_output"));
  RowIndices rows(context);
  ET_TRY(rows.prepare(indices, "indices", num_weights));
  ContiguousInput gradients(context);
  ET_TRY(gradients.prepare(grad_output));
  const int64_t shape[] = {rows.count(), length};
  const TensorView lines = compute::contiguous_view(gradients.view().data, gradients.view().dtype,
                                                    gradients.view().element_size, 2, shape);
  const ScalarType dtype = accumulation_type(out.scalar_type());
  ContiguousOutput results(context);
  ET_TRY(results.prepare(out, dtype));
  ET_TRY(dtype == ScalarType::Double
             ? add_gradients(context, lines, rows, padding_idx, scale_grad_by_freq, num_weights,
                             results.data<double>())
             : add_gradients(context, lines, rows, padding_idx, scale_grad_by_freq, num_weights,
                             results.data<float>()));
  results.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::_embedding_bag.out", embedding_bag>(
        "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int "
        "mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool "
        "include_last_offset=False, int padding_idx=-1, *, Tensor(a!) out0, Tensor(b!) out1, "
        "Tensor(c!) out2, Tensor(d!) out3) -> (Tensor(a!), Tensor(b!), Tensor(c!), Tensor(d!))"),
    row<"aten::_embedding_bag_forward_only.out", embedding_bag>(
        "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int "
        "mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool "
        "include_last_offset=False, int padding_idx=-1, *, Tensor(a!) out0, Tensor(b!) out1, "
        "Tensor(c!) out2, Tensor(d!) out3) -> (Tensor(a!), Tensor(b!), Tensor(c!), Tensor(d!))"),
    row<"aten::embedding_dense_backward.out", embedding_dense_backward>(
        "(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool "
        "scale_grad_by_freq, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table embedding_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
