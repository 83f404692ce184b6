#include "kernels/support/indexing.h"

#include "compute/copy/indexed.h"
#include "compute/copy/odometer.h"

namespace executorch {
namespace kernels {

Error check_index_type(const Tensor& index, const char* name) {
  ET_REQUIRE(index.scalar_type() == ScalarType::Long || index.scalar_type() == ScalarType::Int,
             InvalidArgument, "argument '%s': expected int64 or int32 indices, found %s", name,
             dtype_name(index.scalar_type()));
  return Error::Ok;
}

Error bad_index(const char* name, int64_t value, int dim, int64_t size) {
  return ET_ERROR(InvalidArgument,
                  "argument '%s': index %lld is out of range for dimension %d of size %lld", name,
                  static_cast<long long>(value), dim, static_cast<long long>(size));
}

namespace {

/// A mask must match the dimensions that it covers.
Error check_mask(const Tensor& self, const Tensor& mask, int first, size_t entry) {
  bool fits = mask.dim() > 0 && first + mask.dim() <= self.dim();
  for (int d = 0; fits && d < mask.dim(); ++d) fits = mask.sizes()[d] == self.sizes()[first + d];
  ET_REQUIRE(fits, InvalidArgument,
             "argument 'indices': mask %zu, %s, does not fit the dimensions from %d on of %s",
             entry, describe(mask).text, first, describe(self).text);
  return Error::Ok;
}

}  // namespace

Error IndexedSlices::collect(Context& context, const Tensor& self, OptionalTensorList indices) {
  int dim = 0;
  int masks = 0;
  for (size_t entry = 0; entry < indices.size(); ++entry) {
    const std::optional<Tensor>& index = indices[entry];
    ET_REQUIRE(dim < self.dim(), InvalidArgument,
               "argument 'indices': more indices than dimensions in %s", describe(self).text);
    if (!index.has_value()) {
      ++dim;
      continue;
    }
    if (!is_mask(*index)) {
      ET_TRY(check_index_type(*index, "indices"));
      items_[item_count_++] = {dim, &*index, nullptr, index->numel()};
      indexed_ |= 1u << dim++;
      continue;
    }
    ET_TRY(check_mask(self, *index, dim, entry));
    const TensorView mask = view_of(*index);
    const int64_t count = compute::count_nonzero(mask);
    Scratch& coordinates = masks_[masks++].emplace(context);
    ET_TRY(coordinates.allocate(static_cast<size_t>(count) * static_cast<size_t>(mask.rank),
                                sizeof(int64_t)));
    compute::find_nonzero(mask, coordinates.as<int64_t>(), 1, count);
    for (int d = 0; d < mask.rank; ++d) {
      items_[item_count_++] = {dim, nullptr, coordinates.as<int64_t>() + d * count, count};
      indexed_ |= 1u << dim++;
    }
  }
  ET_REQUIRE(item_count_ > 0, InvalidArgument,
             "argument 'indices': expected at least one index tensor");
  return Error::Ok;
}

Error IndexedSlices::broadcast() {
  for (int i = 0; i < item_count_; ++i) {
    Sizes sizes;
    if (items_[i].index != nullptr) {
      sizes = sizes_of(*items_[i].index);
    } else {
      sizes.push(items_[i].count);
    }
    Sizes wider = sizes.rank > broadcast_.rank ? sizes : broadcast_;
    const Sizes& narrow = sizes.rank > broadcast_.rank ? broadcast_ : sizes;
    const int shift = wider.rank - narrow.rank;
    for (int d = 0; d < narrow.rank; ++d) {
      int64_t& size = wider[d + shift];
      ET_REQUIRE(size == narrow[d] || size == 1 || narrow[d] == 1, InvalidArgument,
                 "argument 'indices': shapes %s and %s do not broadcast", describe(broadcast_).text,
                 describe(sizes).text);
      if (size == 1) size = narrow[d];
    }
    broadcast_ = wider;
  }
  return checked_numel(broadcast_, "indices", &count_);
}

void IndexedSlices::place_result(const Tensor& self) {
  int first = self.dim();
  int last = -1;
  for (int d = 0; d < self.dim(); ++d) {
    if ((indexed_ >> d & 1) == 0) continue;
    if (first > d) first = d;
    last = d;
  }
  const bool adjacent = last - first + 1 == item_count_;
  broadcast_place_ = adjacent ? first : 0;
  for (int d = 0; d <= self.dim(); ++d) {
    const bool here = adjacent ? d == first : d == 0;
    if (here) {
      for (int64_t size : broadcast_) result_.push(size);
    }
    if (d < self.dim() && (indexed_ >> d & 1) == 0) result_.push(self.sizes()[d]);
  }
}

Error IndexedSlices::compute_offsets(const Tensor& self) {
  ET_TRY(offsets_.allocate(static_cast<size_t>(count_), sizeof(int64_t)));
  int64_t* offsets = offsets_.as<int64_t>();
  for (int64_t i = 0; i < count_; ++i) offsets[i] = 0;
  const TensorView view = view_of(self);
  for (int i = 0; i < item_count_; ++i) {
    const Item& item = items_[i];
    const int64_t limit = view.sizes[item.dim];
    TensorView index;
    if (item.index != nullptr) {
      index = view_of(*item.index);
    } else {
      index = compute::contiguous_view(const_cast<int64_t*>(item.coordinates), compute::DType::i64,
                                       8, 1, &item.count);
    }
    while (index.rank < broadcast_.rank) index.insert(0, 1, 0);
    for (int d = 0; d < broadcast_.rank; ++d) {
      if (index.sizes[d] != broadcast_[d]) index.strides[d] = 0;
      index.sizes[d] = broadcast_[d];
    }
    const compute::BadIndex bad =
        compute::add_index_offsets(index, limit, view.strides[item.dim], offsets);
    if (bad.found) return bad_index("indices", bad.value, item.dim, limit);
  }
  return Error::Ok;
}

Error IndexedSlices::resolve(Context& context, const Tensor& self, OptionalTensorList indices) {
  ET_TRY(collect(context, self, indices));
  ET_TRY(broadcast());
  ET_REQUIRE(self.dim() - item_count_ + broadcast_.rank <= kMaxRank, InvalidArgument,
             "argument 'indices': the result would have more than %d dimensions", kMaxRank);
  place_result(self);
  return compute_offsets(self);
}

TensorView IndexedSlices::slice_of_self(const TensorView& self) const {
  TensorView slice = self;
  for (int d = self.rank - 1; d >= 0; --d) {
    if ((indexed_ >> d & 1) != 0) slice.remove(d);
  }
  return slice;
}

TensorView IndexedSlices::slice_of_result(const TensorView& result) const {
  TensorView slice = result;
  for (int d = 0; d < broadcast_.rank; ++d) slice.remove(broadcast_place_);
  return slice;
}

void IndexedSlices::result_offsets(const TensorView& result, int64_t* offsets) const {
  TensorView places = result;
  places.rank = broadcast_.rank;
  for (int d = 0; d < broadcast_.rank; ++d) {
    places.sizes[d] = result.sizes[broadcast_place_ + d];
    places.strides[d] = result.strides[broadcast_place_ + d];
  }
  const compute::Lines lines = compute::lines_of(places);
  compute::Odometer<1> odometer(places);
  for (int64_t line = 0; line < lines.count; ++line, odometer.next()) {
    for (int64_t i = 0; i < lines.length; ++i)
      *offsets++ = odometer.offset(0) + i * odometer.line_stride(0);
  }
}

}  // namespace kernels
}  // namespace executorch
