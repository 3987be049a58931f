#include "toolkit/tools/query_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kFeedsMax = 1'000;

bool is_feed_name_character(char c) {
  return is_letter_or_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Where the string that begins at `at` ends.
// https://www.w3.org/TR/sparql11-query/#rSTRING_LITERAL1
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string closing(3, quote);
  if (text.substr(at, 3) == closing) {
    for (at += 3; at < text.size(); ++at) {
      if (text[at] == '\\') {
        ++at;
      } else if (text.substr(at, 3) == closing) {
        return at + 3;
      }
    }
    return text.size();
  }
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      return at + 1;
    }
  }
  return std::min(at, text.size());
}

// Behind an IRI, or behind the "<" where it is an operator.
std::size_t end_of_iri(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_of("> \t\r\n<\"{}|^`\\", at + 1);
  return end != std::string_view::npos && text[end] == '>' ? end + 1 : at + 1;
}

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_feed_name_character(text[at])) ++at;
  return at;
}

// A letter that, as a scheme, no IRI of the text has.
char free_scheme(std::string_view text) {
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    if (text.find(std::string{'<', letter, ':'}) == std::string_view::npos) return letter;
  }
  return '\0';
}

class FeedScanner {
 public:
  explicit FeedScanner(std::string_view text) : text_(text), scheme_(free_scheme(text)) {}

  FedText run() {
    if (scheme_ == '\0') return {std::string(text_), {}};
    FedText fed{std::string(text_), {}};
    std::size_t at = 0;
    while (at < text_.size()) at = step(at, fed);
    return fed;
  }

 private:
  std::size_t step(std::size_t at, FedText& fed) {
    switch (text_[at]) {
      case '#':
        return std::min(text_.find('\n', at), text_.size());
      case '<':
        return end_of_iri(text_, at);
      case '"':
      case '\'': {
        const std::size_t end = end_of_string(text_, at);
        // A language tag is no feed.
        return end < text_.size() && text_[end] == '@' ? end + 1 : end;
      }
      case '@':
        return feed(at, fed);
      default:
        return at + 1;
    }
  }

  std::size_t feed(std::size_t at, FedText& fed) {
    const std::size_t key_end = end_of_name(text_, at + 1);
    if (key_end == at + 1 || key_end >= text_.size() || text_[key_end] != '.') return key_end;
    const std::size_t end = end_of_name(text_, key_end + 1);
    if (end == key_end + 1 || fed.feeds.size() >= kFeedsMax) return key_end + 1;
    const std::string number = fmt::format("{}", fed.feeds.size());
    const std::size_t room = end - at;
    if (room < number.size() + 4) return end;
    const std::string iri = fmt::format("{}:{:0>{}}", scheme_, number, static_cast<int>(room - 4));
    fed.text.replace(at, room, "<" + iri + ">");
    fed.feeds.push_back({std::string(text_.substr(at + 1, key_end - at - 1)),
                         std::string(text_.substr(key_end + 1, end - key_end - 1)), iri, at});
    return end;
  }

  std::string_view text_;
  char scheme_;
};

// Visits every VALUES of a query that may be changed.
class FeedBinder {
 public:
  FeedBinder(const std::vector<Feed>& feeds, const FeedTerms& terms) : terms_(terms) {
    for (const Feed& feed : feeds) feeds_.emplace(feed.placeholder, &feed);
  }

  Result<void> bind(sparql::Body& body) {
    HELVE_TRY(bind(body.where));
    for (auto& condition : body.having) HELVE_TRY(bind(condition));
    return body.values ? bind(*body.values) : Result<void>();
  }

  Result<void> bind_items(sparql::Select& select) {
    for (auto& item : select.items) {
      if (item.expression) HELVE_TRY(bind(*item.expression));
    }
    return bind(select.body);
  }

  std::size_t bound() const { return bound_; }

 private:
  Result<void> bind_all(std::vector<sparql::Pattern>& parts) {
    for (sparql::Pattern& part : parts) HELVE_TRY(bind(part));
    return {};
  }

  Result<void> bind(sparql::Pattern& pattern) {
    return std::visit([this](auto& node) { return this->visit(node); }, pattern.node);
  }

  static Result<void> visit(sparql::BasicGraphPattern& /*triples*/) { return {}; }
  Result<void> visit(sparql::Join& join) { return bind_all(join.parts); }
  Result<void> visit(sparql::Union& alternatives) { return bind_all(alternatives.parts); }
  Result<void> visit(sparql::LeftJoin& join) {
    HELVE_TRY(bind(*join.left));
    for (auto& condition : join.conditions) HELVE_TRY(bind(condition));
    return bind(*join.right);
  }
  Result<void> visit(sparql::Minus& minus) {
    HELVE_TRY(bind(*minus.left));
    return bind(*minus.right);
  }
  Result<void> visit(sparql::Filter& filter) {
    for (auto& condition : filter.conditions) HELVE_TRY(bind(condition));
    return bind(*filter.inner);
  }
  Result<void> visit(sparql::Extend& extend) {
    HELVE_TRY(bind(*extend.expression));
    return bind(*extend.inner);
  }
  Result<void> visit(sparql::Values& values) { return bind(values); }
  Result<void> visit(sparql::Graph& graph) { return bind(*graph.inner); }
  Result<void> visit(sparql::Service& service) { return bind(*service.inner); }
  Result<void> visit(sparql::SubSelect& sub) { return bind_items(*sub.select); }

  Result<void> bind(sparql::Expression& expression) {
    if (auto* operation = std::get_if<sparql::Operation>(&expression.node)) {
      for (auto& argument : operation->arguments) HELVE_TRY(bind(argument));
    } else if (auto* exists = std::get_if<sparql::Exists>(&expression.node)) {
      return bind(*exists->pattern);
    }
    return {};
  }

  Result<void> bind(sparql::Values& values) {
    if (values.variables.size() != 1) return {};
    std::vector<std::vector<std::optional<rdf::Term>>> rows;
    for (auto& row : values.rows) {
      const auto feed =
          row[0] && row[0]->kind == rdf::TermKind::Iri ? feeds_.find(row[0]->value) : feeds_.end();
      if (feed == feeds_.end()) {
        rows.push_back(std::move(row));
        continue;
      }
      HELVE_ASSIGN(auto terms, terms_(*feed->second));
      for (rdf::Term& term : terms) rows.push_back({std::move(term)});
      ++bound_;
    }
    values.rows = std::move(rows);
    return {};
  }

  const FeedTerms& terms_;
  std::map<std::string, const Feed*, std::less<>> feeds_;
  std::size_t bound_ = 0;
};

}  // namespace

FedText take_feeds(std::string_view query) { return FeedScanner(query).run(); }

Result<void> bind_feeds(sparql::Query& query, const std::vector<Feed>& feeds,
                        const FeedTerms& terms) {
  if (feeds.empty()) return {};
  FeedBinder binder(feeds, terms);
  if (auto* select = std::get_if<sparql::Select>(&query.form)) {
    HELVE_TRY(binder.bind_items(*select));
  } else {
    HELVE_TRY(binder.bind(query.body()));
  }
  if (binder.bound() == feeds.size()) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("@{}.{} stands where no handle's column can", feeds.front().key,
                           feeds.front().column),
               "a column of a handle goes into VALUES of one variable: VALUES ?x { @results_0.x }"};
}

}  // namespace helve::toolkit
