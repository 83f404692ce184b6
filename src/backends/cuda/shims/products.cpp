// Products of activations and quantised weights.
#include <cstdarg>
#include <cstdio>
#include <initializer_list>
#include <memory>

#include "backends/cuda/shims/cuda_table.h"
#include "backends/cuda/shims/current_stream.h"
#include "backends/cuda/shims/launches.h"
#include "backends/cuda/shims/memory.h"

namespace executorch::backends::cuda {
namespace {

/// What an argument must be.
struct Expected {
  const char* name;
  const ShimTensor* tensor;
  ScalarType dtype;
  std::initializer_list<int64_t> sizes;
};

Error check_argument(const char* op, const Expected& expected) {
  const ShimTensor& tensor = *expected.tensor;
  ET_REQUIRE(tensor.device().type == DeviceType::cuda, InvalidArgument,
             "%s: %s is not on a CUDA device", op, expected.name);
  ET_REQUIRE(tensor.dtype() == expected.dtype, InvalidArgument,
             "%s: %s has element type %d, %d is expected", op, expected.name,
             static_cast<int>(tensor.dtype()), static_cast<int>(expected.dtype));
  ET_REQUIRE(tensor.rank() == expected.sizes.size(), InvalidArgument,
             "%s: %s has %zu dimensions, %zu are expected", op, expected.name, tensor.rank(),
             expected.sizes.size());
  size_t d = 0;
  for (const int64_t size : expected.sizes) {
    ET_REQUIRE(tensor.sizes()[d] == size, InvalidArgument,
               "%s: size %lld of %s in dimension %zu, %lld is expected", op,
               static_cast<long long>(tensor.sizes()[d]), expected.name, d,
               static_cast<long long>(size));
    ++d;
  }
  ET_REQUIRE(tensor.is_contiguous(), NotSupported, "%s: %s is not contiguous", op, expected.name);
  return Error::Ok;
}

Error check_arguments(const char* op, std::initializer_list<Expected> arguments) {
  for (const Expected& expected : arguments) ET_TRY(check_argument(op, expected));
  return Error::Ok;
}

/// Activations [m, k] with any strides, and how many rows there are of weights.
struct Problem {
  const char* op;
  const ShimTensor* x;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t group_size = 0;

  Error read(const char* name, const ShimTensor* activations, int64_t rows, int64_t group) {
    op = name;
    x = activations;
    ET_REQUIRE(x->device().type == DeviceType::cuda && x->dtype() == ScalarType::BFloat16 &&
                   x->rank() == 2,
               InvalidArgument, "%s takes a bfloat16 matrix on a CUDA device", op);
    m = x->sizes()[0];
    n = rows;
    k = x->sizes()[1];
    group_size = group;
    ET_REQUIRE(k > 0, InvalidArgument, "%s: rows without elements", op);
    return Error::Ok;
  }
};

Error check_groups(const Problem& problem, int64_t k_multiple, bool two_levels) {
  const int64_t group = problem.group_size;
  ET_REQUIRE(problem.k % k_multiple == 0, InvalidArgument,
             "%s: rows of %lld elements, a multiple of %lld is expected", problem.op,
             static_cast<long long>(problem.k), static_cast<long long>(k_multiple));
  ET_REQUIRE(group > 0 && group % kUnit == 0 && problem.k % group == 0 &&
                 (!two_levels || kSuperBlock % group == 0),
             InvalidArgument, "%s: groups of %lld elements do not divide rows of %lld", problem.op,
             static_cast<long long>(group), static_cast<long long>(problem.k));
  return Error::Ok;
}

/// Runs a product into a new tensor.
template <class Run>
Error make_result(const Problem& problem, const Run& run, ShimTensor** result) {
  const DeviceScope scope(problem.x->device().index);
  ET_TRY(scope.error());
  const int64_t sizes[] = {problem.m, problem.n};
  ShimTensor* made = nullptr;
  ET_TRY(make_tensor({sizes, size_t{2}}, ScalarType::BFloat16, problem.x->device(), &made));
  std::unique_ptr<ShimTensor> owner(made);
  if (made->numel() > 0) {
    cudaStream_t stream = nullptr;
    ET_TRY(current_stream(problem.x->device().index, &stream));
    ET_TRY(run(stream, static_cast<c10::BFloat16*>(made->data())));
  }
  *result = owner.release();
  return Error::Ok;
}

/// Quantises the activations, then multiplies.
template <class Weights>
Error multiply(const Problem& p, const Weights& weights, ShimTensor** result) {
  const auto run = [&p, &weights](cudaStream_t stream, c10::BFloat16* out) -> Error {
    const int64_t units = p.m * (p.k / kUnit), blocks = p.m * (p.k / kActivationBlock);
    Scratch bytes, scales, sums;
    ET_TRY(bytes.allocate(static_cast<size_t>(units) * sizeof(Bytes16), stream));
    ET_TRY(scales.allocate(static_cast<size_t>(blocks) * sizeof(float), stream));
    ET_TRY(sums.allocate(static_cast<size_t>(units) * sizeof(int32_t), stream));
    const Activations activations{bytes.as<Bytes16>(), scales.as<float>(), sums.as<int32_t>()};
    const int64_t* strides = p.x->strides();
    const QuantizeActivations quantize{static_cast<const c10::BFloat16*>(p.x->data()),
                                       strides[0],
                                       strides[1],
                                       p.k,
                                       Weights::kNibbles,
                                       activations};
    ET_TRY(launch_quantize(stream, blocks, quantize));
    return launch_product(stream,
                          QuantizedProduct<Weights>{weights, activations, p.m, p.n, p.k, out});
  };
  return make_result(p, run, result);
}

template <class T>
const T* data(const ShimTensor* tensor) {
  return static_cast<const T*>(tensor->data());
}

int64_t rows_of(const ShimTensor* tensor) {
  return tensor->rank() > 0 ? tensor->sizes()[0] : 0;
}

Error int4pack_mm(ShimTensor* x, ShimTensor* weights, int64_t group_size, ShimTensor* scale_zero,
                  ShimTensor** result) {
  Problem p;
  ET_TRY(p.read("_weight_int4pack_mm", x, rows_of(weights) * 8, group_size));
  ET_REQUIRE(weights->rank() == 4, InvalidArgument, "%s: the weights have %zu dimensions, not 4",
             p.op, weights->rank());
  const int64_t words = weights->sizes()[3];
  ET_REQUIRE(words == 1 || words == 2 || words == 4, InvalidArgument,
             "%s: the weights have %lld words in a tile, 1, 2 or 4 are possible", p.op,
             static_cast<long long>(words));
  ET_REQUIRE(group_size == 32 || group_size == 64 || group_size == 128 || group_size == 256,
             InvalidArgument, "%s: groups of %lld elements, 32, 64, 128 and 256 are possible", p.op,
             static_cast<long long>(group_size));
  ET_REQUIRE(p.k % (32 * words) == 0 && p.k % group_size == 0, InvalidArgument,
             "%s: rows of %lld elements are no multiple of tiles of %lld and groups of %lld", p.op,
             static_cast<long long>(p.k), static_cast<long long>(32 * words),
             static_cast<long long>(group_size));
  ET_TRY(check_arguments(
      p.op,
      {{"the weight", weights, ScalarType::Int, {p.n / 8, p.k / (32 * words), 32, words}},
       {"the scale and zero", scale_zero, ScalarType::BFloat16, {p.k / group_size, p.n, 2}}}));
  const auto run = [&](cudaStream_t stream, c10::BFloat16* out) {
    return launch_product(
        stream, Int4PackProduct{data<c10::BFloat16>(x), x->strides()[0], x->strides()[1],
                                data<uint32_t>(weights), words, data<c10::BFloat16>(scale_zero),
                                group_size, p.m, p.n, p.k, out});
  };
  return make_result(p, run, result);
}

}  // namespace
}  // namespace executorch::backends::cuda

namespace executorch::backends::aoti {

using namespace cuda;

extern "C" {

Status AOTI_SHIM(cuda__weight_int4pack_mm)(ShimTensor* self, ShimTensor* mat2, int64_t group_size,
                                           ShimTensor* scale_and_zeros, ShimTensor** result) {
  AOTI_REQUIRE(self != nullptr && mat2 != nullptr && scale_and_zeros != nullptr &&
               result != nullptr);
  return status_of(int4pack_mm(self, mat2, group_size, scale_and_zeros, result));
}

Status AOTI_SHIM(cuda_int4_plain_mm)(ShimTensor* self, ShimTensor* qdata, ShimTensor* scale,
                                     ShimTensor* scale_step, ShimTensor* zero,
                                     ShimTensor* zero_step, int64_t group_size,
                                     ShimTensor** result) {
  AOTI_REQUIRE(self != nullptr && qdata != nullptr && scale != nullptr && scale_step != nullptr &&
               zero != nullptr && zero_step != nullptr && result != nullptr);
  Problem p;
  AOTI_TRY(p.read("int4_plain_mm", self, rows_of(qdata), group_size));
  AOTI_TRY(check_groups(p, kSuperBlock, true));
  const int64_t groups = p.k / group_size, steps = p.k / kSuperBlock;
  AOTI_TRY(check_arguments(p.op, {{"qdata", qdata, ScalarType::Byte, {p.n, p.k / 2}},
                                  {"scale", scale, ScalarType::Byte, {p.n, groups}},
                                  {"scale_step", scale_step, ScalarType::Half, {p.n, steps}},
                                  {"zero", zero, ScalarType::Byte, {p.n, groups}},
                                  {"zero_step", zero_step, ScalarType::Half, {p.n, steps}}}));
  const Int4Weights weights{data<uint8_t>(qdata),
                            {data<uint8_t>(scale), data<c10::Half>(scale_step)},
                            {data<uint8_t>(zero), data<c10::Half>(zero_step)},
                            p.k,
                            group_size};
  return status_of(multiply(p, weights, result));
}

Status AOTI_SHIM(cuda_int5_plain_mm)(ShimTensor* self, ShimTensor* ql, ShimTensor* qh,
                                     ShimTensor* scale, ShimTensor* scale_step, ShimTensor* zero,
                                     ShimTensor* zero_step, int64_t group_size,
                                     ShimTensor** result) {
  AOTI_REQUIRE(self != nullptr && ql != nullptr && qh != nullptr && scale != nullptr &&
               scale_step != nullptr && zero != nullptr && zero_step != nullptr &&
               result != nullptr);
  Problem p;
  AOTI_TRY(p.read("int5_plain_mm", self, rows_of(ql), group_size));
  AOTI_TRY(check_groups(p, kSuperBlock, true));
  const int64_t groups = p.k / group_size, steps = p.k / kSuperBlock;
  AOTI_TRY(check_arguments(p.op, {{"ql", ql, ScalarType::Byte, {p.n, p.k / 2}},
                                  {"qh", qh, ScalarType::Byte, {p.n, p.k / 8}},
                                  {"scale", scale, ScalarType::Byte, {p.n, groups}},
                                  {"scale_step", scale_step, ScalarType::Half, {p.n, steps}},
                                  {"zero", zero, ScalarType::Byte, {p.n, groups}},
                                  {"zero_step", zero_step, ScalarType::Half, {p.n, steps}}}));
  const Int5Weights weights{data<uint8_t>(ql),
                            data<uint8_t>(qh),
                            {data<uint8_t>(scale), data<c10::Half>(scale_step)},
                            {data<uint8_t>(zero), data<c10::Half>(zero_step)},
                            p.k,
                            group_size};
  return status_of(multiply(p, weights, result));
}

Status AOTI_SHIM(cuda_int6_plain_mm)(ShimTensor* self, ShimTensor* ql, ShimTensor* qh,
                                     ShimTensor* scale, ShimTensor* steps, int64_t group_size,
                                     ShimTensor** result) {
  AOTI_REQUIRE(self != nullptr && ql != nullptr && qh != nullptr && scale != nullptr &&
               steps != nullptr && result != nullptr);
  Problem p;
  AOTI_TRY(p.read("int6_plain_mm", self, rows_of(ql), group_size));
  AOTI_TRY(check_groups(p, kSuperBlock, true));
  AOTI_TRY(check_arguments(p.op, {{"ql", ql, ScalarType::Byte, {p.n, p.k / 2}},
                                  {"qh", qh, ScalarType::Byte, {p.n, p.k / 4}},
                                  {"scale", scale, ScalarType::Char, {p.n, p.k / group_size}},
                                  {"steps", steps, ScalarType::Half, {p.n, p.k / kSuperBlock}}}));
  const Int6Weights weights{data<uint8_t>(ql),
                            data<uint8_t>(qh),
                            {data<int8_t>(scale), data<c10::Half>(steps)},
                            p.k,
                            group_size};
  return status_of(multiply(p, weights, result));
}

Status AOTI_SHIM(cuda_int8_plain_mm)(ShimTensor* self, ShimTensor* qdata, ShimTensor* scale,
                                     ShimTensor* zero, int64_t group_size, ShimTensor** result) {
  AOTI_REQUIRE(self != nullptr && qdata != nullptr && scale != nullptr && zero != nullptr &&
               result != nullptr);
  Problem p;
  AOTI_TRY(p.read("int8_plain_mm", self, rows_of(qdata), group_size));
  AOTI_TRY(check_groups(p, kActivationBlock, false));
  const int64_t groups = p.k / group_size;
  AOTI_TRY(check_arguments(p.op, {{"qdata", qdata, ScalarType::Char, {p.n, p.k}},
                                  {"scale", scale, ScalarType::BFloat16, {p.n, groups}},
                                  {"zero", zero, ScalarType::Char, {p.n, groups}}}));
  const Int8Weights weights{data<int8_t>(qdata), data<c10::BFloat16>(scale), data<int8_t>(zero),
                            p.k, group_size};
  return status_of(multiply(p, weights, result));
}

}  // extern "C"

}  // namespace executorch::backends::aoti
