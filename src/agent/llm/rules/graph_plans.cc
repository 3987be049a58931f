// The way through a graph: names are looked up, then links and values that nothing tells of, then
// queries are asked.
#include <fmt/format.h>

#include <algorithm>

#include "agent/llm/rules/lesson_plans.h"
#include "agent/llm/rules/mentions.h"
#include "agent/llm/rules/plans.h"
#include "agent/llm/rules/sketch.h"
#include "agent/llm/rules/sparql_text.h"
#include "agent/llm/rules/words.h"
#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

constexpr std::size_t kProbesMax = 4;
constexpr std::int64_t kHitsAsked = 6;
constexpr std::size_t kOptionsMax = 6;  // of an edge

bool is_look_up(const Exchange& one) {
  return one.call.tool == "sparql_find" || one.call.tool == "sparql_peek" ||
         is_probe(text_argument(one.call.arguments, "query"));
}

class GraphPlanner {
 public:
  explicit GraphPlanner(const Situation& now) : now_(now), known_(now.known) {
    mentions_ = find_mentions(now.question, known_, now.seed);
  }

  std::vector<Call> next() {
    std::vector<Call> calls = look_up_names();
    if (calls.empty()) calls = look_up_again();
    if (!calls.empty()) return calls;
    std::vector<std::string> queries =
        lesson_queries(now_.question, mentions_, slot_values(), known_);
    if (!queries.empty()) {
      calls = next_query(now_, "sparql_query", "query", queries);
      if (!calls.empty()) return calls;
    }
    sketch_ = make_sketch(now_.question, mentions_);
    calls = probes();
    if (!calls.empty()) return calls;
    add_readings(queries);
    return next_query(now_, "sparql_query", "query", std::move(queries));
  }

 private:
  Call find_call(const std::string& words, std::string_view kind) const {
    Call call = call_of("sparql_find", "pattern", words);
    JsonValue::Object& arguments = *call.arguments.if_object();
    arguments.push_back({"kind", JsonValue(std::string(kind))});
    if (takes(now_.request, call.tool, "limit")) {
      arguments.push_back({"limit", JsonValue(kHitsAsked)});
    }
    return call;
  }

  void add_if_new(std::vector<Call>& calls, Call call) const {
    const auto made = std::count_if(now_.talk.exchanges.begin(), now_.talk.exchanges.end(),
                                    [](const Exchange& one) { return is_look_up(one); });
    const bool is_room = calls.size() + static_cast<std::size_t>(made) < kLookUpsMax;
    if (is_room && is_declared(now_.request, call.tool) && now_.talk.find(call) == nullptr) {
      calls.push_back(std::move(call));
    }
  }

  bool is_bound(const Phrase& phrase) const {
    return std::none_of(mentions_.begin(), mentions_.end(), [&](const Mention& mention) {
      return !mention.is_sure && mention.from >= phrase.from && mention.to <= phrase.to;
    });
  }

  // What the context does not name.
  std::vector<Call> look_up_names() const {
    std::vector<Call> calls;
    for (const Phrase& phrase : now_.question.phrases) {
      if (is_bound(phrase)) continue;
      const std::string words = now_.question.words(phrase.from, phrase.to);
      if (phrase.is_name) {
        add_if_new(calls, find_call(words, "instance"));
      } else {
        add_if_new(calls, find_call(words, "class"));
        add_if_new(calls, find_call(words, "property"));
      }
    }
    return calls;
  }

  // Words that are neither class nor property may be things; names may be anything.
  std::vector<Call> look_up_again() const {
    std::vector<Call> calls;
    for (const Mention& mention : mentions_) {
      if (mention.kind != MentionKind::Text) continue;
      add_if_new(calls, find_call(mention.options.front(), "any"));
      std::string root = stem(mention.options.front());
      if (root.ends_with('y')) root.pop_back();  // "bury", "buries"
      if (root.size() > 3 && root != ascii_lower(mention.options.front())) {
        add_if_new(calls, find_call(root, "any"));
      }
    }
    return calls;
  }

  SlotValues slot_values() const {
    SlotValues values;
    for (const Mention& mention : mentions_) {
      if (mention.kind == MentionKind::Thing) values.things.push_back(mention.options.front());
      if (mention.kind == MentionKind::Text) values.texts.push_back(mention.options.front());
    }
    for (const Bound& bound : now_.question.bounds) {
      if (!bound.number.empty()) values.numbers.push_back(bound.number);
    }
    return values;
  }

  // Rows of a probe that was made.
  const ReplyTable* rows_of(const std::string& query) const {
    const Exchange* const made = now_.talk.find(call_of("sparql_query", "query", query));
    return made == nullptr || made->reply.is_error ? nullptr : made->reply.result();
  }

  // The properties of a probe, those that hold for most first; as many: by the seed.
  std::vector<std::string> ranked(const ReplyTable& rows, double near) const {
    struct Row {
      std::string path;
      double count;
    };
    std::vector<Row> all;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      const std::string name(rows.cell(i, "p"));
      const bool is_of_rdf = name.starts_with("rdf:") || name.starts_with("rdfs:") ||
                             name.starts_with("owl:") || name.empty();
      if (is_of_rdf) continue;
      const bool is_inverse = rows.cell(i, "way").find("in") != std::string_view::npos;
      all.push_back({is_inverse ? "^" + name : name,
                     std::strtod(std::string(rows.cell(i, "n")).c_str(), nullptr)});
    }
    const double most = all.empty() ? 0 : all.front().count;
    std::stable_sort(all.begin(), all.end(), [&](const Row& a, const Row& b) {
      const bool is_a = a.count >= most * near;
      const bool is_b = b.count >= most * near;
      if (is_a != is_b) return is_a;
      if (!is_a) return a.count > b.count;
      return mix(now_.seed, a.path) < mix(now_.seed, b.path);
    });
    std::vector<std::string> paths;
    paths.reserve(all.size());
    for (Row& row : all) paths.push_back(std::move(row.path));
    return paths;
  }

  std::string link_of_lessons(const Edge& edge) const {
    const std::string& type = !sketch_.nodes[edge.from].type.empty() ? sketch_.nodes[edge.from].type
                                                                     : sketch_.nodes[edge.to].type;
    for (const Lesson& lesson : known_.lessons) {
      if (lesson.kind != LessonKind::Worked || type.empty()) continue;
      const std::vector<std::string> names = names_in(lesson.query);
      if (std::find(names.begin(), names.end(), type) == names.end()) continue;
      std::vector<std::string> properties;
      for (const std::string& name : names) {
        const Term* const term = known_.find(name);
        const bool is_property = term != nullptr && term->kind == TermKind::Property;
        const bool leads_to_slot = lesson.query.find(name + " ?slot") != std::string::npos;
        if (is_property && leads_to_slot) properties.push_back(name);
      }
      if (properties.size() == 1) return fmt::format("({}|^{})", properties[0], properties[0]);
    }
    return {};
  }

  // What the sketch leaves open: asked of the data, in one step.
  std::vector<Call> probes() {
    std::vector<Call> calls;
    leave_out_noise();
    const std::vector<Edge> as_read = sketch_.edges;
    for (Edge& edge : sketch_.edges) settle_edge(edge, calls);
    for (Value& value : sketch_.values) settle_value(value, calls);
    if (calls.empty() && is_misread()) {
      for (std::size_t i = 0; i < as_read.size(); ++i)
        widen_edge(as_read[i], sketch_.edges[i], calls);
    }
    if (calls.empty()) drop_words();
    if (calls.size() > kProbesMax) calls.resize(kProbesMax);
    return calls;
  }

  // Words that are no value of anything are left out; things and classes are not.
  void drop_words() {
    std::erase_if(sketch_.edges, [&](const Edge& edge) {
      Node& node = sketch_.nodes[edge.to];
      const bool is_word = edge.options.empty() && !node.text.empty();
      if (is_word) node.text.clear();
      return is_word;
    });
  }

  // Words that nothing is named like, where a property says what is meant already.
  void leave_out_noise() {
    std::vector<Edge> kept;
    for (Edge& edge : sketch_.edges) {
      const std::string& text = sketch_.nodes[edge.to].text;
      const bool is_noise = !edge.options.empty() && !text.empty() && is_unknown(text);
      if (!is_noise) {
        kept.push_back(std::move(edge));
        continue;
      }
      Value claim;
      claim.node = edge.from;
      claim.options = edge.options;
      claim.is_claim = true;
      claim.is_negated = edge.is_negated;
      sketch_.values.push_back(std::move(claim));
      sketch_.nodes[edge.to].text.clear();
    }
    sketch_.edges = std::move(kept);
  }

  bool is_unknown(const std::string& words) const {
    const Exchange* const made = now_.talk.find(find_call(words, "any"));
    if (made == nullptr || made->reply.is_error) return false;
    const ReplyTable* const hits = made->reply.table("hits");
    return hits == nullptr || hits->rows.empty();
  }

  // The likeliest reading has brought nothing, or lessons warn of it.
  bool is_misread() const {
    const std::string query = sparql_text(sketch_, likeliest(), known_);
    const Exchange* const made = now_.talk.find(call_of("sparql_query", "query", query));
    return made != nullptr ? !has_answer(made->reply) : is_warned_of(query, known_);
  }

  // What links the two in the data, whatever the words say.
  void widen_edge(const Edge& as_read, Edge& edge, std::vector<Call>& calls) {
    if (as_read.options.empty() || edge.is_negated) return;
    Edge open = as_read;
    open.options.clear();
    settle_edge(open, calls);
    for (std::string& option : open.options) {
      const bool is_new =
          std::find(edge.options.begin(), edge.options.end(), option) == edge.options.end();
      if (is_new && edge.options.size() < kOptionsMax) edge.options.push_back(std::move(option));
    }
  }

  Reading likeliest() const {
    Reading base;
    base.edges.resize(sketch_.edges.size());
    base.values.resize(sketch_.values.size());
    return base;
  }

  void settle_edge(Edge& edge, std::vector<Call>& calls) {
    const auto is_open = [&](std::size_t node) {
      return sketch_.nodes[node].type.empty() && sketch_.nodes[node].thing.empty();
    };
    const bool is_vague =
        is_open(edge.from) || (is_open(edge.to) && sketch_.nodes[edge.to].text.empty());
    if (!edge.options.empty() || is_vague || sketch_.form == Form::YesNo) return;
    if (const std::string learnt = link_of_lessons(edge); !learnt.empty()) {
      edge.options = {learnt};
      return;
    }
    const std::string query = link_query(sketch_, edge, known_);
    if (const ReplyTable* const rows = rows_of(query)) {
      edge.options = ranked(*rows, 1.0);
    } else {
      add_if_new(calls, call_of("sparql_query", "query", query));
    }
  }

  void settle_value(Value& value, std::vector<Call>& calls) {
    if (value.is_claim && !value.options.empty()) {
      const Term* const term = known_.find(value.options.front());
      const bool is_known = term != nullptr && !term->range.empty();
      if (!is_known) add_if_new(calls, call_of("sparql_peek", "resource", value.options.front()));
    }
    if (!value.options.empty()) return;
    for (const Bound& bound : value.bounds) {
      for (const auto& [property, unit] : known_.units) {
        if (!bound.unit.empty() && stem(unit) == stem(bound.unit))
          value.options.push_back(property);
      }
    }
    if (value.options.empty()) {
      const std::string told = property_for(value.word, known_);
      if (!told.empty()) value.options.push_back(told);
    }
    if (!value.options.empty()) return;
    const bool is_time = std::any_of(value.bounds.begin(), value.bounds.end(),
                                     [](const Bound& bound) { return bound.is_year; }) ||
                         (now_.question.extreme && now_.question.extreme->is_time);
    const std::string query = value_query(sketch_, value, is_time, known_);
    if (const ReplyTable* const rows = rows_of(query)) {
      constexpr double kNear = 0.8;
      value.options = ranked(*rows, kNear);
    } else {
      add_if_new(calls, call_of("sparql_query", "query", query));
    }
  }

  // The likeliest first, then each choice changed alone, then without regard to directions.
  void add_readings(std::vector<std::string>& queries) const {
    const bool is_open = std::any_of(sketch_.edges.begin(), sketch_.edges.end(),
                                     [](const Edge& edge) { return edge.options.empty(); });
    if (is_open && sketch_.form != Form::YesNo) return;  // half of a question is another one
    if (sketch_.nodes[0].type.empty() && sketch_.nodes[0].thing.empty() && sketch_.edges.empty()) {
      return;  // nothing is said of what is asked for
    }
    const Reading base = likeliest();
    queries.push_back(sparql_text(sketch_, base, known_));
    Reading both = base;
    both.is_both_ways = true;
    if (!sketch_.edges.empty()) queries.push_back(sparql_text(sketch_, both, known_));
    for (std::size_t i = 0; i < sketch_.edges.size(); ++i) {
      for (std::size_t k = 1; k < sketch_.edges[i].options.size(); ++k) {
        Reading other = both;
        other.edges[i] = k;
        queries.push_back(sparql_text(sketch_, other, known_));
      }
    }
    for (std::size_t i = 0; i < sketch_.values.size(); ++i) {
      for (std::size_t k = 1; k < sketch_.values[i].options.size(); ++k) {
        Reading other = base;
        other.values[i] = k;
        queries.push_back(sparql_text(sketch_, other, known_));
      }
    }
    add_without_claims(both, queries);
  }

  // A word that was taken for a property may be none.
  void add_without_claims(Reading reading, std::vector<std::string>& queries) const {
    for (std::size_t i = 0; i < sketch_.values.size(); ++i) {
      if (!sketch_.values[i].is_claim || sketch_.values[i].is_named) continue;
      reading.values[i] = kLeftOut;
      queries.push_back(sparql_text(sketch_, reading, known_));
    }
  }

  const Situation& now_;
  const Knowledge& known_;
  std::vector<Mention> mentions_;
  Sketch sketch_;
};

bool is_nought(const ToolReply& reply) {
  const ReplyTable* const rows = reply.result();
  return rows != nullptr && rows->rows.size() == 1 && rows->rows[0].size() == 1 &&
         (rows->rows[0][0] == "0" || rows->rows[0][0] == "0e0");
}

}  // namespace

// Nought and "no" may be due to a wrong reading: others are tried before they are believed.
bool has_answer(const ToolReply& reply) {
  if (reply.is_error) return false;
  return reply.title.starts_with("yes") || (reply.rows > 0 && !is_nought(reply));
}

std::vector<Call> next_query(const Situation& now, std::string_view tool, std::string_view argument,
                             std::vector<std::string> queries) {
  std::stable_partition(queries.begin(), queries.end(),
                        [&](const std::string& query) { return !is_warned_of(query, now.known); });
  // A query of ours that had no rows, and what its reply suggests instead.
  std::size_t asked = 0;
  for (const std::string& query : queries) {
    const Exchange* const made = now.talk.find(call_of(tool, argument, query));
    if (made == nullptr) continue;
    ++asked;
    const std::string suggested(made->reply.field("suggested_query"));
    const Call call = call_of(tool, argument, suggested);
    if (!suggested.empty() && !has_answer(made->reply) && now.talk.find(call) == nullptr) {
      return {call};
    }
  }
  if (asked >= kQueriesMax) return {};
  for (const std::string& query : queries) {
    Call call = call_of(tool, argument, query);
    if (now.talk.find(call) == nullptr) return {std::move(call)};
  }
  return {};
}

bool is_probe(std::string_view query) {
  return query.starts_with(kLinkProbe) || query.starts_with(kPlaceProbe);
}

std::vector<Call> next_graph_calls(const Situation& now) { return GraphPlanner(now).next(); }

}  // namespace helve::llm::rules
