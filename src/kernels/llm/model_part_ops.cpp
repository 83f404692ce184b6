// Copies for tiles and fallbacks, and the mixture of experts.
#include "kernels/llm/tables.h"
#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {
namespace {

Error fallback(Context&, const Tensor& input, Tensor& output) {
  return write_view(output, input, view_of(input));
}

/// [channels, height, width] as square tiles [tiles, channels, size, size], row by row.
Error tile_crop(Context&, const Tensor& input, int64_t tile_size, Tensor& out) {
  ET_TRY(check_rank(input, "input", 3, 3));
  ET_TRY(check_same_dtype(input, "input", out, "out"));
  const int64_t channels = input.sizes()[0], height = input.sizes()[1], width = input.sizes()[2];
  ET_REQUIRE(tile_size > 0 && height % tile_size == 0 && width % tile_size == 0, InvalidArgument,
             "argument 'tile_size': %lld does not divide height and width of %s",
             static_cast<long long>(tile_size), describe(input).text);
  const int64_t columns = width / tile_size;
  Sizes sizes;
  for (const int64_t size : {height / tile_size * columns, channels, tile_size, tile_size})
    sizes.push(size);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, input, "input"));
  if (out.numel() == 0) return Error::Ok;
  const TensorView image = view_of(input);
  TensorView from = image;
  from.rank = 0;
  from.insert(0, height / tile_size, image.strides[1] * tile_size);
  from.insert(1, columns, image.strides[2] * tile_size);
  from.insert(2, channels, image.strides[0]);
  from.insert(3, tile_size, image.strides[1]);
  from.insert(4, tile_size, image.strides[2]);
  TensorView to = view_of(out);
  to.split(0, columns);
  compute::copy(to, from);
  return Error::Ok;
}

Error quantized_moe_ffn(Context&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                        const Tensor&, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                        std::string_view, double, Tensor&) {
  return ET_ERROR(
      NotSupported,
      "the mixture of experts over packed weights is not supported: their format is that of "
      "another library; export the model with plain or dequantised expert weights");
}

constexpr OperatorRow kRows[] = {
    row<"llama::fallback.out", fallback>("(Tensor input, *, Tensor(a!) output) -> Tensor(a!)"),
    row<"llama::quantized_moe_ffn.out", quantized_moe_ffn>(
        "(Tensor x, Tensor gate_weight, Tensor expert_bias, Tensor packed_w13, Tensor packed_w2, "
        "int num_activated_experts, int num_experts, int hidden_dim, int dim, int group_size, int "
        "weight_nbit, str score_func, float route_scale, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"preprocess::tile_crop.out", tile_crop>(
        "(Tensor input, int tile_size, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table model_part_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
