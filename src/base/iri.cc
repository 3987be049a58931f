#include "base/iri.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/ascii.h"
#include "base/utf8.h"

namespace helve {

namespace {

constexpr std::string_view kBadIriCharacters = "<>\"{}|^`\\";

constexpr std::array<bool, 256> kIsBad = [] {
  std::array<bool, 256> bad{};
  for (std::size_t byte = 0; byte <= 0x20; ++byte) bad[byte] = true;
  for (const char byte : kBadIriCharacters) bad[static_cast<unsigned char>(byte)] = true;
  return bad;
}();

// A vector type of GCC and clang: SSE2 or NEON code without naming either.
constexpr std::size_t kScanBytes = 16;
using Block = unsigned char __attribute__((vector_size(kScanBytes)));

bool has_bad_character(const char* at) {
  Block block;
  std::memcpy(&block, at, kScanBytes);
  auto bad = block <= 0x20;
  for (const char character : kBadIriCharacters) {
    bad |= block == static_cast<unsigned char>(character);
  }
  std::array<std::uint64_t, 2> halves;
  static_assert(sizeof(halves) == sizeof(bad));
  std::memcpy(halves.data(), &bad, sizeof(bad));
  return (halves[0] | halves[1]) != 0;
}

bool is_scheme_character(char c) {
  return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.';
}

// Length of the scheme without its colon; 0: none.
std::size_t scheme_length(std::string_view iri) {
  if (iri.empty() || !is_letter(iri[0])) return 0;
  std::size_t at = 1;
  while (at < iri.size() && is_scheme_character(iri[at])) ++at;
  return at < iri.size() && iri[at] == ':' ? at : 0;
}

// Drops the last segment of out[begin, end) with the slash before it and returns the new end.
std::size_t drop_last_segment(const std::string& out, std::size_t begin, std::size_t end) {
  while (end > begin) {
    if (out[--end] == '/') break;
  }
  return end;
}

// RFC 3986 5.2.4 in place, on the path that is the end of `out` from `begin` on. What has been
// written never gets ahead of what has been read.
void remove_dot_segments(std::string& out, std::size_t begin) {
  std::size_t read = begin;
  std::size_t written = begin;
  const auto rest_is = [&](std::string_view text) {
    return std::string_view(out).substr(read) == text;
  };
  const auto rest_starts = [&](std::string_view text) {
    return std::string_view(out).substr(read).starts_with(text);
  };
  while (read < out.size()) {
    if (rest_starts("../")) {
      read += 3;
    } else if (rest_starts("./") || rest_starts("/./")) {
      read += 2;
    } else if (rest_is("/.")) {
      out[++read] = '/';
    } else if (rest_starts("/../")) {
      read += 3;
      written = drop_last_segment(out, begin, written);
    } else if (rest_is("/..")) {
      read += 2;
      out[read] = '/';
      written = drop_last_segment(out, begin, written);
    } else if (rest_is(".") || rest_is("..")) {
      read = out.size();
    } else {
      do {
        out[written++] = out[read++];
      } while (read < out.size() && out[read] != '/');
    }
  }
  out.resize(written);
}

// An IRI for an error message, cut between characters.
std::string_view shown_iri(std::string_view iri) {
  iri = iri.substr(0, 200);
  return iri.substr(0, utf8_valid_prefix(iri));
}

bool may_have_dot_segments(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

void append_path(std::string& out, std::string_view directory, std::string_view path) {
  const std::size_t begin = out.size();
  out.append(directory);
  out.append(path);
  if (may_have_dot_segments(std::string_view(out).substr(begin))) remove_dot_segments(out, begin);
}

}  // namespace

IriParts split_iri(std::string_view iri) {
  IriParts parts;
  if (const std::size_t length = scheme_length(iri); length > 0) {
    parts.scheme = iri.substr(0, length);
    iri.remove_prefix(length + 1);
  }
  if (const std::size_t hash = iri.find('#'); hash != std::string_view::npos) {
    parts.fragment = iri.substr(hash + 1);
    iri = iri.substr(0, hash);
  }
  if (const std::size_t mark = iri.find('?'); mark != std::string_view::npos) {
    parts.query = iri.substr(mark + 1);
    iri = iri.substr(0, mark);
  }
  if (iri.starts_with("//")) {
    iri.remove_prefix(2);
    const std::size_t end = std::min(iri.find('/'), iri.size());
    parts.authority = iri.substr(0, end);
    iri.remove_prefix(end);
  }
  parts.path = iri;
  return parts;
}

bool has_iri_scheme(std::string_view iri) { return scheme_length(iri) > 0; }

std::optional<std::size_t> find_bad_iri_character(std::string_view iri) {
  std::size_t at = 0;
  while (at + kScanBytes <= iri.size() && !has_bad_character(iri.data() + at)) at += kScanBytes;
  for (; at < iri.size(); ++at) {
    if (kIsBad[static_cast<unsigned char>(iri[at])]) return at;
  }
  return std::nullopt;
}

Result<IriResolver> IriResolver::from_base(std::string base) {
  if (!has_iri_scheme(base)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the base IRI <{}> is not absolute", shown_iri(base)),
                 "give a base with a scheme, such as http://example.org/"};
  }
  base.resize(std::min(base.find('#'), base.size()));
  IriResolver resolver;
  const IriParts parts = split_iri(base);
  const auto offset = [&base](std::string_view part) {
    return static_cast<std::size_t>(part.data() - base.data());
  };
  resolver.scheme_end_ = parts.scheme->size() + 1;
  resolver.path_begin_ = offset(parts.path);
  resolver.path_end_ = resolver.path_begin_ + parts.path.size();
  const std::size_t slash = parts.path.rfind('/');
  resolver.directory_end_ =
      slash == std::string_view::npos ? resolver.path_begin_ : resolver.path_begin_ + slash + 1;
  resolver.lacks_root_ = parts.authority.has_value() && parts.path.empty();
  resolver.base_ = std::move(base);
  return resolver;
}

Result<void> IriResolver::resolve(std::string_view reference, std::string& out) const {
  if (has_iri_scheme(reference)) {
    out.append(reference);
    return {};
  }
  if (!has_base()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the IRI <{}> is relative and there is no base to resolve it against",
                             shown_iri(reference)),
                 "write absolute IRIs or give a base IRI"};
  }
  resolve_relative(reference, out);
  return {};
}

void IriResolver::resolve_relative(std::string_view reference, std::string& out) const {
  const std::string_view base = base_;
  if (reference.empty() || reference[0] == '#') {
    out.append(base);
    out.append(reference);
    return;
  }
  const std::size_t path_end = std::min(reference.find_first_of("?#"), reference.size());
  std::string_view path = reference.substr(0, path_end);
  if (path.starts_with("//")) {
    out.append(base.substr(0, scheme_end_));
    const std::size_t authority_end = std::min(path.find('/', 2), path.size());
    out.append(path.substr(0, authority_end));
    append_path(out, {}, path.substr(authority_end));
  } else if (path.starts_with('/')) {
    out.append(base.substr(0, path_begin_));
    append_path(out, {}, path);
  } else if (path.empty()) {
    out.append(base.substr(0, path_end_));
  } else {
    out.append(base.substr(0, path_begin_));
    const std::string_view directory =
        lacks_root_ ? "/" : base.substr(path_begin_, directory_end_ - path_begin_);
    append_path(out, directory, path);
  }
  out.append(reference.substr(path_end));
}

}  // namespace helve
