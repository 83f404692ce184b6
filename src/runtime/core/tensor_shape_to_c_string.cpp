#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>

#include <cinttypes>
#include <cstdio>

namespace executorch::runtime {

namespace {

using Text = std::array<char, kTensorShapeStringSizeLimit>;

template <typename SizesType>
Text show(Span<const SizesType> shape) {
  Text text{};
  if (shape.size() > kTensorDimensionLimit) {
    snprintf(text.data(), text.size(), "(ERR: %zu dimensions, at most %zu are supported)",
             shape.size(), kTensorDimensionLimit);
    return text;
  }
  size_t length = 0;
  const auto append = [&](const char* format, auto... values) {
    length += static_cast<size_t>(
        snprintf(text.data() + length, text.size() - length, format, values...));
  };
  append("%s", "(");
  for (size_t i = 0; i < shape.size(); ++i) {
    const char* separator = i == 0 ? "" : ", ";
    const int64_t size = shape[i];
    if (size < 0 || static_cast<uint64_t>(size) > internal::kMaximumPrintableTensorShapeElement) {
      append("%sERR", separator);
    } else {
      append("%s%" PRId64, separator, size);
    }
  }
  append("%s", ")");
  return text;
}

}  // namespace

Text tensor_shape_to_c_string(Span<const std::int32_t> shape) {
  return show(shape);
}

Text tensor_shape_to_c_string(Span<const std::int64_t> shape) {
  return show(shape);
}

}  // namespace executorch::runtime
