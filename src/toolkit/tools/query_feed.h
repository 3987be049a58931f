// @results_0.protein inside VALUES: a column of a handle as data of the next query. The text is
// scanned by the rules of SPARQL's tokens; the terms never become text again.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sparql/algebra/query.h"

namespace helve::toolkit {

struct Feed {
  std::string key;  // of the handle
  std::string column;
  std::string placeholder;  // the IRI that stands for it in the text
  std::size_t begin = 0;    // its byte there, and in the original
};

struct FedText {
  std::string text;  // as long as the original: positions stay
  std::vector<Feed> feeds;
};

// Tokens of the form @key.column, outside of strings, IRIs and comments, replaced by IRIs.
FedText take_feeds(std::string_view query);

// The terms of a feed; asked once for each.
using FeedTerms = std::function<Result<std::vector<rdf::Term>>(const Feed&)>;

// Puts terms in place of the placeholders. InvalidInput for one that stands anywhere but alone in a
// row of VALUES with one variable.
Result<void> bind_feeds(sparql::Query& query, const std::vector<Feed>& feeds,
                        const FeedTerms& terms);

}  // namespace helve::toolkit
