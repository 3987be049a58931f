#include "toolkit/tools/graph_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <set>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/well_known.h"

namespace helve::toolkit {

namespace {

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

// Columns that have a term in every row, whatever the data.
std::set<std::string> certain_columns(const sparql::Select& select) {
  const std::set<std::string> bound = sparql::certain_variables(select.body.where);
  std::set<std::string> certain;
  for (const std::string& name : sparql::result_variables(select)) {
    if (bound.contains(name)) certain.insert(name);
  }
  for (const sparql::SelectItem& item : select.items) {
    const auto* made = item.expression ? item.expression->if_is<sparql::Aggregate>() : nullptr;
    if (made != nullptr && made->kind == sparql::AggregateKind::Count) {
      certain.insert(item.variable.name);
    }
  }
  return certain;
}

// An endpoint may answer anything: rows that lack what every row must have are none of ours.
Result<void> check_rows(const sparql::Select& select, const std::string& source,
                        const SmallTable& table) {
  const std::set<std::string> certain = certain_columns(select);
  for (const Cells& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] || !certain.contains(table.columns[i])) continue;
      return Error{ErrorCode::Unavailable,
                   fmt::format("{} answered a small question with rows without ?{}", source,
                               table.columns[i]),
                   "the endpoint has a problem: sparql_query shows what it answers"};
    }
  }
  return {};
}

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
  const auto* select = std::get_if<sparql::Select>(&parsed.query.form);
  if (select != nullptr && graph.info().is_remote) {
    HELVE_TRY(check_rows(*select, graph.info().name, table));
  }
  table.has_more = run.has_more;
  table.boolean = run.boolean;
  return table;
}

Result<std::uint64_t> ask_number(const GraphSource& graph, const std::string& sparql,
                                 const OpContext& context) {
  HELVE_ASSIGN(const SmallTable table, ask_small(graph, sparql, 1, context));
  return table.rows.empty() ? 0 : table.number(0, 0);
}

bool is_far(const GraphSource& graph, const OpContext& context, std::uint64_t triples_max) {
  if (!graph.info().is_remote) return false;
  const auto schema = graph.schema(context);
  if (!schema) return true;
  const bool is_unknown = (*schema)->triples == 0 && !(*schema)->is_complete;
  return is_unknown || (*schema)->triples > triples_max;
}

std::string in_query(std::string_view iri) { return rdf::to_ntriples(rdf::TermView::iri(iri)); }

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
