// The layers L0 and L1 of a file, for cards_test.py: context_cards NAME FILE [L0:L1 ...]. A line of
// JSON for each pair of budgets, and before them one with the queries that were asked.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "tests/support/graph/counting_graph.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/context/constraint_file.h"
#include "toolkit/context/schema_constraints.h"
#include "toolkit/context/sense_card.h"

namespace {

using namespace helve;

[[noreturn]] void fail(std::string_view message) {
  fmt::print(stderr, "context_cards: {}\n", message);
  std::exit(1);
}

std::size_t number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) fail("budgets are L0:L1");
  return number;
}

void write_layer(JsonWriter& json, std::string_view name, const context::LayerText& layer) {
  json.key(name);
  json.begin_object();
  json.member("text", layer.text);
  json.member("chars", static_cast<std::uint64_t>(layer.chars));
  json.member("left_out", static_cast<std::uint64_t>(layer.left_out));
  json.key("parts");
  json.begin_array();
  for (const auto& [part, chars] : layer.parts) json.value(part);
  json.end_array();
  json.end_object();
}

void print_cards(const context::GraphFacts& facts, std::string_view budgets) {
  const std::size_t colon = budgets.find(':');
  if (colon == std::string_view::npos) fail("budgets are L0:L1");
  const std::size_t l0 = number_of(budgets.substr(0, colon));
  const std::size_t l1 = number_of(budgets.substr(colon + 1));
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("l0_budget", static_cast<std::uint64_t>(l0));
  json.member("l1_budget", static_cast<std::uint64_t>(l1));
  write_layer(json, "l0", context::pack_sense_card(facts, l0));
  write_layer(json, "l1",
              context::pack_schema_constraints(facts, context::find_constraints(facts), l1));
  json.end_object();
  fmt::print("{}\n", out);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) fail("context_cards NAME FILE [L0:L1 ...]");
  const auto opened = testing::graph_of_file(words[1]);
  if (!opened) fail(opened.error().message);
  const testing::CountingGraph graph(*opened);
  auto facts = context::gather_facts(graph, {});
  if (!facts) fail(facts.error().message);
  facts->name = words[0];
  fmt::print("{{\"queries\": {}, \"rows\": {}}}\n", graph.queries(), graph.rows());
  for (std::size_t i = 2; i < words.size(); ++i) print_cards(*facts, words[i]);
  if (words.size() == 2) print_cards(*facts, "600:1000");
  return 0;
}
