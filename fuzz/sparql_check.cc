#include "fuzz/sparql_check.h"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "sources/rdf/document.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"
#include "tests/support/step_clock.h"

namespace helve::fuzz {

namespace {

using namespace sparql;

// Every kind of term, a cycle, a list, named graphs.
constexpr std::string_view kData = R"(
@prefix : <http://example.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a :p :b , "x" , "y"@en , 1 , 2.5 , 1e1 , true ; :q :c .
:b :p :c ; :q "2020-01-01T00:00:00Z"^^xsd:dateTime , "bad"^^xsd:integer .
:c :p :a ; :r ( 1 "two" :a ) .
_:n :p _:m ; :q "v"^^:type .
_:m :p _:n .
:g { :a :p :b . :b :p "in g" . }
:h { :a :p _:n ; :q -7 . }
)";

// Small, so that texts of a few hundred bytes reach them.
Limits small_limits() {
  Limits limits;
  limits.query_nesting_max = 25;
  limits.query_depth_max = 100;
  limits.query_parts_max = 300;
  limits.query_branches_max = 20;
  limits.query_values_max = 30;
  limits.query_prefixes_max = 10;
  limits.literal_bytes_max = 64 * kKiB;
  limits.regex_program_max = 64 * kKiB;
  limits.regex_cache_max = 2;
  limits.number_digits_max = 100;
  return limits;
}

ParseOptions small_options(bool is_strict, Version version) {
  ParseOptions options;
  options.base_iri = "http://example.org/dir/doc";
  options.is_strict = is_strict;
  options.version = version;
  options.limits = small_limits();
  return options;
}

bool is_valid_utf8(std::string_view text) { return utf8_valid_prefix(text) == text.size(); }

void check_parse_error(const Error& error) {
  HELVE_CHECK(error.code == ErrorCode::InvalidInput || error.code == ErrorCode::LimitExceeded);
  HELVE_CHECK(error.code != ErrorCode::InvalidInput || error.position);
  HELVE_CHECK(is_valid_utf8(error.to_string()));
}

// Which of the two things a text is taken for.
struct QueryText {
  static Result<ParsedQuery> parse(std::string_view text, const ParseOptions& options) {
    return parse_query(text, options);
  }
  static const Query& value(const ParsedQuery& parsed) { return parsed.query; }
};
struct UpdateText {
  static Result<ParsedUpdate> parse(std::string_view text, const ParseOptions& options) {
    return parse_update(text, options);
  }
  static const Update& value(const ParsedUpdate& parsed) { return parsed.update; }
};

template <typename Text, typename Value>
void check_round_trip(const Value& value, Version version) {
  const std::string printed = to_sparql(value);
  ParseOptions options;
  options.is_strict = true;
  options.version = version;
  const auto again = Text::parse(printed, options);
  HELVE_CHECK(again.has_value());
  HELVE_CHECK(Text::value(*again) == value);
  HELVE_CHECK(to_sparql(Text::value(*again)) == printed);
}

// The value of a text that is good, however it was parsed.
template <typename Text>
auto check_parsing(std::string_view text, Version version) {
  auto strict = Text::parse(text, small_options(true, version));
  auto lenient = Text::parse(text, small_options(false, version));
  if (!strict) check_parse_error(strict.error());
  if (!lenient) {
    check_parse_error(lenient.error());
    HELVE_CHECK(!strict);
  } else {
    if (strict) HELVE_CHECK(Text::value(*strict) == Text::value(*lenient));
    check_round_trip<Text>(Text::value(*lenient), version);
  }
  return lenient;
}

std::shared_ptr<const Snapshot> fixed_data() {
  static const auto snapshot = [] {
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("data.trig", kData, rdf::Format::TriG));
    auto loaded = store::load_documents(std::move(documents), {}, {});
    HELVE_CHECK(loaded.has_value());
    return store::as_dataset(std::move(loaded->snapshot));
  }();
  return snapshot;
}

void check_term(const rdf::TermView& term) {
  HELVE_CHECK(is_valid_utf8(term.value));
  HELVE_CHECK(is_valid_utf8(term.datatype));
  HELVE_CHECK(is_valid_utf8(term.language));
}

struct CheckingSink final : SolutionSink, rdf::StatementSink {
  Result<void> variables(const std::vector<std::string>& names) override {
    columns = names.size();
    return {};
  }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    HELVE_CHECK(terms.size() == columns);
    for (const auto& term : terms) {
      if (term) check_term(*term);
    }
    return {};
  }
  Result<void> boolean(bool /*answer*/) override { return {}; }
  Result<void> statement(const rdf::StatementView& statement) override {
    HELVE_CHECK(!statement.subject.is_literal());
    HELVE_CHECK(statement.predicate.is_iri());
    for (const auto& term : {statement.subject, statement.predicate, statement.object}) {
      check_term(term);
    }
    return {};
  }

  std::size_t columns = 0;
};

Result<void> evaluate(const Query& query, const OpContext& context) {
  constexpr std::uint64_t kRowsMax = 5'000;
  HELVE_ASSIGN(QueryRun run, QueryRun::start(query, fixed_data(), {}, context));
  CheckingSink sink;
  if (run.kind() == QueryRun::Kind::Graph) {
    HELVE_TRY(run.send(static_cast<rdf::StatementSink&>(sink), kRowsMax));
  } else {
    HELVE_TRY(run.send(static_cast<SolutionSink&>(sink), kRowsMax));
  }
  return {};
}

void check_evaluation(const Query& query) {
  const StepClock clock(std::chrono::milliseconds(1));
  MemoryBudget memory("fuzz", 16 * kMiB);
  OpContext context;
  context.limits = small_limits();
  context.deadline = Deadline(clock, std::chrono::milliseconds(50));
  context.memory = &memory;
  const auto done = evaluate(query, context);
  HELVE_CHECK(memory.bytes_used() == 0);
  if (done) return;
  const ErrorCode code = done.error().code;
  HELVE_CHECK(code == ErrorCode::InvalidInput || code == ErrorCode::LimitExceeded ||
              code == ErrorCode::Denied);
  HELVE_CHECK(is_valid_utf8(done.error().to_string()));
}

}  // namespace

void check_query(std::string_view text) {
  static_cast<void>(check_parsing<QueryText>(text, Version::Sparql12));
  const auto parsed = check_parsing<QueryText>(text, Version::Sparql11);
  if (parsed) check_evaluation(parsed->query);
}

void check_update(std::string_view text) {
  static_cast<void>(check_parsing<UpdateText>(text, Version::Sparql12));
  static_cast<void>(check_parsing<UpdateText>(text, Version::Sparql11));
}

}  // namespace helve::fuzz
