// ExecuTorchProgram, ExecuTorchMethod and the functions that open programs.
#include "programs.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <executorch/runtime/core/error_message.h>

#include "backend_options.h"
#include "bindings.h"
#include "errors.h"
#include "text.h"

namespace nb = nanobind;
using executorch::runtime::Error;
using Verification = executorch::runtime::Program::Verification;

namespace executorch::python {

Error load_unlocked(ProgramSession& session) {
  const nb::gil_scoped_release unlocked;
  return session.ensure_loaded();
}

PyMethodMeta method_meta(ProgramSession& session, const std::string& name) {
  Error error = load_unlocked(session);
  if (error == Error::Ok) {
    auto meta = session.program().method_meta(name.c_str());
    error = meta.error();
    if (meta.ok()) {
      auto copied = PyMethodMeta::from(*meta);
      if (copied.ok()) return std::move(*copied);
      error = copied.error();
    }
  }
  raise(error, ExceptionKind::Runtime, "Failed to get method meta for method %s, error: 0x:%x",
        name.c_str(), static_cast<unsigned>(error));
}

void write_etdump(ProgramSession& session, const std::string& path,
                  const std::optional<std::string>& debug_path) {
  if (!session.tracing().enabled()) {
    runtime::set_error_message("profiling is off: load the program with enable_etdump=True");
    raise(Error::InvalidState, ExceptionKind::Runtime, "No etdump found");
  }
  Error error;
  {
    const nb::gil_scoped_release unlocked;
    error = session.write_trace(path, debug_path.value_or(""));
  }
  ET_RAISE_UNLESS_OK(error, "Failed to write etdump to %s, error: 0x:%x", path.c_str(),
                     static_cast<unsigned>(error));
}

namespace {

std::shared_ptr<MethodSession> load_method(ProgramSession& session, const std::string& name) {
  Error error;
  std::shared_ptr<MethodSession> loaded;
  {
    const nb::gil_scoped_release unlocked;
    auto method = session.load_method(name);
    error = method.error();
    if (method.ok()) loaded = std::move(*method);
  }
  ET_RAISE_UNLESS_OK(error, "Failed to load method %s, error: 0x:%x", name.c_str(),
                     static_cast<unsigned>(error));
  return loaded;
}

SessionOptions make_options(Verification verification, bool enable_etdump, size_t debug_buffer_size,
                            bool plan, std::optional<size_t> memory_limit,
                            std::optional<size_t> plan_memory_limit,
                            std::optional<std::string> cache_dir,
                            std::optional<uint64_t> cache_limit, nb::handle backend_options) {
  SessionOptions options;
  options.verification = verification;
  options.enable_etdump = enable_etdump;
  options.debug_buffer_size = debug_buffer_size;
  options.share_arenas = true;
  options.load.plan = plan;
  if (memory_limit) options.load.memory_limit = *memory_limit;
  if (plan_memory_limit) options.load.plan_memory_limit = *plan_memory_limit;
  options.cache_dir = std::move(cache_dir);
  if (cache_limit) options.load.cache_limit = *cache_limit;
  options.backend_options = BackendOptionLists::from(backend_options);
  return options;
}

std::shared_ptr<ProgramSession> open_program(nb::handle program, nb::handle data,
                                             const SessionOptions& options) {
  auto session = ProgramSession::open(source_from(program), sources_from(data), options);
  const Error error = load_unlocked(*session);
  ET_RAISE_UNLESS_OK(error, "Failed to load program, error: 0x:%x", static_cast<unsigned>(error));
  return session;
}

void bind_program(nb::module_& m) {
  nb::class_<ProgramSession>(m, "ExecuTorchProgram", "A loaded and verified program.")
      .def("num_methods", [](ProgramSession& self) { return self.method_names().size(); })
      .def(
          "get_method_name",
          [](ProgramSession& self, size_t index) {
            if (index >= self.method_names().size()) {
              runtime::set_error_message("method %zu does not exist: the program has %zu", index,
                                         self.method_names().size());
              raise(Error::InvalidArgument, ExceptionKind::Runtime,
                    "Failed get method name, error: 0x:12");
            }
            return to_str(self.method_names()[index]);
          },
          nb::arg("method_index"))
      .def("load_method", &load_method, nb::arg("method_name"))
      .def("method_meta", &method_meta, nb::arg("method_name"))
      .def("has_etdump", [](ProgramSession& self) { return self.tracing().enabled(); })
      .def("write_etdump_result_to_file", &write_etdump, nb::arg("path"),
           nb::arg("debug_buffer_path") = nb::none());
}

runtime::Result<std::vector<Output>> read_outputs(MethodSession& method, bool clone) {
  const nb::gil_scoped_release unlocked;
  const std::lock_guard<std::mutex> turn(method.mutex());
  return method.outputs(clone);
}

/// The plan may change as the method meets new shapes.
std::vector<std::string> plan_report(MethodSession& method) {
  const nb::gil_scoped_release unlocked;
  const std::lock_guard<std::mutex> turn(method.mutex());
  const auto report = method.method().plan_report();
  return {report.begin(), report.end()};
}

size_t plan_memory_bytes(MethodSession& method) {
  const nb::gil_scoped_release unlocked;
  const std::lock_guard<std::mutex> turn(method.mutex());
  return method.method().plan_memory_bytes();
}

runtime::Result<Output> read_attribute(const std::shared_ptr<MethodSession>& method,
                                       const std::string& name) {
  const nb::gil_scoped_release unlocked;
  const std::lock_guard<std::mutex> turn(method->mutex());
  auto tensor = method->method().get_attribute(name);
  if (!tensor.ok()) return tensor.error();
  return read_output(runtime::EValue(*tensor), method);
}

void bind_method(nb::module_& m) {
  nb::class_<MethodSession>(m, "ExecuTorchMethod",
                            "A loaded method. Calls from several threads take turns.")
      .def(
          "set_inputs",
          [](MethodSession& self, nb::handle inputs) {
            std::vector<Input> converted = self.convert_inputs(inputs);
            Error error;
            {
              const nb::gil_scoped_release unlocked;
              const std::lock_guard<std::mutex> turn(self.mutex());
              error = self.set_inputs(converted);
            }
            ET_RAISE_UNLESS_OK(error, "method->set_inputs() for method '%s' failed with error 0x%x",
                               self.name().c_str(), static_cast<unsigned>(error));
          },
          nb::arg("inputs"))
      .def(
          "execute",
          [](MethodSession& self, std::optional<double> timeout) {
            const double seconds = timeout_from(timeout);
            Error error;
            {
              const nb::gil_scoped_release unlocked;
              const std::lock_guard<std::mutex> turn(self.mutex());
              error = self.execute(seconds);
            }
            ET_RAISE_UNLESS_OK(error, "method->execute() failed with error 0x%x",
                               static_cast<unsigned>(error));
          },
          nb::arg("timeout") = nb::none(),
          "Runs on the inputs set before, at most `timeout` seconds.")
      .def(
          "get_outputs",
          [](MethodSession& self, bool clone_outputs) {
            auto outputs = read_outputs(self, clone_outputs);
            ET_RAISE_UNLESS_OK(outputs.error(),
                               "method->get_outputs() for method '%s' failed with error 0x%x",
                               self.name().c_str(), static_cast<unsigned>(outputs.error()));
            return to_list(std::move(*outputs));
          },
          nb::arg("clone_outputs") = true)
      .def(
          "call",
          [](const std::shared_ptr<MethodSession>& self, nb::handle inputs, bool clone_outputs,
             std::optional<double> timeout) {
            return run_method(self, inputs, clone_outputs, timeout_from(timeout), false);
          },
          nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true,
          nb::arg("timeout") = nb::none())
      .def(
          "__call__",
          [](const std::shared_ptr<MethodSession>& self, nb::handle inputs, bool clone_outputs,
             std::optional<double> timeout) {
            return run_method(self, inputs, clone_outputs, timeout_from(timeout), false);
          },
          nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true,
          nb::arg("timeout") = nb::none())
      .def(
          "get_attribute",
          [](const std::shared_ptr<MethodSession>& self, const std::string& name) {
            auto output = read_attribute(self, name);
            ET_RAISE_UNLESS_OK(
                output.error(), "Failed to get attribute '%s' for method '%s', error: 0x:%x",
                name.c_str(), self->name().c_str(), static_cast<unsigned>(output.error()));
            return to_python(std::move(*output));
          },
          nb::arg("name"), "The attribute's tensor, in the method's own memory.")
      .def("method_meta",
           [](MethodSession& self) {
             auto meta = PyMethodMeta::from(self.meta());
             ET_RAISE_UNLESS_OK(meta.error(), "Failed to get method meta for method %s",
                                self.name().c_str());
             return std::move(*meta);
           })
      .def(
          "_plan_report",
          [](MethodSession& self) {
            nb::list lines;
            for (const std::string& line : plan_report(self)) lines.append(to_str(line));
            return lines;
          },
          "What planning did at load, a line each.")
      .def("_plan_memory_bytes", &plan_memory_bytes,
           "Bytes that the plan holds beyond the program and its arenas.");
}

}  // namespace

void bind_programs(nb::module_& m) {
  nb::enum_<Verification>(
      m, "Verification", nb::is_arithmetic(),
      "How much of a program is checked before use. Memory safety is checked at every level.")
      .value("Minimal", Verification::Minimal)
      .value("InternalConsistency", Verification::InternalConsistency);
  bind_program(m);
  bind_method(m);

  const auto none = nb::none();
  m.def(
      "_load_program",
      [](nb::handle path, bool enable_etdump, size_t debug_buffer_size, Verification verification,
         nb::handle data_path, bool plan, std::optional<size_t> memory_limit,
         std::optional<size_t> plan_memory_limit, std::optional<std::string> cache_dir,
         std::optional<uint64_t> cache_limit, nb::handle backend_options) {
        return open_program(
            path, data_path,
            make_options(verification, enable_etdump, debug_buffer_size, plan, memory_limit,
                         plan_memory_limit, std::move(cache_dir), cache_limit, backend_options));
      },
      nb::arg("path"), nb::arg("enable_etdump") = false, nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::Minimal, nb::arg("data_path") = none,
      nb::arg("plan") = true, nb::arg("memory_limit") = none, nb::arg("plan_memory_limit") = none,
      nb::arg("cache_dir") = none, nb::arg("cache_limit") = none,
      nb::arg("backend_options") = none);
  m.def(
      "_load_program_from_buffer",
      [](nb::handle buffer, bool enable_etdump, size_t debug_buffer_size, Verification verification,
         nb::handle data_path, bool plan, std::optional<size_t> memory_limit,
         std::optional<size_t> plan_memory_limit, std::optional<std::string> cache_dir,
         std::optional<uint64_t> cache_limit, nb::handle backend_options) {
        return open_program(
            buffer, data_path,
            make_options(verification, enable_etdump, debug_buffer_size, plan, memory_limit,
                         plan_memory_limit, std::move(cache_dir), cache_limit, backend_options));
      },
      nb::arg("buffer"), nb::arg("enable_etdump") = false, nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::Minimal, nb::arg("data_path") = none,
      nb::arg("plan") = true, nb::arg("memory_limit") = none, nb::arg("plan_memory_limit") = none,
      nb::arg("cache_dir") = none, nb::arg("cache_limit") = none,
      nb::arg("backend_options") = none);
}

}  // namespace executorch::python
