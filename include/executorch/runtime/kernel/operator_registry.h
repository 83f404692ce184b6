/**
 * @file
 * The kernels of the process, by operator name and, where a kernel is specialised, by the types and
 * dim orders of its tensors. All functions are thread-safe.
 */
#pragma once

#include <cstddef>
#include <cstring>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/kernel_signature.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>
#include <executorch/runtime/platform/platform.h>

#if defined(ET_OP_REGISTRY_DEBUG)
#include <ostream>
#endif

/// Logs a KernelKey.
#define ET_LOG_KERNEL_KEY(k)                                                \
  ET_LOG(Info, "key: %s, is_fallback: %s", k.is_fallback() ? "" : k.data(), \
         k.is_fallback() ? "true" : "false");

/// Logs a list of TensorMeta.
#define ET_LOG_TENSOR_META(meta_list)                                \
  for (const auto& meta : meta_list) {                               \
    ET_LOG(Info, "dtype: %d | dim order: [", int(meta.dtype_));      \
    for (size_t i = 0; i < meta.dim_order_.size(); i++) {            \
      ET_LOG(Info, "%d,", static_cast<int32_t>(meta.dim_order_[i])); \
    }                                                                \
    ET_LOG(Info, "]");                                               \
  }

namespace executorch {
namespace runtime {

class KernelRuntimeContext;

/// A boxed kernel: the arguments in schema order, then one value for the return.
using OpFunction = void (*)(KernelRuntimeContext&, Span<EValue*>);

/// Type and dim order of one tensor argument.
struct TensorMeta {
  executorch::aten::ScalarType dtype_;
  Span<executorch::aten::DimOrderType> dim_order_;

  TensorMeta() = default;
  TensorMeta(executorch::aten::ScalarType dtype, Span<executorch::aten::DimOrderType> order)
      : dtype_(dtype), dim_order_(order) {}

  bool equals(const TensorMeta& other) const {
    if (dtype_ != other.dtype_ || dim_order_.size() != other.dim_order_.size()) return false;
    for (size_t i = 0; i < dim_order_.size(); ++i) {
      if (dim_order_[i] != other.dim_order_[i]) return false;
    }
    return true;
  }
  bool operator==(const TensorMeta& other) const { return equals(other); }
  bool operator!=(const TensorMeta& other) const { return !equals(other); }

#if defined(ET_OP_REGISTRY_DEBUG)
  friend std::ostream& operator<<(std::ostream& os, const TensorMeta& meta) {
    os << "dtype: " << int(meta.dtype_) << " | dim order: [";
    for (size_t i = 0; i < meta.dim_order_.size(); ++i) {
      os << static_cast<int32_t>(meta.dim_order_[i]) << ", ";
    }
    return os << "]";
  }
#endif
};

/**
 * Which tensors a specialised kernel is for, as text: "v1/" and per tensor "<dtype>;<dim>,<dim>,…",
 * joined by "|", for example "v1/6;0,1|6;0,1". A key without text belongs to the fallback kernel,
 * which takes all.
 */
struct KernelKey {
 public:
  constexpr KernelKey() = default;
  /// The text must live as long as the process.
  /* implicit */ constexpr KernelKey(const char* kernel_key_data)
      : kernel_key_data_(kernel_key_data) {}

  bool equals(const KernelKey& other) const {
    if (is_fallback() || other.is_fallback()) return is_fallback() == other.is_fallback();
    return strcmp(kernel_key_data_, other.kernel_key_data_) == 0;
  }
  bool operator==(const KernelKey& other) const { return equals(other); }
  bool operator!=(const KernelKey& other) const { return !equals(other); }

  bool is_fallback() const { return kernel_key_data_ == nullptr; }
  /// Null for the fallback.
  const char* data() const { return kernel_key_data_; }

#if defined(ET_OP_REGISTRY_DEBUG)
  friend std::ostream& operator<<(std::ostream& os, const KernelKey& key) {
    return os << (key.is_fallback() ? "" : key.kernel_key_data_) << std::endl;
  }
#endif

 private:
  const char* kernel_key_data_ = nullptr;
};

/// A kernel to register. The texts and the signature must live as long as the process.
struct Kernel {
  /// Operator with overload, "aten::add.out".
  const char* name_;
  KernelKey kernel_key_;
  OpFunction op_;
  /// What its arguments are; null when unknown: the runtime then cannot check a program's call.
  const KernelSignature* signature_;

  constexpr explicit Kernel(const char* name, OpFunction func,
                            const KernelSignature* signature = nullptr)
      : name_(name), op_(func), signature_(signature) {}
  constexpr explicit Kernel(const char* name, KernelKey key, OpFunction func,
                            const KernelSignature* signature = nullptr)
      : name_(name), kernel_key_(key), op_(func), signature_(signature) {}
  constexpr Kernel() : name_(nullptr), op_(nullptr), signature_(nullptr) {}
};

namespace internal {

/// Room for the key of 16 tensors of 16 dimensions.
constexpr size_t kKernelKeyBufSize = 659;

/// Writes the text of a KernelKey, terminated; no tensors give "". InvalidArgument when it does not
/// fit or when a type or dimension is not below 100.
EXECUTORCH_API Error make_kernel_key_string(Span<const TensorMeta> key, char* buf, size_t buf_size);

}  // namespace internal

/// True when get_op_function_from_registry() would find a kernel.
EXECUTORCH_API bool registry_has_op_function(const char* name,
                                             Span<const TensorMeta> meta_list = {});

/// The kernel of an operator for the given tensors: the specialised one, else the fallback, else
/// OperatorMissing with a text that says where the operator is found.
EXECUTORCH_API Result<OpFunction> get_op_function_from_registry(
    const char* name, Span<const TensorMeta> meta_list = {});

/// The same, looking into `kernel_list` first.
EXECUTORCH_API Result<OpFunction> get_op_function_from_registry(const char* name,
                                                                Span<const TensorMeta> meta_list,
                                                                Span<const Kernel> kernel_list);

/// All kernels. The span stays valid for the life of the process, and lacks what is registered
/// after the call.
EXECUTORCH_API Span<const Kernel> get_registered_kernels();

/**
 * Registers all of `kernels`, or none.
 *
 * @retval RegistrationAlreadyRegistered A kernel of this name and key exists; both library files
 * are logged. override_kernel() replaces one on purpose.
 * @retval InvalidArgument A kernel has no name or no function.
 * @retval MemoryAllocationFailed
 */
ET_NODISCARD EXECUTORCH_API Error register_kernels(const Span<const Kernel> kernels);

ET_NODISCARD inline Error register_kernel(const Kernel& kernel) {
  return register_kernels({&kernel, 1});
}

/**
 * Puts a kernel in the place of the one of its name and key, whether that was registered before or
 * comes later with an operator library. The only way to override an operator. To be called before
 * the methods that use it are loaded: those loaded already keep the kernel that they found.
 *
 * @retval RegistrationAlreadyRegistered Somebody else overrides it; both library files are logged.
 * @retval InvalidArgument The kernel has no name or no function.
 * @retval MemoryAllocationFailed
 */
ET_NODISCARD EXECUTORCH_API Error override_kernel(const Kernel& kernel);

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Kernel;
using ::executorch::runtime::KernelKey;
using ::executorch::runtime::KernelRuntimeContext;
using ::executorch::runtime::OpFunction;
using ::executorch::runtime::TensorMeta;

inline ::executorch::runtime::Error register_kernels(
    ::executorch::runtime::ArrayRef<Kernel> kernels) {
  return ::executorch::runtime::register_kernels({kernels.data(), kernels.size()});
}

/// Aborts when the operator is missing.
inline OpFunction getOpsFn(const char* name,
                           ::executorch::runtime::ArrayRef<TensorMeta> meta_list = {}) {
  auto result = ::executorch::runtime::get_op_function_from_registry(
      name, {meta_list.data(), meta_list.size()});
  return *result;
}

inline bool hasOpsFn(const char* name, ::executorch::runtime::ArrayRef<TensorMeta> meta_list = {}) {
  return ::executorch::runtime::registry_has_op_function(name,
                                                         {meta_list.data(), meta_list.size()});
}

inline ::executorch::runtime::ArrayRef<Kernel> get_kernels() {
  const ::executorch::runtime::Span<const Kernel> kernels =
      ::executorch::runtime::get_registered_kernels();
  return ::executorch::runtime::ArrayRef<Kernel>(kernels.data(), kernels.size());
}
}  // namespace executor
}  // namespace torch
