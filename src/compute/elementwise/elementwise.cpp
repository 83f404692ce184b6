#include "compute/elementwise/elementwise.h"

#include "compute/elementwise/cast.h"
#include "compute/elementwise/layout.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Elements converted at a time: the buffers of an operation stay in the first level cache.
constexpr int64_t kBlock = 1024;
/// From this length on a row is computed where it lies; shorter rows are gathered into blocks.
constexpr int64_t kMinDirectRow = 32;
/// Widest element of a compute type.
constexpr int64_t kMaxComputeSize = 16;

int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// How one operand is read.
struct Source {
  const char* data;
  int64_t element_size;
  /// The same value for every element.
  bool single;
  /// Contiguous rows of the compute type: no conversion.
  bool direct;
  LoadLoop load;
  /// Conversion to the common type and back, null where `load` keeps what that type can hold.
  StoreLoop round = nullptr;
  LoadLoop unround = nullptr;
};

/// Everything about a call that does not change from block to block. Made at every call, so that
/// nothing is zeroed that is not read.
struct Plan {
  BlockLoop loop;
  int operands;
  int64_t compute_size;
  Layout layout;  // tensor 0 is the result
  Source in[kMaxOperands];
  char* out;
  int64_t out_size;
  bool out_direct;
  StoreLoop store;
  /// Conversion of results to the common type and back, where the result's type could hold more.
  StoreLoop round = nullptr;
  LoadLoop unround = nullptr;
  /// All that is not single is direct: rows are computed in place.
  bool in_place;
  /// Elements only change their type: converted on the way, there is nothing to compute.
  bool converts;
};

/// The type holds less than its compute type.
bool is_narrow(DType common) {
  return element_size(common) < element_size(compute_type(common)) || common == DType::u32 ||
         common == DType::u64;
}

/// Operands that a narrow common type cannot hold are rounded to it.
bool must_round(DType from, DType common) {
  return from != common && from != DType::boolean && is_narrow(common);
}

Source make_source(const ElementwiseCall& call, int index, const Layout& layout) {
  const Operand& operand = call.in[index];
  const ComputeType compute = compute_type(call.common);
  Source source;
  source.data = static_cast<const char*>(operand.data);
  source.element_size = static_cast<int64_t>(element_size(operand.dtype));
  source.single = true;
  for (int d = 0; d < layout.rank; ++d) source.single &= layout.strides[index + 1][d] == 0;
  const bool rounds = (call.unrounded >> index & 1) == 0 && must_round(operand.dtype, call.common);
  const int64_t inner = layout.inner_stride(index + 1);
  source.direct = operand.dtype == storage_type(compute) && !rounds && (inner == 1 || inner == 0);
  source.load = load_loop(operand.dtype, compute);
  if (rounds) {
    source.round = store_loop(compute, call.common);
    source.unround = load_loop(call.common, compute);
  }
  return source;
}

/// Takes the loop over bytes where operands and result are bytes whose values the loop does not
/// depend on: truth values for the logical operations, else integers of the common type.
void prefer_bytes(const ElementwiseCall& call, Plan& plan) {
  const BlockLoop loop = elementwise_loops().byte_loop[static_cast<int>(call.op)];
  if (loop == nullptr || element_size(call.common) != 1 || plan.layout.inner_stride(0) != 1) return;
  const bool logical = call.op == ElementwiseOp::LogicalNot ||
                       call.op == ElementwiseOp::LogicalAnd ||
                       call.op == ElementwiseOp::LogicalOr || call.op == ElementwiseOp::LogicalXor;
  const bool compares = call.op == ElementwiseOp::Eq || call.op == ElementwiseOp::Ne;
  bool fits = logical || call.common != DType::boolean;
  fits &= logical || compares ? element_size(call.out.dtype) == 1 : call.out.dtype == call.common;
  for (int k = 0; k < plan.operands; ++k) {
    const DType dtype = call.in[k].dtype;
    const int64_t inner = plan.layout.inner_stride(k + 1);
    const bool byte = logical ? element_size(dtype) == 1 : dtype == call.common;
    // Single values are read as the compute type, whose first byte is the number's.
    const bool rounded = (call.unrounded >> k & 1) == 0;
    fits &= plan.in[k].single ? byte || rounded : byte && (inner == 1 || inner == 0);
  }
  if (!fits || plan.layout.row() < smaller(kMinDirectRow, plan.layout.numel())) return;
  plan.loop = loop;
  plan.in_place = true;
}

Plan make_plan(const ElementwiseCall& call) {
  Plan plan;
  const ComputeType compute = compute_type(call.common);
  plan.loop = block_loop(call.op, compute);
  plan.operands = arity(call.op);
  plan.compute_size = static_cast<int64_t>(element_size(compute));
  const int64_t* strides[kMaxOperands + 1] = {call.out.strides};
  for (int k = 0; k < plan.operands; ++k) strides[k + 1] = call.in[k].strides;
  plan.layout = make_layout(call.rank, call.sizes, strides, plan.operands + 1);
  plan.out = static_cast<char*>(call.out.data);
  plan.out_size = static_cast<int64_t>(element_size(call.out.dtype));
  plan.store = store_loop(compute, call.out.dtype);
  if (call.out.dtype != call.common && is_narrow(call.common)) {
    plan.round = store_loop(compute, call.common);
    plan.unround = load_loop(call.common, compute);
  }
  plan.out_direct = call.out.dtype == storage_type(compute) && plan.round == nullptr &&
                    plan.layout.inner_stride(0) == 1;
  bool all_direct = plan.out_direct;
  for (int k = 0; k < plan.operands; ++k) {
    plan.in[k] = make_source(call, k, plan.layout);
    all_direct &= plan.in[k].direct || plan.in[k].single;
  }
  plan.converts = call.op == ElementwiseOp::Copy && !plan.in[0].single;
  plan.in_place = all_direct && plan.layout.row() >= smaller(kMinDirectRow, plan.layout.numel());
  if (plan.out_size == 1) prefer_bytes(call, plan);
  return plan;
}

/// Buffers of one thread.
struct alignas(64) Buffers {
  char in[kMaxOperands][kBlock * kMaxComputeSize];
  char narrow[kBlock * kMaxComputeSize];
  char out[kBlock * kMaxComputeSize];
};

void load_values(const Source& source, const char* from, int64_t stride, int64_t count, char* to,
                 char* narrow) {
  source.load(to, from, stride, count);
  if (source.round == nullptr) return;
  source.round(narrow, 1, to, count);
  source.unround(to, narrow, 1, count);
}

/// Converts the single values once. Returns the mask of single operands.
uint32_t load_singles(const Plan& plan, Buffers& buffers, const void** operands) {
  uint32_t scalars = 0;
  for (int k = 0; k < plan.operands; ++k) {
    if (!plan.in[k].single) continue;
    load_values(plan.in[k], plan.in[k].data, 0, 1, buffers.in[k], buffers.narrow);
    operands[k] = buffers.in[k];
    scalars |= 1u << k;
  }
  return scalars;
}

/// Rows of the compute type, computed where they lie.
void run_in_place(const Plan& plan, int64_t first, int64_t last) {
  alignas(16) char values[kMaxOperands][kMaxComputeSize];
  char narrow[kMaxComputeSize];
  const void* operands[kMaxOperands];
  uint32_t scalars = 0, moving = 0;
  for (int k = 0; k < plan.operands; ++k) {
    const bool single = plan.in[k].single;
    if (single) load_values(plan.in[k], plan.in[k].data, 0, 1, values[k], narrow);
    operands[k] = values[k];
    scalars |= (single || plan.layout.inner_stride(k + 1) == 0 ? 1u : 0u) << k;
    moving |= (single ? 0u : 1u) << k;
  }
  LayoutCursor cursor(plan.layout, first);
  while (first < last) {
    const int64_t count = smaller(cursor.left_in_row(), last - first);
    for (int k = 0; k < plan.operands; ++k) {
      if (moving >> k & 1)
        operands[k] = plan.in[k].data + cursor.offset(k + 1) * plan.in[k].element_size;
    }
    plan.loop(plan.out + cursor.offset(0) * plan.out_size, operands, scalars, count);
    cursor.advance(count);
    first += count;
  }
}

/// Gathers a block of each operand from as many rows as it takes.
void gather(const Plan& plan, LayoutCursor& cursor, int64_t count, Buffers& buffers) {
  for (int64_t done = 0; done < count;) {
    const int64_t run = smaller(cursor.left_in_row(), count - done);
    for (int k = 0; k < plan.operands; ++k) {
      const Source& source = plan.in[k];
      if (source.single) continue;
      load_values(source, source.data + cursor.offset(k + 1) * source.element_size,
                  plan.layout.inner_stride(k + 1), run, buffers.in[k] + done * plan.compute_size,
                  buffers.narrow);
    }
    cursor.advance(run);
    done += run;
  }
}

void scatter(const Plan& plan, LayoutCursor& cursor, int64_t count, const char* block) {
  for (int64_t done = 0; done < count;) {
    const int64_t run = smaller(cursor.left_in_row(), count - done);
    plan.store(plan.out + cursor.offset(0) * plan.out_size, plan.layout.inner_stride(0),
               block + done * plan.compute_size, run);
    cursor.advance(run);
    done += run;
  }
}

/// Reads a block of each operand from one row: where it lies, or converted.
void read_row(const Plan& plan, const LayoutCursor& reader, int64_t count, Buffers& buffers,
              const void** operands) {
  for (int k = 0; k < plan.operands; ++k) {
    const Source& source = plan.in[k];
    if (source.single) continue;
    const char* from = source.data + reader.offset(k + 1) * source.element_size;
    operands[k] = buffers.in[k];
    if (source.direct && plan.layout.inner_stride(k + 1) == 1) {
      operands[k] = from;
    } else {
      load_values(source, from, plan.layout.inner_stride(k + 1), count, buffers.in[k],
                  buffers.narrow);
    }
  }
}

/// Computes a block of one row. Returns where the results lie: in `out`, or in an operand that
/// already is the result.
const void* compute_row(const Plan& plan, const LayoutCursor& reader, int64_t count,
                        Buffers& buffers, const void** operands, uint32_t scalars, char* out) {
  if (plan.converts && out != buffers.out) {
    const Source& source = plan.in[0];
    load_values(source, source.data + reader.offset(1) * source.element_size,
                plan.layout.inner_stride(1), count, out, buffers.narrow);
    return out;
  }
  read_row(plan, reader, count, buffers, operands);
  if (plan.converts) return operands[0];
  plan.loop(out, operands, scalars, count);
  return out;
}

/// Computes a block gathered from several rows; advances the reader. Returns as compute_row().
const void* compute_gathered(const Plan& plan, LayoutCursor& reader, int64_t count,
                             Buffers& buffers, const void** operands, uint32_t scalars) {
  for (int k = 0; k < plan.operands; ++k) {
    if (!plan.in[k].single) operands[k] = buffers.in[k];
  }
  gather(plan, reader, count, buffers);
  if (plan.converts) return operands[0];
  plan.loop(buffers.out, operands, scalars, count);
  return buffers.out;
}

/// Stores a block of results that does not lie in its place yet.
void write_block(const Plan& plan, LayoutCursor& writer, int64_t count, Buffers& buffers,
                 const void* results) {
  const auto* block = static_cast<const char*>(results);
  if (plan.round != nullptr) {
    plan.round(buffers.narrow, 1, block, count);
    plan.unround(buffers.out, buffers.narrow, 1, count);
    block = buffers.out;
  }
  scatter(plan, writer, count, block);
}

void run_in_blocks(const Plan& plan, int64_t first, int64_t last) {
  Buffers buffers;
  const void* operands[kMaxOperands];
  const uint32_t scalars = load_singles(plan, buffers, operands);
  LayoutCursor reader(plan.layout, first);
  LayoutCursor writer(plan.layout, first);
  while (first < last) {
    const int64_t count = smaller(kBlock, last - first);
    // Within a row, operands that need no conversion are read, and results written, in place.
    if (count <= reader.left_in_row()) {
      char* const place = plan.out + writer.offset(0) * plan.out_size;
      char* const out = plan.out_direct ? place : buffers.out;
      const void* const results = compute_row(plan, reader, count, buffers, operands, scalars, out);
      reader.advance(count);
      if (results == place) {
        writer.advance(count);
      } else {
        write_block(plan, writer, count, buffers, results);
      }
    } else {
      const void* const results = compute_gathered(plan, reader, count, buffers, operands, scalars);
      write_block(plan, writer, count, buffers, results);
    }
    first += count;
  }
}

/// Elements that are worth handing to a thread: about 10 us.
int64_t grain_of(ElementwiseOp op) {
  const bool heavy = op >= ElementwiseOp::Exp && op <= ElementwiseOp::Logit;
  const bool heavy_binary = op == ElementwiseOp::Pow || op == ElementwiseOp::Atan2 ||
                            op == ElementwiseOp::Fmod || op == ElementwiseOp::Remainder ||
                            op == ElementwiseOp::Glu || op == ElementwiseOp::Elu ||
                            op == ElementwiseOp::Gcd || op == ElementwiseOp::Lcm;
  return heavy || heavy_binary ? 4 * kBlock : 32 * kBlock;
}

/// Neighbouring elements of the compute type throughout: the loop takes them as they are.
bool runs_flat(const ElementwiseCall& call) {
  bool flat = call.rank == 1 && call.out.strides[0] == 1 && call.out.dtype == call.common &&
              storage_type(compute_type(call.common)) == call.common;
  for (int k = 0; flat && k < arity(call.op); ++k)
    flat = call.in[k].dtype == call.common && call.in[k].strides[0] == 1;
  return flat;
}

void run_flat(const ElementwiseCall& call) {
  const BlockLoop loop = block_loop(call.op, compute_type(call.common));
  const auto unit = static_cast<int64_t>(element_size(call.common));
  threadpool::parallel_for(0, call.sizes[0], grain_of(call.op), [&](int64_t first, int64_t last) {
    const void* operands[kMaxOperands];
    for (int k = 0; k < arity(call.op); ++k)
      operands[k] = static_cast<const char*>(call.in[k].data) + first * unit;
    loop(static_cast<char*>(call.out.data) + first * unit, operands, 0, last - first);
  });
}

}  // namespace

bool elementwise_supported(ElementwiseOp op, DType common) {
  return element_size(common) != 0 && block_loop(op, compute_type(common)) != nullptr;
}

void elementwise(const ElementwiseCall& call) {
  if (runs_flat(call)) return run_flat(call);
  const Plan plan = make_plan(call);
  const auto body = plan.in_place ? run_in_place : run_in_blocks;
  const int64_t numel = plan.layout.numel();
  const int64_t grain = grain_of(call.op);
  if (numel == 0) return;
  if (numel <= grain) return body(plan, 0, numel);
  threadpool::parallel_for(0, numel, grain,
                           [&](int64_t first, int64_t last) { body(plan, first, last); });
}

namespace {

template <class T>
bool row_has_zero(const char* data, int64_t stride, int64_t n) {
  const T* const elements = reinterpret_cast<const T*>(data);
  T zero = 0;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) zero |= elements[i] == 0;
  } else {
    for (int64_t i = 0; i < n; ++i) zero |= elements[i * stride] == 0;
  }
  return zero != 0;
}

using RowHasZero = bool (*)(const char* data, int64_t stride, int64_t n);
RowHasZero row_has_zero_of(size_t element_size) {
  switch (element_size) {
    case 1:
      return row_has_zero<uint8_t>;
    case 2:
      return row_has_zero<uint16_t>;
    case 4:
      return row_has_zero<uint32_t>;
    default:
      return row_has_zero<uint64_t>;
  }
}

}  // namespace

bool any_zero(const Operand& operand, int rank, const int64_t* sizes) {
  const int64_t* strides[] = {operand.strides};
  const Layout layout = make_layout(rank, sizes, strides, 1);
  const auto* data = static_cast<const char*>(operand.data);
  const int64_t size = static_cast<int64_t>(element_size(operand.dtype));
  const RowHasZero has_zero = row_has_zero_of(element_size(operand.dtype));
  const int64_t numel = layout.numel();
  LayoutCursor cursor(layout, 0);
  for (int64_t done = 0; done < numel;) {
    const int64_t run = smaller(smaller(cursor.left_in_row(), numel - done), kBlock);
    if (has_zero(data + cursor.offset(0) * size, layout.inner_stride(0), run)) return true;
    cursor.advance(run);
    done += run;
  }
  return false;
}

}  // namespace executorch::compute
