/**
 * @file
 * The lines of a view along one dimension, and loops over them with memory for each thread.
 */
#pragma once

#include <algorithm>

#include "compute/copy/tensor_view.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

/// One line: its first element and the distance of neighbours in bytes.
struct Line {
  char* data;
  int64_t step;
  int64_t length;

  char* at(int64_t i) const { return data + i * step; }
};

/// The lines of one dimension, numbered in row-major order of the other ones.
class LineSet {
 public:
  LineSet(const TensorView& view, int dim)
      : view_(view), length_(view.sizes[dim]), step_(view.strides[dim]) {
    view_.remove(dim);
  }

  int64_t count() const { return view_.numel(); }
  Line line(int64_t number) const {
    // A tensor without elements, or one that is not asked for, has no memory to step through.
    if (view_.data == nullptr) return {nullptr, 0, length_};
    const auto unit = static_cast<int64_t>(view_.element_size);
    int64_t offset = 0;
    for (int d = view_.rank - 1; d >= 0; --d) {
      offset += number % view_.sizes[d] * view_.strides[d];
      number /= view_.sizes[d];
    }
    return {view_.data + offset * unit, step_ * unit, length_};
  }

 private:
  TensorView view_;
  int64_t length_;
  int64_t step_;
};

/// Threads that share `lines` lines of `length` elements when `grain` elements are worth a thread.
inline int64_t threads_for_lines(int64_t lines, int64_t length, int64_t grain) {
  const auto threads = static_cast<int64_t>(threadpool::thread_count());
  return std::max<int64_t>(1, std::min({threads, lines * length / grain + 1, lines}));
}

/// Calls body(line number, memory) for every line, on at most `threads` threads, each with `bytes`
/// of `scratch` to itself.
template <class Body>
void for_each_line(int64_t lines, int64_t threads, void* scratch, int64_t bytes, Body&& body) {
  struct Loop {
    Body& body;
    char* scratch;
    int64_t lines, tasks, bytes;
  } loop = {body, static_cast<char*>(scratch), lines, std::min(lines, 4 * threads), bytes};
  threadpool::run(
      static_cast<size_t>(loop.tasks),
      [](void* context, size_t task, size_t thread) {
        Loop& l = *static_cast<Loop*>(context);
        char* memory = l.scratch + static_cast<int64_t>(thread) * l.bytes;
        const auto t = static_cast<int64_t>(task);
        for (int64_t i = l.lines * t / l.tasks; i < l.lines * (t + 1) / l.tasks; ++i)
          l.body(i, memory);
      },
      &loop, static_cast<size_t>(threads));
}

}  // namespace executorch::compute
