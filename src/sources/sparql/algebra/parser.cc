#include "sources/sparql/algebra/parser.h"

#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

Result<ParsedQuery> parse_query(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).query_unit();
}

Result<ParsedUpdate> parse_update(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).update_unit();
}

}  // namespace helve::sparql
