#include "sources/remote/remote_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/text.h"
#include "sources/remote/answer_reader.h"
#include "sources/remote/asked_columns.h"
#include "sources/remote/endpoint_engine.h"
#include "sources/remote/endpoint_probe.h"
#include "sources/remote/endpoint_questions.h"
#include "sources/remote/query_shape.h"
#include "sources/remote/silent_end.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::remote {

namespace {

// Answers are taken for unchanged this long: nobody tells when the data of an endpoint changes.
constexpr auto kSameFor = std::chrono::hours(1);
constexpr Duration kAskedAgainAfter = std::chrono::seconds(15);
constexpr std::uint64_t kSortedMax = 10'000;  // that Virtuoso sorts where there is a LIMIT
constexpr std::uint64_t kFewRows = 100'000;

void put_failure(EndpointFailure failure, GraphRun& run) {
  run.error = std::move(failure.error);
  run.cause = name_of(failure.cause);
  run.may_retry = failure.may_retry;
}

// As many as there are where the cap is beyond what servers can read.
sparql::Query count_query(const sparql::Pattern& pattern, const QueryDataset& dataset,
                          std::uint64_t cap) {
  constexpr std::uint64_t kLimitMax = 1'000'000'000'000;
  sparql::Select count;
  sparql::Aggregate aggregate;
  aggregate.kind = sparql::AggregateKind::Count;
  count.items.push_back({{"helve_n", {}}, sparql::Expression(std::move(aggregate))});
  count.body.where = pattern;
  if (cap < kLimitMax) {
    sparql::Select some;
    some.is_star = true;
    some.body.where = pattern;
    some.body.limit = cap + 1;
    count.body.where = sparql::Pattern(sparql::SubSelect(std::move(some)));
  }
  sparql::Query query;
  query.dataset = dataset;
  query.form = std::move(count);
  return query;
}

// Where few rows are wanted the endpoint is told so, with one more to see whether there are more:
// engines that make all rows before they send the first would make them for nobody.
sparql::Query with_few_rows(sparql::Query query, std::uint64_t rows_max) {
  auto* const select = std::get_if<sparql::Select>(&query.form);
  if (select == nullptr || rows_max > kFewRows) return query;
  if (!select->body.order_by.empty() && rows_max >= kSortedMax) return query;
  std::optional<std::uint64_t>& limit = select->body.limit;
  if (!limit || *limit > rows_max) limit = rows_max + 1;
  return query;
}

class RemoteGraph final : public GraphSource {
 public:
  RemoteGraph(std::shared_ptr<EndpointClient> client, std::shared_ptr<EndpointKnowledge> knowledge,
              SourceInfo info, Env& env)
      : client_(std::move(client)),
        knowledge_(std::move(knowledge)),
        info_(std::move(info)),
        env_(env) {}

  const SourceInfo& info() const override { return info_; }
  std::string fingerprint() const override {
    const auto hour =
        std::chrono::floor<std::chrono::hours>(env_.clock().wall()).time_since_epoch() / kSameFor;
    return fmt::format("{} {}", info_.uri, hour);
  }

  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    AskedColumns asked(query, sink);
    GraphRun result = send(query, AnswerKind::Solutions, rows_max, asked, context);
    if (std::holds_alternative<sparql::Ask>(query.form) && !result.error && !result.boolean) {
      put_failure(neither_yes_nor_no(info_.name), result);
    }
    for (const std::string& name : asked.missing()) {
      if (result.rows == 0) break;
      result.notes.push_back(fmt::format("{} answered without ?{}", info_.name, name));
    }
    look_behind_round_end(query, context, result);
    return result;
  }
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    GraphRun result = send(query, AnswerKind::Statements, statements_max, sink, context);
    doubt_round_end(query, result);
    return result;
  }

  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    const sparql::Query query = within_all_graphs(count_query(pattern, dataset, cap), context);
    const auto count = ask_count(*client_, to_sparql(query), context);
    if (!count) return count.error().error;
    return GraphCount{std::min(count->n, cap), count->is_exact && count->n <= cap};
  }

  Result<GraphPlan> explain(const sparql::Query& /*query*/,
                            const OpContext& /*context*/) const override {
    return Error{ErrorCode::Unavailable,
                 fmt::format("{} is an endpoint: its plans cannot be asked for", info_.name),
                 "count parts of the query with sparql_count instead"};
  }

  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override {
    const std::string text = rdf::to_ntriples(term);
    const std::string as_object = fmt::format("{{ ?s ?p {} }}", text);
    const std::string query =
        term.is_iri() ? fmt::format("ASK {{ {{ {0} ?p ?o }} UNION {{ ?s {0} ?o }} UNION {1} }}",
                                    text, as_object)
                      : "ASK " + as_object;
    HELVE_ASSIGN(const auto parsed, sparql::parse_query(query));
    const auto is_there =
        ask_whether(*client_, to_sparql(within_all_graphs(parsed.query, context)), context);
    if (!is_there) return is_there.error().error;
    return *is_there;
  }

  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override;
  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    HELVE_ASSIGN(const auto found, surveyed(context));
    return std::shared_ptr<const GraphSchema>(found, &found->schema);
  }
  // Those that are known so far: nothing is asked for them.
  PrefixList prefixes() const override {
    const auto known = knowledge_->last_survey();
    return known != nullptr ? known->prefixes : PrefixList();
  }

  std::optional<EndpointTraits> traits() const override { return knowledge_->traits(); }
  std::optional<ShapeRecord> experience(const sparql::Query& query) const override {
    return knowledge_->record_of(shape_of(query));
  }

 private:
  struct FoundInstances {
    std::vector<std::pair<std::string, std::string>> named;  // IRIs and labels
    std::optional<EndpointFailure> failure;                  // of a question: there may be more
  };
  FoundInstances find_instances(const FindRequest& request, const OpContext& context) const;
  template <typename Sink>
  GraphRun send(const sparql::Query& query, AnswerKind kind, std::uint64_t rows_max, Sink& sink,
                const OpContext& context) const {
    GraphRun result;
    const std::string text = to_sparql(with_few_rows(within_all_graphs(query, context), rows_max));
    const std::string shape = shape_of(query);
    const bool is_first = !client_->state().has_answered;
    const MonotonicTime begun = env_.clock().now();
    auto answer = client_->ask(text, kind, context);
    if (!answer) {
      knowledge_->note_failure(shape, answer.error(), env_.clock().now() - begun);
      put_failure(std::move(answer).error(), result);
      return result;
    }
    read_answer(*std::move(answer), rows_max, sink, client_->state(), context, result);
    const Duration time = env_.clock().now() - begun;
    if (!result.error) {
      client_->note_success();
      knowledge_->note_answer(shape, time, is_first);
    } else if (const auto cause = cause_named(result.cause)) {
      knowledge_->note_failure(
          shape, {*cause, *result.error, result.may_retry, std::nullopt, false}, time);
    }
    return result;
  }

  // As the contract of GraphSource has it, also where the endpoint means one graph by default.
  // Where nothing can be learnt of it, it is asked as it is.
  sparql::Query within_all_graphs(sparql::Query query, const OpContext& context) const {
    if (!query.dataset.empty()) return query;
    if (const auto known = surveyed(context)) query.dataset = (*known)->asked_graphs;
    return query;
  }

  void look_behind_round_end(const sparql::Query& query, const OpContext& context,
                             GraphRun& run) const {
    if (!std::holds_alternative<sparql::Select>(query.form) || run.error || run.has_more ||
        !run.incomplete.empty() || !is_round(run.rows)) {
      return;
    }
    auto end = find_silent_end(*client_, within_all_graphs(query, context), run.rows, context);
    if (!end) return;
    if (end->has_more) knowledge_->note_rows_max(run.rows);
    run.incomplete = std::move(end->incomplete);
  }

  // Of statements: what is behind them cannot be asked for, as rows can. Virtuoso stops one behind
  // its limit for rows, and says nothing.
  void doubt_round_end(const sparql::Query& query, GraphRun& run) const {
    const auto limit = query.body().limit;
    if (run.error || run.has_more || !run.incomplete.empty() || (limit && *limit <= run.rows)) {
      return;
    }
    const std::uint64_t cap = knowledge_->traits().rows_max;
    const auto is_end = [cap](std::uint64_t n) { return is_round(n) || n == cap; };
    if (run.rows == 0 || (!is_end(run.rows) && !is_end(run.rows - 1))) return;
    run.incomplete =
        fmt::format("exactly {} statements came from {}, which may stop there silently",
                    format_count(run.rows), info_.name);
  }

  Result<std::shared_ptr<const EndpointSurvey>> surveyed(const OpContext& context) const {
    if (auto known = knowledge_->survey()) return known;
    std::unique_lock making(making_, std::defer_lock);
    while (!making.try_lock_for(std::chrono::milliseconds(20))) HELVE_TRY(context.check());
    if (auto known = knowledge_->survey()) return known;
    auto made = survey_again(context);
    if (made) return made;
    // What was known last is better than nothing.
    if (auto last = knowledge_->last_survey()) return last;
    return made;
  }

  // Who did not answer is not asked about itself again at once. Under making_.
  Result<std::shared_ptr<const EndpointSurvey>> survey_again(const OpContext& context) const {
    if (failure_ && !retry_.has_passed()) return *failure_;
    failure_.reset();
    auto made = learn(*client_, *knowledge_, env_, context);
    if (made) return *std::move(made);
    // What only our time was too short for may be tried by who has more.
    const bool is_ours = made.error().cause == EndpointCause::Stopped || !context.check();
    if (!is_ours) {
      failure_ = made.error().error;
      retry_ = Deadline(env_.clock(), kAskedAgainAfter);
    }
    return std::move(made).error().error;
  }

  std::shared_ptr<EndpointClient> client_;
  std::shared_ptr<EndpointKnowledge> knowledge_;
  SourceInfo info_;
  Env& env_;
  mutable std::timed_mutex making_;  // of the survey: one at a time
  mutable std::optional<Error> failure_;
  mutable Deadline retry_;
};

// By how well a name or a label matches the words: all of it, its beginning, all words within.
double score_of(std::string_view name, const std::vector<std::string>& words,
                const std::string& whole) {
  const std::string folded = ascii_lower(name);
  if (folded == whole) return 3;
  for (const std::string& word : words) {
    if (folded.find(word) == std::string::npos) return 0;
  }
  return folded.starts_with(words.front()) ? 2 : 1;
}

std::string_view local_name(std::string_view iri) {
  const std::size_t end = iri.find_last_of("#/");
  return end == std::string_view::npos ? iri : iri.substr(end + 1);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : ascii_lower(text) + " ") {
    if (c != ' ' && c != '\t' && c != '_' && c != '-') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

// By the text index of the engine where it has one that took a query before, or else by the exact
// label, which every engine finds by an index.
RemoteGraph::FoundInstances RemoteGraph::find_instances(const FindRequest& request,
                                                        const OpContext& context) const {
  std::vector<std::string> queries;
  const auto search = knowledge_->profile().text_search;
  if (search && search->is_checked) {
    queries.push_back(fill_search(*search, request.text, request.hits_max));
  }
  const std::string text = rdf::to_ntriples(rdf::TermView::literal(request.text));
  const auto exact = sparql::parse_query(
      fmt::format("SELECT DISTINCT ?x ?l {{ VALUES ?l {{ {0} {0}@en }} ?x "
                  "<http://www.w3.org/2000/01/rdf-schema#label>|"
                  "<http://www.w3.org/2004/02/skos/core#prefLabel> ?l }} LIMIT {1}",
                  text, request.hits_max));
  if (exact) queries.push_back(to_sparql(within_all_graphs(exact->query, context)));
  FoundInstances found;
  for (const std::string& query : queries) {
    if (!found.named.empty() || query.empty()) continue;
    auto rows = ask_rows(*client_, query, request.hits_max, context);
    if (!rows) {
      found.failure = std::move(rows).error();
      continue;
    }
    for (const auto& row : *rows) {
      if (row.size() != 2 || !row[0] || !row[0]->view().is_iri() || !row[1]) continue;
      found.named.emplace_back(row[0]->value, row[1]->value);
    }
  }
  return found;
}

// Classes and properties from what is known of the vocabulary, and instances.
Result<std::vector<NameHit>> RemoteGraph::find(const FindRequest& request,
                                               const OpContext& context) const {
  HELVE_ASSIGN(const auto known, surveyed(context));
  const std::vector<std::string> words = words_of(request.text);
  if (words.empty()) return std::vector<NameHit>();
  const std::string whole = ascii_lower(request.text);
  std::vector<NameHit> hits;
  const auto add = [&](const std::string& iri, const std::string& label, NameKind kind,
                       std::uint64_t count, double least = 0) {
    const double score =
        std::max({least, score_of(label, words, whole), score_of(local_name(iri), words, whole)});
    if (score > 0) hits.push_back({iri, label, "", kind, count, score});
  };
  if (request.kind == NameKind::Any || request.kind == NameKind::Class) {
    for (const ClassInfo& one : known->schema.classes) {
      add(one.iri, one.label, NameKind::Class, one.instances);
    }
  }
  if (request.kind == NameKind::Any || request.kind == NameKind::Property) {
    for (const PropertyInfo& one : known->schema.properties) {
      add(one.iri, one.label, NameKind::Property, one.triples);
    }
  }
  if (request.kind == NameKind::Any || request.kind == NameKind::Instance) {
    FoundInstances found = find_instances(request, context);
    for (const auto& [iri, label] : found.named) {
      constexpr double kOfIndex = 0.5;  // its index matches more than we do
      add(iri, label, NameKind::Instance, 0, kOfIndex);
    }
    // Nothing found and not searched are not the same.
    if (found.failure && hits.empty()) return std::move(found.failure->error);
  }
  std::stable_sort(hits.begin(), hits.end(), [](const NameHit& a, const NameHit& b) {
    return std::pair(a.score, a.count) > std::pair(b.score, b.count);
  });
  if (hits.size() > request.hits_max) hits.resize(request.hits_max);
  return hits;
}

}  // namespace

std::shared_ptr<const GraphSource> make_remote_graph(std::shared_ptr<EndpointClient> client,
                                                     std::shared_ptr<EndpointKnowledge> knowledge,
                                                     SourceInfo info, Env& env) {
  info.is_remote = true;
  return std::make_shared<const RemoteGraph>(std::move(client), std::move(knowledge),
                                             std::move(info), env);
}

}  // namespace helve::remote
