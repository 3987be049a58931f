#include "sources/store/term_run.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace helve::store {

namespace {

void append_number(std::vector<char>& out, std::size_t number) {
  while (number >= 0x80) {
    out.push_back(static_cast<char>(number | 0x80));
    number >>= 7;
  }
  out.push_back(static_cast<char>(number));
}

std::size_t common_length(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t at = 0;
  while (at + 8 <= most && std::memcmp(a.data() + at, b.data() + at, 8) == 0) at += 8;
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

}  // namespace

Result<void> TermRunWriter::add(std::string_view text, std::uint32_t qualifier) {
  const std::size_t shared = common_length(last_, text);
  std::vector<char>& out = out_.buffer();
  append_number(out, shared);
  append_number(out, text.size() - shared);
  if (has_qualifiers_) append_number(out, qualifier);
  out.insert(out.end(), text.begin() + static_cast<std::ptrdiff_t>(shared), text.end());
  last_ = text;
  return out_.settle();
}

std::size_t TermRunReader::read_number() {
  std::size_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    number |= static_cast<std::size_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
}

bool TermRunReader::next() {
  if (at_ == end_) return false;
  const std::size_t shared = read_number();
  const std::size_t rest = read_number();
  if (has_qualifiers_) qualifier_ = static_cast<std::uint32_t>(read_number());
  text_.resize(shared);
  text_.append(at_, rest);
  at_ += rest;
  return true;
}

}  // namespace helve::store
