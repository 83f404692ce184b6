// ExecuTorchProgram, ExecuTorchMethod, ExecuTorchModule and the functions that open them.
#include "programs.h"

#include <map>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <executorch/runtime/core/error_message.h>

#include "errors.h"
#include "metadata.h"
#include "session.h"
#include "text.h"

namespace nb = nanobind;
using executorch::runtime::Error;
using Verification = executorch::runtime::Program::Verification;

namespace executorch::python {

namespace {

PyMethodMeta method_meta(ProgramSession& session, const std::string& name) {
  Error error = session.ensure_loaded();
  if (error == Error::Ok) {
    auto meta = session.program().method_meta(name.c_str());
    error = meta.error();
    if (meta.ok()) {
      auto copied = PyMethodMeta::from(*meta);
      if (copied.ok()) return std::move(*copied);
      error = copied.error();
    }
  }
  raise(error, ExceptionKind::Runtime, "Failed to get method meta for method %s, error: 0x:%x", name.c_str(),
        static_cast<unsigned>(error));
}

std::shared_ptr<MethodSession> load_method(ProgramSession& session, const std::string& name) {
  Error error;
  std::shared_ptr<MethodSession> loaded;
  {
    const nb::gil_scoped_release unlocked;
    auto method = session.load_method(name);
    error = method.error();
    if (method.ok()) loaded = std::move(*method);
  }
  ET_RAISE_UNLESS_OK(error, "Failed to load method %s, error: 0x:%x", name.c_str(), static_cast<unsigned>(error));
  return loaded;
}

void write_etdump(ProgramSession& session, const std::string& path, const std::optional<std::string>& debug_path) {
  if (!session.tracing().enabled()) {
    runtime::set_error_message("profiling is off: load the program with enable_etdump=True");
    raise(Error::InvalidState, ExceptionKind::Runtime, "No etdump found");
  }
  const Error error = session.tracing().write(path, debug_path.value_or(""));
  ET_RAISE_UNLESS_OK(error, "Failed to write etdump to %s, error: 0x:%x", path.c_str(), static_cast<unsigned>(error));
}

/// A flat state that another process can open: sources, and how they were opened.
nb::tuple source_state(const ProgramSession& session) {
  const auto describe = [](const Source& source) -> nb::object {
    if (source.buffer) return nb::bytes(nb::borrow<nb::bytes>(nb::module_::import_("builtins").attr("bytes")(source.buffer)));
    return nb::str(source.path.c_str());
  };
  nb::list data;
  for (const Source& source : session.data_sources()) data.append(describe(source));
  const SessionOptions& options = session.options();
  return nb::make_tuple(describe(session.source()), data, options.enable_etdump, options.debug_buffer_size,
                        static_cast<int>(options.verification), options.share_arenas, options.load.plan,
                        options.load.memory_limit, options.load.plan_memory_limit);
}

/// The original's ExecuTorchModule: methods are loaded at their first use, each with arenas of its own.
class PyModule {
 public:
  explicit PyModule(std::shared_ptr<ProgramSession> session) : session_(std::move(session)) {}

  ProgramSession& session() { return *session_; }

  std::shared_ptr<MethodSession> method(const std::string& name) {
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
    ET_RAISE_UNLESS_OK(error, "Failed to get method_meta for %s, error: 0x%x", name.c_str(), static_cast<unsigned>(error));
    const std::lock_guard<std::mutex> lock(mutex_);
    return methods_.emplace(name, std::move(loaded)).first->second;
  }

 private:
  std::shared_ptr<ProgramSession> session_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<MethodSession>> methods_;
};

nb::list method_names(ProgramSession& session) {
  const Error error = session.ensure_loaded();
  ET_RAISE_UNLESS_OK(error, "Failed to get method names, error: 0x:%x", static_cast<unsigned>(error));
  nb::list names;
  for (const std::string& name : session.method_names()) names.append(to_str(name));
  return names;
}

Source source_from(nb::handle object) {
  Source source;
  if (PyObject_CheckBuffer(object.ptr())) {
    source.buffer = nb::borrow(object);
  } else {
    source.path = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(object));
  }
  return source;
}

/// None, one path or buffer, or a list of them.
std::vector<Source> sources_from(nb::handle object) {
  std::vector<Source> sources;
  if (object.is_none()) return sources;
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    for (nb::handle item : object) sources.push_back(source_from(item));
  } else {
    sources.push_back(source_from(object));
  }
  return sources;
}

SessionOptions make_options(Verification verification, bool enable_etdump, size_t debug_buffer_size, bool share_arenas,
                            bool plan, std::optional<size_t> memory_limit, std::optional<size_t> plan_memory_limit) {
  SessionOptions options;
  options.verification = verification;
  options.enable_etdump = enable_etdump;
  options.debug_buffer_size = debug_buffer_size;
  options.share_arenas = share_arenas;
  options.load.plan = plan;
  if (memory_limit) options.load.memory_limit = *memory_limit;
  if (plan_memory_limit) options.load.plan_memory_limit = *plan_memory_limit;
  return options;
}

std::shared_ptr<ProgramSession> open_program(nb::handle program, nb::handle data, const SessionOptions& options) {
  auto session = ProgramSession::open(source_from(program), sources_from(data), options);
  Error error;
  {
    const nb::gil_scoped_release unlocked;
    error = session->ensure_loaded();
  }
  ET_RAISE_UNLESS_OK(error, "Failed to load program, error: 0x:%x", static_cast<unsigned>(error));
  return session;
}

std::unique_ptr<PyModule> open_module(nb::handle program, nb::handle data, const SessionOptions& options) {
  return std::make_unique<PyModule>(ProgramSession::open(source_from(program), sources_from(data), options));
}

void bind_program(nb::module_& m) {
  nb::class_<ProgramSession>(m, "ExecuTorchProgram", "A loaded and verified program.")
      .def("num_methods", [](ProgramSession& self) { return self.method_names().size(); })
      .def("get_method_name",
           [](ProgramSession& self, size_t index) {
             if (index >= self.method_names().size()) {
               runtime::set_error_message("method %zu does not exist: the program has %zu", index,
                                          self.method_names().size());
               raise(Error::InvalidArgument, ExceptionKind::Runtime, "Failed get method name, error: 0x:12");
             }
             return to_str(self.method_names()[index]);
           },
           nb::arg("method_index"))
      .def("load_method", &load_method, nb::arg("method_name"))
      .def("method_meta", &method_meta, nb::arg("method_name"))
      .def("has_etdump", [](ProgramSession& self) { return self.tracing().enabled(); })
      .def("write_etdump_result_to_file", &write_etdump, nb::arg("path"), nb::arg("debug_buffer_path") = nb::none())
      .def("_source_state", &source_state);
}

void bind_method(nb::module_& m) {
  nb::class_<MethodSession>(m, "ExecuTorchMethod", "A loaded method. Calls from several threads take turns.")
      .def("set_inputs",
           [](MethodSession& self, nb::handle inputs) {
             std::vector<Input> converted = self.convert_inputs(inputs);
             Error error;
             {
               const nb::gil_scoped_release unlocked;
               const std::lock_guard<std::mutex> turn(self.mutex());
               error = self.set_inputs(std::move(converted));
             }
             ET_RAISE_UNLESS_OK(error, "method->set_inputs() for method '%s' failed with error 0x%x", self.name().c_str(),
                                static_cast<unsigned>(error));
           },
           nb::arg("inputs"))
      .def("execute",
           [](MethodSession& self, std::optional<double> timeout) {
             Error error;
             {
               const nb::gil_scoped_release unlocked;
               const std::lock_guard<std::mutex> turn(self.mutex());
               error = self.execute(timeout.value_or(-1));
             }
             ET_RAISE_UNLESS_OK(error, "method->execute() failed with error 0x%x", static_cast<unsigned>(error));
           },
           nb::arg("timeout") = nb::none(), "Runs on the inputs set before, at most `timeout` seconds.")
      .def("get_outputs",
           [](MethodSession& self, bool clone_outputs) {
             auto outputs = self.outputs(clone_outputs);
             ET_RAISE_UNLESS_OK(outputs.error(), "method->get_outputs() for method '%s' failed with error 0x%x",
                                self.name().c_str(), static_cast<unsigned>(outputs.error()));
             nb::list results;
             for (Output& output : *outputs) results.append(to_python(std::move(output)));
             return results;
           },
           nb::arg("clone_outputs") = true)
      .def("call",
           [](const std::shared_ptr<MethodSession>& self, nb::handle inputs, bool clone_outputs,
              std::optional<double> timeout) { return run_method(self, inputs, clone_outputs, timeout.value_or(-1), false); },
           nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true, nb::arg("timeout") = nb::none())
      .def("__call__",
           [](const std::shared_ptr<MethodSession>& self, nb::handle inputs, bool clone_outputs,
              std::optional<double> timeout) { return run_method(self, inputs, clone_outputs, timeout.value_or(-1), false); },
           nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true, nb::arg("timeout") = nb::none())
      .def("get_attribute",
           [](const std::shared_ptr<MethodSession>& self, const std::string& name) {
             auto tensor = self->method().get_attribute(name);
             ET_RAISE_UNLESS_OK(tensor.error(), "Failed to get attribute '%s' for method '%s', error: 0x:%x", name.c_str(),
                                self->name().c_str(), static_cast<unsigned>(tensor.error()));
             auto output = read_output(runtime::EValue(*tensor), self);
             ET_RAISE_UNLESS_OK(output.error(), "Failed to get attribute '%s'", name.c_str());
             return to_python(std::move(*output));
           },
           nb::arg("name"), "The attribute's tensor, in the method's own memory.")
      .def("method_meta",
           [](MethodSession& self) {
             auto meta = PyMethodMeta::from(self.meta());
             ET_RAISE_UNLESS_OK(meta.error(), "Failed to get method meta for method %s", self.name().c_str());
             return std::move(*meta);
           })
      .def("_plan_report", [](MethodSession& self) {
             nb::list lines;
             for (const char* line : self.method().plan_report()) lines.append(to_str(line));
             return lines;
           },
           "What planning did at load, a line each.")
      .def("_plan_memory_bytes", [](MethodSession& self) { return self.method().plan_memory_bytes(); },
           "Bytes that the plan holds beyond the program and its arenas.");
}

void bind_module(nb::module_& m) {
  nb::class_<PyModule>(m, "ExecuTorchModule", "A program whose methods are loaded at their first use.")
      .def("forward",
           [](PyModule& self, nb::handle inputs, bool clone_outputs) {
             return run_method(self.method("forward"), inputs, clone_outputs, -1, true);
           },
           nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true)
      .def("__call__",
           [](PyModule& self, nb::handle inputs, bool clone_outputs) {
             return run_method(self.method("forward"), inputs, clone_outputs, -1, true);
           },
           nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true)
      .def("run_method",
           [](PyModule& self, const std::string& name, nb::handle inputs, bool clone_outputs) {
             return run_method(self.method(name), inputs, clone_outputs, -1, true);
           },
           nb::arg("method_name"), nb::arg("inputs") = nb::list(), nb::arg("clone_outputs") = true)
      .def("plan_execute",
           [](PyModule& self, const std::string& name, bool clone_outputs) {
             return run_method(self.method(name), nb::list(), clone_outputs, -1, true);
           },
           nb::arg("method_name"), nb::arg("clone_outputs") = true)
      .def("method_meta", [](PyModule& self, const std::string& name) { return method_meta(self.session(), name); },
           nb::arg("method_name"))
      .def("method_names", [](PyModule& self) { return method_names(self.session()); })
      .def("has_etdump", [](PyModule& self) { return self.session().tracing().enabled(); })
      .def("write_etdump_result_to_file",
           [](PyModule& self, const std::string& path, const std::optional<std::string>& debug_path) {
             write_etdump(self.session(), path, debug_path);
           },
           nb::arg("path"), nb::arg("debug_buffer_path") = nb::none())
      .def("_source_state", [](PyModule& self) { return source_state(self.session()); });
}

}  // namespace

void bind_programs(nb::module_& m) {
  nb::enum_<Verification>(m, "Verification", nb::is_arithmetic(),
                          "How much of a program is checked before use. Memory safety is checked at every level.")
      .value("Minimal", Verification::Minimal)
      .value("InternalConsistency", Verification::InternalConsistency);
  bind_program(m);
  bind_method(m);
  bind_module(m);

  const auto none = nb::none();
  m.def(
      "_load_program",
      [](nb::handle path, bool enable_etdump, size_t debug_buffer_size, Verification verification, nb::handle data_path,
         bool plan, std::optional<size_t> memory_limit, std::optional<size_t> plan_memory_limit) {
        return open_program(path, data_path, make_options(verification, enable_etdump, debug_buffer_size, true, plan,
                                                          memory_limit, plan_memory_limit));
      },
      nb::arg("path"), nb::arg("enable_etdump") = false, nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::Minimal, nb::arg("data_path") = none, nb::arg("plan") = true,
      nb::arg("memory_limit") = none, nb::arg("plan_memory_limit") = none);
  m.def(
      "_load_program_from_buffer",
      [](nb::handle buffer, bool enable_etdump, size_t debug_buffer_size, Verification verification, nb::handle data_path,
         bool plan, std::optional<size_t> memory_limit, std::optional<size_t> plan_memory_limit) {
        return open_program(buffer, data_path, make_options(verification, enable_etdump, debug_buffer_size, true, plan,
                                                            memory_limit, plan_memory_limit));
      },
      nb::arg("buffer"), nb::arg("enable_etdump") = false, nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::Minimal, nb::arg("data_path") = none, nb::arg("plan") = true,
      nb::arg("memory_limit") = none, nb::arg("plan_memory_limit") = none);
  m.def(
      "_load_for_executorch",
      [](nb::handle path, nb::handle data_path, bool enable_etdump, size_t debug_buffer_size, Verification verification) {
        return open_module(path, data_path,
                           make_options(verification, enable_etdump, debug_buffer_size, false, true, {}, {}));
      },
      nb::arg("program_path"), nb::arg("data_path") = none, nb::arg("enable_etdump") = false,
      nb::arg("debug_buffer_size") = 0, nb::arg("program_verification") = Verification::InternalConsistency);
  m.def(
      "_load_for_executorch_from_buffer",
      [](nb::handle buffer, nb::handle data, bool enable_etdump, size_t debug_buffer_size, Verification verification) {
        return open_module(buffer, data, make_options(verification, enable_etdump, debug_buffer_size, false, true, {}, {}));
      },
      nb::arg("buffer"), nb::arg("data_map_buffer") = none, nb::arg("enable_etdump") = false,
      nb::arg("debug_buffer_size") = 0, nb::arg("program_verification") = Verification::InternalConsistency);
}

}  // namespace executorch::python
