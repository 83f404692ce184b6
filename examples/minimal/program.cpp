// A program with the library's own kernels on a small device: a build with EXECUTORCH_OPERATORS
// contains those that the program calls.
//
//   program_app model.pte input.bin...
//
// Runs `forward` on raw files, one for each input, and prints the outputs, one number a line.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::BufferDataLoader;
using namespace executorch::runtime;

namespace {

/// Memory at an address that vectors and programs may begin at.
class Memory {
 public:
  explicit Memory(size_t size)
      : size_(size), data_(new (kAlignment) uint8_t[size > 0 ? size : 1]) {}
  ~Memory() { ::operator delete[](data_, kAlignment); }
  Memory(Memory&& other) noexcept : size_(other.size_), data_(other.data_) {
    other.data_ = nullptr;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  size_t size_;
  uint8_t* data_;
};

Memory read_file(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return Memory(0);
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::rewind(file);
  Memory content(size > 0 ? static_cast<size_t>(size) : 0);
  const size_t read = std::fread(content.data(), 1, content.size(), file);
  std::fclose(file);
  return read == content.size() ? std::move(content) : Memory(0);
}

/// An input of the shape that the program was exported with.
Error set_input(Method& method, const TensorInfo& info, const Memory& content, size_t index) {
  if (content.size() != info.nbytes()) return Error::InvalidArgument;
  std::vector<executorch::aten::SizesType> sizes(info.sizes().begin(), info.sizes().end());
  std::vector<executorch::aten::DimOrderType> order(info.dim_order().begin(),
                                                    info.dim_order().end());
  TensorImpl input(info.scalar_type(), static_cast<ssize_t>(sizes.size()), sizes.data(),
                   content.data(), order.data());
  return method.set_input(EValue(Tensor(&input)), index);
}

void print(const EValue& output) {
  if (!output.isTensor() || output.toTensor().scalar_type() != ScalarType::Float) return;
  const Tensor& tensor = output.toTensor();
  for (ssize_t i = 0; i < tensor.numel(); ++i)
    std::printf("%.9g\n", static_cast<double>(tensor.const_data_ptr<float>()[i]));
}

Error run(const Memory& file, char** inputs) {
  BufferDataLoader loader(file.data(), file.size());
  Result<Program> program = Program::load(&loader);
  if (!program.ok()) return program.error();
  const Result<MethodMeta> meta = program->method_meta("forward");
  if (!meta.ok()) return meta.error();

  std::vector<Memory> arenas;
  std::vector<Span<uint8_t>> spans;
  for (size_t i = 0; i < meta->num_memory_planned_buffers(); ++i) {
    arenas.emplace_back(static_cast<size_t>(meta->memory_planned_buffer_size(i).get()));
    spans.push_back({arenas.back().data(), arenas.back().size()});
  }
  const Memory method_memory(64 * 1024), temporary_memory(256 * 1024);
  MemoryAllocator method_allocator(static_cast<uint32_t>(method_memory.size()),
                                   method_memory.data());
  MemoryAllocator temporary_allocator(static_cast<uint32_t>(temporary_memory.size()),
                                      temporary_memory.data());
  HierarchicalAllocator planned({spans.data(), spans.size()});
  MemoryManager memory(&method_allocator, &planned, &temporary_allocator);
  Result<Method> method = program->load_method("forward", &memory);
  if (!method.ok()) return method.error();

  for (size_t i = 0; i < method->inputs_size(); ++i) {
    const Result<TensorInfo> info = meta->input_tensor_meta(i);
    if (!info.ok()) return info.error();
    if (inputs[i] == nullptr) return Error::InvalidArgument;
    const Error error = set_input(*method, *info, read_file(inputs[i]), i);
    if (error != Error::Ok) return error;
  }
  const Error error = method->execute();
  if (error != Error::Ok) return error;
  for (size_t i = 0; i < method->outputs_size(); ++i) print(method->get_output(i));
  return Error::Ok;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::printf("program_app model.pte input.bin...\n"), 1;
  runtime_init();
  const Error error = run(read_file(argv[1]), argv + 2);
  if (error != Error::Ok) std::printf("error 0x%x\n", static_cast<unsigned>(error));
  return error == Error::Ok ? 0 : 1;
}
