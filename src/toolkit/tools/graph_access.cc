#include "toolkit/tools/graph_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <set>

#include "base/iri.h"
#include "base/utf8.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/well_known.h"
#include "toolkit/diagnosis/diagnosis.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kNameBytesMax = 4'096;
constexpr std::size_t kNearest = 5;

class SmallSink final : public RowSink {
 public:
  explicit SmallSink(SmallTable& table) : table_(table) {}

  Result<void> columns(const std::vector<std::string>& names) override {
    table_.columns = names;
    return {};
  }
  Result<void> row(Row cells) override {
    Cells& row = table_.rows.emplace_back();
    row.reserve(cells.size());
    for (const auto& cell : cells) {
      row.push_back(cell ? std::optional(rdf::Term(*cell)) : std::nullopt);
    }
    return {};
  }

 private:
  SmallTable& table_;
};

std::optional<std::string> expand(std::string_view name, const PrefixList& prefixes) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view prefix = name.substr(0, colon);
  const std::string_view local = name.substr(colon + 1);
  if (local.starts_with("//")) return std::nullopt;
  for (const auto& [known, iri] : prefixes) {
    if (known == prefix) return iri + std::string(local);
  }
  if (const auto iri = sparql::well_known_prefix(prefix)) {
    return std::string(*iri) + std::string(local);
  }
  return std::nullopt;
}

ToolError unknown_name(std::string_view text, NameKind kind, const GraphSource& graph,
                       const std::vector<NameHit>& nearest) {
  const char* what = kind == NameKind::Class      ? "class"
                     : kind == NameKind::Property ? "property"
                                                  : "resource";
  ToolError error(Error{ErrorCode::NotFound,
                        fmt::format("{} has no {} {}", graph.info().name, what, text),
                        nearest.empty() ? "look for it by words: sparql_find pattern=..."
                                        : "if one of did_you_mean is meant, call again with it"});
  const ShownPrefixes prefixes = shown_prefixes(graph);
  for (const NameHit& hit : nearest) error.did_you_mean.push_back(show_hit(hit, prefixes));
  return error;
}

// What looks like something else than a name is not guessed at.
std::optional<Error> no_name(std::string_view text) {
  if (text.starts_with("_:")) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is a blank node: it has no name outside of its result", text),
                 "ask for it through what points at it: SELECT ?p ?o { <thing> <property> ?b . ?b "
                 "?p ?o }"};
  }
  const std::string_view key = text.substr(0, text.find('['));
  const std::size_t line = key.rfind('_');
  const bool is_key = line != std::string_view::npos && line + 1 < key.size() &&
                      find_handle_type(key.substr(0, line)) &&
                      key.find_first_not_of("0123456789", line + 1) == std::string_view::npos;
  if (!is_key) return std::nullopt;
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} is the key of a handle, not a thing of the graph", text),
               "sparql_peek or ctx_slice read a handle; VALUES ?x { @results_0.x } asks about its "
               "things"};
}

// Words: the best hit by name or label.
std::variant<ReadName, ToolError> read_words(std::string_view text, NameKind kind,
                                             const GraphSource& graph, const OpContext& context) {
  auto hits = graph.find({std::string(text), kind, kNearest, true}, context);
  std::vector<NameHit> found = hits ? std::move(*hits) : std::vector<NameHit>();
  if (!hits) found = nearest_names(text, kind, graph, kNearest, context);
  if (found.empty()) return unknown_name(text, kind, graph, {});
  const ShownPrefixes prefixes = shown_prefixes(graph);
  ReadName name{found.front().iri, {}};
  std::string reading = fmt::format("\"{}\" as {}", text, show_hit(found.front(), prefixes));
  for (std::size_t i = 1; i < std::min<std::size_t>(found.size(), 3); ++i) {
    reading += fmt::format("{} {}", i == 1 ? "; others:" : ",", show_hit(found[i], prefixes));
  }
  const char* own = found.size() == 1 ? "the words were taken for the only thing named like them"
                                      : "the words were taken for the best of several things";
  name.warnings.push_back({"read " + reading, own, "read_as", reading});
  return name;
}

// The graph's own, then those of the well-known that neither name nor mean one of them.
PrefixList with_well_known(PrefixList prefixes) {
  std::set<std::string_view> names;
  std::set<std::string_view> iris;
  for (const auto& [name, iri] : prefixes) {
    names.insert(name);
    iris.insert(iri);
  }
  PrefixList more;
  for (const auto& known : sparql::well_known_prefixes()) {
    if (names.contains(known.name) || iris.contains(known.iri)) continue;
    names.insert(known.name);
    iris.insert(known.iri);
    more.emplace_back(known.name, known.iri);
  }
  prefixes.insert(prefixes.end(), more.begin(), more.end());
  return prefixes;
}

// What is shown for some lists of prefixes: every reply needs it, and making it takes longer than
// the rest of a small reply. Thread-safe.
class PreparedPrefixes {
 public:
  static PreparedPrefixes& shared() {
    static auto* const prepared = new PreparedPrefixes;  // lives as long as the process
    return *prepared;
  }

  ShownPrefixes of(const GraphSource& graph) {
    PrefixList own = graph.prefixes();
    const std::lock_guard lock(mutex_);
    const auto found = made_.find(own);
    if (found != made_.end()) return found->second;
    constexpr std::size_t kKept = 64;
    if (made_.size() >= kKept) made_.clear();
    ShownPrefixes shown = with_well_known(own);
    made_.emplace(std::move(own), shown);
    return shown;
  }

 private:
  std::mutex mutex_;
  std::map<PrefixList, ShownPrefixes> made_;
};

}  // namespace

std::uint64_t SmallTable::number(std::size_t row, std::size_t column) const {
  const auto& cell = rows.at(row).at(column);
  std::uint64_t number = 0;
  if (cell) {
    std::from_chars(cell->value.data(), cell->value.data() + cell->value.size(), number);
  }
  return number;
}

Result<SmallTable> ask_small(const GraphSource& graph, const std::string& sparql,
                             std::uint64_t rows_max, const OpContext& context) {
  HELVE_ASSIGN(const auto parsed, sparql::parse_query(sparql));
  SmallTable table;
  SmallSink sink(table);
  GraphRun run = graph.run(parsed.query, rows_max, sink, context);
  if (run.error) return *std::move(run.error);
  table.has_more = run.has_more;
  table.boolean = run.boolean;
  return table;
}

Result<std::uint64_t> ask_number(const GraphSource& graph, const std::string& sparql,
                                 const OpContext& context) {
  HELVE_ASSIGN(const SmallTable table, ask_small(graph, sparql, 1, context));
  return table.rows.empty() ? 0 : table.number(0, 0);
}

std::string in_query(std::string_view iri) { return rdf::to_ntriples(rdf::TermView::iri(iri)); }

std::variant<ReadName, ToolError> read_name(std::string_view text, NameKind kind,
                                            const GraphSource& graph, const OpContext& context) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty() || text.size() > kNameBytesMax || utf8_valid_prefix(text) != text.size()) {
    return ToolError(Error{ErrorCode::InvalidInput, "this is no name of anything",
                           "give an IRI, a prefixed name (ex:Thing) or a few words"});
  }
  if (auto other = no_name(text)) return ToolError(*std::move(other));
  std::string_view inner = text;
  if (inner.size() > 2 && inner.front() == '<' && inner.back() == '>') {
    inner = inner.substr(1, inner.size() - 2);
  }
  std::vector<std::string> readings;  // an absolute IRI first, then a prefixed name
  const auto expanded = inner == text ? expand(inner, graph.prefixes()) : std::nullopt;
  if (!find_bad_iri_character(inner)) {
    if (expanded && !find_bad_iri_character(*expanded)) readings.push_back(*expanded);
    if (has_iri_scheme(inner)) readings.emplace_back(inner);
  }
  for (std::string& iri : readings) {
    const auto is_known = graph.has_term(rdf::TermView::iri(iri), context);
    if (!is_known) return ToolError(is_known.error());
    if (*is_known) return ReadName{std::move(iri), {}};
  }
  if (readings.empty()) return read_words(text, kind, graph, context);
  return unknown_name(text, kind, graph,
                      nearest_names(readings.front(), kind, graph, kNearest, context));
}

std::string show_hit(const NameHit& hit, const PrefixList& prefixes) {
  std::string shown = show_term(rdf::TermView::iri(hit.iri), prefixes);
  if (!hit.label.empty() && !hit.iri.ends_with(hit.label)) {
    shown += fmt::format(" \"{}\"", hit.label);
  }
  return shown;
}

std::vector<std::string> labels_of(const std::vector<std::string>& iris, const GraphSource& graph,
                                   const OpContext& context) {
  std::vector<std::string> labels(iris.size());
  if (iris.empty()) return labels;
  std::string values;
  for (const std::string& iri : iris) values += in_query(iri) + " ";
  const auto table =
      ask_small(graph,
                fmt::format("SELECT ?s ?l {{ VALUES ?s {{ {} }} ?s {} ?l FILTER(isLiteral(?l)) }}",
                            values, in_query(std::string(rdf::kRdfs) + "label")),
                iris.size() * 20, context);
  if (!table) return labels;
  std::map<std::string_view, const rdf::Term*> best;
  const auto rank = [](const rdf::Term& term) {
    return term.language.empty() ? 1 : term.language.starts_with("en") ? 0 : 2;
  };
  for (const Cells& row : table->rows) {
    const auto [place, is_new] = best.emplace(row[0]->value, &*row[1]);
    if (!is_new && rank(*row[1]) < rank(*place->second)) place->second = &*row[1];
  }
  for (std::size_t i = 0; i < iris.size(); ++i) {
    if (const auto found = best.find(iris[i]); found != best.end()) {
      labels[i] = found->second->value;
    }
  }
  return labels;
}

ShownPrefixes shown_prefixes(const GraphSource& graph) {
  return PreparedPrefixes::shared().of(graph);
}

std::string to_one_line(std::string_view text) {
  std::string line;
  for (char c : text) {
    if (c == '\n') c = ' ';
    if (c != ' ' || !line.ends_with(' ')) line += c;
  }
  return line;
}

namespace {

std::string query_call(const ToolCall& call) {
  if (!call.arguments.has("handle")) return "sparql_query";
  return fmt::format("g_query handle={}", call.arguments.text("handle"));
}

}  // namespace

std::string query_usage(const ToolCall& call, std::string_view query) {
  std::string quoted;
  for (const char c : to_one_line(query)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return fmt::format("{} query=\"{}\"", query_call(call), quoted);
}

DataLine query_from_data(const ToolCall& call, std::string_view query) {
  return {query_usage(call, query), query_call(call), "suggested_query", to_one_line(query)};
}

ShownPrefixes kept_prefixes(const GraphSource& graph) {
  constexpr std::size_t kKept = 300;
  ShownPrefixes prefixes = shown_prefixes(graph);
  if (prefixes.list().size() <= kKept) return prefixes;
  PrefixList first = prefixes.list();
  first.resize(kKept);
  return first;
}

OpContext with_share(const OpContext& context, double share, Env& env) {
  OpContext part = context;
  if (context.deadline.is_never()) return part;
  const auto left = std::chrono::duration<double, std::nano>(context.deadline.remaining());
  part.deadline = Deadline(env.clock(), Duration(static_cast<std::int64_t>(left.count() * share)));
  return part;
}

}  // namespace helve::toolkit
