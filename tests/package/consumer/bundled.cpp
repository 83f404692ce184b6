// Runs a test case of a bundled program and compares its outputs with what the bundle expects.
#include <cstdio>
#include <cstdlib>

#include <executorch/extension/module/bundled_module.h>
#include <executorch/runtime/core/error_message.h>

using executorch::extension::BundledModule;
using executorch::runtime::Error;

int main(int argc, char** argv) {
  const size_t test_case = std::strtoul(argv[2], nullptr, 10);
  const auto module = BundledModule::from_file(argv[1]);
  if (module.ok() && (*module)->execute("forward", test_case).ok() &&
      (*module)->verify_method_outputs("forward", test_case) == Error::Ok) {
    std::printf("as expected\n");
    return 0;
  }
  std::fprintf(stderr, "%s\n", executorch::runtime::last_error_message());
  return 1;
}
