// Tensors between Python and the runtime: numpy arrays, torch tensors and DLPack producers in, the
// same out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/tag.h>

namespace executorch::python {

/// Sizes, dim order and strides of one tensor, and the impl that points at them. Does not move.
class TensorStorage {
 public:
  TensorStorage(aten::ScalarType dtype, std::vector<aten::SizesType> sizes,
                std::vector<aten::DimOrderType> dim_order, void* data,
                aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::STATIC);
  TensorStorage(const TensorStorage&) = delete;
  TensorStorage& operator=(const TensorStorage&) = delete;

  aten::Tensor tensor() { return aten::Tensor(&*impl_); }
  size_t nbytes() const { return impl_->nbytes(); }

 private:
  std::vector<aten::SizesType> sizes_;
  std::vector<aten::DimOrderType> dim_order_;
  std::vector<aten::StridesType> strides_;
  std::optional<aten::TensorImpl> impl_;
};

/// What the plan wants of an input, as far as it is known.
struct ExpectedLayout {
  std::vector<aten::DimOrderType> dim_order;  // empty: contiguous
  std::optional<runtime::Tag> tag;            // its kind
  bool used_in_place = false;  // the method reads, and may write, the tensor's own memory
};

/// One converted argument. Keeps the Python object, or a copy of its data, alive.
struct Input {
  runtime::EValue value;
  std::unique_ptr<TensorStorage> storage;
  std::unique_ptr<char[]> copy;
  extension::TensorPtr tensor;  // of a bundled program's test case
  std::unique_ptr<std::string> text;
  std::unique_ptr<aten::ArrayRef<char>> characters;  // of `text`
  nanobind::object source;
};

/// Converts a tensor-like, None, bool, int, float or str. Tensor data are used in place where their
/// strides are those of the expected layout, else copied. A 0-d array or tensor counts as a number
/// where the plan wants one. Raises RuntimeError naming `what` ("input 2 of method 'forward'") for
/// anything else.
Input convert_input(nanobind::handle object, const ExpectedLayout& layout, const std::string& what);

/// The order of dimensions in which a tensor-like lies in memory now; contiguous for anything else.
ExpectedLayout natural_layout(nanobind::handle object);

/// Result data: either owned here, or borrowed from `keep_alive`.
struct OutputTensor {
  aten::ScalarType dtype;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // in elements
  void* data = nullptr;
  std::shared_ptr<void> owner;
  bool copied = false;  // nothing else refers to the data
};

/// One output value, detached from the runtime.
struct Output {
  enum class Kind { None, Int, Double, Bool, String, Tensor, List } kind = Kind::None;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  OutputTensor tensor;
  std::vector<Output> items;
};

/// Reads an output value; tensors are copied into memory of their own unless `alias` is given,
/// which then owns the memory they lie in. Needs no lock.
runtime::Result<Output> read_output(const runtime::EValue& value, std::shared_ptr<void> alias);

/// Builds the Python object: torch.Tensor if torch is imported, else numpy.ndarray, or Tensor for
/// types that numpy lacks.
nanobind::object to_python(Output&& output);

/// Defines `Tensor`, the small tensor type for what numpy cannot hold.
void bind_tensors(nanobind::module_& m);

}  // namespace executorch::python
