#include "backends/cuda/delegate/constants.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace executorch::backends::cuda {
namespace {

using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;

/// Constants that delegates of the process may share, as long as one of them holds on to them.
class SharedConstants {
 public:
  static SharedConstants& instance() {
    static SharedConstants& all = *new SharedConstants;
    return all;
  }

  /// The constant of that name, loaded when there is none that fits.
  Error find_or_load(const aoti::Constant& constant, const NamedDataMap& data,
                     std::shared_ptr<ConstantMemory>* memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<ConstantMemory>& place =
        constants_[{constant.fqn, static_cast<int>(constant.device)}];
    *memory = place.lock();
    if (*memory != nullptr && fits(constant, *(*memory)->tensor())) return Error::Ok;
    const bool taken = *memory != nullptr;
    ET_TRY(ConstantMemory::load(constant, data, memory));
    if (!taken) place = *memory;
    return Error::Ok;
  }

 private:
  static bool fits(const aoti::Constant& constant, const aoti::ShimTensor& tensor) {
    return tensor.dtype() == constant.dtype && tensor.rank() == constant.sizes.size() &&
           tensor.offset() == constant.offset &&
           std::equal(constant.sizes.begin(), constant.sizes.end(), tensor.sizes()) &&
           std::equal(constant.strides.begin(), constant.strides.end(), tensor.strides());
  }

  std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::weak_ptr<ConstantMemory>> constants_;
};

/// The bytes of a key; NotFound names it.
Error find_data(const NamedDataMap* data, const std::string& key, const char* what,
                std::unique_ptr<FreeableBuffer>* bytes) {
  ET_REQUIRE(data != nullptr, NotFound, "%s needs '%s' of the program's data, there is none", what,
             key.c_str());
  Result<FreeableBuffer> found = data->get_data(key);
  if (!found.ok()) {
    runtime::add_error_context(
        "%s needs '%s' of the program's data (weights of CUDA programs lie in a .ptd file beside "
        "the program, which is loaded with it)",
        what, key.c_str());
    return found.error();
  }
  bytes->reset(new (std::nothrow) FreeableBuffer(std::move(*found)));
  ET_REQUIRE(*bytes != nullptr, MemoryAllocationFailed, "no memory for a buffer");
  return Error::Ok;
}

/// How many bytes the container reads of a blob, where it tells.
Error check_blob_size(const aoti::CodeObject& code, const aoti::Container& container,
                      size_t found) {
  using BlobSize = int32_t (*)(aoti::ContainerHandle, uint64_t*);
  const auto blob_size =
      reinterpret_cast<BlobSize>(code.symbol("AOTInductorModelContainerGetConstantsBlobSize"));
  if (blob_size == nullptr) return Error::Ok;
  uint64_t expected = 0;
  ET_REQUIRE(blob_size(container.handle(), &expected) == 0, Internal,
             "the generated code does not tell the size of its constants");
  ET_REQUIRE(expected <= found, InvalidProgram,
             "the generated code reads %" PRIu64 " bytes of constants, the program has %zu",
             expected, found);
  return Error::Ok;
}

Error load_blob(const aoti::Manifest& manifest, const NamedDataMap* data,
                const aoti::CodeObject& code, aoti::Container* container) {
  if (container->constants().size() == 0) return Error::Ok;
  std::unique_ptr<FreeableBuffer> bytes;
  ET_TRY(find_data(data, manifest.blob_key, "the CUDA delegate", &bytes));
  ET_TRY(check_blob_size(code, *container, bytes->size()));
  ET_TRY(container->copy_constants(static_cast<const uint8_t*>(bytes->data())));
  return check_cuda(cudaDeviceSynchronize(), "the upload of constants");
}

const aoti::Constant* find_constant(const aoti::Manifest& manifest, const std::string& fqn) {
  for (const aoti::Constant& constant : manifest.constants) {
    if (constant.fqn == fqn) return &constant;
  }
  return nullptr;
}

Error load_apart(const aoti::Manifest& manifest, const NamedDataMap* data, bool share,
                 aoti::Container* container, Constants* constants) {
  std::vector<aoti::ConstantPair> pairs;
  for (const aoti::ConstantName& name : container->constants()) {
    const aoti::Constant* constant = find_constant(manifest, name.fqn);
    ET_REQUIRE(constant != nullptr, InvalidProgram,
               "the generated code wants a constant '%s', which the program does not list",
               name.fqn.c_str());
    ET_REQUIRE(data != nullptr, NotFound, "the CUDA delegate needs '%s' of the program's data",
               constant->key.c_str());
    std::shared_ptr<ConstantMemory> memory;
    ET_TRY(share ? SharedConstants::instance().find_or_load(*constant, *data, &memory)
                 : ConstantMemory::load(*constant, *data, &memory));
    pairs.push_back({name.name.c_str(), memory->tensor()});
    constants->push_back(std::move(memory));
  }
  if (pairs.empty()) return Error::Ok;
  ET_TRY(container->set_constants({pairs.data(), pairs.size()}));
  // Streams of callers do not wait for the uploads.
  return check_cuda(cudaDeviceSynchronize(), "the upload of constants");
}

}  // namespace

Error ConstantMemory::load(const aoti::Constant& constant, const NamedDataMap& data,
                           std::shared_ptr<ConstantMemory>* memory) {
  std::shared_ptr<ConstantMemory> made(new (std::nothrow) ConstantMemory);
  ET_REQUIRE(made != nullptr, MemoryAllocationFailed, "no memory for a constant");
  ET_TRY(made->fill(constant, data));
  *memory = std::move(made);
  return Error::Ok;
}

Error ConstantMemory::fill(const aoti::Constant& constant, const NamedDataMap& data) {
  std::unique_ptr<FreeableBuffer> bytes;
  ET_TRY(find_data(&data, constant.key, "the CUDA delegate", &bytes));
  ET_REQUIRE(bytes->size() >= constant.nbytes, InvalidProgram,
             "constant '%s' has %" PRIu64 " bytes, '%s' of the program's data holds %zu",
             constant.fqn.c_str(), constant.nbytes, constant.key.c_str(), bytes->size());
  const size_t nbytes = static_cast<size_t>(constant.nbytes);
  on_device_ = constant.device == aoti::DeviceType::cuda;
  if (nbytes > 0 && on_device_) {
    ET_TRY(check_cuda(cudaMalloc(&data_, nbytes), "device memory for a constant"));
    ET_TRY(check_cuda(cudaMemcpy(data_, bytes->data(), nbytes, cudaMemcpyHostToDevice),
                      "the upload of a constant"));
  } else if (nbytes > 0) {
    data_ = std::malloc(nbytes);
    ET_REQUIRE(data_ != nullptr, MemoryAllocationFailed, "no memory for a constant of %zu bytes",
               nbytes);
    std::memcpy(data_, bytes->data(), nbytes);
  }
  aoti::ShimTensor* made = nullptr;
  ET_TRY(static_cast<Error>(aoti::AOTI_SHIM(create_tensor_from_blob_v2)(
      data_, static_cast<int64_t>(constant.sizes.size()), constant.sizes.data(),
      constant.strides.data(), constant.offset, static_cast<int32_t>(constant.dtype),
      static_cast<int32_t>(constant.device), 0, &made, 0, nullptr, 0)));
  tensor_.reset(made);
  return Error::Ok;
}

ConstantMemory::~ConstantMemory() {
  tensor_.reset();
  if (on_device_) {
    cudaFree(data_);
  } else {
    std::free(data_);
  }
}

Error load_constants(const aoti::Manifest& manifest, const NamedDataMap* data, bool share,
                     const aoti::CodeObject& code, aoti::Container* container,
                     Constants* constants) {
  if (manifest.layout == aoti::ConstantLayout::blob)
    return load_blob(manifest, data, code, container);
  return load_apart(manifest, data, share, container, constants);
}

}  // namespace executorch::backends::cuda
