#include "tests/toolkit/exploration.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "tests/toolkit/naive_tools.h"

namespace helve::proofs {

namespace {

constexpr std::uint64_t kSearchChars = 2'000;
constexpr std::uint64_t kGetChars = 6'000;

// The first member of that name in the items of a list: "uri" of "top_classes".
std::vector<std::string> texts_of(const JsonValue& reply, const char* list, const char* member) {
  std::vector<std::string> texts;
  const JsonValue* items = reply.find(list);
  if (items == nullptr || items->if_array() == nullptr) return texts;
  for (const JsonValue& item : *items->if_array()) texts.push_back(text_at(item, member));
  return texts;
}

class Explorer {
 public:
  explicit Explorer(std::shared_ptr<const GraphSource> graph) : graph_(std::move(graph)) {
    bench_.add(graph_);
  }

  Exploration run() {
    Exploration result{graph_->info().name, 0, {}};
    const Answer overview = step("overview", "sparql_schema", {},
                                 {"SELECT ?class (COUNT(*) AS ?n) { ?s a ?class } GROUP BY ?class",
                                  "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p"});
    step("classes", "sparql_schema", {{"output_mode", JsonValue("classes")}},
         {"SELECT DISTINCT ?class ?label { ?s a ?class OPTIONAL { ?class rdfs:label ?label } }"});
    const JsonValue* triples = overview.json.find("triples");
    if (triples != nullptr) result.triples = triples->to_uint64().value_or(0);
    auto classes = texts_of(overview.json, "top_classes", "uri");
    classes.resize(std::min<std::size_t>(classes.size(), 2));
    for (const std::string& name : classes) look_at(name);
    result.steps = std::move(steps_);
    return result;
  }

 private:
  using Arguments = std::vector<std::pair<std::string, JsonValue>>;

  void look_at(const std::string& name) {
    const Answer peek =
        step("peek", "sparql_peek", {{"resource", JsonValue(name)}},
             {fmt::format("SELECT ?s ?p ?o {{ {{ SELECT DISTINCT ?s {{ ?s a {} }} LIMIT 5 }} "
                          "?s ?p ?o }}",
                          name)});
    const auto instances = texts_of(peek.json, "sample_instances", "uri");
    const bool has_name = !instances.empty() && !instances.front().starts_with("_:");
    const std::string one = has_name ? instances.front() : name;
    step("describe", "sparql_describe", {{"resource", JsonValue(one)}},
         {fmt::format("SELECT ?p ?o {{ {} ?p ?o }}", one),
          fmt::format("SELECT ?s ?p {{ ?s ?p {} }}", one)});
    const std::string query = fmt::format("SELECT ?x ?p ?o WHERE {{ ?x a {} ; ?p ?o }}", name);
    const Answer rows = step("query", "sparql_query", {{"query", JsonValue(query)}}, {query});
    const JsonValue key(rows.text("key"));
    // Who was given all rows needs no pages of them.
    step("slice", "sparql_slice",
         {{"result", key}, {"offset", JsonValue(20)}, {"limit", JsonValue(10)}}, {});
    const std::string sql = fmt::format(
        "SELECT p, count(*) AS n, count(DISTINCT x) AS things FROM {} GROUP BY p ORDER BY n DESC",
        rows.text("key"));
    step("result_sql", "result_sql", {{"sql", JsonValue(sql)}},
         {fmt::format("SELECT ?p (COUNT(*) AS ?n) (COUNT(DISTINCT ?x) AS ?things) {{ ?x a {} ; ?p "
                      "?o }} GROUP BY ?p ORDER BY DESC(?n)",
                      name)});
  }

  Answer step(const char* name, const char* tool, Arguments arguments,
              const std::vector<std::string>& naive) {
    const JsonValue call = object_of(std::move(arguments));
    Answer answer = bench_.call(tool, call);
    ExploredStep done{name, tool, to_json(call)};
    done.text_chars = utf8_length(answer.reply.text);
    done.json_chars = utf8_length(answer.reply.json);
    done.cap = std::string_view(tool) == "sparql_slice" ? kGetChars : kSearchChars;
    done.is_error = answer.is_error();
    done.reply = answer.reply.text;
    if (const auto handle = bench_.handles().get(answer.text("key"), {});
        handle && std::string_view(tool) != "sparql_slice") {
      done.stored_chars = handle->ref.sz;
    }
    for (const std::string& query : naive) {
      done.naive_chars += utf8_length(naive_results(*graph_, query));
    }
    steps_.push_back(std::move(done));
    return answer;
  }

  Workbench bench_;
  std::shared_ptr<const GraphSource> graph_;
  std::vector<ExploredStep> steps_;
};

struct Sums {
  std::uint64_t calls = 0;
  std::uint64_t text = 0;
  std::uint64_t most = 0;
  std::uint64_t stored = 0;
  std::uint64_t naive = 0;

  void add(const ExploredStep& step) {
    ++calls;
    text += step.text_chars;
    most = std::max(most, step.text_chars);
    stored += step.stored_chars;
    naive += step.naive_chars;
  }
  std::string line(const std::string& name) const {
    const double times = text == 0 ? 0 : static_cast<double>(naive) / static_cast<double>(text);
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {:.1f} |\n", name, calls,
                       format_count(text), format_count(calls == 0 ? 0 : text / calls),
                       format_count(most), format_count(stored), format_count(naive), times);
  }
};

}  // namespace

Exploration explore(std::shared_ptr<const GraphSource> graph) {
  return Explorer(std::move(graph)).run();
}

std::string leakage_table(const std::vector<Exploration>& explorations) {
  constexpr const char* kHead =
      " | replies | characters | on average | longest | kept behind handles | naive tools | times "
      "|\n|---|---:|---:|---:|---:|---:|---:|---:|\n";
  std::string table = std::string("| graph") + kHead;
  Sums all;
  std::vector<std::pair<std::string, Sums>> by_step;
  for (const Exploration& one : explorations) {
    Sums sums;
    for (const ExploredStep& step : one.steps) {
      sums.add(step);
      all.add(step);
      auto place = std::find_if(by_step.begin(), by_step.end(),
                                [&](const auto& known) { return known.first == step.name; });
      if (place == by_step.end()) place = by_step.insert(by_step.end(), {step.name, {}});
      place->second.add(step);
    }
    table += sums.line(fmt::format("{} ({} triples)", one.graph, format_count(one.triples)));
  }
  table += all.line("all") + "\n| step" + kHead;
  for (const auto& [name, sums] : by_step) table += sums.line(name);
  return table;
}

}  // namespace helve::proofs
