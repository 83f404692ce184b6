#include <executorch/extension/module/module.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/runtime.h>

#include "extension/flat_tensor/testing/data_file_builder.h"
#include "extension/module/testing/program_builder.h"
#include "runtime/platform/testing/process.h"

namespace executorch {
namespace extension {
namespace {

using runtime::DataLoader;
using runtime::Error;
using runtime::EValue;
using runtime::last_error_message;
using testing::DataFileBuilder;
using ::testing::HasSubstr;
using testing::MethodSpec;
using testing::ProgramBuilder;

/// Files that disappear with the test.
class ModuleTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& path : paths_) {
      std::remove(path.c_str());
    }
  }

  std::string write(const std::vector<uint8_t>& bytes, const std::string& suffix) {
    const std::string path = test_support::temporary_path("module_test") + suffix;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    paths_.push_back(path);
    return path;
  }

  std::string program(const std::vector<MethodSpec>& methods) {
    return write(ProgramBuilder::build(methods), ".pte");
  }

  /// A data file with one tensor of four elements, all `value`.
  std::string data_file(const std::string& key, float value) {
    DataFileBuilder builder;
    builder.add(key, {4}, std::vector<float>(4, value));
    return write(builder.finish(), ".ptd");
  }

  std::vector<std::string> paths_;
};

Error load(Module& module, const std::string& method = "forward") {
  return module.load_method(method, nullptr, nullptr, nullptr, {ProgramBuilder::kernel()});
}

const TensorPtr kInput = make_tensor_ptr({4}, std::vector<float>{1, 2, 3, 4});

/// First element of the first output of a run, or -1 with a failure.
float run(Module& module, const std::string& method = "forward") {
  EXPECT_EQ(load(module, method), Error::Ok) << last_error_message();
  const auto output = module.get(method, *kInput);
  EXPECT_TRUE(output.ok()) << last_error_message();
  return output.ok() ? output->toTensor().const_data_ptr<float>()[0] : -1;
}

std::unique_ptr<DataLoader> in_memory(const std::vector<uint8_t>& bytes) {
  std::shared_ptr<void> memory(::operator new(bytes.size() + 1, std::align_val_t{64}),
                               [](void* block) { ::operator delete(block, std::align_val_t{64}); });
  std::copy(bytes.begin(), bytes.end(), static_cast<uint8_t*>(memory.get()));
  return std::make_unique<SharedPtrDataLoader>(std::move(memory), bytes.size());
}

TEST_F(ModuleTest, RunsAProgramInEveryLoadMode) {
  const std::string path = program({{}});
  for (const auto mode :
       {Module::LoadMode::File, Module::LoadMode::Mmap, Module::LoadMode::MmapUseMlockIgnoreErrors,
        Module::LoadMode::MmapUseMadvise}) {
    Module module(path, mode);
    EXPECT_FALSE(module.is_loaded());
    EXPECT_EQ(run(module), 2.0f);
    EXPECT_TRUE(module.is_loaded());
    EXPECT_TRUE(module.is_method_loaded("forward"));
    EXPECT_TRUE(module.unload_forward());
    EXPECT_FALSE(module.unload_forward());
    EXPECT_EQ(run(module), 2.0f);
  }
}

TEST_F(ModuleTest, RunsAProgramInMemory) {
  Module module(in_memory(ProgramBuilder::build({{}})));
  EXPECT_EQ(run(module), 2.0f);
}

TEST_F(ModuleTest, TellsWhatAProgramContains) {
  Module module(program({{"encode"}, {"decode"}}));
  EXPECT_EQ(module.num_methods().get(), 2u);
  EXPECT_EQ(module.method_names().get(), (std::unordered_set<std::string>{"encode", "decode"}));
  const auto meta = module.method_meta("decode");
  ASSERT_TRUE(meta.ok());
  EXPECT_EQ(meta->num_inputs(), 1u);
  EXPECT_FALSE(module.method_meta("forward").ok());
  EXPECT_THAT(last_error_message(), HasSubstr("forward"));
  EXPECT_NE(module.load_method("forward"), Error::Ok);
}

TEST_F(ModuleTest, MissingFilesAreNamed) {
  Module missing("/no/such/model.pte");
  EXPECT_EQ(missing.load(), Error::AccessFailed);
  EXPECT_THAT(last_error_message(), HasSubstr("/no/such/model.pte"));
  EXPECT_FALSE(missing.forward().ok());

  Module without_data(program({{}}), "/no/such/data.ptd");
  EXPECT_EQ(without_data.load(), Error::AccessFailed);
  EXPECT_THAT(last_error_message(), HasSubstr("/no/such/data.ptd"));

  const std::string damaged = write({'n', 'o', 'n', 'e'}, ".pte");
  Module broken(damaged);
  EXPECT_NE(broken.load(), Error::Ok);
  EXPECT_THAT(last_error_message(), HasSubstr(damaged));
  EXPECT_NE(broken.load(), Error::Ok);

  Module nothing(std::shared_ptr<Program>{});
  EXPECT_EQ(nothing.load(), Error::InvalidArgument);
}

TEST_F(ModuleTest, SetsAndReadsInputsAndOutputs) {
  Module module(program({{}}));
  ASSERT_EQ(load(module), Error::Ok);
  ASSERT_EQ(module.set_input(*kInput, 0), Error::Ok);
  ASSERT_TRUE(module.forward().ok()) << last_error_message();
  EXPECT_EQ(module.get_output()->toTensor().const_data_ptr<float>()[3], 5.0f);
  EXPECT_EQ(module.get_outputs()->size(), 1u);
  EXPECT_EQ(module.get_output(1).error(), Error::InvalidArgument);
  EXPECT_EQ(module.set_inputs({*kInput, *kInput}), Error::InvalidArgument);
  EXPECT_EQ(module.execute("forward", {*kInput, *kInput}).error(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("1 inputs, 2 were given"));
  EXPECT_NE(module.set_input(EValue(int64_t{3}), 0), Error::Ok);
}

TEST_F(ModuleTest, InputNeverSetIsAnError) {
  Module module(program({{}}));
  ASSERT_EQ(load(module), Error::Ok);
  EXPECT_EQ(module.forward().error(), Error::InvalidArgument);
}

TEST_F(ModuleTest, WritesOutputsIntoMemoryOfTheApplication) {
  MethodSpec spec;
  spec.planned_output = false;
  Module module(program({spec}));
  ASSERT_EQ(load(module), Error::Ok);
  const TensorPtr output = zeros({4});
  ASSERT_EQ(module.set_output(*output), Error::Ok) << last_error_message();
  ASSERT_TRUE(module.forward(*kInput).ok()) << last_error_message();
  EXPECT_EQ(output->const_data_ptr<float>()[2], 4.0f);
  EXPECT_EQ(module.set_output(EValue(1.0)), Error::InvalidArgument);
  EXPECT_EQ(module.set_output(*zeros({2})), Error::InvalidArgument);
  EXPECT_EQ(module.set_outputs({*output, *output}), Error::InvalidArgument);
  EXPECT_EQ(module.set_outputs({*output}), Error::Ok);
}

TEST_F(ModuleTest, TakesWeightsFromSeveralDataFiles) {
  const std::string path = program({{"base", 4, "base.w"}, {"lora", 4, "lora.w"}});
  Module module(path, {data_file("base.w", 10), data_file("lora.w", 20)});
  EXPECT_EQ(run(module, "base"), 11.0f);
  EXPECT_EQ(run(module, "lora"), 21.0f);
}

TEST_F(ModuleTest, DataFilesWithOneKeyTwiceAreNamed) {
  const std::string first = data_file("w", 1);
  const std::string second = data_file("w", 2);
  Module module(program({{}}), std::vector<std::string>{first, second});
  EXPECT_EQ(module.load(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("'w'"));
  EXPECT_THAT(last_error_message(), HasSubstr(second));
}

TEST_F(ModuleTest, MissingWeightIsNamed) {
  const std::string path = program({{"forward", 4, "w"}});
  Module without(path);
  EXPECT_EQ(load(without), Error::InvalidState);
  Module other(path, data_file("x", 1));
  EXPECT_EQ(load(other), Error::NotFound);
  EXPECT_THAT(last_error_message(), HasSubstr("'w'"));
}

TEST_F(ModuleTest, AdaptersAreReplacedWithoutReadingTheFoundationAgain) {
  const std::string path = program({{"base", 4, "base.w"}, {"lora", 4, "lora.w"}});
  const std::string foundation = data_file("base.w", 10);
  const std::string adapter = data_file("lora.w", 20);
  const std::string other_adapter = data_file("lora.w", 30);
  Module module(path, {foundation, adapter});
  EXPECT_EQ(run(module, "lora"), 21.0f);
  // Reading it again would fail.
  std::remove(foundation.c_str());
  std::remove(path.c_str());
  ASSERT_EQ(module.replace_data_files({foundation, other_adapter}), Error::Ok)
      << last_error_message();
  EXPECT_EQ(run(module, "lora"), 31.0f);
  EXPECT_EQ(run(module, "base"), 11.0f);

  EXPECT_EQ(module.replace_data_files({foundation, "/no/such.ptd"}), Error::AccessFailed);
  EXPECT_TRUE(module.is_method_loaded("lora"));
  EXPECT_EQ(run(module, "lora"), 31.0f);
}

TEST_F(ModuleTest, ModulesShareProgramAndFoundation) {
  Module first(program({{"base", 4, "base.w"}, {"lora", 4, "lora.w"}}));
  const auto foundation = Module::open_data_map(data_file("base.w", 10));
  ASSERT_TRUE(foundation.ok()) << last_error_message();
  ASSERT_EQ(first.add_data_map(*foundation), Error::Ok);
  ASSERT_EQ(first.load(), Error::Ok) << last_error_message();

  Module second(first.program());
  ASSERT_EQ(second.add_data_map(*foundation), Error::Ok);
  ASSERT_EQ(second.replace_data_files({data_file("lora.w", 20)}), Error::Ok);
  EXPECT_EQ(second.program(), first.program());
  EXPECT_EQ(run(first, "base"), 11.0f);
  EXPECT_EQ(run(second, "base"), 11.0f);
  EXPECT_EQ(run(second, "lora"), 21.0f);
  EXPECT_EQ(second.add_data_map(*foundation), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("'base.w'"));
  EXPECT_EQ(second.add_data_map(nullptr), Error::InvalidArgument);
  EXPECT_EQ(run(second, "lora"), 21.0f);
}

TEST_F(ModuleTest, LoaderOfADataMapIsTriedAgain) {
  Module module(in_memory(ProgramBuilder::build({{}})), nullptr, nullptr, nullptr,
                in_memory(std::vector<uint8_t>(200, 7)));
  EXPECT_EQ(module.load(), Error::InvalidExternalData);
  EXPECT_EQ(module.load(), Error::InvalidExternalData);
}

TEST_F(ModuleTest, ArenasAreZeroFilledAndEachMethodsOwn) {
  Module module(program({{"a", 4}, {"b", 4}}));
  ASSERT_EQ(load(module, "a"), Error::Ok);
  ASSERT_EQ(load(module, "b"), Error::Ok);
  EXPECT_EQ(module.get_output("b")->toTensor().const_data_ptr<float>()[0], 0.0f);
  EXPECT_EQ(run(module, "a"), 2.0f);
  EXPECT_EQ(module.get_output("b")->toTensor().const_data_ptr<float>()[0], 0.0f);
}

TEST_F(ModuleTest, ArenasAreSharedOnRequest) {
  Module module(program({{"a", 4, "", true, 16}, {"b", 16, "", true, 64}}), Module::LoadMode::Mmap,
                nullptr, nullptr, nullptr, /*share_memory_arenas=*/true);
  ASSERT_EQ(load(module, "a"), Error::Ok) << last_error_message();
  ASSERT_EQ(load(module, "b"), Error::Ok) << last_error_message();
  EXPECT_EQ(run(module, "a"), 2.0f);
  EXPECT_EQ(module.get_output("a")->toTensor().const_data_ptr(),
            module.get_output("b")->toTensor().const_data_ptr());
}

TEST_F(ModuleTest, AbsurdArenasAreRefusedBeforeTheyAreAllocated) {
  MethodSpec spec;
  spec.arena_size = int64_t{1} << 60;
  Module huge(program({spec}));
  EXPECT_NE(load(huge), Error::Ok);

  spec.arena_size = 1 << 20;
  spec.length = 1 << 18;
  Module bounded(program({spec}));
  runtime::LoadOptions options;
  options.memory_limit = 1 << 19;
  bounded.set_load_options(options);
  EXPECT_EQ(load(bounded), Error::MemoryAllocationFailed);
  EXPECT_THAT(last_error_message(), HasSubstr("524288"));
  options.memory_limit = 1 << 21;
  bounded.set_load_options(options);
  EXPECT_EQ(load(bounded), Error::Ok) << last_error_message();

  spec.arena_size = -1;
  Module negative(program({spec}));
  EXPECT_NE(load(negative), Error::Ok);
}

TEST_F(ModuleTest, UsesAllocatorsOfTheApplication) {
  auto allocator = std::make_unique<MallocMemoryAllocator>();
  MallocMemoryAllocator* const view = allocator.get();
  Module module(program({{}}), Module::LoadMode::Mmap, nullptr, std::move(allocator),
                std::make_unique<MallocMemoryAllocator>());
  EXPECT_EQ(run(module), 2.0f);
  EXPECT_GT(view->used_size(), 0u);

  uint8_t arena[64];
  runtime::Span<uint8_t> spans[] = {{arena, sizeof(arena)}};
  runtime::HierarchicalAllocator planned({spans, 1});
  Module other(program({{}}));
  ASSERT_EQ(other.load_method("forward", &planned, nullptr, nullptr, {ProgramBuilder::kernel()}),
            Error::Ok);
  EXPECT_EQ(run(other), 2.0f);
  EXPECT_EQ(other.get_output()->toTensor().const_data_ptr(), arena);
}

TEST_F(ModuleTest, RunsAreBoundedByTheControl) {
  MethodSpec other;
  other.name = "other";
  Module module(program({MethodSpec(), other}));
  ASSERT_EQ(load(module), Error::Ok) << last_error_message();
  runtime::RunControl control;
  module.set_run_control(&control);
  EXPECT_EQ(module.run_control(), &control);
  ASSERT_EQ(load(module, "other"), Error::Ok) << last_error_message();
  EXPECT_EQ(run(module), 2);

  control.stop = true;
  EXPECT_EQ(module.forward(*kInput).error(), Error::InvalidState);
  EXPECT_THAT(last_error_message(), HasSubstr("forward was stopped by the application"));
  EXPECT_EQ(module.execute("other", *kInput).error(), Error::InvalidState);
  control.stop = false;
  EXPECT_EQ(run(module), 2);

  control.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(module.execute("other", *kInput).error(), Error::OutOfResources);
  EXPECT_THAT(last_error_message(), HasSubstr("other did not end before its deadline"));
  module.set_run_control(nullptr);
  EXPECT_EQ(run(module, "other"), 2);
}

TEST_F(ModuleTest, CopiesBackendOptions) {
  Module module(program({{}}));
  EXPECT_EQ(module.backend_options().size(), 0u);
  {
    runtime::BackendOptions<2> options;
    ASSERT_EQ(options.set_option("threads", 3), Error::Ok);
    LoadBackendOptionsMap map;
    ASSERT_EQ(map.set_options("SomeBackend", options.view()), Error::Ok);
    ASSERT_EQ(module.load(map), Error::Ok);
  }
  const auto options = module.backend_options().get_options("SomeBackend");
  ASSERT_EQ(options.size(), 1u);
  EXPECT_STREQ(options[0].key, "threads");
  EXPECT_EQ(std::get<int>(options[0].value), 3);
}

/// Applications subclass Module.
class CountingModule : public Module {
 public:
  using Module::Module;
  Error load(const Program::Verification verification) override {
    ++loads;
    return Module::load(verification);
  }
  using Module::load;
  size_t num_loaded() const { return methods_.size(); }
  int loads = 0;
};

TEST_F(ModuleTest, SubclassesSeeLoadingAndMethods) {
  CountingModule module(program({{}}));
  EXPECT_EQ(run(module), 2.0f);
  EXPECT_GT(module.loads, 0);
  EXPECT_EQ(module.num_loaded(), 1u);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
