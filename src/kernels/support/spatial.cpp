#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {

Error read_spatial(IntList list, int count, int64_t low, const char* name, int64_t* values) {
  ET_REQUIRE(list.size() == 1 || list.size() == static_cast<size_t>(count), InvalidArgument,
             "argument '%s': expected 1 or %d numbers, found %s", name, count, describe(list).text);
  for (int d = 0; d < count; ++d) {
    values[d] = list[list.size() == 1 ? 0 : d];
    ET_REQUIRE(values[d] >= low && values[d] <= kMaxSpatialArgument, InvalidArgument,
               "argument '%s': %lld is out of range", name, static_cast<long long>(values[d]));
  }
  return Error::Ok;
}

int64_t window_positions(int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                         int64_t dilation, bool ceil_mode) {
  const int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
  if (room < 0 && !ceil_mode) return 0;
  const int64_t rounded = room + (ceil_mode ? stride - 1 : 0);
  int64_t positions = (rounded >= 0 ? rounded / stride : -((-rounded + stride - 1) / stride)) + 1;
  if (ceil_mode && (positions - 1) * stride >= size + padding) --positions;
  return positions;
}

Error check_sizes(const Tensor& tensor, const Sizes& expected, const char* name) {
  const Sizes found = sizes_of(tensor);
  bool same = found.rank == expected.rank;
  for (int d = 0; same && d < found.rank; ++d) same = found[d] == expected[d];
  ET_REQUIRE(same, InvalidArgument, "argument '%s': expected the sizes %s, found %s", name,
             describe(expected).text, describe(tensor).text);
  return Error::Ok;
}

bool is_channels_last(const Tensor& tensor) {
  const int rank = static_cast<int>(tensor.dim());
  if (rank != 4 && rank != 5) return false;
  const TensorView view = view_of(tensor);
  int64_t expected = view.sizes[1];
  if (expected != 1 && view.strides[1] != 1) return false;
  for (int d = rank - 1; d >= 0; --d) {
    if (d == 1) continue;
    if (view.sizes[d] != 1 && view.strides[d] != expected) return false;
    expected *= view.sizes[d];
  }
  return true;
}

}  // namespace kernels
}  // namespace executorch
