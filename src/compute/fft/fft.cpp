#include "compute/fft/fft.h"

#include <cstring>

#include "compute/copy/line_set.h"

namespace executorch::compute {
namespace {

/// Elements that are worth a thread.
constexpr int64_t kGrain = 4096;
constexpr int64_t kAlignment = 64;

bool is_real(FftKind kind) {
  return kind == FftKind::real_to_complex || kind == FftKind::complex_to_real;
}

/// An even number of real values is a transform of half as many complex ones.
bool is_halved(const FftCall& call) {
  return is_real(call.kind) && call.n % 2 == 0;
}

int64_t plan_length(const FftCall& call) {
  return is_halved(call) ? call.n / 2 : call.n;
}

template <class T>
class Transform {
 public:
  using Number = ComplexNumber<T>;

  static int64_t scratch_bytes(const FftCall& call) {
    return table_bytes(call) + threads(call) * thread_bytes(call);
  }

  Transform(const FftCall& call, void* scratch, size_t bytes)
      : call_(call),
        in_(call.in, call.dim),
        out_(call.out, call.dim),
        factor_(static_cast<T>(call.factor)),
        roots_(static_cast<Number*>(scratch)),
        buffers_(static_cast<char*>(scratch) + table_bytes(call)),
        threads_(std::min(threads(call),
                          (static_cast<int64_t>(bytes) - table_bytes(call)) / thread_bytes(call))),
        plan_(plan_length(call), static_cast<char*>(scratch) + root_bytes(call),
              buffers_ + line_bytes(call)) {
    if (is_halved(call)) fill_roots(call.n, call.n / 2 + 1, roots_);
  }

  void run() const {
    for_each_line(in_.count(), threads_, buffers_, thread_bytes(call_),
                  [this](int64_t number, char* memory) {
                    auto* line = reinterpret_cast<Number*>(memory);
                    void* buffer = memory + line_bytes(call_);
                    transform(in_.line(number), out_.line(number), line, buffer);
                  });
  }

 private:
  static int64_t aligned(int64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  static int64_t root_bytes(const FftCall& call) {
    return is_halved(call) ? aligned((call.n / 2 + 1) * static_cast<int64_t>(sizeof(Number))) : 0;
  }
  static int64_t table_bytes(const FftCall& call) {
    return root_bytes(call) + FftPlan<T>::table_bytes(plan_length(call));
  }
  static int64_t line_bytes(const FftCall& call) {
    return aligned((plan_length(call) + 1) * static_cast<int64_t>(sizeof(Number)));
  }
  static int64_t thread_bytes(const FftCall& call) {
    return line_bytes(call) + FftPlan<T>::buffer_bytes(plan_length(call));
  }
  static int64_t threads(const FftCall& call) {
    return threads_for_lines(LineSet(call.in, call.dim).count(), call.n, kGrain);
  }

  static Number read(const Line& line, int64_t i) {
    Number number;
    std::memcpy(&number, line.at(i), sizeof(number));
    return number;
  }
  void write(const Line& line, int64_t i, Number number) const {
    number = {number.re * factor_, number.im * factor_};
    std::memcpy(line.at(i), &number, sizeof(number));
  }
  static T read_real(const Line& line, int64_t i) {
    T value;
    std::memcpy(&value, line.at(i), sizeof(value));
    return value;
  }
  void write_real(const Line& line, int64_t i, T value) const {
    value *= factor_;
    std::memcpy(line.at(i), &value, sizeof(value));
  }

  void transform(const Line& in, const Line& out, Number* line, void* buffer) const {
    switch (call_.kind) {
      case FftKind::forward:
        return forward(in, out, line, buffer);
      case FftKind::inverse:
        return inverse(in, out, line, buffer);
      case FftKind::real_to_complex:
        return is_halved(call_) ? from_even_real(in, out, line, buffer)
                                : from_odd_real(in, out, line, buffer);
      default:
        return is_halved(call_) ? to_even_real(in, out, line, buffer)
                                : to_odd_real(in, out, line, buffer);
    }
  }

  void forward(const Line& in, const Line& out, Number* line, void* buffer) const {
    for (int64_t i = 0; i < call_.n; ++i) line[i] = read(in, i);
    plan_.run(line, buffer);
    for (int64_t i = 0; i < call_.n; ++i) write(out, i, line[i]);
  }

  // The inverse is the transform between two conjugations.
  void inverse(const Line& in, const Line& out, Number* line, void* buffer) const {
    for (int64_t i = 0; i < call_.n; ++i) {
      line[i] = read(in, i);
      line[i].im = -line[i].im;
    }
    plan_.run(line, buffer);
    for (int64_t i = 0; i < call_.n; ++i) write(out, i, {line[i].re, -line[i].im});
  }

  void from_odd_real(const Line& in, const Line& out, Number* line, void* buffer) const {
    for (int64_t i = 0; i < call_.n; ++i) line[i] = {read_real(in, i), 0};
    plan_.run(line, buffer);
    line[0].im = 0;
    for (int64_t i = 0; i < call_.n / 2 + 1; ++i) write(out, i, line[i]);
  }

  // The numbers of odd place are the imaginary parts: two transforms in one, told apart by their
  // symmetry.
  void from_even_real(const Line& in, const Line& out, Number* line, void* buffer) const {
    const int64_t half = call_.n / 2;
    for (int64_t i = 0; i < half; ++i) line[i] = {read_real(in, 2 * i), read_real(in, 2 * i + 1)};
    plan_.run(line, buffer);
    line[half] = line[0];
    for (int64_t i = 0; i <= half; ++i) {
      const Number a = line[i], b = line[half - i], w = roots_[i];
      const Number even = {(a.re + b.re) / 2, (a.im - b.im) / 2};
      const Number odd = {(a.im + b.im) / 2, (b.re - a.re) / 2};
      Number sum = {even.re + w.re * odd.re - w.im * odd.im,
                    even.im + w.re * odd.im + w.im * odd.re};
      if (i == 0 || i == half) sum.im = 0;
      write(out, i, sum);
    }
  }

  /// Number i of the half that is given; the first one, and the last of an even length, is real.
  Number read_half(const Line& in, int64_t i) const {
    Number number = read(in, i);
    if (i == 0 || 2 * i == call_.n) number.im = 0;
    return number;
  }

  void to_odd_real(const Line& in, const Line& out, Number* line, void* buffer) const {
    // Conjugated, as in inverse().
    for (int64_t i = 0; i < call_.n / 2 + 1; ++i) {
      const Number number = read_half(in, i);
      line[i] = {number.re, -number.im};
      if (i > 0) line[call_.n - i] = number;
    }
    plan_.run(line, buffer);
    for (int64_t i = 0; i < call_.n; ++i) write_real(out, i, line[i].re);
  }

  void to_even_real(const Line& in, const Line& out, Number* line, void* buffer) const {
    const int64_t half = call_.n / 2;
    for (int64_t i = 0; i < half; ++i) {
      const Number a = read_half(in, i), b = read_half(in, half - i), w = roots_[i];
      const Number even = {a.re + b.re, a.im - b.im}, rest = {a.re - b.re, a.im + b.im};
      // The conjugate of w turns back; the odd places become imaginary parts.
      const Number odd = {rest.re * w.re + rest.im * w.im, rest.im * w.re - rest.re * w.im};
      line[i] = {even.re - odd.im, -(even.im + odd.re)};
    }
    plan_.run(line, buffer);
    for (int64_t i = 0; i < half; ++i) {
      write_real(out, 2 * i, line[i].re);
      write_real(out, 2 * i + 1, -line[i].im);
    }
  }

  const FftCall& call_;
  LineSet in_;
  LineSet out_;
  T factor_;
  Number* roots_;
  char* buffers_;
  int64_t threads_;  ///< as many as there are buffers for
  FftPlan<T> plan_;
};

bool is_double(const FftCall& call) {
  return call.in.dtype == DType::c128 || call.in.dtype == DType::f64;
}

}  // namespace

size_t fft_scratch_bytes(const FftCall& call) {
  return static_cast<size_t>(is_double(call) ? Transform<double>::scratch_bytes(call)
                                             : Transform<float>::scratch_bytes(call));
}

void fft(const FftCall& call, void* scratch, size_t bytes) {
  if (call.out.numel() == 0) return;
  is_double(call) ? Transform<double>(call, scratch, bytes).run()
                  : Transform<float>(call, scratch, bytes).run();
}

}  // namespace executorch::compute
