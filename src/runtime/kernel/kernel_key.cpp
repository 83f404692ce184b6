#include <cstring>

#include <executorch/runtime/kernel/operator_registry.h>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

constexpr char kVersion[] = "v1/";

/// Appends to a buffer of fixed size and remembers whether everything did fit.
class KeyWriter {
 public:
  KeyWriter(char* buffer, size_t size) : buffer_(buffer), room_(size - 1) {}

  void put(char c) {
    if (used_ < room_) {
      buffer_[used_++] = c;
    } else {
      fits_ = false;
    }
  }

  void put_number(int number) {
    if (number >= 10) put(static_cast<char>('0' + number / 10));
    put(static_cast<char>('0' + number % 10));
  }

  bool finish() {
    buffer_[fits_ ? used_ : 0] = '\0';
    return fits_;
  }

 private:
  char* buffer_;
  size_t room_;
  size_t used_ = 0;
  bool fits_ = true;
};

bool two_digits(int number) {
  return number >= 0 && number < 100;
}

}  // namespace

Error make_kernel_key_string(Span<const TensorMeta> key, char* buf, size_t buf_size) {
  ET_REQUIRE(buf != nullptr && buf_size > 0, InvalidArgument, "a kernel key needs a buffer");
  buf[0] = '\0';
  if (key.empty()) return Error::Ok;

  KeyWriter writer(buf, buf_size);
  for (const char* c = kVersion; *c != '\0'; ++c) writer.put(*c);
  for (size_t i = 0; i < key.size(); ++i) {
    const int dtype = static_cast<int>(key[i].dtype_);
    ET_REQUIRE(two_digits(dtype), InvalidArgument, "tensor %zu has the unknown type %d", i, dtype);
    if (i > 0) writer.put('|');
    writer.put_number(dtype);
    writer.put(';');
    for (size_t d = 0; d < key[i].dim_order_.size(); ++d) {
      const int dim = static_cast<int>(key[i].dim_order_[d]);
      ET_REQUIRE(two_digits(dim), InvalidArgument, "tensor %zu names the dimension %d", i, dim);
      if (d > 0) writer.put(',');
      writer.put_number(dim);
    }
  }
  ET_REQUIRE(writer.finish(), InvalidArgument, "the kernel key of %zu tensors has over %zu bytes",
             key.size(), buf_size - 1);
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
