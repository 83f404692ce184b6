#include "loading/sources.h"

#include <cstdint>
#include <cstring>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>

#include "errors.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

constexpr uintptr_t kFileAlignment = 16;

/// A request for an object's memory, held open.
class BufferRequest {
 public:
  explicit BufferRequest(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  BufferRequest(const BufferRequest&) = delete;
  BufferRequest& operator=(const BufferRequest&) = delete;
  ~BufferRequest() { PyBuffer_Release(&view_); }

  bool readonly() const { return view_.readonly != 0; }
  ByteView bytes() const { return {view_.buf, static_cast<size_t>(view_.len)}; }

 private:
  Py_buffer view_;
};

/// The path in the file system's own encoding.
std::string encoded_path(nb::handle path) {
  const nb::object encoded = nb::module_::import_("os").attr("fsencode")(path);
  const char* characters = PyBytes_AsString(encoded.ptr());
  if (characters == nullptr) throw nb::python_error();
  std::string text(characters, static_cast<size_t>(PyBytes_Size(encoded.ptr())));
  if (text.find('\0') != std::string::npos)
    throw nb::value_error("a path cannot contain a null byte");
  return text;
}

}  // namespace

nb::object stable_buffer(nb::handle object) {
  const BufferRequest request(object);
  const ByteView bytes = request.bytes();
  if (!request.readonly() || reinterpret_cast<uintptr_t>(bytes.data) % kFileAlignment != 0)
    return nb::bytes(bytes.data, bytes.size);
  if (PyBytes_CheckExact(object.ptr())) return nb::borrow(object);
  // The view keeps its owner from moving or freeing the memory.
  PyObject* view = PyMemoryView_FromObject(object.ptr());
  if (view == nullptr) throw nb::python_error();
  return nb::steal(view);
}

ByteView view_bytes(const nb::object& buffer) {
  return BufferRequest(buffer).bytes();
}

Source source_from(nb::handle object) {
  Source source;
  if (PyObject_CheckBuffer(object.ptr())) {
    source.buffer = stable_buffer(object);
  } else {
    source.path = encoded_path(object);
  }
  return source;
}

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

std::shared_ptr<runtime::DataLoader> open_source(const Source& source) {
  if (source.loader) return source.loader;
  if (source.buffer) {
    const ByteView bytes = view_bytes(source.buffer);
    return std::make_shared<extension::BufferDataLoader>(bytes.data, bytes.size);
  }
  auto loader = extension::MmapDataLoader::from(source.path.c_str(),
                                                extension::MmapDataLoader::MlockConfig::NoMlock);
  ET_RAISE_UNLESS_OK(loader.error(), "Failed to create MmapDataLoader from file %s, error: 0x:%x",
                     source.path.c_str(), static_cast<unsigned>(loader.error()));
  return std::make_shared<extension::MmapDataLoader>(std::move(*loader));
}

}  // namespace executorch::python
