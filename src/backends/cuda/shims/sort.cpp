// Stable sorts on the device.
#include <memory>

#include "backends/cuda/shims/cuda_table.h"
#include "backends/cuda/shims/current_stream.h"
#include "backends/cuda/shims/launches.h"
#include "backends/cuda/shims/memory.h"

namespace executorch::backends::cuda {
namespace {

Error sort_key(ScalarType dtype, SortKey* key) {
  switch (dtype) {
    case ScalarType::Int:
      *key = SortKey::int32;
      return Error::Ok;
    case ScalarType::Long:
      *key = SortKey::int64;
      return Error::Ok;
    case ScalarType::Float:
      *key = SortKey::float32;
      return Error::Ok;
    case ScalarType::Half:
      *key = SortKey::float16;
      return Error::Ok;
    case ScalarType::BFloat16:
      *key = SortKey::bfloat16;
      return Error::Ok;
    default:
      return ET_ERROR(NotSupported,
                      "sort takes int32, int64, float32, float16 and bfloat16, not element type %d",
                      static_cast<int>(dtype));
  }
}

/// Length of the sorted dimension, and the product of the sizes behind it.
Error find_lines(const ShimTensor& self, int64_t dim, int64_t* length, int64_t* inner) {
  const int64_t rank = static_cast<int64_t>(self.rank());
  const int64_t limit = rank > 0 ? rank : 1;
  ET_REQUIRE(-limit <= dim && dim < limit, InvalidArgument,
             "sort along dimension %lld of a tensor that has %lld", static_cast<long long>(dim),
             static_cast<long long>(rank));
  *length = *inner = 1;
  if (rank == 0) return Error::Ok;
  const int64_t place = dim < 0 ? dim + rank : dim;
  *length = self.sizes()[place];
  for (int64_t d = place + 1; d < rank; ++d) *inner *= self.sizes()[d];
  return Error::Ok;
}

Error run_sort(const ShimTensor& self, SortArguments arguments, SortKey key) {
  cudaStream_t stream = nullptr;
  ET_TRY(current_stream(self.device().index, &stream));
  Scratch scratch[2];
  for (int i = 0; i < 2; ++i) {
    ET_TRY(scratch[i].allocate(static_cast<size_t>(self.numel()) * sizeof(int64_t), stream));
    arguments.permutations[i] = scratch[i].as<int64_t>();
  }
  return launch_sort(stream, key, arguments);
}

Error sort(const ShimTensor& self, int64_t dim, bool descending,
           std::unique_ptr<ShimTensor>* values, std::unique_ptr<ShimTensor>* places) {
  ET_REQUIRE(self.is_contiguous() && self.device().type == DeviceType::cuda, NotSupported,
             "sort takes contiguous tensors on a CUDA device");
  SortKey key;
  ET_TRY(sort_key(self.dtype(), &key));
  SortArguments arguments{};
  ET_TRY(find_lines(self, dim, &arguments.length, &arguments.inner));
  const DeviceScope scope(self.device().index);
  ET_TRY(scope.error());
  const runtime::Span<const int64_t> sizes(self.sizes(), self.rank());
  ShimTensor* made = nullptr;
  ET_TRY(make_tensor(sizes, self.dtype(), self.device(), &made));
  values->reset(made);
  ET_TRY(make_tensor(sizes, ScalarType::Long, self.device(), &made));
  places->reset(made);
  if (self.numel() == 0) return Error::Ok;
  arguments.keys = self.data();
  arguments.values = (*values)->data();
  arguments.places = static_cast<int64_t*>((*places)->data());
  arguments.numel = self.numel();
  arguments.descending = descending;
  return run_sort(self, arguments, key);
}

}  // namespace
}  // namespace executorch::backends::cuda

namespace executorch::backends::aoti {

using namespace cuda;

extern "C" {

Status AOTI_SHIM(cuda_sort_stable)(ShimTensor* self, int32_t*, int64_t dim, int32_t descending,
                                   ShimTensor** values, ShimTensor** indices) {
  AOTI_REQUIRE(self != nullptr && values != nullptr && indices != nullptr);
  std::unique_ptr<ShimTensor> sorted, places;
  AOTI_TRY(sort(*self, dim, descending != 0, &sorted, &places));
  *values = sorted.release();
  *indices = places.release();
  return status_of(Error::Ok);
}

}  // extern "C"

}  // namespace executorch::backends::aoti
