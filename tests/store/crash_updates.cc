#include "tests/store/crash_updates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace helve {

namespace {

using store::live_testing::Model;
using store::live_testing::Statement;
using Verb = GraphStep::Verb;

constexpr std::uint64_t kGraphs = 4;
constexpr std::uint64_t kValues = 10;  // of a Fill
constexpr std::uint64_t kStep = 1'000;
constexpr std::string_view kPrefix = "<urn:u/";
constexpr std::string_view kValue = "<urn:value>";
constexpr std::string_view kInteger = "\"^^<http://www.w3.org/2001/XMLSchema#integer>";

std::string graph_name(std::uint64_t graph) { return fmt::format("{}{}>", kPrefix, graph); }
std::string integer_term(std::uint64_t value) { return fmt::format("\"{}{}", value, kInteger); }
// That the graph is there.
Statement presence(const std::string& graph) { return {"", "", "", graph}; }

Model filling(const GraphStep& step, const std::string& id) {
  const std::string graph = graph_name(step.graph);
  Model model = {
      {fmt::format("<urn:f/{}>", id), "<urn:statements>", integer_term(step.count), graph}};
  for (std::uint64_t i = 0; i < step.count; ++i) {
    model.insert({fmt::format("<urn:f/{}/{}>", id, i), std::string(kValue),
                  integer_term(i % kValues), graph});
  }
  return model;
}

Model graph_of(const Model& all, const std::string& graph) {
  Model found;
  std::copy_if(all.begin(), all.end(), std::inserter(found, found.end()),
               [&](const Statement& one) { return one[3] == graph; });
  return found;
}

// All are taken away before any is put there: a subject may have several.
void change_values(const std::string& graph, Model& model) {
  Model changed;
  for (Statement one : graph_of(model, graph)) {
    if (one[1] != kValue) continue;
    model.erase(one);
    one[2] = integer_term(std::stoull(one[2].substr(1)) + kStep);
    changed.insert(std::move(one));
  }
  model.merge(changed);
}

void apply_step(const GraphStep& step, const std::string& id, Model& to) {
  const std::string graph = graph_name(step.graph);
  const std::string other = graph_name(step.other);
  const auto empty = [&](const std::string& name) {
    std::erase_if(to, [&](const Statement& one) { return one[3] == name; });
  };
  if (step.verb == Verb::Fill) {
    to.merge(filling(step, id));
    to.insert(presence(graph));
    return;
  }
  if (to.count(presence(graph)) == 0) return;
  switch (step.verb) {
    case Verb::Fill:
      return;
    case Verb::Change:
      return change_values(graph, to);
    case Verb::Thin:
      std::erase_if(to, [&](const Statement& one) {
        return one[3] == graph && one[1] == kValue && one[2] == integer_term(step.count);
      });
      return;
    case Verb::Clear:
    case Verb::Drop:
      empty(graph);
      if (step.verb == Verb::Clear) to.insert(presence(graph));
      return;
    case Verb::Copy:
    case Verb::Move:
    case Verb::Add:
      if (graph == other) return;
      if (step.verb != Verb::Add) empty(other);
      for (Statement one : graph_of(to, graph)) {
        one[3] = other;
        to.insert(one);
      }
      if (step.verb == Verb::Move) empty(graph);
  }
}

std::string sparql_of(const GraphStep& step, const std::string& id) {
  const std::string graph = graph_name(step.graph);
  const std::string other = graph_name(step.other);
  std::string text;
  switch (step.verb) {
    case Verb::Fill:
      text = fmt::format("INSERT DATA {{ GRAPH {} {{\n", graph);
      for (const Statement& one : filling(step, id)) {
        text += fmt::format("{} {} {} .\n", one[0], one[1], one[2]);
      }
      return text + "} }";
    case Verb::Change:
      return fmt::format(
          "WITH {0} DELETE {{ ?s {1} ?old }} INSERT {{ ?s {1} ?new }} "
          "WHERE {{ ?s {1} ?old BIND(?old + {2} AS ?new) }}",
          graph, kValue, kStep);
    case Verb::Thin:
      return fmt::format("DELETE WHERE {{ GRAPH {} {{ ?s {} {} }} }}", graph, kValue, step.count);
    case Verb::Clear:
      return fmt::format("CLEAR SILENT GRAPH {}", graph);
    case Verb::Drop:
      return fmt::format("DROP SILENT GRAPH {}", graph);
    case Verb::Copy:
      return fmt::format("COPY SILENT {} TO {}", graph, other);
    case Verb::Move:
      return fmt::format("MOVE SILENT {} TO {}", graph, other);
    case Verb::Add:
      return fmt::format("ADD SILENT {} TO {}", graph, other);
  }
  return text;
}

}  // namespace

std::string name_of(Verb verb) {
  constexpr std::array<std::string_view, kVerbs> kNames = {
      "INSERT DATA", "DELETE/INSERT WHERE", "DELETE WHERE", "CLEAR", "DROP", "COPY", "MOVE", "ADD"};
  return std::string(kNames[static_cast<std::size_t>(verb)]);
}

CrashUpdate CrashUpdate::make(std::string id,
                              const std::function<std::uint64_t(std::uint64_t)>& below) {
  CrashUpdate update{std::move(id), {}};
  const std::uint64_t steps = 1 + below(3);
  while (update.steps.size() < steps) {
    GraphStep step;
    // There must be something to take away.
    step.verb = below(3) == 0 ? Verb::Fill : static_cast<Verb>(below(kVerbs));
    step.graph = below(kGraphs);
    step.other = below(kGraphs);
    step.count = below(kValues) + kStep * below(3);
    if (step.verb == Verb::Fill) step.count = below(10) == 0 ? 800 : 1 + below(40);
    update.steps.push_back(step);
  }
  return update;
}

std::string CrashUpdate::to_line() const {
  std::string line = id;
  for (const GraphStep& step : steps) {
    line += fmt::format(" {} {} {} {}", static_cast<unsigned>(step.verb), step.graph, step.other,
                        step.count);
  }
  return line;
}

CrashUpdate CrashUpdate::from_line(const std::string& line) {
  CrashUpdate update;
  std::istringstream words(line);
  words >> update.id;
  unsigned verb = 0;
  GraphStep step;
  while (words >> verb >> step.graph >> step.other >> step.count) {
    step.verb = static_cast<Verb>(verb);
    update.steps.push_back(step);
  }
  return update;
}

std::string CrashUpdate::to_sparql() const {
  std::string text;
  for (const GraphStep& step : steps) text += sparql_of(step, id) + " ;\n";
  return text;
}

void CrashUpdate::apply(Model& to) const {
  for (const GraphStep& step : steps) apply_step(step, id, to);
}

Model updated_graphs(const sparql::Snapshot& data) {
  Model all = store::live_testing::contents_of(data);
  Model updated = take_updated_graphs(all);
  for (const store::Id graph : data.named_graphs()) {
    const std::string name = store::live_testing::text_of(data, graph);
    if (name.starts_with(kPrefix)) updated.insert(presence(name));
  }
  return updated;
}

Model take_updated_graphs(Model& from) {
  Model taken;
  for (auto at = from.begin(); at != from.end();) {
    const auto here = at++;
    if ((*here)[3].starts_with(kPrefix)) taken.insert(from.extract(here));
  }
  return taken;
}

}  // namespace helve
