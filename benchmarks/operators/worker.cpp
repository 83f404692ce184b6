// Times single operators through the registry of whichever runtime it is compiled against and
// linked with, for operators.py. Uses only what both runtimes declare.
//
//   worker THREADS < requests
//
// Requests, a line each; answers, a line each:
//   case OPERATOR ARGUMENT...   "ok CHECKSUM" or "refused CODE"
//   run SECONDS                 "CPU_NS WALL_NS" of one call, medians over batches
//   read BYTES SECONDS          the same of a plain loop that reads so many bytes
//
// Arguments: t:DTYPE:SIZES:LAYOUT:LOW:HIGH an input of uniform numbers, o:DTYPE:SIZES:LAYOUT an
// out, l:T+T+... a list of tensors, x:T+T+... one of optional tensors, i:N d:X b:0|1 s:TEXT n
// numbers, text, None, I:N,N,... integers. Sizes are joined by commas; layout c is contiguous, n
// channels-last.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>

// One of the two wheels has no header for its pool.
namespace executorch::extension::threadpool {
class ThreadPool;
ThreadPool* get_threadpool();
class ThreadPool {
 public:
  bool _unsafe_reset_threadpool(uint32_t threads);
};
}  // namespace executorch::extension::threadpool

namespace {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::EValue;
using Text = executorch::aten::ArrayRef<char>;
using OptionalTensor = executorch::aten::optional<Tensor>;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<int64_t> integers(const std::string& text) {
  std::vector<int64_t> values;
  for (const std::string& part : split(text, ',')) values.push_back(std::stoll(part));
  return values;
}

[[noreturn]] void fail(const std::string& why) {
  std::cerr << "worker: " << why << std::endl;
  std::exit(2);
}

ScalarType dtype_of(const std::string& name) {
  static const std::pair<const char*, ScalarType> names[] = {
      {"u8", ScalarType::Byte},      {"i8", ScalarType::Char},    {"i16", ScalarType::Short},
      {"i32", ScalarType::Int},      {"i64", ScalarType::Long},   {"f16", ScalarType::Half},
      {"f32", ScalarType::Float},    {"f64", ScalarType::Double}, {"bool", ScalarType::Bool},
      {"bf16", ScalarType::BFloat16}};
  for (const auto& [known, dtype] : names) {
    if (name == known) return dtype;
  }
  fail("unknown dtype " + name);
}

/// A tensor and all that it points at.
class OwnedTensor {
 public:
  OwnedTensor(ScalarType dtype, const std::string& sizes, bool channels_last) : dtype_(dtype) {
    for (const int64_t size : integers(sizes)) sizes_.push_back(static_cast<SizesType>(size));
    const size_t rank = sizes_.size();
    for (size_t d = 0; d < rank; ++d) order_.push_back(static_cast<DimOrderType>(d));
    if (channels_last && rank > 2)
      std::rotate(order_.begin() + 1, order_.begin() + 2, order_.end());
    strides_.resize(rank);
    count_ = 1;
    for (size_t i = rank; i-- > 0;) {
      strides_[order_[i]] = static_cast<StridesType>(count_);
      count_ *= static_cast<size_t>(sizes_[order_[i]]);
    }
    // Aligned as the runtimes align planned memory, and never empty.
    bytes_ = count_ * executorch::runtime::elementSize(dtype);
    data_.reset(static_cast<char*>(std::aligned_alloc(64, (bytes_ / 64 + 1) * 64)));
    std::memset(data_.get(), 0, bytes_);
    impl_ = std::make_unique<TensorImpl>(dtype, static_cast<ssize_t>(rank), sizes_.data(),
                                         data_.get(), order_.data(), strides_.data(),
                                         executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
  }

  void fill(double low, double high) {
    std::mt19937 random(static_cast<uint32_t>(count_));
    std::uniform_real_distribution<double> uniform(low, high);
    for (size_t i = 0; i < count_; ++i) store(i, uniform(random));
  }

  /// Sum of all elements, of those that are finite.
  double checksum() const {
    double sum = 0;
    for (size_t i = 0; i < count_; ++i) {
      const double value = load(i);
      if (value - value == 0) sum += value;
    }
    return sum;
  }

  Tensor tensor() const { return Tensor(impl_.get()); }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_.get());
  }

  void store(size_t i, double value) {
    switch (dtype_) {
      case ScalarType::Byte:
        as<uint8_t>()[i] = static_cast<uint8_t>(value);
        break;
      case ScalarType::Char:
        as<int8_t>()[i] = static_cast<int8_t>(value);
        break;
      case ScalarType::Short:
        as<int16_t>()[i] = static_cast<int16_t>(value);
        break;
      case ScalarType::Int:
        as<int32_t>()[i] = static_cast<int32_t>(value);
        break;
      case ScalarType::Long:
        as<int64_t>()[i] = static_cast<int64_t>(value);
        break;
      case ScalarType::Bool:
        as<bool>()[i] = value > 0.5;
        break;
      case ScalarType::Half:
        as<executorch::aten::Half>()[i] = static_cast<float>(value);
        break;
      case ScalarType::BFloat16:
        as<executorch::aten::BFloat16>()[i] = static_cast<float>(value);
        break;
      case ScalarType::Float:
        as<float>()[i] = static_cast<float>(value);
        break;
      default:
        as<double>()[i] = value;
    }
  }

  double load(size_t i) const {
    switch (dtype_) {
      case ScalarType::Byte:
        return as<uint8_t>()[i];
      case ScalarType::Char:
        return as<int8_t>()[i];
      case ScalarType::Short:
        return as<int16_t>()[i];
      case ScalarType::Int:
        return as<int32_t>()[i];
      case ScalarType::Long:
        return static_cast<double>(as<int64_t>()[i]);
      case ScalarType::Bool:
        return as<bool>()[i];
      case ScalarType::Half:
        return static_cast<float>(as<executorch::aten::Half>()[i]);
      case ScalarType::BFloat16:
        return static_cast<float>(as<executorch::aten::BFloat16>()[i]);
      case ScalarType::Float:
        return as<float>()[i];
      default:
        return as<double>()[i];
    }
  }

  ScalarType dtype_;
  std::vector<SizesType> sizes_;
  std::vector<DimOrderType> order_;
  std::vector<StridesType> strides_;
  size_t count_ = 0;
  size_t bytes_ = 0;
  std::unique_ptr<char, Free> data_;
  std::unique_ptr<TensorImpl> impl_;
};

/// One call of one operator, ready to be repeated.
class Call {
 public:
  explicit Call(const std::vector<std::string>& words) : name_(words.at(1)) {
    for (size_t i = 2; i < words.size(); ++i) add(words[i]);
    if (outs_.size() == 1) {
      stack_.push_back(stack_.back());
    } else {
      stack_.push_back(keep(EValue()));
    }
  }

  /// 0, or the code of the error.
  int run() {
    executorch::runtime::KernelRuntimeContext context(nullptr, &temporary_);
    function_(context, {stack_.data(), stack_.size()});
    temporary_.reset();
    return static_cast<int>(context.failure_state());
  }

  bool find() {
    std::vector<executorch::runtime::TensorMeta> any;
    auto found =
        executorch::runtime::get_op_function_from_registry(name_.c_str(), {any.data(), any.size()});
    if (!found.ok()) return false;
    function_ = *found;
    return true;
  }

  double checksum() const {
    double sum = 0;
    for (const OwnedTensor* out : outs_) sum += out->checksum();
    return sum;
  }

 private:
  struct List {
    std::vector<EValue*> wrapped;
    std::vector<int64_t> numbers;
    std::vector<Tensor> tensors;
    std::vector<OptionalTensor> optional_tensors;
    std::unique_ptr<executorch::runtime::BoxedEvalueList<int64_t>> boxed_numbers;
    std::unique_ptr<executorch::runtime::BoxedEvalueList<Tensor>> boxed_tensors;
    std::unique_ptr<executorch::runtime::BoxedEvalueList<OptionalTensor>> boxed_optional;
  };

  EValue* keep(EValue value) {
    values_.push_back(std::make_unique<EValue>(value));
    return values_.back().get();
  }

  OwnedTensor* make_tensor(const std::string& word) {
    const std::vector<std::string> parts = split(word, ':');
    const bool is_out = parts.at(0) == "o";
    if (parts.size() != (is_out ? 4 : 6)) fail("not a tensor: " + word);
    tensors_.push_back(
        std::make_unique<OwnedTensor>(dtype_of(parts[1]), parts[2], parts[3] == "n"));
    OwnedTensor* const tensor = tensors_.back().get();
    if (is_out) {
      outs_.push_back(tensor);
    } else {
      tensor->fill(std::stod(parts[4]), std::stod(parts[5]));
    }
    return tensor;
  }

  void add(const std::string& word) {
    const std::string value = word.size() > 2 ? word.substr(2) : "";
    switch (word[0]) {
      case 't':
      case 'o':
        stack_.push_back(keep(EValue(make_tensor(word)->tensor())));
        break;
      case 'i':
        stack_.push_back(keep(EValue(static_cast<int64_t>(std::stoll(value)))));
        break;
      case 'd':
        stack_.push_back(keep(EValue(std::stod(value))));
        break;
      case 'b':
        stack_.push_back(keep(EValue(value == "1")));
        break;
      case 'n':
        stack_.push_back(keep(EValue()));
        break;
      case 's':
        add_text(value);
        break;
      case 'I':
        add_integers(value);
        break;
      case 'l':
      case 'x':
        add_tensors(value, word[0] == 'x');
        break;
      default:
        fail("unknown argument " + word);
    }
  }

  void add_text(const std::string& value) {
    texts_.push_back(std::make_unique<std::string>(value));
    spans_.push_back(std::make_unique<Text>(texts_.back()->data(), value.size()));
    stack_.push_back(keep(EValue(spans_.back().get())));
  }

  void add_integers(const std::string& value) {
    List& list = *lists_.emplace_back(std::make_unique<List>());
    list.numbers = integers(value);
    for (const int64_t number : list.numbers) list.wrapped.push_back(keep(EValue(number)));
    list.boxed_numbers = std::make_unique<executorch::runtime::BoxedEvalueList<int64_t>>(
        list.wrapped.data(), list.numbers.data(), static_cast<int>(list.numbers.size()));
    stack_.push_back(keep(EValue(list.boxed_numbers.get())));
  }

  void add_tensors(const std::string& value, bool optional) {
    List& list = *lists_.emplace_back(std::make_unique<List>());
    for (const std::string& part : split(value, '+')) {
      list.wrapped.push_back(part == "n" ? keep(EValue())
                                         : keep(EValue(make_tensor(part)->tensor())));
      if (!optional) list.tensors.push_back(list.wrapped.back()->toTensor());
    }
    const int count = static_cast<int>(list.wrapped.size());
    if (optional) {
      list.optional_tensors.resize(list.wrapped.size());
      list.boxed_optional = std::make_unique<executorch::runtime::BoxedEvalueList<OptionalTensor>>(
          list.wrapped.data(), list.optional_tensors.data(), count);
      stack_.push_back(keep(EValue(list.boxed_optional.get())));
    } else {
      list.boxed_tensors = std::make_unique<executorch::runtime::BoxedEvalueList<Tensor>>(
          list.wrapped.data(), list.tensors.data(), count);
      stack_.push_back(keep(EValue(list.boxed_tensors.get())));
    }
  }

  std::string name_;
  executorch::runtime::OpFunction function_ = nullptr;
  std::vector<std::unique_ptr<EValue>> values_;
  std::vector<std::unique_ptr<OwnedTensor>> tensors_;
  std::vector<OwnedTensor*> outs_;
  std::vector<std::unique_ptr<std::string>> texts_;
  std::vector<std::unique_ptr<Text>> spans_;
  std::vector<std::unique_ptr<List>> lists_;
  std::vector<EValue*> stack_;
  executorch::extension::MallocMemoryAllocator temporary_;
};

double now_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Run>
void measure(Run run, double seconds) {
  const double start = now_ns(CLOCK_MONOTONIC);
  run();
  const double once = std::max(50.0, now_ns(CLOCK_MONOTONIC) - start);
  const int repeats = std::max(1, static_cast<int>(5e5 / once));
  std::vector<double> cpu, wall;
  do {
    const double cpu_before = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    const double wall_before = now_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < repeats; ++i) run();
    wall.push_back((now_ns(CLOCK_MONOTONIC) - wall_before) / repeats);
    cpu.push_back((now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_before) / repeats);
  } while (now_ns(CLOCK_MONOTONIC) - start < seconds * 1e9);
  std::printf("%.1f %.1f\n", median(cpu), median(wall));
}

/// Adds up memory in vectors, several at a time.
void measure_read(size_t bytes, double seconds) {
  typedef uint64_t Lanes __attribute__((vector_size(16)));
  constexpr size_t together = 8;
  std::vector<uint64_t> memory((bytes + 127) / 128 * 2 * together, 1);
  volatile uint64_t result;
  measure(
      [&] {
        Lanes sums[together] = {};
        for (size_t i = 0; i < memory.size(); i += 2 * together) {
#pragma GCC unroll 8
          for (size_t k = 0; k < together; ++k) {
            Lanes next;
            std::memcpy(&next, memory.data() + i + 2 * k, sizeof(next));
            sums[k] += next;
          }
        }
        Lanes total = {};
        for (const Lanes& sum : sums) total += sum;
        result = total[0] + total[1];
      },
      seconds);
}

std::unique_ptr<Call> prepare(const std::vector<std::string>& words) {
  auto call = std::make_unique<Call>(words);
  if (!call->find()) {
    std::printf("refused missing\n");
    return nullptr;
  }
  if (const int error = call->run()) {
    std::printf("refused 0x%x\n", error);
    return nullptr;
  }
  std::printf("ok %.9g\n", call->checksum());
  return call;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("the number of threads is missing");
  executorch::runtime::runtime_init();
  executorch::extension::threadpool::get_threadpool()->_unsafe_reset_threadpool(
      static_cast<uint32_t>(std::atoi(argv[1])));
  std::unique_ptr<Call> call;
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.at(0) == "case") {
      call = prepare(words);
    } else if (words.at(0) == "read") {
      measure_read(std::stoull(words.at(1)), std::stod(words.at(2)));
    } else if (call != nullptr) {
      measure([&] { call->run(); }, std::stod(words.at(1)));
    } else {
      fail("nothing to run");
    }
    std::fflush(stdout);
  }
}
