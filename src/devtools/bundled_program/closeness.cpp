#include "devtools/bundled_program/closeness.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

using executorch::aten::ScalarType;
using executorch::runtime::Error;

namespace executorch::bundled_program {

namespace {

struct Tolerance {
  double relative;
  double absolute;
};

bool is_close(double found, double expected, const Tolerance& tolerance) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

template <class Sizes>
std::string shape_text(const Sizes& sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

/// The indices of a tensor in row-major order.
class Indices {
 public:
  explicit Indices(aten::ArrayRef<aten::SizesType> sizes)
      : sizes_(sizes), index_(sizes.size(), 0) {}

  /// Elements from the start of a tensor with these strides.
  template <class Strides>
  int64_t offset(const Strides& strides) const {
    int64_t sum = 0;
    for (size_t i = 0; i < index_.size(); ++i) sum += index_[i] * static_cast<int64_t>(strides[i]);
    return sum;
  }
  bool next() {
    for (size_t i = index_.size(); i-- > 0;) {
      if (++index_[i] < sizes_[i]) return true;
      index_[i] = 0;
    }
    return false;
  }
  std::string text() const { return shape_text(index_); }

 private:
  aten::ArrayRef<aten::SizesType> sizes_;
  std::vector<int64_t> index_;
};

/// T: a type that converts to double.
template <class T>
Error compare_floats(const aten::Tensor& found, const aten::Tensor& expected,
                     const Tolerance& tolerance) {
  const T* a = static_cast<const T*>(found.const_data_ptr());
  const T* b = static_cast<const T*>(expected.const_data_ptr());
  Indices indices(found.sizes());
  do {
    const double value = static_cast<double>(a[indices.offset(found.strides())]);
    const double wanted = static_cast<double>(b[indices.offset(expected.strides())]);
    ET_REQUIRE(is_close(value, wanted, tolerance), NotFound,
               "element %s is %.9g, expected %.9g within %g + %g * |expected|",
               indices.text().c_str(), value, wanted, tolerance.absolute, tolerance.relative);
  } while (indices.next());
  return Error::Ok;
}

/// T: a complex type.
template <class T>
Error compare_complex(const aten::Tensor& found, const aten::Tensor& expected,
                      const Tolerance& tolerance) {
  const T* a = static_cast<const T*>(found.const_data_ptr());
  const T* b = static_cast<const T*>(expected.const_data_ptr());
  Indices indices(found.sizes());
  do {
    const T& value = a[indices.offset(found.strides())];
    const T& wanted = b[indices.offset(expected.strides())];
    const bool close =
        is_close(static_cast<double>(value.real_), static_cast<double>(wanted.real_), tolerance) &&
        is_close(static_cast<double>(value.imag_), static_cast<double>(wanted.imag_), tolerance);
    ET_REQUIRE(close, NotFound, "element %s is %.9g%+.9gj, expected %.9g%+.9gj",
               indices.text().c_str(), static_cast<double>(value.real_),
               static_cast<double>(value.imag_), static_cast<double>(wanted.real_),
               static_cast<double>(wanted.imag_));
  } while (indices.next());
  return Error::Ok;
}

Error compare_bytes(const aten::Tensor& found, const aten::Tensor& expected) {
  const char* a = static_cast<const char*>(found.const_data_ptr());
  const char* b = static_cast<const char*>(expected.const_data_ptr());
  const int64_t item = static_cast<int64_t>(expected.element_size());
  Indices indices(found.sizes());
  do {
    const bool equal =
        std::memcmp(a + item * indices.offset(found.strides()),
                    b + item * indices.offset(expected.strides()), static_cast<size_t>(item)) == 0;
    ET_REQUIRE(equal, NotFound, "element %s is not the expected one", indices.text().c_str());
  } while (indices.next());
  return Error::Ok;
}

Error compare_tensors(const aten::Tensor& found, const aten::Tensor& expected,
                      const Tolerance& tolerance) {
  ET_REQUIRE(found.scalar_type() == expected.scalar_type(), NotFound,
             "it is a tensor of %s, expected %s", runtime::toString(found.scalar_type()),
             runtime::toString(expected.scalar_type()));
  ET_REQUIRE(found.sizes() == expected.sizes(), NotFound, "it has shape %s, expected %s",
             shape_text(found.sizes()).c_str(), shape_text(expected.sizes()).c_str());
  if (expected.numel() == 0) return Error::Ok;
  switch (found.scalar_type()) {
    case ScalarType::Float:
      return compare_floats<float>(found, expected, tolerance);
    case ScalarType::Double:
      return compare_floats<double>(found, expected, tolerance);
    case ScalarType::Half:
      return compare_floats<aten::Half>(found, expected, tolerance);
    case ScalarType::BFloat16:
      return compare_floats<aten::BFloat16>(found, expected, tolerance);
    case ScalarType::ComplexHalf:
      return compare_complex<aten::complex<aten::Half>>(found, expected, tolerance);
    case ScalarType::ComplexFloat:
      return compare_complex<aten::complex<float>>(found, expected, tolerance);
    case ScalarType::ComplexDouble:
      return compare_complex<aten::complex<double>>(found, expected, tolerance);
    default:
      return compare_bytes(found, expected);
  }
}

}  // namespace

Error check_close(const runtime::EValue& found, const runtime::EValue& expected, double rtol,
                  double atol) {
  const Tolerance tolerance{rtol, atol};
  if (found.isNone()) {
    ET_REQUIRE(expected.isNone(), NotFound, "it is None, expected a value");
    return Error::Ok;
  }
  if (found.isInt()) {
    ET_REQUIRE(expected.isInt() && expected.toInt() == found.toInt(), NotFound,
               "it is the int %lld, which is not the expected value",
               static_cast<long long>(found.toInt()));
    return Error::Ok;
  }
  if (found.isBool()) {
    ET_REQUIRE(expected.isBool() && expected.toBool() == found.toBool(), NotFound,
               "it is %s, which is not the expected value", found.toBool() ? "True" : "False");
    return Error::Ok;
  }
  if (found.isDouble()) {
    ET_REQUIRE(expected.isDouble() && is_close(found.toDouble(), expected.toDouble(), tolerance),
               NotFound, "it is the float %.17g, which is not close to the expected value",
               found.toDouble());
    return Error::Ok;
  }
  ET_REQUIRE(found.isTensor(), NotSupported,
             "bundled programs cannot hold what to expect of a string or a list");
  ET_REQUIRE(expected.isTensor(), NotFound, "it is a tensor, expected another kind of value");
  return compare_tensors(found.toTensor(), expected.toTensor(), tolerance);
}

}  // namespace executorch::bundled_program
