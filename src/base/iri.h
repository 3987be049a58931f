// IRIs by RFC 3987: parts, resolution (RFC 3986 section 5, strict), which characters may appear.
// Percent encoding and punycode are left alone: two IRIs are the same only if their characters are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve {

// The five parts; a missing part differs from an empty one ("http://a?" has an empty query).
struct IriParts {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};

// Any text splits (RFC 3986 appendix B); whether it is a good IRI is another question.
IriParts split_iri(std::string_view iri);

// Has a scheme: letter, then letters, digits, "+", "-", ".", then ":".
bool has_iri_scheme(std::string_view iri);

// The first byte offset whose character can stand in no IRI reference of the RDF grammars (IRIREF):
// U+0000 to U+0020 and <>"{}|^`\ ; nullopt when there is none. Runs at memory speed.
std::optional<std::size_t> find_bad_iri_character(std::string_view iri);

// A base prepared once for many references.
class IriResolver {
 public:
  IriResolver() = default;  // no base: only absolute references resolve
  // InvalidInput unless `base` has a scheme. A fragment of the base is dropped.
  static Result<IriResolver> from_base(std::string base);

  bool has_base() const { return !base_.empty(); }
  const std::string& base() const { return base_; }

  // Appends the absolute IRI to `out`. An absolute reference is taken as it is, dot segments
  // included (an RDF IRI is an identifier, not an address to be normalised). InvalidInput when the
  // reference is relative and there is no base.
  Result<void> resolve(std::string_view reference, std::string& out) const;

 private:
  void resolve_relative(std::string_view reference, std::string& out) const;

  std::string base_;
  // Offsets into base_, not views, so that copies and moves stay right.
  std::size_t scheme_end_ = 0;     // behind the colon
  std::size_t path_begin_ = 0;     // behind the authority
  std::size_t directory_end_ = 0;  // behind the path's last slash
  std::size_t path_end_ = 0;
  bool lacks_root_ = false;  // an authority and an empty path: references merge as if it were "/"
};

}  // namespace helve
