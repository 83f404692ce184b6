/**
 * @file
 * The tensor types, under the names that kernels and applications use: namespace executorch::aten.
 */
#pragma once

#include <optional>
#include <string_view>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/bfloat16_math.h>
#include <executorch/runtime/core/portable_type/complex.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/portable_type/half.h>
#include <executorch/runtime/core/portable_type/optional.h>
#include <executorch/runtime/core/portable_type/qint_types.h>
#include <executorch/runtime/core/portable_type/scalar.h>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/portable_type/string_view.h>
#include <executorch/runtime/core/portable_type/tensor.h>
#include <executorch/runtime/core/portable_type/tensor_options.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_shape_dynamism.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

#ifdef USE_ATEN_LIB
#error \
    "USE_ATEN_LIB selects PyTorch's tensor types, which this runtime does not support: undefine it."
#endif

#ifndef ET_RUNTIME_NAMESPACE
/// Namespace below executorch of what depends on the tensor types.
#define ET_RUNTIME_NAMESPACE runtime
#endif

namespace executorch {
namespace aten {

using TensorShapeDynamism = executorch::runtime::TensorShapeDynamism;

using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;

using executorch::runtime::etensor::BFloat16;
using executorch::runtime::etensor::compute_numel;
using executorch::runtime::etensor::Device;
using executorch::runtime::etensor::DeviceIndex;
using executorch::runtime::etensor::DeviceType;
using executorch::runtime::etensor::Half;
using executorch::runtime::etensor::Layout;
using executorch::runtime::etensor::MemoryFormat;
using executorch::runtime::etensor::qint32;
using executorch::runtime::etensor::qint8;
using executorch::runtime::etensor::quint2x4;
using executorch::runtime::etensor::quint4x2;
using executorch::runtime::etensor::quint8;
using executorch::runtime::etensor::safe_numel;
using executorch::runtime::etensor::Scalar;
using executorch::runtime::etensor::ScalarType;
using executorch::runtime::etensor::Tensor;
using executorch::runtime::etensor::TensorImpl;

template <typename T>
using complex = executorch::runtime::etensor::complex<T>;

template <typename T>
using ArrayRef = executorch::runtime::ArrayRef<T>;
template <typename T>
using OptionalArrayRef = std::optional<ArrayRef<T>>;
using TensorList = ArrayRef<Tensor>;
using IntArrayRef = ArrayRef<int64_t>;
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;

using SizesType = Tensor::SizesType;
using DimOrderType = Tensor::DimOrderType;
using StridesType = Tensor::StridesType;

}  // namespace aten
}  // namespace executorch

// The former name of the namespace.
namespace exec_aten = executorch::aten;

namespace torch {
namespace executor {
using TensorList = ::executorch::aten::TensorList;
}  // namespace executor
}  // namespace torch
