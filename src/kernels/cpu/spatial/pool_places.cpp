#include "kernels/cpu/spatial/pool_places.h"

namespace executorch {
namespace kernels {
namespace {

template <class T>
Error scatter(Context& context, const Places& places, ScalarType dtype) {
  ContiguousInput values(context);
  ContiguousInput indices(context);
  ContiguousOutput out(context);
  ET_TRY(values.prepare(places.values, dtype));
  ET_TRY(indices.prepare(places.indices));
  ET_TRY(out.prepare(places.out, dtype));
  const int64_t from_cells = places.values.numel() / places.planes;
  ET_REQUIRE(
      compute::scatter_to_places(places.planes, from_cells, places.to_cells, values.data<T>(),
                                 indices.data<int64_t>(), places.add, out.data<T>()),
      InvalidArgument, "argument 'indices': a position is outside of the %lld cells of a plane",
      static_cast<long long>(places.to_cells));
  out.finish();
  return Error::Ok;
}

}  // namespace

Error move_to_places(Context& context, const Places& places) {
  ET_TRY(check_indices(places.indices));
  ET_REQUIRE(same_sizes(places.values, places.indices), InvalidArgument,
             "arguments '%s' and 'indices': the shapes of %s and %s differ", places.values_name,
             describe(places.values).text, describe(places.indices).text);
  ET_TRY(check_no_overlap(places.out, places.values, places.values_name));
  ET_TRY(check_no_overlap(places.out, places.indices, "indices"));
  if (places.out.numel() == 0) return Error::Ok;
  const ScalarType type = places.values.scalar_type();
  if (!is_floating(type)) return scatter<int64_t>(context, places, ScalarType::Long);
  const ScalarType dtype = accumulation_type(type);
  if (dtype == ScalarType::Double) return scatter<double>(context, places, dtype);
  return scatter<float>(context, places, dtype);
}

Error max_pool_gradient(Context& context, const Tensor& grad_output, const Tensor& self, int dims,
                        const compute::PoolShape& shape, const Tensor& indices,
                        const Tensor& grad_input) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(self, "self", grad_output, "grad_output"));
  ET_TRY(check_same_dtype(self, "self", grad_input, "grad_input"));
  ET_TRY(check_sizes(grad_output, pooled_sizes(self, dims, shape), "grad_output"));
  ET_TRY(resize_output_like(grad_input, self, "grad_input"));
  return move_to_places(context, {grad_output, "grad_output", indices, grad_input,
                                  shape.batch * shape.channels, shape.in_cells(), true});
}

}  // namespace kernels
}  // namespace executorch
