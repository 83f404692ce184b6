#include "kernels/support/reduction.h"

namespace executorch {
namespace kernels {

void Reduction::finish(const Tensor& self, bool keepdim) {
  const Sizes sizes = sizes_of(self);
  rank_ = sizes.rank;
  keepdim_ = keepdim;
  out_sizes_ = Sizes{};
  count_ = 1;
  for (int d = 0; d < rank_; ++d) {
    const bool reduced = dims_ >> d & 1;
    if (reduced) count_ *= sizes[d];
    if (!reduced) out_sizes_.push(sizes[d]);
    if (reduced && keepdim) out_sizes_.push(1);
  }
}

void Reduction::prepare_all(const Tensor& self, bool keepdim) {
  dims_ = (uint32_t{1} << self.dim()) - 1;
  finish(self, keepdim);
}

Error Reduction::prepare_exactly(const Tensor& self, IntList dims, bool keepdim) {
  dims_ = 0;
  for (const int64_t dim : dims) {
    int d = 0;
    ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
    ET_REQUIRE((dims_ >> d & 1) == 0, InvalidArgument, "argument 'dim': dimension %d appears twice",
               d);
    dims_ |= uint32_t{1} << d;
  }
  finish(self, keepdim);
  return Error::Ok;
}

Error Reduction::prepare(const Tensor& self, std::optional<IntList> dims, bool keepdim) {
  if (dims && !dims->empty()) return prepare_exactly(self, *dims, keepdim);
  prepare_all(self, keepdim);
  return Error::Ok;
}

Error Reduction::prepare(const Tensor& self, int64_t dim, bool keepdim) {
  return prepare_exactly(self, IntList(&dim, 1), keepdim);
}

Error Reduction::check_not_empty(const Tensor& self) const {
  bool any_result = true;
  for (const int64_t size : out_sizes_) any_result = any_result && size != 0;
  ET_REQUIRE(count_ != 0 || !any_result, InvalidArgument,
             "argument 'self': nothing to choose from in %s", describe(self).text);
  return Error::Ok;
}

Error Reduction::make_target(const Tensor& out, const char* name) {
  ET_TRY(resize_output(out, out_sizes_, name));
  TensorView& view = outs_[num_outs_];
  view = view_of(out);
  int from = 0;
  for (int d = 0; d < rank_; ++d) {
    const bool reduced = dims_ >> d & 1;
    strides_[num_outs_][d] = reduced ? 0 : view.strides[from];
    if (!reduced || keepdim_) ++from;
  }
  ++num_outs_;
  return Error::Ok;
}

compute::ReduceSource Reduction::source(const Tensor& self) {
  in_ = view_of(self);
  return {in_.data, in_.dtype, in_.rank, in_.sizes, in_.strides};
}

}  // namespace kernels
}  // namespace executorch
