// RegexLiteral: a text without which an expression cannot match, looked for before the expression
// is run. regex_cache.h uses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}  // namespace re2

namespace helve::sparql {

// Letters of ASCII are compared without case, which is right for every expression: it only lets
// more texts through.
class RegexLiteral {
 public:
  // `pattern` is what `regex` was made of, before it was translated. nullopt where there is none.
  static std::optional<RegexLiteral> find(const re2::RE2& regex, std::string_view pattern);

  bool occurs_in(std::string_view text) const;
  const std::string& text() const { return text_; }  // in lower case

 private:
  explicit RegexLiteral(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace helve::sparql
