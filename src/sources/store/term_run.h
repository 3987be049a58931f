// Sorted terms of one section in scratch space, each as the length that it shares with the one
// before it and the rest: what a load that does not fit into memory merges (term_merge.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sources/store/scratch_bytes.h"

namespace helve::store {

// Appends to bytes that several runs share. Not thread-safe.
class TermRunWriter {
 public:
  TermRunWriter(ScratchBytes& out, bool has_qualifiers)
      : out_(out), has_qualifiers_(has_qualifiers) {}

  // `text` must stay valid until the next call.
  Result<void> add(std::string_view text, std::uint32_t qualifier);

 private:
  ScratchBytes& out_;
  const bool has_qualifiers_;
  std::string_view last_;
};

// Walks over what a writer wrote; starts before the first term. Not thread-safe.
class TermRunReader {
 public:
  TermRunReader(std::string_view bytes, bool has_qualifiers)
      : at_(bytes.data()), end_(at_ + bytes.size()), has_qualifiers_(has_qualifiers) {}

  // False at the end.
  bool next();
  std::string_view text() const { return text_; }
  std::uint32_t qualifier() const { return qualifier_; }

 private:
  std::size_t read_number();

  const char* at_;
  const char* end_;
  const bool has_qualifiers_;
  std::string text_;
  std::uint32_t qualifier_ = 0;
};

}  // namespace helve::store
