// OutputWindow: what a block prints, without growing: the first and the last half of what may be
// kept, and how much stood between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace helve::sandbox {

class OutputWindow {
 public:
  explicit OutputWindow(std::size_t bytes_kept) : half_(bytes_kept / 2) {}

  void add(std::string_view bytes);
  std::uint64_t total() const { return total_; }
  std::uint64_t omitted() const;  // bytes

  // Valid UTF-8 of whole characters; where something is left out, a line between the two parts says
  // how much.
  std::string text() const;

 private:
  struct Parts {
    std::string head;
    std::string tail;
  };
  Parts parts() const;

  const std::size_t half_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string tail_;         // a ring once it is full
  std::size_t tail_at_ = 0;  // where the ring begins
};

}  // namespace helve::sandbox
