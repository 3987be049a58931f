// Shows IRIs with the prefixes that the data itself declares.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::cli {

class PrefixShortener {
 public:
  explicit PrefixShortener(const std::vector<std::pair<std::string, std::string>>& prefixes);

  // "ex:name" where a declared prefix covers all but a plain last part, else the text as it is.
  std::string shorten(std::string_view iri) const;
  // The name declared for exactly this namespace, with its colon; empty if none.
  std::string name_of(std::string_view space) const;

 private:
  std::vector<std::pair<std::string, std::string>> by_iri_;  // IRI, name; sorted
};

}  // namespace helve::cli
