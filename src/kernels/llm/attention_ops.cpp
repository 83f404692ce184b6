// Attention over caches of keys and values, [batch, positions, heads, numbers].
#include "compute/attention/attention.h"
#include "kernels/llm/caches.h"
#include "kernels/llm/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

/// Which dimensions are positions and heads.
struct Layout {
  int position = 1;
  int head = 2;
};

/// The mask and how far back queries look.
struct Visibility {
  int64_t start_pos;
  const std::optional<Tensor>& mask;
  bool causal;
  std::optional<double> scale;
};

int64_t size_of(const Tensor& tensor, int d) {
  return tensor.sizes()[static_cast<size_t>(d)];
}

Error check_shapes(const Tensor& query, const Tensor& key, const Tensor& value,
                   const Layout& layout) {
  ET_TRY(check_rank(query, "query", 4, 4));
  ET_TRY(check_rank(key, "key", 4, 4));
  ET_REQUIRE(same_sizes(key, value), InvalidArgument,
             "arguments 'key' and 'value': the sizes of %s and %s differ", describe(key).text,
             describe(value).text);
  const int64_t key_heads = size_of(key, layout.head);
  const bool fits = size_of(query, 0) == size_of(key, 0) && size_of(query, 3) == size_of(key, 3) &&
                    key_heads > 0 && size_of(query, layout.head) % key_heads == 0;
  ET_REQUIRE(
      fits || query.numel() == 0, InvalidArgument,
      "arguments 'query' and 'key': %s cannot look at %s; batches and the last sizes must be "
      "equal, and the query's heads a multiple of the key's",
      describe(query).text, describe(key).text);
  return Error::Ok;
}

/// How many keys take part: with a mask all of them, wherever the queries stand (the keys may be a
/// ring), else those up to the last query.
Error visible_length(const Tensor& query, const Tensor& key, const Layout& layout,
                     const Visibility& visibility, int64_t* length) {
  const int64_t positions = size_of(query, layout.position);
  const int64_t keys = size_of(key, layout.position);
  const int64_t start = visibility.start_pos;
  if (visibility.mask.has_value()) {
    const Tensor& mask = *visibility.mask;
    ET_REQUIRE(!visibility.causal, InvalidArgument,
               "arguments 'attn_mask' and 'is_causal' exclude each other");
    ET_TRY(check_floating(mask, "attn_mask"));
    ET_REQUIRE(mask.dim() == 2 && size_of(mask, 0) == positions && size_of(mask, 1) == keys,
               InvalidArgument, "argument 'attn_mask': expected [%lld, %lld], found %s",
               static_cast<long long>(positions), static_cast<long long>(keys),
               describe(mask).text);
    *length = keys;
    return Error::Ok;
  }
  ET_REQUIRE(
      start >= 0 && start <= keys && positions <= keys - start, InvalidArgument,
      "argument 'start_pos': %lld queries from %lld on look beyond the %lld positions of the "
      "keys",
      static_cast<long long>(positions), static_cast<long long>(start),
      static_cast<long long>(keys));
  *length = start + positions;
  return Error::Ok;
}

/// A tensor of heads, and the scales of its rows if it is quantised, as the compute layer reads
/// them.
class HeadRows {
 public:
  explicit HeadRows(Context& context) : tensor_(context), scales_(context), zero_points_(context) {}

  Error prepare(const Tensor& tensor) { return tensor_.prepare(tensor); }
  Error prepare_parameters(const Tensor& tensor, const std::optional<Tensor>& scales,
                           const std::optional<Tensor>& zero_points, const char* name) {
    ET_REQUIRE(scales.has_value() && zero_points.has_value() &&
                   scales->scalar_type() == ScalarType::Float &&
                   zero_points->scalar_type() == ScalarType::Char,
               InvalidArgument,
               "argument '%s': needs float32 scales and int8 zero points of its rows", name);
    const int64_t numbers = size_of(tensor, 3);
    const int64_t rows = numbers == 0 ? 0 : tensor.numel() / numbers;
    ET_REQUIRE(scales->numel() == rows && zero_points->numel() == rows, InvalidArgument,
               "argument '%s': expected %lld scales and zero points, found %s and %s", name,
               static_cast<long long>(rows), describe(*scales).text, describe(*zero_points).text);
    ET_TRY(scales_.prepare(*scales));
    return zero_points_.prepare(*zero_points);
  }

  compute::DType dtype() const { return view().dtype; }
  int64_t stride(int d) const { return view().strides[d]; }
  compute::AttentionRows at(int64_t offset) const {
    const auto size = static_cast<int64_t>(view().element_size);
    compute::AttentionRows rows{view().data + offset * size};
    if (scales_.view().data == nullptr) return rows;
    const int64_t row = offset / view().sizes[3];
    rows.scales = scales_.data<float>() + row;
    rows.zero_points = zero_points_.data<int8_t>() + row;
    return rows;
  }

 private:
  const TensorView& view() const { return tensor_.view(); }

  ContiguousInput tensor_;
  ContiguousInput scales_;
  ContiguousInput zero_points_;
};

/// All operands, and where each set of heads begins in them.
struct Operands {
  explicit Operands(Context& context)
      : query(context), key(context), value(context), mask(context), out(context) {}

  static compute::AttentionHead find(const void* self, int64_t index) {
    const Operands& o = *static_cast<const Operands*>(self);
    const int64_t batch = index / o.key_heads, head = index % o.key_heads;
    const int64_t query_offset =
        batch * o.query.stride(0) + head * o.group * o.query.stride(o.layout.head);
    const auto offset = [&](const HeadRows& rows) {
      return batch * rows.stride(0) + head * rows.stride(o.layout.head);
    };
    compute::AttentionHead result;
    result.query = o.query.at(query_offset);
    result.key = o.key.at(offset(o.key));
    result.value = o.value.at(offset(o.value));
    result.out = o.out.view().data + query_offset * static_cast<int64_t>(o.out.view().element_size);
    result.mask = o.mask.data<float>();
    return result;
  }

  Layout layout;
  int64_t key_heads = 0;
  int64_t group = 0;
  HeadRows query, key, value;
  ContiguousInput mask;
  ContiguousOutput out;
};

compute::AttentionShape shape_of(const Operands& o, const Tensor& query,
                                 const Visibility& visibility, int64_t length) {
  compute::AttentionShape shape;
  shape.heads = size_of(query, 0) * o.key_heads;
  shape.positions = size_of(query, o.layout.position);
  shape.group = o.group;
  shape.depth = shape.width = size_of(query, 3);
  shape.length = length;
  shape.query_position = shape.out_position = o.query.stride(o.layout.position);
  shape.query_group = shape.out_group = o.query.stride(o.layout.head);
  shape.key_row = o.key.stride(o.layout.position);
  shape.value_row = o.value.stride(o.layout.position);
  shape.query_type = o.query.dtype();
  shape.key_type = o.key.dtype();
  shape.value_type = o.value.dtype();
  shape.out_type = o.out.view().dtype;
  shape.scale = static_cast<float>(
      visibility.scale.value_or(1.0 / __builtin_sqrt(static_cast<double>(shape.depth))));
  shape.causal = visibility.causal;
  shape.first_position = visibility.start_pos;
  shape.zero_masked_rows = true;
  return shape;
}

/// Attends with operands whose elements have been checked.
Error attend(Context& context, Operands& operands, const Tensor& query, const Tensor& key,
             const Tensor& value, const Visibility& visibility, const Tensor& out) {
  int64_t length = 0;
  ET_TRY(visible_length(query, key, operands.layout, visibility, &length));
  ET_TRY(resize_output_like(out, query));
  ET_TRY(check_no_overlap(out, query, "query"));
  ET_TRY(check_no_overlap(out, key, "key"));
  ET_TRY(check_no_overlap(out, value, "value"));
  if (query.numel() == 0) return Error::Ok;
  operands.key_heads = size_of(key, operands.layout.head);
  operands.group = size_of(query, operands.layout.head) / operands.key_heads;
  ET_TRY(operands.query.prepare(query));
  ET_TRY(operands.key.prepare(key));
  ET_TRY(operands.value.prepare(value));
  ET_TRY(operands.out.prepare(out));
  if (visibility.mask.has_value()) {
    ET_TRY(check_no_overlap(out, *visibility.mask, "attn_mask"));
    ET_TRY(operands.mask.prepare(*visibility.mask, ScalarType::Float));
  }
  compute::AttentionShape shape = shape_of(operands, query, visibility, length);
  if (visibility.mask.has_value()) shape.mask_position = size_of(*visibility.mask, 1);
  Scratch scratch(context);
  const size_t bytes = compute::attention_scratch_bytes(shape);
  ET_TRY(scratch.allocate(bytes, 1));
  compute::attention(shape, Operands::find, &operands, scratch.data(), bytes);
  operands.out.finish();
  return Error::Ok;
}

Error check_floating_operands(const Tensor& query, const Tensor& key, const Tensor& value,
                              const Tensor& out) {
  ET_TRY(check_floating(query, "query"));
  ET_REQUIRE(query.scalar_type() != ScalarType::Double, InvalidArgument,
             "argument 'query': float64 is not supported");
  ET_TRY(check_same_dtype(query, "query", key, "key"));
  ET_TRY(check_same_dtype(query, "query", value, "value"));
  return check_same_dtype(query, "query", out, "out");
}

Error custom_sdpa(Context& context, const Tensor& query, const Tensor& key, const Tensor& value,
                  int64_t start_pos, std::optional<Tensor> mask, double, bool causal,
                  std::optional<double> scale, Tensor& out) {
  Operands operands(context);
  ET_TRY(check_shapes(query, key, value, operands.layout));
  ET_TRY(check_floating_operands(query, key, value, out));
  return attend(context, operands, query, key, value, {start_pos, mask, causal, scale}, out);
}

Error sdpa_with_kv_cache(Context& context, const Tensor& query, const Tensor& key,
                         const Tensor& value, Tensor& key_cache, Tensor& value_cache,
                         int64_t start_pos, int64_t seq_len, std::optional<Tensor> mask,
                         double dropout, bool causal, std::optional<double> scale, Tensor& out) {
  ET_TRY(check_rank(key, "key", 4, 4));
  ET_TRY(check_shapes(query, key_cache, value_cache, {}));
  ET_TRY(check_floating_operands(query, key_cache, value_cache, out));
  ET_TRY(check_same_dtype(query, "query", key, "key"));
  ET_TRY(check_same_dtype(query, "query", value, "value"));
  ET_REQUIRE(
      seq_len == size_of(key, 1) && seq_len == size_of(query, 1), InvalidArgument,
      "argument 'seq_len': expected the positions of query and key, %lld and %lld, found %lld",
      static_cast<long long>(size_of(query, 1)), static_cast<long long>(size_of(key, 1)),
      static_cast<long long>(seq_len));
  ET_TRY(write_cache_rows(key, "key", key_cache, "key_cache", start_pos));
  ET_TRY(write_cache_rows(value, "value", value_cache, "value_cache", start_pos));
  return custom_sdpa(context, query, key_cache, value_cache, start_pos, mask, dropout, causal,
                     scale, out);
}

Error custom_quantized_sdpa(Context& context, const Tensor& query, const Tensor& key,
                            const Tensor& value, int64_t start_pos, std::optional<Tensor> mask,
                            double, bool causal, std::optional<double> scale,
                            std::optional<Tensor> q_zero_points, std::optional<Tensor> q_scales,
                            std::optional<Tensor> k_zero_points, std::optional<Tensor> k_scales,
                            std::optional<Tensor> v_zero_points, std::optional<Tensor> v_scales,
                            bool is_seq_at_dim_2, Tensor& out) {
  Operands operands(context);
  if (is_seq_at_dim_2) operands.layout = {2, 1};
  ET_TRY(check_shapes(query, key, value, operands.layout));
  ET_REQUIRE(query.scalar_type() == ScalarType::Char && out.scalar_type() == ScalarType::Float,
             InvalidArgument,
             "arguments 'query' and 'out': expected int8 and float32, found %s and %s",
             dtype_name(query.scalar_type()), dtype_name(out.scalar_type()));
  ET_TRY(check_same_dtype(query, "query", key, "key"));
  ET_TRY(check_same_dtype(query, "query", value, "value"));
  ET_TRY(operands.query.prepare_parameters(query, q_scales, q_zero_points, "query"));
  ET_TRY(operands.key.prepare_parameters(key, k_scales, k_zero_points, "key"));
  ET_TRY(operands.value.prepare_parameters(value, v_scales, v_zero_points, "value"));
  return attend(context, operands, query, key, value, {start_pos, mask, causal, scale}, out);
}

constexpr OperatorRow kRows[] = {
    row<"llama::custom_sdpa.out", custom_sdpa>(
        "(Tensor query, Tensor key, Tensor value, SymInt start_pos, Tensor? attn_mask=None, float "
        "drpout_p=0., bool is_causal=False, float? scale=None, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"llama::sdpa_with_kv_cache.out", sdpa_with_kv_cache>(
        "(Tensor query, Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, "
        "SymInt start_pos, SymInt seq_len, Tensor? attn_mask=None, float drpout_p=0., bool "
        "is_causal=False, float? scale=None, *, Tensor(c!) out) -> Tensor(c!)"),
    row<"llama::custom_quantized_sdpa.out", custom_quantized_sdpa>(
        "(Tensor query, Tensor key, Tensor value, SymInt start_pos, Tensor? attn_mask=None, float "
        "drpout_p=0., bool is_causal=False, float? scale=None, Tensor? q_zero_points=None, Tensor? "
        "q_scales=None, Tensor? k_zero_points=None, Tensor? k_scales=None, Tensor? "
        "v_zero_points=None, Tensor? v_scales=None, bool is_seq_at_dim_2=False, *, Tensor(a!) out) "
        "-> Tensor(a!)"),
};

}  // namespace

Table attention_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
