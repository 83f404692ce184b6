// Method::execute() allocates nothing and takes no lock for a shape that it has seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <ostream>
#include <shared_mutex>
#include <string>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/core/error_message.h>

#include "call_counter.h"

namespace executorch::testing {
namespace {

using aten::ScalarType;
using extension::Module;
using extension::TensorPtr;
using runtime::Error;
using runtime::EValue;
using runtime::last_error_message;
using runtime::Method;
using runtime::MethodMeta;
using runtime::Tag;

/// Shows its methods, which run without the result objects that Module makes.
class OpenModule final : public Module {
 public:
  using Module::Module;
  Method& loaded(const std::string& name) { return *methods_.at(name).method; }
};

/// A tensor filled with one number.
TensorPtr filled(std::vector<aten::SizesType> sizes, std::vector<aten::DimOrderType> dim_order,
                 ScalarType type, int64_t number) {
  size_t count = 1;
  for (const auto size : sizes) count *= static_cast<size_t>(size);
  return extension::make_tensor_ptr(std::move(sizes), std::vector<int64_t>(count, number),
                                    std::move(dim_order), {}, type);
}

/// The inputs of one call, kept alive.
struct Call {
  std::vector<TensorPtr> tensors;
  std::vector<EValue> values;
};

/// Inputs of a method, the first dimension of each tensor at most `rows`.
Call make_call(Method& method, aten::SizesType rows, int64_t number) {
  Call call;
  const MethodMeta meta = method.method_meta();
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    EXPECT_EQ(*meta.input_tag(i), Tag::Tensor);
    const auto info = meta.input_tensor_meta(i);
    std::vector<aten::SizesType> sizes(info->sizes().begin(), info->sizes().end());
    if (!sizes.empty()) sizes[0] = std::min(sizes[0], rows);
    call.tensors.push_back(filled(std::move(sizes),
                                  {info->dim_order().begin(), info->dim_order().end()},
                                  info->scalar_type(), number));
    call.values.emplace_back(*call.tensors.back());
  }
  return call;
}

Error run(Method& method, const Call& call) {
  for (size_t i = 0; i < call.values.size(); ++i) {
    const Error error = method.set_input(call.values[i], i);
    if (error != Error::Ok) return error;
  }
  return method.execute();
}

/// Memory for the outputs that have none.
std::vector<std::vector<char>> give_outputs_memory(Method& method) {
  std::vector<std::vector<char>> memory;
  const MethodMeta meta = method.method_meta();
  for (size_t i = 0; i < meta.num_outputs(); ++i) {
    if (*meta.output_tag(i) != Tag::Tensor) continue;
    memory.emplace_back(meta.output_tensor_meta(i)->nbytes() + 1);
    const Error error = method.set_output_data_ptr(memory.back().data(), memory.back().size(), i);
    EXPECT_TRUE(error == Error::Ok || error == Error::InvalidState) << last_error_message();
  }
  return memory;
}

/// Full size and, where the program allows it, smaller ones; with zeros and with ones, which may
/// take other branches.
std::vector<Call> calls_of(Method& method) {
  std::vector<Call> calls;
  for (const aten::SizesType rows : {INT32_MAX, 3, 1}) {
    for (const int64_t number : {0, 1}) {
      Call call = make_call(method, rows, number);
      const bool allowed = rows == INT32_MAX || run(method, call) == Error::Ok;
      if (allowed) calls.push_back(std::move(call));
    }
  }
  return calls;
}

void expect_no_calls_once_warm(Method& method) {
  const auto output_memory = give_outputs_memory(method);
  const std::vector<Call> calls = calls_of(method);
  for (int round = 0; round < 2; ++round) {
    for (const Call& call : calls) ASSERT_EQ(run(method, call), Error::Ok) << last_error_message();
  }
  Error error = Error::Ok;
  start_counting();
  for (const Call& call : calls) {
    const Error of_call = run(method, call);
    if (error == Error::Ok) error = of_call;
  }
  const Calls counted = stop_counting();
  EXPECT_EQ(error, Error::Ok) << last_error_message();
  EXPECT_EQ(counted.allocations, 0u);
  EXPECT_EQ(counted.locks, 0u);
  if (counted.allocations + counted.locks != 0) print_first_caller();
}

struct Recorded {
  std::string name;
  std::filesystem::path folder;
  bool plan;
};

void PrintTo(const Recorded& recorded, std::ostream* out) {
  *out << recorded.name;
}

std::vector<Recorded> programs() {
  std::vector<Recorded> found;
  const std::filesystem::path root = std::filesystem::path(EXECUTORCH_TEST_DATA) / "programs";
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    const std::string name = entry.path().filename();
    found.push_back({name + "_planned", entry.path(), true});
    found.push_back({name + "_one_by_one", entry.path(), false});
  }
  return found;
}

class Allocation : public ::testing::TestWithParam<Recorded> {
 protected:
  // Workers take part, also where the machine has one CPU.
  void SetUp() override {
    ASSERT_TRUE(extension::threadpool::get_threadpool()->_unsafe_reset_threadpool(2));
  }
};

TEST_P(Allocation, NoneAndNoLockForASeenShape) {
  const std::filesystem::path folder = GetParam().folder;
  std::vector<std::string> data_files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptd") data_files.push_back(entry.path());
  }
  OpenModule module(folder / "model.pte", data_files);
  runtime::LoadOptions options;
  options.plan = GetParam().plan;
  module.set_load_options(options);
  const auto names = module.method_names();
  ASSERT_TRUE(names.ok()) << last_error_message();
  for (const std::string& name : *names) {
    SCOPED_TRACE(name);
    ASSERT_EQ(module.load_method(name), Error::Ok) << last_error_message();
    expect_no_calls_once_warm(module.loaded(name));
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Allocation, ::testing::ValuesIn(programs()),
                         [](const auto& info) { return info.param.name; });

TEST(CallCounter, SeesTheCallsOfTheLibraries) {
  const std::string path = std::string(EXECUTORCH_TEST_DATA) + "/programs/add_mul/model.pte";
  start_counting();
  Module module(path);
  const Error error = module.load_method("forward");
  const Calls counted = stop_counting();
  EXPECT_EQ(error, Error::Ok) << last_error_message();
  EXPECT_GT(counted.allocations, 0u);
  EXPECT_GT(counted.locks, 0u);
}

TEST(CallCounter, SeesEveryKind) {
  const auto counted = [](auto call) {
    start_counting();
    call();
    return stop_counting();
  };
  // Where the compiler sees that memory is not used, it need not ask for it.
  void* volatile memory = nullptr;
  EXPECT_EQ(counted([&] { memory = ::operator new(8); }).allocations, 1u);
  ::operator delete(memory);
  const std::align_val_t line{64};
  EXPECT_EQ(counted([&] { memory = ::operator new(64, line); }).allocations, 1u);
  ::operator delete(memory, line);
  EXPECT_EQ(counted([&] { memory = std::calloc(2, 8); }).allocations, 1u);
  EXPECT_EQ(counted([&] { memory = std::realloc(memory, 4096); }).allocations, 1u);
  std::free(memory);
  std::mutex mutex;
  EXPECT_EQ(counted([&] { const std::lock_guard<std::mutex> lock(mutex); }).locks, 1u);
  std::shared_mutex shared;
  EXPECT_EQ(counted([&] { const std::shared_lock<std::shared_mutex> lock(shared); }).locks, 1u);
  EXPECT_EQ(counted([&] { const std::lock_guard<std::shared_mutex> lock(shared); }).locks, 1u);
  const Calls none = counted([] {});
  EXPECT_EQ(none.allocations + none.locks, 0u);
}

}  // namespace
}  // namespace executorch::testing
