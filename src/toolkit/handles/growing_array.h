// GrowingArray: a vector of plain values for tables of many megabytes. The allocator moves a large
// block to its new size by changing the map of memory, so that growing neither copies it nor
// needs both places at once, as std::vector does. Used by row_table_builder.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace helve::toolkit {

template <typename T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  const T* data() const { return values_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  const T& operator[](std::size_t index) const { return values_.get()[index]; }

  // REQUIRES: there is room.
  void push_back(T value) { values_.get()[size_++] = value; }
  void append(const T* values, std::size_t count) {
    if (count > 0) std::memcpy(values_.get() + size_, values, count * sizeof(T));
    size_ += count;
  }
  // Room for so many values altogether. REQUIRES: not less than there are.
  void set_capacity(std::size_t wanted) {
    void* const moved = std::realloc(values_.get(), std::max<std::size_t>(wanted, 1) * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    (void)values_.release();
    values_.reset(static_cast<T*>(moved));
    capacity_ = wanted;
  }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  std::unique_ptr<T[], Free> values_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace helve::toolkit
