#include "backend_options.h"

#include <array>
#include <limits>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace executorch::python {
namespace {

runtime::BackendOption make_option(nb::handle key, nb::handle value) {
  runtime::BackendOption option;
  const std::string name = nb::cast<std::string>(key);
  if (name.size() >= sizeof(option.key)) {
    throw nb::value_error(("backend option '" + name + "' has too long a name").c_str());
  }
  name.copy(option.key, name.size());
  if (nb::isinstance<nb::bool_>(value)) {
    option.value = nb::cast<bool>(value);
  } else if (nb::isinstance<nb::int_>(value)) {
    option.value = nb::cast<int>(value);
  } else if (nb::isinstance<nb::str>(value)) {
    const std::string text = nb::cast<std::string>(value);
    std::array<char, runtime::kMaxOptionValueLength> held{};
    if (text.size() >= held.size()) {
      throw nb::value_error(("the text of backend option '" + name + "' is too long").c_str());
    }
    text.copy(held.data(), text.size());
    option.value = held;
  } else {
    throw nb::type_error(("backend option '" + name + "' is neither bool, int nor str").c_str());
  }
  return option;
}

}  // namespace

BackendOptionLists BackendOptionLists::from(nb::handle options) {
  BackendOptionLists result;
  if (options.is_none()) return result;
  if (!nb::isinstance<nb::dict>(options)) {
    throw nb::type_error("backend_options is no dict of dicts");
  }
  for (const auto& [backend, keys] : nb::borrow<nb::dict>(options)) {
    if (!nb::isinstance<nb::str>(backend) || !nb::isinstance<nb::dict>(keys)) {
      throw nb::type_error("backend_options is no dict of dicts");
    }
    std::vector<runtime::BackendOption> list;
    for (const auto& [key, value] : nb::borrow<nb::dict>(keys)) {
      list.push_back(make_option(key, value));
    }
    result.lists_.emplace_back(nb::cast<std::string>(backend), std::move(list));
  }
  return result;
}

runtime::Error BackendOptionLists::fill(runtime::LoadBackendOptionsMap* map) const {
  for (auto& [backend, list] : lists_) {
    ET_TRY(map->set_options(backend.c_str(), {list.data(), list.size()}));
  }
  return runtime::Error::Ok;
}

}  // namespace executorch::python
