// IN (@results_0.column): a column of a handle as parameters of a statement. The values never
// become text of the statement. Parameters of a call are read here too.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sources/table_source.h"

namespace helve::toolkit {

struct SqlFeed {
  std::string key;  // of the handle
  std::string column;
};

// The different values of a feed; asked once for each, and never for more than kFedValuesMax + 1.
using FeedValues = std::function<Result<std::vector<rdf::Term>>(const SqlFeed&)>;
inline constexpr std::size_t kFedValuesMax = 10'000;

// A statement whose feeds are parameters.
struct BoundSql {
  std::string sql;
  std::vector<SqlValue> parameters;
  std::vector<std::string> notes;  // what there is to say of empty feeds

  // The place in the statement of the caller that a place in `sql` comes from.
  TextPosition place_in(std::string_view original, TextPosition place) const;

  // Parts that are not as they were, in order.
  struct Change {
    std::size_t begin = 0;  // in the original
    std::size_t end = 0;
    std::size_t new_end = 0;
  };
  std::vector<Change> changes;
};

// InvalidInput for a feed that does not stand in the list of an IN, LimitExceeded where it has too
// many values. A feed without values makes its IN false, and its NOT IN true.
Result<BoundSql> bind_sql_feeds(std::string_view sql, std::vector<SqlValue> parameters,
                                SqlDialect dialect, const FeedValues& values_of);

// A list of null, truths, numbers and texts (one of them alone is a list too).
Result<std::vector<SqlValue>> read_parameters(const JsonValue& given);

// A term of a handle as a parameter: derived numbers of XSD as what they are derived from, IRIs and
// all else as their text.
rdf::Term as_parameter(const rdf::TermView& term);

}  // namespace helve::toolkit
