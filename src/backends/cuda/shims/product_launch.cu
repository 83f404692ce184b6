#include "backends/cuda/shims/launches.h"

namespace executorch::backends::cuda {
namespace {

template <class Product>
Error launch(cudaStream_t stream, const Product& product) {
  const int64_t row_tiles = (product.m + kRowTile - 1) / kRowTile;
  return for_each_sum<kRowTile>(stream, row_tiles * product.n, product);
}

}  // namespace

Error launch_quantize(cudaStream_t stream, int64_t blocks, const QuantizeActivations& body) {
  return for_each_index(stream, blocks, body);
}

Error launch_product(cudaStream_t stream, const QuantizedProduct<Int4Weights>& product) {
  return launch(stream, product);
}

Error launch_product(cudaStream_t stream, const QuantizedProduct<Int5Weights>& product) {
  return launch(stream, product);
}

Error launch_product(cudaStream_t stream, const QuantizedProduct<Int6Weights>& product) {
  return launch(stream, product);
}

Error launch_product(cudaStream_t stream, const QuantizedProduct<Int8Weights>& product) {
  return launch(stream, product);
}

Error launch_product(cudaStream_t stream, const Int4PackProduct& product) {
  return launch(stream, product);
}

}  // namespace executorch::backends::cuda
