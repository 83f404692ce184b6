#include "kernels/cpu/norm/norm_call.h"

namespace executorch {
namespace kernels {

Error read_norm_rows(const Tensor& input, IntList normalized_shape, NormRows* rows) {
  const int64_t rank = input.dim();
  const auto count = static_cast<int64_t>(normalized_shape.size());
  bool fits = count >= 1 && count <= rank;
  for (int64_t i = 0; fits && i < count; ++i)
    fits = input.sizes()[rank - count + i] == normalized_shape[i];
  ET_REQUIRE(fits, InvalidArgument,
             "argument 'normalized_shape': %s is not the end of the shape of input, %s",
             describe(normalized_shape).text, describe(input).text);
  rows->statistics = sizes_of(input);
  for (int d = 0; d < rows->statistics.rank; ++d) {
    const bool normalized = d >= rank - count;
    (normalized ? rows->n : rows->rows) *= rows->statistics[d];
    if (normalized) rows->statistics[d] = 1;
  }
  return Error::Ok;
}

Error check_groups(const Tensor& input, int64_t n, int64_t channels, int64_t pixels,
                   int64_t groups) {
  Sizes shape;
  shape.push(n);
  shape.push(channels);
  shape.push(pixels);
  int64_t numel = 0;
  ET_TRY(checked_numel(shape, "N, C, HxW", &numel));
  ET_REQUIRE(numel == input.numel() && input.dim() >= 2 && input.sizes()[0] == n &&
                 input.sizes()[1] == channels,
             InvalidArgument, "arguments 'N', 'C' and 'HxW', %s, do not describe input, %s",
             describe(shape).text, describe(input).text);
  ET_REQUIRE(groups > 0 && channels % groups == 0, InvalidArgument,
             "argument 'group': %lld does not divide %lld channels", static_cast<long long>(groups),
             static_cast<long long>(channels));
  return Error::Ok;
}

}  // namespace kernels
}  // namespace executorch
