#include "runtime/kernel/kernel_table.h"

#include <cstdlib>
#include <cstring>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

/// FNV-1a.
uint32_t hash_of(const char* name) {
  uint32_t hash = 2166136261u;
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619u;
  return hash ^ hash >> 15;
}

}  // namespace

int32_t KernelTable::match(int32_t index, uint32_t hash, const char* name) const {
  while (index != kNone) {
    const Entry& entry = entries_[static_cast<size_t>(index)];
    if (entry.hash == hash && std::strcmp(kernel(index).name_, name) == 0) return index;
    index = entry.next;
  }
  return kNone;
}

int32_t KernelTable::first(const char* name) const {
  if (bucket_count_ == 0) return kNone;
  const uint32_t hash = hash_of(name);
  return match(buckets_[hash & (bucket_count_ - 1)], hash, name);
}

int32_t KernelTable::next(int32_t index, const char* name) const {
  const Entry& entry = entries_[static_cast<size_t>(index)];
  return match(entry.next, entry.hash, name);
}

int32_t KernelTable::find(const char* name, const KernelKey& key) const {
  for (int32_t i = first(name); i != kNone; i = next(i, name)) {
    if (kernel(i).kernel_key_ == key) return i;
  }
  return kNone;
}

Error KernelTable::reserve(size_t extra) {
  ET_REQUIRE(extra < INT32_MAX - size(), RegistrationExceedingMaxKernels,
             "%zu kernels were to be added to %zu", extra, size());
  ET_TRY(kernels_.reserve(extra));
  ET_TRY(entries_.reserve(extra));
  size_t count = bucket_count_ == 0 ? 1024 : bucket_count_;
  while (count < size() + extra) count *= 2;
  return count == bucket_count_ ? Error::Ok : resize_buckets(count);
}

Error KernelTable::resize_buckets(size_t count) {
  auto* const buckets = static_cast<int32_t*>(std::malloc(count * sizeof(int32_t)));
  ET_REQUIRE(buckets != nullptr, MemoryAllocationFailed,
             "out of memory: the operator registry needs %zu buckets", count);
  std::free(buckets_);
  buckets_ = buckets;
  bucket_count_ = count;
  for (size_t i = 0; i < count; ++i) buckets_[i] = kNone;
  for (size_t i = 0; i < entries_.size(); ++i) {
    int32_t& head = bucket(entries_[i].hash);
    entries_[i].next = head;
    head = static_cast<int32_t>(i);
  }
  return Error::Ok;
}

void KernelTable::append(const Kernel& kernel, const OperatorRow* row) {
  const uint32_t hash = hash_of(kernel.name_);
  int32_t& head = bucket(hash);
  const auto index = static_cast<int32_t>(size());
  kernels_.append(kernel);
  entries_.append(Entry{hash, head, row, false});
  head = index;
}

void KernelTable::truncate(size_t size) {
  // A bucket lists the latest kernel first, so dropping from the end pops heads.
  for (size_t i = kernels_.size(); i-- > size;) bucket(entries_[i].hash) = entries_[i].next;
  kernels_.truncate(size);
  entries_.truncate(size);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
