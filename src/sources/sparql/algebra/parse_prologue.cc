// BASE, PREFIX and VERSION, and what a prefix stands for.
// https://www.w3.org/TR/sparql11-query/#rPrologue
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/near_names.h"
#include "sources/sparql/algebra/parser_state.h"
#include "sources/sparql/algebra/well_known.h"

namespace helve::sparql {

namespace {

// Schemes that an IRI in angle brackets may well begin with, though a prefix has the same name.
constexpr auto kSchemes = std::to_array<std::string_view>(
    {"ark",  "cid",  "data",   "did", "doi", "file", "ftp",  "http", "https", "info", "ipfs",
     "java", "ldap", "mailto", "sql", "tag", "tel",  "unix", "urn",  "uuid",  "ws",   "wss"});

bool is_scheme(std::string_view name) {
  return std::find(kSchemes.begin(), kSchemes.end(), name) != kSchemes.end();
}

// The prefix of "prefix:name", which is how people write names that they take for IRIs.
std::string_view prefix_of(std::string_view iri) { return iri.substr(0, iri.find(':')); }

}  // namespace

void Parser::prologue() {
  while (!failed()) {
    if (at_word("BASE")) {
      base_decl();
    } else if (at_word("PREFIX")) {
      prefix_decl();
    } else if (at_word("VERSION")) {
      version_decl();
    } else if (at(TokenKind::LangTag) && (token_.text == "prefix" || token_.text == "base")) {
      fail_here(fmt::format("'@{}' is Turtle; SPARQL has {} without '@'", token_.text,
                            token_.text == "base" ? "BASE" : "PREFIX"),
                "write PREFIX ex: <http://example.org/> without '@' and without a dot");
    } else {
      return;
    }
    if ((at(TokenKind::Dot) || at(TokenKind::Semicolon)) && !failed()) {
      fail_here(fmt::format("'{}' after a declaration: SPARQL puts nothing there", token_.text),
                "remove it: PREFIX ex: <http://example.org/>");
    }
  }
}

void Parser::base_decl() {
  take();
  if (!at(TokenKind::IriRef)) {
    return fail_expected("the base IRI in angle brackets", "write BASE <http://example.org/>");
  }
  const Token token = token_;
  auto resolver = IriResolver::from_base(resolve(take()));
  if (failed()) return;
  if (!resolver) return fail_at(token.span.begin, resolver.error().message, resolver.error().hint);
  resolver_ = *std::move(resolver);
}

void Parser::prefix_decl() {
  take();
  const Token name = token_;
  if (at(TokenKind::Word)) {
    return fail_here(fmt::format("expected a prefix with its colon, but met '{0}'", token_.text),
                     fmt::format("write PREFIX {0}: <...>", token_.text));
  }
  if (!at(TokenKind::PrefixedName) || token_.text.find(':') != token_.text.size() - 1) {
    return fail_expected("a prefix that ends with its colon",
                         "write PREFIX ex: <http://example.org/>");
  }
  take();
  if (!at(TokenKind::IriRef)) {
    if (at(TokenKind::PrefixedName) && fail_bare_iri(token_)) return;
    if (fail_open_iri()) return;
    return fail_expected("an IRI in angle brackets",
                         fmt::format("write PREFIX {} <http://example.org/>", name.text));
  }
  std::string prefix = name_of(name);
  prefix.pop_back();
  prefixes_[std::move(prefix)] = resolve(take());
  if (prefixes_.size() > limits_.query_prefixes_max) {
    fail_at(name.span.begin,
            fmt::format("the query declares more than {} prefixes", limits_.query_prefixes_max),
            "declare only those that it uses", ErrorCode::LimitExceeded);
  }
}

void Parser::version_decl() {
  take();
  if (!at(TokenKind::String) || token_.quotes != 1) {
    return fail_expected("a version in single quotation marks", "write VERSION \"1.2\"");
  }
  if (token_.text == "1.2" || token_.text == "1.2-basic") {
    version_ = Version::Sparql12;
  } else if (token_.text == "1.1" || token_.text == "1.0") {
    version_ = Version::Sparql11;
  } else {
    return fail_here(fmt::format("the version {} is not known", excerpt(token_.span)),
                     "write VERSION \"1.2\" or VERSION \"1.1\"");
  }
  lexer_.set_version(version_);
  take();
}

const std::string* Parser::prefix_iri(std::string_view name, const Token& token) {
  if (const auto found = prefixes_.find(name); found != prefixes_.end()) return &found->second;
  std::string_view iri;
  if (!options_.is_strict) {
    const auto known = std::find_if(options_.known_prefixes.begin(), options_.known_prefixes.end(),
                                    [name](const auto& prefix) { return prefix.first == name; });
    if (known != options_.known_prefixes.end()) {
      iri = known->second;
    } else {
      iri = well_known_prefix(name).value_or(std::string_view());
    }
  }
  if (iri.empty() && options_.awaits_prefixes && !options_.is_strict) {
    if (fail_bare_iri(token)) return nullptr;
    return &prefixes_.emplace(name, fmt::format("urn:prefix:{}:", name)).first->second;
  }
  if (iri.empty()) {
    fail_unknown_prefix(name, token);
    return nullptr;
  }
  note(token.span, fmt::format("the prefix {}: is not declared; it was taken as <{}>", name, iri),
       ParseNote::Kind::UndeclaredPrefix);
  return &prefixes_.emplace(name, iri).first->second;
}

void Parser::fail_unknown_prefix(std::string_view name, const Token& token) {
  if (failed() || fail_bare_iri(token)) return;
  std::vector<std::string_view> candidates;
  for (const auto& prefix : prefixes_) candidates.push_back(prefix.first);
  for (const auto& prefix : options_.known_prefixes) candidates.push_back(prefix.first);
  // Those of the query and of the data are likelier than any of the many well-known ones.
  if (near_names(name, candidates).empty()) {
    for (const WellKnownPrefix& prefix : well_known_prefixes()) candidates.push_back(prefix.name);
  }
  const auto known = well_known_prefix(name);
  std::string hint =
      fmt::format("add the line PREFIX {}: <{}> at the top", name,
                  known ? *known : std::string_view("...the IRI that it stands for..."));
  if (const auto near = near_names(name, candidates); !near.empty() && !known) {
    hint += fmt::format("; or did you mean {}:?", fmt::join(near, ":, "));
  }
  fail_at(token.span.begin,
          fmt::format("the prefix {}: of {} is not declared", name, excerpt(token.span)),
          std::move(hint));
  error_->because(ErrorReason::UndeclaredPrefix);
}

// http://... without angle brackets reads as a name with the prefix http.
bool Parser::fail_bare_iri(const Token& token) {
  const std::size_t colon = token.text.find(':');
  const std::string_view scheme = token.text.substr(0, colon);
  const bool has_slashes = text_.substr(token.span.end).starts_with("//");
  if (scheme.empty() || (!has_slashes && scheme != "urn" && scheme != "mailto")) return false;
  std::size_t end =
      std::min(text_.find_first_of(" \t\r\n<>\"{}|^`\\)", token.span.end), text_.size());
  while (end > token.span.end &&
         std::string_view(".,;").find(text_[end - 1]) != std::string_view::npos) {
    --end;
  }
  const std::string iri = excerpt({token.span.begin, static_cast<std::uint32_t>(end)}, 100);
  fail_at(token.span.begin, fmt::format("the IRI {} stands without angle brackets", iri),
          fmt::format("write <{}>", iri));
  return true;
}

// <foaf:name> is an absolute IRI, but hardly the one that was meant.
void Parser::note_bracketed_name(const Token& token) {
  const std::string_view scheme = prefix_of(token.text);
  if (scheme.size() == token.text.size() || is_scheme(scheme)) return;
  if (token.text.substr(scheme.size()).starts_with("://")) return;
  if (prefixes_.find(scheme) == prefixes_.end() && !well_known_prefix(scheme)) return;
  note(token.span, fmt::format("<{0}> is that very IRI, not the name {0} with the prefix {1}:; if "
                               "the name is meant, write it without angle brackets",
                               excerpt({token.span.begin + 1, token.span.end - 1}, 60), scheme));
}

std::vector<std::pair<std::string, std::string>> Parser::take_prefixes() {
  return {prefixes_.begin(), prefixes_.end()};
}

}  // namespace helve::sparql
