// Box: a value on the heap, for types that contain themselves. Copies deeply, compares by value.
#pragma once

#include <memory>
#include <utility>

namespace helve::sparql {

// Never empty, but for a moved-from one, which may only be assigned to or destroyed.
template <typename T>
class Box {
 public:
  Box() : value_(std::make_unique<T>()) {}
  Box(T value)  // NOLINT(google-explicit-constructor): a box stands wherever its value does
      : value_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other) : value_(std::make_unique<T>(*other.value_)) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    if (this != &other) value_ = std::make_unique<T>(*other.value_);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  friend bool operator==(const Box& a, const Box& b) { return *a == *b; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace helve::sparql
