#include "backends/aoti/shims/cpu/packed_weight.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace executorch::backends::aoti {
namespace {

using compute::DType;
using compute::TensorView;

/// A form of a view of a constant. The only class that this library derives from Derived.
class PackedWeight final : public Derived {
 public:
  PackedWeight() = default;
  ~PackedWeight() override { std::free(memory_); }
  PackedWeight(const PackedWeight&) = delete;
  PackedWeight& operator=(const PackedWeight&) = delete;

  /// Memory for the form, within the budget of the storage. False when there is none.
  bool allocate(Storage* storage, size_t nbytes) {
    if (nbytes > SIZE_MAX - 64 || !storage->reserve(nbytes)) return false;
    memory_ = static_cast<float*>(std::aligned_alloc(64, (nbytes + 63) / 64 * 64));
    return memory_ != nullptr;
  }
  float* memory() const { return memory_; }

  TensorView view;               ///< what it was made of
  compute::PackedMatrix matrix;  ///< of a product; no data for a convolution
  compute::ConvPlan plan;        ///< of a convolution

  bool is_made_of(const TensorView& other) const {
    return view.data == other.data && view.dtype == other.dtype && view.rank == other.rank &&
           std::equal(view.sizes, view.sizes + view.rank, other.sizes) &&
           std::equal(view.strides, view.strides + view.rank, other.strides);
  }

 private:
  float* memory_ = nullptr;
};

template <class Fits>
const PackedWeight* find(const Storage& storage, Fits&& fits) {
  for (const Derived* derived = storage.derived(); derived != nullptr;
       derived = derived->next.get()) {
    const auto* form = static_cast<const PackedWeight*>(derived);
    if (fits(*form)) return form;
  }
  return nullptr;
}

/// The weight where it lies, if the compute layer can read it there.
bool direct_weight(const TensorView& view, bool transposed, compute::ConvWeight* weight) {
  if (view.dtype != DType::f32 || view.rank > 4) return false;
  const int width = view.rank - 1;
  weight->data = reinterpret_cast<const float*>(view.data);
  weight->out_stride = view.strides[transposed ? 1 : 0];
  weight->in_stride = view.strides[transposed ? 0 : 1];
  weight->column_stride = view.strides[width];
  weight->row_stride = view.rank == 4 ? view.strides[2] : 0;
  return true;
}

Error pack(const ShimTensor& weight, const TensorView& view, const compute::ConvPlan& plan,
           float* packed) {
  compute::ConvWeight source;
  Operand rows;
  if (!direct_weight(view, plan.shape.transposed, &source)) {
    ET_TRY(rows.read_rows(weight, "weight", DType::f32));
    source =
        compute::contiguous_weight(plan.shape, reinterpret_cast<const float*>(rows.view().data));
  }
  compute::conv_pack(plan, source, nullptr, packed);
  return Error::Ok;
}

}  // namespace

const compute::PackedMatrix* packed_factor(Storage* storage, const compute::MatrixView& b,
                                           int64_t k, int64_t n) {
  if (!storage->constant()) return nullptr;
  const compute::Isa isa = compute::active_isa();
  TensorView view;
  view.data = reinterpret_cast<char*>(const_cast<float*>(b.data));
  view.rank = 2;
  view.sizes[0] = k;
  view.sizes[1] = n;
  view.strides[0] = b.row_stride;
  view.strides[1] = b.column_stride;
  const PackedWeight* found = find(*storage, [&](const PackedWeight& form) {
    return form.matrix.data != nullptr && form.matrix.isa == isa && form.is_made_of(view);
  });
  if (found != nullptr) return &found->matrix;
  std::unique_ptr<PackedWeight> made(new (std::nothrow) PackedWeight);
  if (made == nullptr || !made->allocate(storage, compute::gemm_packed_bytes(isa, k, n))) {
    return nullptr;
  }
  made->view = view;
  made->matrix = compute::gemm_pack(isa, b, k, n, made->memory());
  const compute::PackedMatrix* matrix = &made->matrix;
  storage->add(std::move(made));
  return matrix;
}

Error packed_kernel(const ShimTensor& weight, const compute::ConvPlan& plan, Scratch* scratch,
                    const float** packed) {
  TensorView view;
  ET_TRY(view_of(weight, "weight", &view));
  Storage* storage = weight.storage();
  std::unique_ptr<PackedWeight> made;
  if (storage->constant()) {
    const PackedWeight* found = find(*storage, [&](const PackedWeight& form) {
      return form.matrix.data == nullptr && form.is_made_of(view) &&
             compute::conv_same_packing(form.plan, plan);
    });
    if (found != nullptr) {
      *packed = found->memory();
      return Error::Ok;
    }
    made.reset(new (std::nothrow) PackedWeight);
    if (made != nullptr && !made->allocate(storage, plan.packed_bytes)) made.reset();
  }
  float* memory = nullptr;
  if (made != nullptr) {
    memory = made->memory();
  } else {
    ET_TRY(scratch->allocate(plan.packed_bytes));
    memory = static_cast<float*>(scratch->data());
  }
  ET_TRY(pack(weight, view, plan, memory));
  *packed = memory;
  if (made == nullptr) return Error::Ok;
  made->view = view;
  made->plan = plan;
  storage->add(std::move(made));
  return Error::Ok;
}

}  // namespace executorch::backends::aoti
