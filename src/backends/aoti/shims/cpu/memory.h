/**
 * @file
 * Tensors of the CPU as the compute layer takes them.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/aoti/tensor/shim_tensor.h"
#include "compute/copy/copy.h"

namespace executorch::backends::aoti {

/// Blocks of memory that runs of a model leave for the next one, and tensors that they leave
/// undeleted. Used by one thread at a time.
class RunMemory {
 public:
  TensorScope tensors;

  RunMemory() = default;
  ~RunMemory();
  RunMemory(const RunMemory&) = delete;
  RunMemory& operator=(const RunMemory&) = delete;

  /// A block that a run left, or null.
  void* take(size_t nbytes);
  /// Keeps a block.
  void put(void* data, size_t nbytes);
  /// Ends a run: blocks that it did not use are freed.
  void trim();

 private:
  struct Block {
    void* data;
    size_t nbytes;
    uint64_t run;  ///< that it was left by
  };
  std::vector<Block> blocks_;
  uint64_t run_ = 0;
};

/// At least `nbytes` bytes, aligned to 64, from the run's memory or the heap. Null when there are
/// none.
void* take_block(size_t nbytes);
/// Gives back what take_block() gave for as many bytes.
void give_block(void* data, size_t nbytes);

/// Bytes that belong to one call.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { give_block(data_, size_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Aligned to 64 bytes. MemoryAllocationFailed.
  Error allocate(size_t nbytes);
  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

/// The view of a tensor on the CPU. `name` is for the text of NotSupported, when it has too many
/// dimensions, and InvalidArgument, when it is elsewhere.
Error view_of(const ShimTensor& tensor, const char* name, compute::TensorView* view);

/// A tensor as the compute layer wants it, copied only where it has to be.
class Operand {
 public:
  /// The elements as `dtype`, with whatever strides the tensor has.
  Error read(const ShimTensor& tensor, const char* name, compute::DType dtype);
  /// The same, row-major.
  Error read_rows(const ShimTensor& tensor, const char* name, compute::DType dtype);

  const compute::TensorView& view() const { return view_; }

 private:
  Error convert(compute::DType dtype);

  compute::TensorView view_;
  Scratch memory_;
};

/// The type that products and sums of a type are computed in. False when it has none.
bool sum_type(compute::DType dtype, compute::DType* sum);

}  // namespace executorch::backends::aoti
