// The runtime on a small device: no files, no threads, no log. A program that lies in memory runs
// on memory that the application gives, with the application's own kernels.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::aten::Scalar;
using executorch::aten::Tensor;
using executorch::extension::BufferDataLoader;
using namespace executorch::runtime;

namespace {

/// Product of two square matrices.
Tensor& mm_out(KernelRuntimeContext&, const Tensor& self, const Tensor& mat2, Tensor& out) {
  const auto n = self.size(0);
  const auto a = self.const_data_ptr<float>(), b = mat2.const_data_ptr<float>();
  for (ssize_t i = 0; i < n; ++i) {
    for (ssize_t k = 0; k < n; ++k) {
      float sum = 0;
      for (ssize_t j = 0; j < n; ++j) sum += a[i * n + j] * b[j * n + k];
      out.mutable_data_ptr<float>()[i * n + k] = sum;
    }
  }
  return out;
}

/// Sum of two tensors of one shape; alpha is 1 here.
Tensor& add_out(KernelRuntimeContext&, const Tensor& self, const Tensor& other, const Scalar&,
                Tensor& out) {
  for (ssize_t i = 0; i < self.numel(); ++i)
    out.mutable_data_ptr<float>()[i] =
        self.const_data_ptr<float>()[i] + other.const_data_ptr<float>()[i];
  return out;
}

EXECUTORCH_LIBRARY(aten, "mm.out", mm_out);
EXECUTORCH_LIBRARY(aten, "add.out", add_out);

// All memory that the program may use; a device would place it in a section of its own.
alignas(16) uint8_t program_memory[16 * 1024];
alignas(16) uint8_t method_memory[16 * 1024];
alignas(16) uint8_t planned_memory[4 * 1024];

Error run(size_t program_size) {
  BufferDataLoader loader(program_memory, program_size);
  Result<Program> program = Program::load(&loader);
  if (!program.ok()) return program.error();
  const Result<MethodMeta> meta = program->method_meta("forward");
  if (!meta.ok()) return meta.error();
  const Result<int64_t> planned_bytes = meta->memory_planned_buffer_size(0);
  if (!planned_bytes.ok()) return planned_bytes.error();
  if (static_cast<uint64_t>(*planned_bytes) > sizeof(planned_memory))
    return Error::MemoryAllocationFailed;

  MemoryAllocator method_allocator(sizeof(method_memory), method_memory);
  Span<uint8_t> arenas[] = {{planned_memory, static_cast<size_t>(*planned_bytes)}};
  HierarchicalAllocator planned({arenas, 1});
  MemoryManager memory(&method_allocator, &planned);
  Result<Method> method = program->load_method("forward", &memory);
  if (!method.ok()) return method.error();

  float values[] = {1, 2, 3, 4};
  executorch::aten::SizesType sizes[] = {2, 2};
  executorch::aten::DimOrderType order[] = {0, 1};
  executorch::aten::TensorImpl input(executorch::aten::ScalarType::Float, 2, sizes, values, order);
  for (size_t i = 0; i < method->inputs_size(); ++i) {
    const Error error = method->set_input(EValue(Tensor(&input)), i);
    if (error != Error::Ok) return error;
  }
  const Error error = method->execute();
  if (error != Error::Ok) return error;
  const auto result = method->get_output(0).toTensor().const_data_ptr<float>();
  std::printf("%g %g %g %g\n", result[0], result[1], result[2], result[3]);
  return Error::Ok;
}

}  // namespace

/// The program comes from the standard input, as it would from flash or a wire.
int main() {
  const size_t size = std::fread(program_memory, 1, sizeof(program_memory), stdin);
  runtime_init();
  const Error error = run(size);
  if (error != Error::Ok) std::printf("error 0x%x\n", static_cast<unsigned>(error));
  return error == Error::Ok ? 0 : 1;
}
