// Operators that join tensors to one or split one into several.
#include <cstring>

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "threadpool/parallel.h"

namespace executorch {
namespace kernels {
namespace {

/// A 1-d tensor without elements joins anything and adds nothing.
bool is_skipped(const Tensor& tensor) {
  return tensor.dim() == 1 && tensor.numel() == 0;
}

Error check_join_types(TensorList tensors, const Tensor& out) {
  ET_REQUIRE(tensors.size() > 0, InvalidArgument,
             "argument 'tensors': expected at least one tensor");
  ResultType type;
  for (const Tensor& tensor : tensors) type.add(tensor);
  bool uniform = true;
  for (const Tensor& tensor : tensors)
    uniform = uniform && tensor.scalar_type() == out.scalar_type();
  if (uniform) return Error::Ok;
  for (const Tensor& tensor : tensors) {
    ET_REQUIRE(is_arithmetic(tensor.scalar_type()) || is_complex(tensor.scalar_type()),
               InvalidArgument, "argument 'tensors': dtype %s is not supported",
               dtype_name(tensor.scalar_type()));
  }
  ET_REQUIRE(compute::convertible(compute_dtype(out.scalar_type()), compute_dtype(type.get())),
             InvalidArgument, "argument 'out': dtype %s is not supported",
             dtype_name(out.scalar_type()));
  return check_can_cast(type.get(), out);
}

/// The shape of the first tensor that counts, with the joined size; all others must agree with it.
Error joined_sizes(TensorList tensors, int64_t dim, int* normalized, Sizes* sizes) {
  const Tensor* model = nullptr;
  int64_t total = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    ET_REQUIRE(tensor.dim() > 0, InvalidArgument,
               "argument 'tensors': tensor %zu is 0-d and cannot be concatenated", i);
    if (is_skipped(tensor)) continue;
    if (model == nullptr) {
      model = &tensor;
      ET_TRY(normalize_dim(dim, tensor.dim(), "dim", normalized));
    }
    bool fits = tensor.dim() == model->dim();
    for (int d = 0; fits && d < model->dim(); ++d) {
      fits = d == *normalized || tensor.sizes()[d] == model->sizes()[d];
    }
    ET_REQUIRE(fits, InvalidArgument,
               "argument 'tensors': tensor %zu, %s, does not fit %s in all dimensions but %d", i,
               describe(tensor).text, describe(*model).text, *normalized);
    total += tensor.sizes()[*normalized];
  }
  if (model == nullptr) {
    ET_TRY(normalize_dim(dim, 1, "dim", normalized));
    sizes->push(0);
    return Error::Ok;
  }
  *sizes = sizes_of(*model);
  (*sizes)[*normalized] = total;
  return Error::Ok;
}

/// Copies each tensor to its place along dimension `d`: of all of them `count` indices of dimension
/// `slab` from `first` on, or everything when there is no such dimension.
void join(const TensorView& whole, TensorList tensors, int d, int slab, int64_t first,
          int64_t count) {
  int64_t position = 0;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) continue;
    TensorView part = whole;
    TensorView from = view_of(tensor);
    part.narrow(d, position, from.sizes[d]);
    position += from.sizes[d];
    if (slab >= 0) {
      part.narrow(slab, first, count);
      from.narrow(slab, first, count);
    }
    compute::convert(part, from);
  }
}

/// Long rows of one type that lie in order on both sides: written one after the other, so that the
/// result is met once from its beginning to its end. False, and nothing is done, for others.
bool join_long_rows(TensorList tensors, int d, const Tensor& out) {
  constexpr int64_t kLongRow = 1024, kGrainBytes = 256 * 1024;
  int64_t rows = 1;
  for (int i = 0; i < d; ++i) rows *= out.sizes()[i];
  if (rows == 0 || out.numel() == 0 || !is_contiguous(out)) return false;
  const auto row_bytes = [rows](const Tensor& tensor) {
    return static_cast<int64_t>(tensor.nbytes()) / rows;
  };
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) continue;
    const bool fits = tensor.scalar_type() == out.scalar_type() && is_contiguous(tensor);
    if (!fits || row_bytes(tensor) < kLongRow) return false;
  }
  const int64_t whole = row_bytes(out);
  threadpool::parallel_for(0, rows, kGrainBytes / whole, [&](int64_t first, int64_t last) {
    char* to = static_cast<char*>(out.mutable_data_ptr()) + first * whole;
    for (int64_t row = first; row < last; ++row) {
      for (const Tensor& tensor : tensors) {
        if (is_skipped(tensor)) continue;
        const int64_t bytes = row_bytes(tensor);
        const char* from = static_cast<const char*>(tensor.const_data_ptr());
        std::memcpy(to, from + row * bytes, static_cast<size_t>(bytes));
        to += bytes;
      }
    }
  });
  return true;
}

Error cat(Context&, TensorList tensors, int64_t dim, Tensor& out) {
  ET_TRY(check_join_types(tensors, out));
  int d = 0;
  Sizes sizes;
  ET_TRY(joined_sizes(tensors, dim, &d, &sizes));
  ET_TRY(resize_output(out, sizes));
  const TensorView whole = view_of(out);
  for (const Tensor& tensor : tensors) ET_TRY(check_no_overlap(out, tensor, "tensors"));
  if (d > 0 && join_long_rows(tensors, d, out)) return Error::Ok;
  int slab = 0;
  while (slab < d && whole.sizes[slab] == 1) ++slab;
  if (slab < d && is_outermost(whole, slab)) {
    for_slabs(whole, slab,
              [&](int64_t first, int64_t count) { join(whole, tensors, d, slab, first, count); });
  } else {
    join(whole, tensors, d, -1, 0, 0);
  }
  return Error::Ok;
}

Error stack(Context&, TensorList tensors, int64_t dim, Tensor& out) {
  ET_TRY(check_join_types(tensors, out));
  const Tensor& model = tensors[0];
  int d = 0;
  ET_TRY(normalize_dim(dim, model.dim() + 1, "dim", &d));
  ET_REQUIRE(model.dim() < kMaxRank, InvalidArgument, "argument 'tensors': too many dimensions");
  for (size_t i = 1; i < tensors.size(); ++i) {
    ET_REQUIRE(same_sizes(tensors[i], model), InvalidArgument,
               "argument 'tensors': tensor %zu, %s, differs from %s", i, describe(tensors[i]).text,
               describe(model).text);
  }
  Sizes sizes;
  for (int i = 0; i <= model.dim(); ++i) {
    sizes.push(i == d ? static_cast<int64_t>(tensors.size()) : model.sizes()[i < d ? i : i - 1]);
  }
  ET_TRY(resize_output(out, sizes));
  const TensorView whole = view_of(out);
  for (size_t i = 0; i < tensors.size(); ++i) {
    ET_TRY(check_no_overlap(out, tensors[i], "tensors"));
    TensorView part = whole;
    part.select(d, static_cast<int64_t>(i));
    compute::convert(part, view_of(tensors[i]));
  }
  return Error::Ok;
}

Error check_count(TensorList out, int64_t expected) {
  ET_REQUIRE(static_cast<int64_t>(out.size()) == expected, InvalidArgument,
             "argument 'out': the result has %lld parts, found %zu tensors",
             static_cast<long long>(expected), out.size());
  return Error::Ok;
}

/// Copies `length` indices from `start` on of dimension `d` to one of the outputs.
Error write_part(const Tensor& self, int d, int64_t start, int64_t length, const Tensor& out) {
  TensorView part = view_of(self);
  part.narrow(d, start, length);
  return write_view(out, self, part);
}

Error split_copy(Context&, const Tensor& self, int64_t split_size, int64_t dim, TensorList out) {
  ET_REQUIRE(self.dim() > 0, InvalidArgument, "argument 'self': a 0-d tensor cannot be split");
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  const int64_t size = self.sizes()[d];
  ET_REQUIRE(split_size > 0 || (split_size == 0 && size == 0), InvalidArgument,
             "argument 'split_size': %lld is not positive", static_cast<long long>(split_size));
  ET_TRY(check_count(out, size == 0 ? 1 : (size - 1) / split_size + 1));
  int64_t start = 0;
  for (const Tensor& part : out) {
    const int64_t length = size - start < split_size ? size - start : split_size;
    ET_TRY(write_part(self, d, start, length, part));
    start += length;
  }
  return Error::Ok;
}

Error split_with_sizes_copy(Context&, const Tensor& self, IntList split_sizes, int64_t dim,
                            TensorList out) {
  ET_REQUIRE(self.dim() > 0, InvalidArgument, "argument 'self': a 0-d tensor cannot be split");
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  ET_TRY(check_count(out, static_cast<int64_t>(split_sizes.size())));
  const int64_t size = self.sizes()[d];
  int64_t start = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    ET_REQUIRE(split_sizes[i] >= 0 && split_sizes[i] <= size - start, InvalidArgument,
               "argument 'split_sizes': %s does not split size %lld", describe(split_sizes).text,
               static_cast<long long>(size));
    ET_TRY(write_part(self, d, start, split_sizes[i], out[i]));
    start += split_sizes[i];
  }
  ET_REQUIRE(start == size, InvalidArgument,
             "argument 'split_sizes': %s leaves a part of size %lld", describe(split_sizes).text,
             static_cast<long long>(size));
  return Error::Ok;
}

Error unbind_copy(Context&, const Tensor& self, int64_t dim, TensorList out) {
  ET_REQUIRE(self.dim() > 0, InvalidArgument, "argument 'self': a 0-d tensor cannot be unbound");
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  ET_TRY(check_count(out, self.sizes()[d]));
  for (size_t i = 0; i < out.size(); ++i) {
    TensorView part = view_of(self);
    part.select(d, static_cast<int64_t>(i));
    ET_TRY(write_view(out[i], self, part));
  }
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::cat.out", cat>("(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::stack.out", stack>("(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::split_copy.Tensor_out", split_copy>(
        "(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()"),
    row<"aten::split_with_sizes_copy.out", split_with_sizes_copy>(
        "(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()"),
    row<"aten::unbind_copy.int_out", unbind_copy>(
        "(Tensor self, int dim=0, *, Tensor(a!)[] out) -> ()"),
};

}  // namespace

Table join_split_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
