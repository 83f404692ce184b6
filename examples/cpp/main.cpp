#include <cstdio>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error_message.h>

using namespace executorch::extension;

int main(int argc, char** argv) {
  Module module(argc > 1 ? argv[1] : "add.pte");
  auto a = make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, 4.f});
  const auto result = module.forward({a, a, a});
  if (!result.ok())
    return std::fprintf(stderr, "%s\n", executorch::runtime::last_error_message()), 1;
  const auto values = result->at(0).toTensor().const_data_ptr<float>();
  std::printf("%g %g %g %g\n", values[0], values[1], values[2], values[3]);
}
