#include "sources/remote/endpoint_probe.h"

#include <fmt/format.h>

#include "base/redaction.h"
#include "base/text.h"
#include "sources/remote/endpoint_engine.h"
#include "sources/remote/endpoint_questions.h"

namespace helve::remote {

namespace {

constexpr Duration kQuestionTime = std::chrono::seconds(5);
constexpr std::string_view kAnyWord = "helve";  // what it finds does not matter
constexpr std::size_t kDescriptionBytes = 256 * kKiB;

// Whether it takes the query that its engine is known to take.
bool takes_search(EndpointClient& client, const TextSearch& search, Env& env,
                  const OpContext& context) {
  const std::string query = fill_search(search, kAnyWord, 1);
  return ask_rows(client, query, 1, with_time(context, kQuestionTime, env)).has_value();
}

void check_search(EndpointClient& client, EndpointKnowledge& knowledge, Env& env,
                  const OpContext& context) {
  const auto search = knowledge.profile().text_search;
  if (!search || search->is_checked) return;
  const bool is_taken = takes_search(client, *search, env, context);
  knowledge.change([is_taken](EndpointProfile& profile) {
    if (profile.text_search) profile.text_search->is_checked = is_taken;
  });
}

class Prober {
 public:
  Prober(EndpointClient& client, EndpointKnowledge& knowledge, Env& env, const OpContext& context)
      : client_(client), knowledge_(knowledge), env_(env), context_(context) {}

  std::vector<ProbeStep> run() {
    if (!see_answers()) return std::move(steps_);
    see_lookups();
    see_count();
    see_engine();
    see_search();
    knowledge_.change(
        [now = env_.clock().wall()](EndpointProfile& profile) { profile.probed = now; });
    return std::move(steps_);
  }

 private:
  using Rows = tl::expected<SmallRows, EndpointFailure>;

  // Asks, and notes how long it took; what it shows is for the caller to say.
  Rows ask(std::string question, const std::string& query) {
    const MonotonicTime begun = env_.clock().now();
    Rows rows = ask_rows(client_, query, 10, with_time(context_, kQuestionTime, env_));
    const double seconds = std::chrono::duration<double>(env_.clock().now() - begun).count();
    steps_.push_back({std::move(question),
                      rows ? "answered" : redact(rows.error().error.full_message()), seconds,
                      rows.has_value()});
    return rows;
  }

  bool see_answers() {
    const Rows first = ask("first answer", "SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 1");
    if (!first) return false;
    knowledge_.change([seconds = steps_.back().seconds](EndpointProfile& profile) {
      profile.first_seconds = seconds;
    });
    if (first->empty()) {
      steps_.back().says = "answered; a query without FROM sees no triples";
    } else if (first->front().size() == 3) {
      statement_ = first->front();
    }
    ask("second answer", "SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 1");
    return true;
  }

  // Whether each way to look a triple up is by an index.
  void see_lookups() {
    const auto written = [this](std::size_t i) {
      const auto& term = i < statement_.size() ? statement_[i] : std::optional<rdf::Term>();
      return term && !term->view().is_blank() ? rdf::to_ntriples(term->view()) : std::string();
    };
    const std::string s = written(0);
    const std::string p = written(1);
    const std::string o = written(2);
    if (!s.empty()) look_up("subject", fmt::format("{{ {} ?p ?o }}", s));
    if (!p.empty()) look_up("property", fmt::format("{{ ?s {} ?o }}", p));
    if (!o.empty()) look_up("value", fmt::format("{{ ?s ?p {} }}", o));
    if (!p.empty() && !o.empty()) {
      look_up("property and value", fmt::format("{{ ?s {} {} }}", p, o));
    }
  }

  void look_up(const std::string& given, const std::string& pattern) {
    const Rows rows = ask("look up by " + given, fmt::format("SELECT * {} LIMIT 10", pattern));
    const double seconds = rows ? steps_.back().seconds : -1;
    knowledge_.change(
        [given, seconds](EndpointProfile& profile) { profile.lookup_seconds[given] = seconds; });
  }

  void see_count() {
    const Rows rows = ask("count all", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }");
    if (!rows || rows->empty() || rows->front().empty()) return;
    steps_.back().says = fmt::format("{} triples that a query without FROM sees",
                                     format_count(number_in(rows->front().front())));
  }

  // Headers were seen with the answers; then its description, then what it says of a mistake.
  void see_engine() {
    if (knowledge_.profile().engine.empty()) read_description();
    if (knowledge_.profile().engine.empty()) {
      const Rows rows = ask("a query with a mistake", "SELECT * { ?s ?p");
      steps_.back().has_answered = true;
      if (!rows) note_engine(rows.error().error.full_message(), "what it says of a mistake");
    }
    const EndpointProfile profile = knowledge_.profile();
    steps_.push_back({"engine",
                      profile.engine.empty()
                          ? "not recognised"
                          : fmt::format("{}, by {}", profile.engine, profile.engine_from),
                      0, !profile.engine.empty()});
  }

  void read_description() {
    auto opened = client_.get(client_.options().url, "text/turtle, application/rdf+xml;q=0.8",
                              with_time(context_, kQuestionTime, env_));
    if (!opened) return;
    knowledge_.note_headers(opened->head.headers);
    std::string text(kDescriptionBytes, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      const auto count = opened->body->read(std::span(text).subspan(size));
      if (!count || *count == 0) break;
      size += *count;
    }
    note_engine(std::string_view(text).substr(0, size), "its service description");
  }

  void note_engine(std::string_view text, std::string_view from) {
    const auto engine = recognise_engine(text, from);
    if (!engine) return;
    knowledge_.change([engine](EndpointProfile& profile) {
      profile.engine = engine->name;
      profile.engine_from = engine->from;
      if (!profile.text_search) profile.text_search = text_search_of(engine->name);
    });
  }

  void see_search() {
    const auto search = knowledge_.profile().text_search;
    if (!search) return;
    const Rows rows = ask("text search", fill_search(*search, kAnyWord, 1));
    knowledge_.change([is_taken = rows.has_value()](EndpointProfile& profile) {
      if (profile.text_search) profile.text_search->is_checked = is_taken;
    });
    if (rows) steps_.back().says = fmt::format("takes {}", search->name);
  }

  EndpointClient& client_;
  EndpointKnowledge& knowledge_;
  Env& env_;
  const OpContext& context_;
  std::vector<std::optional<rdf::Term>> statement_;
  std::vector<ProbeStep> steps_;
};

}  // namespace

tl::expected<std::shared_ptr<const EndpointSurvey>, EndpointFailure> learn(
    EndpointClient& client, EndpointKnowledge& knowledge, Env& env, const OpContext& context) {
  auto found = survey(client, env, context);
  if (!found) {
    knowledge.note_failure("survey", found.error(), Duration{0});
    return tl::unexpected(std::move(found).error());
  }
  auto survey = std::make_shared<const EndpointSurvey>(*std::move(found));
  knowledge.put_survey(survey);
  check_search(client, knowledge, env, context);
  return survey;
}

void forget_limits(EndpointClient& client, EndpointKnowledge& knowledge) {
  knowledge.change([](EndpointProfile& profile) {
    profile.takes_only_get = false;
    profile.query_time_max = Duration{0};
    profile.rows_max = 0;
  });
  client.forget_method();
}

std::vector<ProbeStep> probe(EndpointClient& client, EndpointKnowledge& knowledge, Env& env,
                             const OpContext& context) {
  return Prober(client, knowledge, env, context).run();
}

}  // namespace helve::remote
