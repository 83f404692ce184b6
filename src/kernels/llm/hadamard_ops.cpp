// The Walsh-Hadamard transform of the last dimension. Half types are computed in float.
#include <algorithm>

#include "compute/attention/hadamard.h"

#include "kernels/llm/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "threadpool/parallel.h"

namespace executorch {
namespace kernels {
namespace {

Error split_rows(const Tensor& mat, compute::HadamardRows* rows) {
  int64_t size = mat.sizes()[static_cast<size_t>(mat.dim()) - 1];
  const bool blocks = size > 0 && size % compute::kHadamardBlocks == 0;
  rows->blocks = blocks ? compute::kHadamardBlocks : 1;
  size /= rows->blocks;
  ET_REQUIRE(size > 0 && (size & (size - 1)) == 0, InvalidArgument,
             "argument 'mat': the last size of %s is neither a power of two nor 28 times one",
             describe(mat).text);
  rows->power = __builtin_ctzll(static_cast<unsigned long long>(size));
  return Error::Ok;
}

template <class T>
void transform_rows(const compute::HadamardRows& rows, const compute::HadamardRowLoops<T>& loops,
                    T* data, int64_t count) {
  const int64_t size = rows.blocks << rows.power;
  const int64_t grain = std::max<int64_t>(16 * 1024 / size, 1);
  threadpool::parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) loops.transform(rows, data + i * size);
  });
}

Error fast_hadamard_transform(Context& context, const Tensor& mat, Tensor& out) {
  ET_TRY(check_floating(mat, "mat"));
  ET_TRY(check_rank(mat, "mat", 1, kMaxRank));
  ET_TRY(check_same_dtype(mat, "mat", out, "out"));
  compute::HadamardRows rows;
  ET_TRY(split_rows(mat, &rows));
  ET_TRY(resize_output_like(out, mat));
  ET_TRY(check_no_overlap(out, mat, "mat"));
  const ScalarType dtype = accumulation_type(mat.scalar_type());
  ContiguousOutput result(context);
  ET_TRY(result.prepare(out, dtype));
  compute::convert(result.view(), view_of(mat));
  const int64_t count = mat.numel() / (rows.blocks << rows.power);
  if (dtype == ScalarType::Double) {
    transform_rows(rows, compute::hadamard_loops().f64, result.data<double>(), count);
  } else {
    transform_rows(rows, compute::hadamard_loops().f32, result.data<float>(), count);
  }
  result.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"llama::fast_hadamard_transform.out", fast_hadamard_transform>(
        "(Tensor mat, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table hadamard_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
