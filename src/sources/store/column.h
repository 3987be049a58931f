// Column: immutable values that something else owns: a vector, a mapped file, anything. The store's
// readers see only columns, so that an index in memory and one on disk are the same code.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace helve::store {

// Copies share the owner. Thread-safe to read.
template <typename T>
class Column {
 public:
  Column() = default;
  Column(std::span<const T> values, std::shared_ptr<const void> owner)
      : values_(values), owner_(std::move(owner)) {}
  // Takes over a vector.
  static Column own(std::vector<T> values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    const std::span<const T> view(*owner);
    return Column(view, std::move(owner));
  }

  const T& operator[](std::size_t i) const { return values_[i]; }
  const T* data() const { return values_.data(); }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + values_.size(); }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  std::size_t bytes() const { return values_.size_bytes(); }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::span<const T> values_;
  std::shared_ptr<const void> owner_;
};

}  // namespace helve::store
