#include "kernels/cpu/spatial/conv_call.h"

namespace executorch {
namespace kernels {

Error read_geometry(const Tensor& input, IntList stride, IntList padding, IntList dilation,
                    bool transposed, IntList output_padding, int64_t groups, Geometry* geometry) {
  ET_TRY(check_rank(input, "input", 3, 2 + compute::kSpatial));
  geometry->dims = static_cast<int>(input.dim()) - 2;
  geometry->transposed = transposed;
  geometry->groups = groups;
  ET_REQUIRE(groups > 0 && groups <= kMaxSpatialArgument, InvalidArgument,
             "argument 'groups': %lld is out of range", static_cast<long long>(groups));
  ET_TRY(read_spatial(stride, geometry->dims, 1, "stride", geometry->stride));
  ET_TRY(read_spatial(padding, geometry->dims, 0, "padding", geometry->padding));
  ET_TRY(read_spatial(dilation, geometry->dims, 1, "dilation", geometry->dilation));
  if (!transposed) return Error::Ok;
  ET_TRY(
      read_spatial(output_padding, geometry->dims, 0, "output_padding", geometry->output_padding));
  for (int d = 0; d < geometry->dims; ++d) {
    ET_REQUIRE(geometry->output_padding[d] < geometry->stride[d] ||
                   geometry->output_padding[d] < geometry->dilation[d],
               InvalidArgument,
               "argument 'output_padding': %lld must be less than stride or dilation",
               static_cast<long long>(geometry->output_padding[d]));
  }
  return Error::Ok;
}

Error check_weight(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   const Geometry& geometry, int64_t* out_channels) {
  ET_TRY(check_rank(weight, "weight", input.dim(), input.dim()));
  ET_TRY(check_same_dtype(input, "input", weight, "weight"));
  const int64_t channels = input.sizes()[1];
  const int64_t first = weight.sizes()[0];
  const int64_t second = weight.sizes()[1];
  const int64_t expected = geometry.transposed ? first : second * geometry.groups;
  ET_REQUIRE(channels == expected && first % geometry.groups == 0, InvalidArgument,
             "arguments 'input' and 'weight': %s and %s do not go together in %lld groups",
             describe(input).text, describe(weight).text, static_cast<long long>(geometry.groups));
  *out_channels = geometry.transposed ? second * geometry.groups : first;
  if (!bias.has_value()) return Error::Ok;
  ET_REQUIRE(
      is_arithmetic(bias->scalar_type()) && bias->dim() == 1 && bias->numel() == *out_channels,
      InvalidArgument, "argument 'bias': expected %lld elements, found %s",
      static_cast<long long>(*out_channels), describe(*bias).text);
  return Error::Ok;
}

Error output_sizes(const Tensor& input, const Tensor& weight, const Geometry& geometry,
                   int64_t out_channels, Sizes* sizes) {
  sizes->push(input.sizes()[0]);
  sizes->push(out_channels);
  for (int d = 0; d < geometry.dims; ++d) {
    const int64_t size = input.sizes()[d + 2];
    const int64_t kernel = weight.sizes()[d + 2];
    ET_REQUIRE(kernel > 0, InvalidArgument, "argument 'weight': %s has an empty kernel",
               describe(weight).text);
    const int64_t reach = geometry.dilation[d] * (kernel - 1);
    const int64_t result = geometry.transposed
                               ? (size - 1) * geometry.stride[d] - 2 * geometry.padding[d] + reach +
                                     geometry.output_padding[d] + 1
                               : window_positions(size, kernel, geometry.stride[d],
                                                  geometry.padding[d], geometry.dilation[d], false);
    ET_REQUIRE(result > 0, InvalidArgument,
               "arguments 'input' and 'weight': the kernel of %s does not fit into %s",
               describe(weight).text, describe(input).text);
    sizes->push(result);
  }
  return Error::Ok;
}

compute::PlainConv plain_conv_of(const Sizes& input, const Sizes& weight, const Sizes& output,
                                 const Geometry& geometry) {
  const Sizes& large = geometry.transposed ? output : input;
  const Sizes& small = geometry.transposed ? input : output;
  compute::PlainConv conv;
  conv.batch = input[0];
  conv.large_channels = large[1];
  conv.small_channels = small[1];
  conv.groups = geometry.groups;
  for (int i = 0; i < geometry.dims; ++i) {
    const int d = compute::kSpatial - geometry.dims + i;
    conv.grid.large[d] = large[i + 2];
    conv.grid.small[d] = small[i + 2];
    conv.grid.kernel[d] = weight[i + 2];
    conv.grid.stride[d] = geometry.stride[i];
    conv.grid.padding[d] = geometry.padding[i];
    conv.grid.dilation[d] = geometry.dilation[i];
  }
  return conv;
}

}  // namespace kernels
}  // namespace executorch
