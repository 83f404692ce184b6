// Key and value caches [batch, length, heads, numbers].
#include "compute/copy/copy.h"
#include "compute/copy/indexed.h"
#include "kernels/llm/caches.h"
#include "kernels/llm/tables.h"
#include "kernels/support/scratch.h"

namespace executorch {
namespace kernels {

Error cache_views(const Tensor& value, const char* name, const Tensor& cache,
                  const char* cache_name, TensorView* from, TensorView* to) {
  ET_TRY(check_rank(value, name, 2, kMaxRank));
  ET_REQUIRE(value.element_size() == cache.element_size(), InvalidArgument,
             "arguments '%s' and '%s': elements of %s and %s differ in size", name, cache_name,
             describe(value).text, describe(cache).text);
  *from = view_of(value);
  *to = view_of(cache);
  to->dtype = from->dtype;
  bool fits = from->rank == to->rank;
  for (int d = 0; fits && d < from->rank; ++d) fits = d == 1 || from->sizes[d] == to->sizes[d];
  ET_REQUIRE(fits, InvalidArgument,
             "arguments '%s' and '%s': %s and %s may differ in their second size only", name,
             cache_name, describe(value).text, describe(cache).text);
  return check_no_overlap(cache, value, name);
}

Error write_cache_rows(const Tensor& value, const char* name, const Tensor& cache,
                       const char* cache_name, int64_t start) {
  TensorView from, to;
  ET_TRY(cache_views(value, name, cache, cache_name, &from, &to));
  ET_REQUIRE(start >= 0 && start <= to.sizes[1] && from.sizes[1] <= to.sizes[1] - start,
             InvalidArgument,
             "argument 'start_pos': %lld rows from %lld on do not fit the %lld of '%s'",
             static_cast<long long>(from.sizes[1]), static_cast<long long>(start),
             static_cast<long long>(to.sizes[1]), cache_name);
  to.narrow(1, start, from.sizes[1]);
  compute::copy(to, from);
  return Error::Ok;
}

namespace {

Error update_cache(Context&, const Tensor& value, Tensor& cache, int64_t start_pos, Tensor&) {
  return write_cache_rows(value, "value", cache, "cache", start_pos);
}

/// Rows go where the indices say, as in a ring; of several for one place the last stays.
Error update_cache_with_indices(Context& context, const Tensor& value, Tensor& cache, int64_t,
                                const Tensor& indices, Tensor&) {
  TensorView from, to;
  ET_TRY(cache_views(value, "value", cache, "cache", &from, &to));
  ET_REQUIRE(indices.scalar_type() == ScalarType::Long && indices.dim() == 2 &&
                 indices.sizes()[0] == from.sizes[0] && indices.sizes()[1] == from.sizes[1],
             InvalidArgument, "argument 'indices': expected int64 [%lld, %lld], found %s",
             static_cast<long long>(from.sizes[0]), static_cast<long long>(from.sizes[1]),
             describe(indices).text);
  const int64_t rows = from.sizes[1];
  const int64_t count = from.sizes[0] * rows;
  Scratch offsets(context);
  ET_TRY(offsets.allocate(2 * static_cast<size_t>(count), sizeof(int64_t)));
  int64_t* to_offsets = offsets.as<int64_t>();
  int64_t* from_offsets = to_offsets + count;
  for (int64_t i = 0; i < count; ++i) {
    to_offsets[i] = i / rows * to.strides[0];
    from_offsets[i] = i / rows * from.strides[0] + i % rows * from.strides[1];
  }
  const compute::BadIndex bad =
      compute::add_index_offsets(view_of(indices), to.sizes[1], to.strides[1], to_offsets, false);
  ET_REQUIRE(!bad.found, InvalidArgument,
             "argument 'indices': row %lld lies outside of the %lld rows of the cache",
             static_cast<long long>(bad.value), static_cast<long long>(to.sizes[1]));
  for (TensorView* view : {&to, &from}) {
    view->remove(1);
    view->remove(0);
  }
  compute::copy_slices_in_order(to, to_offsets, from, from_offsets, count);
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"llama::update_cache.out", update_cache>("(Tensor value, Tensor(a!) cache, SymInt "
                                                 "start_pos, *, Tensor(b!) out) -> Tensor(b!)"),
    row<"llama::update_cache_with_indices.out", update_cache_with_indices>(
        "(Tensor value, Tensor(a!) cache, SymInt start_pos, Tensor indices, *, Tensor(b!) out) -> "
        "Tensor(b!)"),
};

}  // namespace

Table cache_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
