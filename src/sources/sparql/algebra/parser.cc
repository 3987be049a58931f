#include "sources/sparql/algebra/parser.h"

#include "sources/sparql/algebra/parser_state.h"
#include "sources/sparql/algebra/update_limits.h"

namespace helve::sparql {

Result<ParsedQuery> parse_query(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).query_unit();
}

Result<ParsedUpdate> parse_update(std::string_view text, const ParseOptions& options) {
  ParseOptions longer = options;
  longer.limits.query_bytes_max = update_bytes_max(options.limits);
  return Parser(text, longer).update_unit();
}

}  // namespace helve::sparql
