#include "tensors.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

#include <nanobind/stl/string.h>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include "errors.h"
#include "text.h"

namespace nb = nanobind;
using executorch::aten::ScalarType;

namespace executorch::python {

namespace {

struct DtypeName {
  ScalarType type;
  uint8_t code;
  uint8_t bits;
  const char* name;
};

constexpr uint8_t code_of(nb::dlpack::dtype_code code) {
  return static_cast<uint8_t>(code);
}

constexpr DtypeName kDtypes[] = {
    {ScalarType::Byte, code_of(nb::dlpack::dtype_code::UInt), 8, "uint8"},
    {ScalarType::Char, code_of(nb::dlpack::dtype_code::Int), 8, "int8"},
    {ScalarType::Short, code_of(nb::dlpack::dtype_code::Int), 16, "int16"},
    {ScalarType::Int, code_of(nb::dlpack::dtype_code::Int), 32, "int32"},
    {ScalarType::Long, code_of(nb::dlpack::dtype_code::Int), 64, "int64"},
    {ScalarType::UInt16, code_of(nb::dlpack::dtype_code::UInt), 16, "uint16"},
    {ScalarType::UInt32, code_of(nb::dlpack::dtype_code::UInt), 32, "uint32"},
    {ScalarType::UInt64, code_of(nb::dlpack::dtype_code::UInt), 64, "uint64"},
    {ScalarType::Half, code_of(nb::dlpack::dtype_code::Float), 16, "float16"},
    {ScalarType::Float, code_of(nb::dlpack::dtype_code::Float), 32, "float32"},
    {ScalarType::Double, code_of(nb::dlpack::dtype_code::Float), 64, "float64"},
    {ScalarType::BFloat16, code_of(nb::dlpack::dtype_code::Bfloat), 16, "bfloat16"},
    {ScalarType::Bool, code_of(nb::dlpack::dtype_code::Bool), 8, "bool"},
    {ScalarType::ComplexHalf, code_of(nb::dlpack::dtype_code::Complex), 32, "complex32"},
    {ScalarType::ComplexFloat, code_of(nb::dlpack::dtype_code::Complex), 64, "complex64"},
    {ScalarType::ComplexDouble, code_of(nb::dlpack::dtype_code::Complex), 128, "complex128"},
};

const DtypeName* find_dtype(nb::dlpack::dtype dtype) {
  if (dtype.lanes != 1) return nullptr;
  for (const DtypeName& row : kDtypes)
    if (row.code == dtype.code && row.bits == dtype.bits) return &row;
  return nullptr;
}

const DtypeName* find_dtype(ScalarType type) {
  for (const DtypeName& row : kDtypes)
    if (row.type == type) return &row;
  return nullptr;
}

nb::dlpack::dtype dlpack_dtype(const DtypeName& row) {
  nb::dlpack::dtype dtype;
  dtype.code = row.code;
  dtype.bits = row.bits;
  dtype.lanes = 1;
  return dtype;
}

std::vector<aten::DimOrderType> contiguous_order(size_t rank) {
  std::vector<aten::DimOrderType> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<aten::DimOrderType>(i);
  return order;
}

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  runtime::set_error_message("%s %s", what.c_str(), why.c_str());
  raise(runtime::Error::InvalidArgument, ExceptionKind::Runtime,
        "Unsupported python type. Ensure that inputs are passed as a flat list of tensors.");
}

/// True when the array lies densely in memory in this order of dimensions.
bool is_dense(const nb::ndarray<nb::ro>& array, const std::vector<aten::DimOrderType>& order) {
  int64_t expected = 1;
  for (size_t i = 0; i < array.ndim(); ++i)
    if (array.shape(i) == 0) return true;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t dim = order[i];
    if (array.shape(dim) != 1 && array.stride(dim) != expected) return false;
    expected *= static_cast<int64_t>(array.shape(dim));
  }
  return true;
}

/// Copies a strided array densely, dimension order[0] outermost.
void copy_strided(const nb::ndarray<nb::ro>& array, const std::vector<aten::DimOrderType>& order,
                  size_t level, const char* from, char*& to) {
  const size_t item = array.itemsize();
  if (level == order.size()) {
    std::memcpy(to, from, item);
    to += item;
    return;
  }
  const size_t dim = order[level];
  const int64_t step = array.stride(dim) * static_cast<int64_t>(item);
  if (level + 1 == order.size() && step == static_cast<int64_t>(item)) {
    std::memcpy(to, from, item * array.shape(dim));
    to += item * array.shape(dim);
    return;
  }
  for (size_t i = 0; i < array.shape(dim); ++i)
    copy_strided(array, order, level + 1, from + static_cast<int64_t>(i) * step, to);
}

/// Sizes for the runtime, which counts elements of a dimension and of a stride in 32 bits.
std::vector<aten::SizesType> checked_sizes(const nb::ndarray<nb::ro>& array,
                                           const std::vector<aten::DimOrderType>& order,
                                           const std::string& what) {
  std::vector<aten::SizesType> sizes(array.ndim());
  uint64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t dim = order[i];
    const size_t size = array.shape(dim);
    if (size > static_cast<size_t>(INT32_MAX) || stride > static_cast<uint64_t>(INT32_MAX))
      refuse(what,
             "is too large: dimension " + std::to_string(dim) + " has " + std::to_string(size) +
                 " elements, " + std::to_string(stride) +
                 " apart from each other in memory; at most 2147483647 of either are supported");
    sizes[dim] = static_cast<aten::SizesType>(size);
    if (size > 1) stride *= size;
  }
  return sizes;
}

/// True for arrays that forbid writing; torch tensors never do.
bool is_readonly(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr())) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_STRIDED) == 0) {
    PyBuffer_Release(&view);
    return false;
  }
  PyErr_Clear();
  return true;
}

/// numpy's numbers, and arrays and tensors without dimensions.
bool is_scalar_like(nb::handle object) {
  const nb::object rank = nb::getattr(object, "ndim", nb::none());
  return PyLong_Check(rank.ptr()) && nb::cast<int64_t>(rank) == 0 && nb::hasattr(object, "item");
}

/// torch refuses to hand out a tensor that wants a gradient or is lazily conjugated.
nb::object plain_torch_tensor(nb::handle object) {
  nb::object tensor = nb::borrow(object);
  if (!nb::hasattr(object, "requires_grad")) return tensor;
  if (nb::cast<bool>(tensor.attr("requires_grad"))) tensor = tensor.attr("detach")();
  if (nb::hasattr(tensor, "resolve_conj"))
    tensor = tensor.attr("resolve_conj")().attr("resolve_neg")();
  return tensor;
}

/// numpy arrays of the other byte order, in ours.
nb::object native_order(nb::object object) {
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  if (!nb::getattr(dtype, "isnative", nb::none()).is(nb::handle(Py_False))) return object;
  return object.attr("astype")(dtype.attr("newbyteorder")("="));
}

/// What an object that is no tensor for us is, for a text.
std::string describe_type(nb::handle object) {
  const std::string name = nb::type_name(object.type()).c_str();
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  return dtype.is_none() ? name : name + " of type " + nb::str(dtype).c_str();
}

/// Memory for a dense copy.
std::unique_ptr<char[]> allocate_copy(const nb::ndarray<nb::ro>& array, const std::string& what) {
  size_t bytes = array.itemsize();
  bool fits = true;
  for (size_t i = 0; i < array.ndim() && bytes != 0; ++i)
    fits &= !__builtin_mul_overflow(bytes, array.shape(i), &bytes);
  std::unique_ptr<char[]> memory(fits && bytes < SIZE_MAX ? new (std::nothrow) char[bytes + 1]
                                                          : nullptr);
  if (memory == nullptr) {
    runtime::set_error_message(
        "%s must be copied, as it does not lie densely in memory, and there is no memory for its "
        "%zu elements",
        what.c_str(), array.size());
    raise(runtime::Error::MemoryAllocationFailed, ExceptionKind::Runtime,
          "Failed to convert an input, error: 0x:21");
  }
  return memory;
}

Input convert_tensor(nb::handle object, const ExpectedLayout& layout, const std::string& what) {
  Input input;
  const nb::object plain = native_order(plain_torch_tensor(object));
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(plain, array)) {
    if (PyErr_Occurred()) PyErr_Clear();
    refuse(what, "is a " + describe_type(object) +
                     ": expected a numpy array or torch tensor of numbers on the CPU, another such "
                     "DLPack producer, a "
                     "number, a string or None");
  }
  if (array.device_type() != nb::device::cpu::value)
    refuse(what, "lies on device type " + std::to_string(array.device_type()) +
                     ": expected a tensor on the CPU");
  const DtypeName* dtype = find_dtype(array.dtype());
  if (dtype == nullptr) refuse(what, "has an element type that programs don't know");
  if (array.ndim() > 16)
    refuse(what, "has " + std::to_string(array.ndim()) + " dimensions: at most 16 are supported");

  std::vector<aten::DimOrderType> order =
      layout.dim_order.size() == array.ndim() ? layout.dim_order : contiguous_order(array.ndim());
  std::vector<aten::SizesType> sizes = checked_sizes(array, order, what);
  const char* data = static_cast<const char*>(array.data());
  // Typed loads need natural alignment; a view into raw bytes may lack it.
  const size_t alignment = array.itemsize() > 8 ? 8 : array.itemsize();
  const bool usable = is_dense(array, order) && reinterpret_cast<uintptr_t>(data) % alignment == 0;
  if (usable && !(layout.used_in_place && is_readonly(plain))) {
    input.source = nb::cast(array);
    input.storage = std::make_unique<TensorStorage>(dtype->type, std::move(sizes), std::move(order),
                                                    const_cast<char*>(data));
  } else {
    input.copy = allocate_copy(array, what);
    char* to = input.copy.get();
    if (array.size() != 0) copy_strided(array, order, 0, data, to);
    input.storage = std::make_unique<TensorStorage>(dtype->type, std::move(sizes), std::move(order),
                                                    input.copy.get());
  }
  input.value = runtime::EValue(input.storage->tensor());
  return input;
}

}  // namespace

TensorStorage::TensorStorage(ScalarType dtype, std::vector<aten::SizesType> sizes,
                             std::vector<aten::DimOrderType> dim_order, void* data,
                             aten::TensorShapeDynamism dynamism)
    : sizes_(std::move(sizes)), dim_order_(std::move(dim_order)), strides_(sizes_.size()) {
  aten::StridesType stride = 1;
  for (size_t i = dim_order_.size(); i-- > 0;) {
    strides_[dim_order_[i]] = stride;
    if (sizes_[dim_order_[i]] > 1) stride *= sizes_[dim_order_[i]];
  }
  impl_.emplace(dtype, static_cast<ssize_t>(sizes_.size()), sizes_.data(), data, dim_order_.data(),
                strides_.data(), dynamism);
}

Input convert_input(nb::handle object, const ExpectedLayout& layout, const std::string& what) {
  Input input;
  PyObject* raw = object.ptr();
  if (object.is_none()) return input;
  const bool wants_number = layout.tag == runtime::Tag::Int || layout.tag == runtime::Tag::Double ||
                            layout.tag == runtime::Tag::Bool;
  if (wants_number && is_scalar_like(object)) {
    const nb::object number = object.attr("item")();
    if (!is_scalar_like(number)) return convert_input(number, layout, what);
  }
  if (PyBool_Check(raw)) {
    input.value = runtime::EValue(nb::cast<bool>(object));
  } else if (PyLong_Check(raw)) {
    int64_t number;
    if (!nb::try_cast(object, number)) refuse(what, "is an int that does not fit 64 bits");
    input.value = runtime::EValue(number);
  } else if (PyFloat_Check(raw)) {
    input.value = runtime::EValue(nb::cast<double>(object));
  } else if (PyUnicode_Check(raw)) {
    input.text = std::make_unique<std::string>();
    if (!nb::try_cast(object, *input.text))
      refuse(what, "is a string with characters that UTF-8 lacks");
    input.characters =
        std::make_unique<aten::ArrayRef<char>>(input.text->data(), input.text->size());
    input.value = runtime::EValue(input.characters.get());
  } else {
    return convert_tensor(object, layout, what);
  }
  return input;
}

ExpectedLayout natural_layout(nb::handle object) {
  ExpectedLayout layout;
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(plain_torch_tensor(object), array)) {
    if (PyErr_Occurred()) PyErr_Clear();
    return layout;
  }
  layout.dim_order = contiguous_order(array.ndim());
  if (is_dense(array, layout.dim_order)) return layout;
  std::stable_sort(layout.dim_order.begin(), layout.dim_order.end(),
                   [&](size_t a, size_t b) { return array.stride(a) > array.stride(b); });
  return layout;
}

namespace {

template <class T>
runtime::EValue as_value(const T& item) {
  return runtime::EValue(item);
}
runtime::EValue as_value(const std::optional<aten::Tensor>& item) {
  return item.has_value() ? runtime::EValue(*item) : runtime::EValue();
}

template <class List>
runtime::Error read_items(const runtime::Result<List>& list, const std::shared_ptr<void>& alias,
                          Output* output) {
  if (!list.ok()) return list.error();
  for (const auto& item : *list) {
    auto converted = read_output(as_value(item), alias);
    if (!converted.ok()) return converted.error();
    output->items.push_back(std::move(*converted));
  }
  return runtime::Error::Ok;
}

// The elements of a list may have been replaced by values of another kind.
runtime::Error read_list(const runtime::EValue& value, const std::shared_ptr<void>& alias,
                         Output* output) {
  output->kind = Output::Kind::List;
  if (value.isIntList()) return read_items(value.tryToIntList(), alias, output);
  if (value.isDoubleList()) return read_items(value.tryToDoubleList(), alias, output);
  if (value.isBoolList()) return read_items(value.tryToBoolList(), alias, output);
  if (value.isTensorList()) return read_items(value.tryToTensorList(), alias, output);
  if (value.isListOptionalTensor())
    return read_items(value.tryToListOptionalTensor(), alias, output);
  return ET_ERROR(NotSupported, "an output of kind %d cannot be returned to Python",
                  static_cast<int>(value.tag));
}

}  // namespace

runtime::Result<Output> read_output(const runtime::EValue& value, std::shared_ptr<void> alias) {
  Output output;
  if (value.isNone()) return output;
  if (value.isInt()) {
    output.kind = Output::Kind::Int;
    output.integer = value.toInt();
  } else if (value.isDouble()) {
    output.kind = Output::Kind::Double;
    output.real = value.toDouble();
  } else if (value.isBool()) {
    output.kind = Output::Kind::Bool;
    output.integer = value.toBool();
  } else if (value.isString()) {
    output.kind = Output::Kind::String;
    const auto text = value.toString();
    output.text.assign(text.data(), text.size());
  } else if (value.isTensor()) {
    output.kind = Output::Kind::Tensor;
    const aten::Tensor& tensor = value.toTensor();
    OutputTensor& result = output.tensor;
    result.dtype = tensor.scalar_type();
    result.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
    result.strides.assign(tensor.strides().begin(), tensor.strides().end());
    const void* data = tensor.const_data_ptr();
    if (data == nullptr && tensor.nbytes() != 0)
      return ET_ERROR(InvalidState, "an output of %zu bytes has no memory",
                      static_cast<size_t>(tensor.nbytes()));
    if (alias) {
      result.data = const_cast<void*>(data);
      result.owner = std::move(alias);
      return output;
    }
    constexpr size_t kAlignment = 64;
    const size_t bytes = (tensor.nbytes() + kAlignment) / kAlignment * kAlignment;
    void* copy = std::aligned_alloc(kAlignment, bytes);
    if (copy == nullptr)
      return ET_ERROR(MemoryAllocationFailed, "no memory for an output of %zu bytes", bytes);
    if (tensor.nbytes() != 0) std::memcpy(copy, data, tensor.nbytes());
    result.data = copy;
    result.owner = std::shared_ptr<void>(copy, std::free);
    result.copied = true;
  } else {
    ET_TRY(read_list(value, alias, &output));
  }
  return output;
}

namespace {

/// The small tensor type of ours, for element types that numpy lacks when torch is absent.
class PlainTensor {
 public:
  explicit PlainTensor(OutputTensor tensor) : tensor_(std::move(tensor)) {}

  nb::tuple shape() const {
    nb::list sizes;
    for (const int64_t size : tensor_.sizes) sizes.append(size);
    return nb::tuple(sizes);
  }
  const char* dtype() const {
    const DtypeName* row = find_dtype(tensor_.dtype);
    return row ? row->name : runtime::toString(tensor_.dtype);
  }
  template <class Framework>
  nb::ndarray<Framework> array() const {
    const DtypeName* row = find_dtype(tensor_.dtype);
    if (row == nullptr) {
      runtime::set_error_message("a tensor of type %s cannot leave the runtime",
                                 runtime::toString(tensor_.dtype));
      raise(runtime::Error::NotSupported, ExceptionKind::Runtime, "error: 0x10");
    }
    auto* owner = new std::shared_ptr<void>(tensor_.owner);
    const nb::capsule capsule(
        owner, [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
    std::vector<size_t> sizes(tensor_.sizes.begin(), tensor_.sizes.end());
    return nb::ndarray<Framework>(tensor_.data, sizes.size(), sizes.data(), capsule,
                                  tensor_.strides.data(), dlpack_dtype(*row));
  }
  const OutputTensor& content() const { return tensor_; }
  /// The values as a numpy array of float32.
  nb::object to_float() const;
  bool fits_numpy() const {
    const DtypeName* row = find_dtype(tensor_.dtype);
    return row != nullptr && tensor_.dtype != ScalarType::BFloat16 &&
           tensor_.dtype != ScalarType::ComplexHalf;
  }

 private:
  OutputTensor tensor_;
};

nb::object PlainTensor::to_float() const {
  if (tensor_.dtype != ScalarType::BFloat16) {
    if (!fits_numpy()) {
      runtime::set_error_message("a tensor of type %s has no float values", dtype());
      raise(runtime::Error::NotSupported, ExceptionKind::Runtime, "error: 0x10");
    }
    return nb::cast(array<nb::numpy>()).attr("astype")("float32");
  }
  // bfloat16 is the upper half of a float; bytes keep their order, so the strides hold for the copy
  // as well.
  int64_t count = 1;
  for (const int64_t size : tensor_.sizes) count *= size;
  OutputTensor wide;
  wide.dtype = ScalarType::Float;
  wide.sizes = tensor_.sizes;
  wide.strides = tensor_.strides;
  wide.data = std::malloc(static_cast<size_t>(count) * sizeof(float) + 1);
  if (wide.data == nullptr) throw std::bad_alloc();
  wide.owner = std::shared_ptr<void>(wide.data, std::free);
  const auto* from = static_cast<const uint16_t*>(tensor_.data);
  auto* to = static_cast<uint32_t*>(wide.data);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<uint32_t>(from[i]) << 16;
  return nb::cast(PlainTensor(std::move(wide)).array<nb::numpy>());
}

bool torch_is_imported() {
  // sys.modules also holds None for modules whose import was blocked.
  PyObject* torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  return torch != nullptr && torch != Py_None;
}

// numpy wraps a bytearray several times faster than a DLPack capsule, which outweighs a second copy
// of so many bytes.
constexpr size_t kSmallResult = 4096;

bool is_row_major(const OutputTensor& tensor) {
  int64_t stride = 1;
  for (size_t d = tensor.sizes.size(); d-- > 0;) {
    if (tensor.sizes[d] > 1 && tensor.strides[d] != stride) return false;
    stride *= tensor.sizes[d];
  }
  return true;
}

/// A numpy array of a small result; none where the general way must do.
nb::object small_array(const OutputTensor& tensor, const DtypeName& dtype) {
  size_t bytes = dtype.bits / 8;
  for (const int64_t size : tensor.sizes) bytes *= static_cast<size_t>(size);
  if (!tensor.copied || bytes == 0 || bytes > kSmallResult || !is_row_major(tensor))
    return nb::none();
  // Kept for the life of the process: destructors at its end would run without an interpreter.
  static const auto* const ndarray = new nb::object(nb::module_::import_("numpy").attr("ndarray"));
  static auto* const dtypes = new std::array<nb::object, std::size(kDtypes)>();
  nb::object& type = (*dtypes)[static_cast<size_t>(&dtype - kDtypes)];
  if (!type.is_valid()) type = nb::module_::import_("numpy").attr("dtype")(dtype.name);
  const nb::object buffer = nb::steal(PyByteArray_FromStringAndSize(
      static_cast<const char*>(tensor.data), static_cast<Py_ssize_t>(bytes)));
  const nb::object sizes = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(tensor.sizes.size())));
  if (!buffer.is_valid() || !sizes.is_valid()) throw nb::python_error();
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    PyTuple_SetItem(sizes.ptr(), static_cast<Py_ssize_t>(d), PyLong_FromLongLong(tensor.sizes[d]));
  }
  return (*ndarray)(sizes, type, buffer);
}

}  // namespace

nb::object to_python(Output&& output) {
  switch (output.kind) {
    case Output::Kind::None:
      return nb::none();
    case Output::Kind::Int:
      return nb::int_(output.integer);
    case Output::Kind::Double:
      return nb::float_(output.real);
    case Output::Kind::Bool:
      return nb::bool_(output.integer != 0);
    case Output::Kind::String:
      return to_str(output.text);
    case Output::Kind::List: {
      nb::list items;
      for (Output& item : output.items) items.append(to_python(std::move(item)));
      return items;
    }
    case Output::Kind::Tensor:
      break;
  }
  const bool torch = torch_is_imported();
  const DtypeName* dtype = find_dtype(output.tensor.dtype);
  PlainTensor tensor(std::move(output.tensor));
  if (torch) return nb::cast(tensor.array<nb::pytorch>());
  if (tensor.fits_numpy()) {
    nb::object small = small_array(tensor.content(), *dtype);
    if (!small.is_none()) return small;
    return nb::cast(tensor.array<nb::numpy>());
  }
  return nb::cast(std::move(tensor));
}

void bind_tensors(nb::module_& m) {
  nb::class_<PlainTensor>(
      m, "Tensor",
      "A tensor of a type that numpy lacks (bfloat16), returned when torch is not imported. "
      "float() gives numpy float32 values; DLPack consumers take it as it is.")
      .def_prop_ro("shape", &PlainTensor::shape)
      .def_prop_ro("dtype", &PlainTensor::dtype)
      .def("float", &PlainTensor::to_float, "The values as a numpy array of float32.")
      .def("__dlpack__",
           [](const PlainTensor& self, const nb::kwargs& kwargs) {
             return nb::cast(self.array<nb::ro>()).attr("__dlpack__")(**kwargs);
           })
      .def("__dlpack_device__",
           [](const PlainTensor&) { return nb::make_tuple(nb::device::cpu::value, 0); })
      .def("__repr__", [](const PlainTensor& self) {
        return std::string("Tensor(shape=") + nb::repr(self.shape()).c_str() +
               ", dtype=" + self.dtype() + ")";
      });
}

}  // namespace executorch::python
