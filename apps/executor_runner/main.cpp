// Runs a method of a program on raw input files, for devices without Python.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

using executorch::extension::Module;
using executorch::extension::TensorPtr;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Result;
using executorch::runtime::Tag;
using executorch::runtime::TensorInfo;

namespace {

struct Options {
  std::string program;
  std::vector<std::string> data;
  std::vector<std::string> inputs;
  std::string method = "forward";
  std::string output_prefix;
  int runs = 1;
  unsigned threads = 0;
};

int fail(const char* what) {
  std::fprintf(stderr, "executor_runner: %s: %s\n", what,
               executorch::runtime::last_error_message());
  return 1;
}

/// The bytes of an input: from its file, or zeros when none was given.
bool read_input(const Options& options, size_t index, size_t nbytes, std::vector<uint8_t>& bytes) {
  bytes.assign(nbytes, 0);
  if (index >= options.inputs.size()) return true;
  std::ifstream file(options.inputs[index], std::ios::binary);
  std::vector<char> content((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || content.size() != nbytes) {
    executorch::runtime::set_error_message("input %zu: %s holds %zu bytes, expected %zu", index,
                                           options.inputs[index].c_str(), content.size(), nbytes);
    return false;
  }
  bytes.assign(content.begin(), content.end());
  return true;
}

/// Tensors of the largest shapes, one per input.
bool make_inputs(Module& module, const Options& options, std::vector<TensorPtr>& tensors,
                 std::vector<EValue>& values) {
  const auto meta = module.method_meta(options.method);
  if (!meta.ok()) return false;
  for (size_t i = 0; i < meta->num_inputs(); ++i) {
    const auto info = meta->input_tensor_meta(i);
    if (!info.ok()) return false;
    std::vector<uint8_t> bytes;
    if (!read_input(options, i, info->nbytes(), bytes)) return false;
    tensors.push_back(executorch::extension::make_tensor_ptr(
        {info->sizes().begin(), info->sizes().end()}, std::move(bytes),
        std::vector<executorch::aten::DimOrderType>(info->dim_order().begin(),
                                                    info->dim_order().end()),
        {}, info->scalar_type()));
    values.emplace_back(*tensors.back());
  }
  return true;
}

bool write_output(const Options& options, size_t index, const EValue& value) {
  if (!value.isTensor()) {
    std::printf("output %zu is no tensor\n", index);
    return true;
  }
  const auto tensor = value.toTensor();
  std::string shape;
  for (const auto size : tensor.sizes())
    shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  std::printf("output %zu: %s[%s]\n", index, executorch::runtime::toString(tensor.scalar_type()),
              shape.c_str());
  if (options.output_prefix.empty()) return true;
  const std::string path = options.output_prefix + std::to_string(index) + ".bin";
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(tensor.const_data_ptr()),
             static_cast<std::streamsize>(tensor.nbytes()));
  if (file.good()) return true;
  executorch::runtime::set_error_message("cannot write %zu bytes to %s",
                                         static_cast<size_t>(tensor.nbytes()), path.c_str());
  return false;
}

int run(const Options& options) {
  if (options.threads > 0)
    executorch::extension::threadpool::get_threadpool()->_unsafe_reset_threadpool(options.threads);
  Module module(options.program, options.data, Module::LoadMode::Mmap);
  if (module.load_method(options.method) != Error::Ok) return fail("cannot load");
  std::vector<TensorPtr> tensors;
  std::vector<EValue> inputs;
  if (!make_inputs(module, options, tensors, inputs)) return fail("cannot prepare the inputs");

  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i + 1 < options.runs; ++i)
    if (!module.execute(options.method, inputs).ok()) return fail("cannot run");
  const Result<std::vector<EValue>> outputs = module.execute(options.method, inputs);
  if (!outputs.ok()) return fail("cannot run");
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  for (size_t i = 0; i < outputs->size(); ++i)
    if (!write_output(options, i, (*outputs)[i])) return fail("cannot save the outputs");
  std::printf("%d run%s, %.3f ms each\n", options.runs, options.runs == 1 ? "" : "s",
              elapsed.count() / options.runs);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Runs a method of an ExecuTorch program. Inputs are raw bytes in the program's own layout; "
      "zeros where none is given.");
  app.add_option("program,--model_path", options.program, "the program, a .pte file")->required();
  app.add_option("--data_path", options.data, "a .ptd data file; may be repeated");
  app.add_option("--input", options.inputs, "raw bytes of an input, in order; may be repeated");
  app.add_option("--method", options.method, "the method to run")->capture_default_str();
  app.add_option("--output_prefix", options.output_prefix, "write output i to PREFIX<i>.bin");
  app.add_option("--num_executions", options.runs, "how often to run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--cpu_threads", options.threads, "threads to use; 0 for all")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return run(options);
}
