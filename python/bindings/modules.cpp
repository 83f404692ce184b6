#include "modules.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings.h"
#include "bundled/bundled_module.h"
#include "errors.h"
#include "loading/data_loaders.h"
#include "programs.h"
#include "text.h"

namespace nb = nanobind;
using executorch::runtime::Error;
using Verification = executorch::runtime::Program::Verification;

namespace executorch::python {

std::shared_ptr<MethodSession> PyModule::method(const std::string& name) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = methods_.find(name);
    if (found != methods_.end()) return found->second;
  }
  // Loading may take long: other threads go on, and the first to finish is kept.
  Error error;
  std::shared_ptr<MethodSession> loaded;
  {
    const nb::gil_scoped_release unlocked;
    auto result = session_->load_method(name);
    error = result.error();
    if (result.ok()) loaded = std::move(*result);
  }
  ET_RAISE_UNLESS_OK(error, "Failed to get method_meta for %s, error: 0x%x", name.c_str(),
                     static_cast<unsigned>(error));
  const std::lock_guard<std::mutex> lock(mutex_);
  return methods_.emplace(name, std::move(loaded)).first->second;
}

namespace {

nb::list method_names(ProgramSession& session) {
  const Error error = load_unlocked(session);
  ET_RAISE_UNLESS_OK(error, "Failed to get method names, error: 0x:%x",
                     static_cast<unsigned>(error));
  nb::list names;
  for (const std::string& name : session.method_names()) names.append(to_str(name));
  return names;
}

std::unique_ptr<PyModule> open_module(
    Source program, nb::handle data, bool enable_etdump, size_t debug_buffer_size,
    Verification verification = Verification::InternalConsistency) {
  SessionOptions options;
  options.verification = verification;
  options.enable_etdump = enable_etdump;
  options.debug_buffer_size = debug_buffer_size;
  return std::make_unique<PyModule>(
      ProgramSession::open(std::move(program), sources_from(data), options));
}

void bind_class(nb::module_& m) {
  nb::class_<PyModule>(m, "ExecuTorchModule",
                       "A program whose methods are loaded at their first use.")
      .def(
          "forward",
          [](PyModule& self, nb::handle inputs, bool clone_outputs) {
            return run_method(self.method("forward"), inputs, clone_outputs, kNoTimeout, true);
          },
          nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true)
      .def(
          "__call__",
          [](PyModule& self, nb::handle inputs, bool clone_outputs) {
            return run_method(self.method("forward"), inputs, clone_outputs, kNoTimeout, true);
          },
          nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true)
      .def(
          "run_method",
          [](PyModule& self, const std::string& name, nb::handle inputs, bool clone_outputs) {
            return run_method(self.method(name), inputs, clone_outputs, kNoTimeout, true);
          },
          nb::arg("method_name"), nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true)
      .def(
          "plan_execute",
          [](PyModule& self, const std::string& name, bool clone_outputs) {
            return run_method(self.method(name), nb::list(), clone_outputs, kNoTimeout, true);
          },
          nb::arg("method_name"), nb::arg("clone_outputs") = true, "Runs on the inputs set before.")
      .def(
          "load_bundled_input",
          [](PyModule& self, const PyBundledModule& bundle, const std::string& name,
             int64_t test_case) { load_bundled_input(self, bundle.bundle(), name, test_case); },
          nb::arg("bundle"), nb::arg("method_name"), nb::arg("testset_idx"),
          "Sets the inputs of a test case, for plan_execute().")
      .def(
          "verify_result_with_bundled_expected_output",
          [](PyModule& self, const PyBundledModule& bundle, const std::string& name,
             int64_t test_case, double rtol, double atol) {
            return verify_bundled(self, bundle.bundle(), name, test_case, rtol, atol);
          },
          nb::arg("bundle"), nb::arg("method_name"), nb::arg("testset_idx"), nb::arg("rtol") = 1e-5,
          nb::arg("atol") = 1e-8, "As BundledModule's, run by this module.")
      .def(
          "method_meta",
          [](PyModule& self, const std::string& name) { return method_meta(self.session(), name); },
          nb::arg("method_name"))
      .def("method_names", [](PyModule& self) { return method_names(self.session()); })
      .def("has_etdump", [](PyModule& self) { return self.session().tracing().enabled(); })
      .def(
          "write_etdump_result_to_file",
          [](PyModule& self, const std::string& path,
             const std::optional<std::string>& debug_path) {
            write_etdump(self.session(), path, debug_path);
          },
          nb::arg("path"), nb::arg("debug_buffer_path") = nb::none());
}

void bind_loaders(nb::module_& m) {
  const auto none = nb::none();
  const auto from_anything = [](nb::handle program, nb::handle data, bool enable_etdump,
                                size_t debug_buffer_size, Verification verification) {
    return open_module(source_from(program), data, enable_etdump, debug_buffer_size, verification);
  };
  m.def("_load_for_executorch", from_anything, nb::arg("program_path"), nb::arg("data_path") = none,
        nb::arg("enable_etdump") = false, nb::arg("debug_buffer_size") = 0,
        nb::arg("program_verification") = Verification::InternalConsistency);
  m.def("_load_for_executorch_from_buffer", from_anything, nb::arg("buffer"),
        nb::arg("data_map_buffer") = none, nb::arg("enable_etdump") = false,
        nb::arg("debug_buffer_size") = 0,
        nb::arg("program_verification") = Verification::InternalConsistency);
  m.def(
      "_load_for_executorch_from_data_loader",
      [](const PyDataLoader& loader, nb::handle data, bool enable_etdump,
         size_t debug_buffer_size) {
        Source source;
        source.loader = loader.loader;
        return open_module(std::move(source), data, enable_etdump, debug_buffer_size);
      },
      nb::arg("loader"), nb::arg("data_path") = none, nb::arg("enable_etdump") = false,
      nb::arg("debug_buffer_size") = 0);
  const auto from_bundle = [](const PyBundledModule& bundle, nb::handle data, bool enable_etdump,
                              size_t debug_buffer_size) {
    return open_module(bundle.program_source(), data, enable_etdump, debug_buffer_size);
  };
  m.def("_load_for_executorch_from_bundled_program", from_bundle, nb::arg("ptr"),
        nb::arg("data_map_buffer") = none, nb::arg("enable_etdump") = false,
        nb::arg("debug_buffer_size") = 0);
  m.def("_load_for_executorch_from_bundled_program", from_bundle, nb::arg("ptr"),
        nb::arg("data_path").none(), nb::arg("enable_etdump") = false,
        nb::arg("debug_buffer_size") = 0);
}

}  // namespace

void bind_modules(nb::module_& m) {
  bind_class(m);
  bind_loaders(m);
}

}  // namespace executorch::python
