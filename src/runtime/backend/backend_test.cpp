#include <gtest/gtest.h>

#include <string>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/interface.h>

namespace executorch::runtime {
namespace {

/// Remembers its only option.
class OptionBackend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer*,
                               ArrayRef<CompileSpec>) const override {
    return static_cast<DelegateHandle*>(nullptr);
  }
  Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*>) const override {
    return Error::Ok;
  }
  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    value_ = std::get<int>(options[0].value);
    return Error::Ok;
  }
  Error get_option(BackendOptionContext&, Span<BackendOption>& options) override {
    options[0].value = value_;
    return Error::Ok;
  }

 private:
  int value_ = 0;
};

TEST(BackendRegistry, FindsBackendsByName) {
  static OptionBackend backend;
  const size_t before = get_num_registered_backends();
  ASSERT_EQ(register_backend({"TestOptionBackend", &backend}), Error::Ok);
  EXPECT_EQ(get_backend_class("TestOptionBackend"), &backend);
  EXPECT_EQ(get_num_registered_backends(), before + 1);
  EXPECT_STREQ(get_backend_name(before).get(), "TestOptionBackend");
  EXPECT_EQ(get_backend_name(before + 1).error(), Error::InvalidArgument);
  EXPECT_EQ(register_backend({"TestOptionBackend", &backend}), Error::InvalidArgument);
  EXPECT_EQ(register_backend({"", &backend}), Error::InvalidArgument);
  EXPECT_EQ(register_backend({"TestNull", nullptr}), Error::InvalidArgument);
}

TEST(BackendRegistry, MissingBackendsAreExplained) {
  EXPECT_EQ(get_backend_class("XnnpackBackend"), nullptr);
  EXPECT_NE(std::string(last_error_message()).find("executorch::backend_xnnpack"),
            std::string::npos);
  EXPECT_EQ(get_backend_class("Elsewhere"), nullptr);
  EXPECT_NE(std::string(last_error_message()).find("'Elsewhere'"), std::string::npos);
  EXPECT_EQ(get_backend_class(nullptr), nullptr);
}

TEST(BackendRegistry, OptionsReachTheBackend) {
  static OptionBackend backend;
  ASSERT_EQ(register_backend({"TestOptionsReach", &backend}), Error::Ok);
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("threads", 3), Error::Ok);
  EXPECT_EQ(set_option("TestOptionsReach", options.view()), Error::Ok);
  ASSERT_EQ(options.set_option("threads", 0), Error::Ok);
  EXPECT_EQ(get_option("TestOptionsReach", options.view()), Error::Ok);
  int threads = 0;
  EXPECT_EQ(options.get_option("threads", threads), Error::Ok);
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(set_option("TestAbsent", options.view()), Error::NotFound);
}

TEST(BackendOptions, KeepTypedValues) {
  BackendOptions<3> options;
  ASSERT_EQ(options.set_option("flag", true), Error::Ok);
  ASSERT_EQ(options.set_option("count", 4), Error::Ok);
  const std::string longer(300, 'x');
  ASSERT_EQ(options.set_option("path", longer.c_str()), Error::Ok);
  EXPECT_EQ(options.set_option("fourth", 1), Error::InvalidArgument);
  ASSERT_EQ(options.set_option("count", 5), Error::Ok);
  const BackendOptions<3> copy = options;

  bool flag = false;
  int count = 0;
  const char* path = nullptr;
  EXPECT_EQ(copy.get_option("flag", flag), Error::Ok);
  EXPECT_TRUE(flag);
  EXPECT_EQ(copy.get_option("count", count), Error::Ok);
  EXPECT_EQ(count, 5);
  EXPECT_EQ(copy.get_option("path", path), Error::Ok);
  EXPECT_EQ(std::string(path), longer.substr(0, kMaxOptionValueLength - 1));
  EXPECT_EQ(copy.get_option("count", flag), Error::InvalidArgument);
  EXPECT_EQ(copy.get_option("absent", count), Error::NotFound);
}

TEST(LoadBackendOptionsMap, KeepsOptionsById) {
  BackendOptions<1> first;
  ASSERT_EQ(first.set_option("x", 1), Error::Ok);
  LoadBackendOptionsMap map;
  EXPECT_EQ(map.set_options("A", first.view()), Error::Ok);
  EXPECT_EQ(map.set_options("A", first.view()), Error::Ok);
  EXPECT_EQ(map.size(), 1u);
  EXPECT_TRUE(map.has_options("A"));
  EXPECT_FALSE(map.has_options(nullptr));
  EXPECT_EQ(map.get_options("A").size(), 1u);
  EXPECT_EQ(map.get_options("B").size(), 0u);
  EXPECT_STREQ(map.entry_at(0).backend_id, "A");
  EXPECT_EQ(map.set_options("", first.view()), Error::InvalidArgument);
  EXPECT_EQ(map.set_options(std::string(64, 'i').c_str(), first.view()), Error::InvalidArgument);
  for (const char* id : {"B", "C", "D", "E", "F", "G", "H"}) {
    EXPECT_EQ(map.set_options(id, first.view()), Error::Ok);
  }
  EXPECT_EQ(map.set_options("I", first.view()), Error::InvalidArgument);
  EXPECT_EQ(map.size(), 8u);
}

TEST(BackendInitContext, ReadsRuntimeSpecs) {
  BackendOptions<2> options;
  ASSERT_EQ(options.set_option("fast", true), Error::Ok);
  ASSERT_EQ(options.set_option("name", "value"), Error::Ok);
  const Span<BackendOption> view = options.view();
  const BackendInitContext context(nullptr, nullptr, "forward", nullptr,
                                   Span<const BackendOption>(view.data(), view.size()));
  EXPECT_TRUE(context.get_runtime_spec<bool>("fast").get());
  EXPECT_STREQ(context.get_runtime_spec<const char*>("name").get(), "value");
  EXPECT_EQ(context.get_runtime_spec<int>("fast").error(), Error::InvalidArgument);
  EXPECT_EQ(context.get_runtime_spec<int>("absent").error(), Error::NotFound);
}

TEST(BackendExecutionContext, NeedsNoTemporaryAllocator) {
  BackendExecutionContext context;
  EXPECT_EQ(context.allocate(8), nullptr);
  EXPECT_EQ(context.get_temp_allocator(), nullptr);
}

}  // namespace
}  // namespace executorch::runtime
