// What the layers L0 and L1 of a file take, once it is open: helve_context_cost FILE ROUNDS. Each
// round takes a graph that nothing was asked of yet, so that its schema is made anew. Prints a line
// of JSON: the first round, the median and the least of all, the facts and the texts. context.py
// compares.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/json_writer.h"
#include "sources/rdf/document.h"
#include "sources/store/loader.h"
#include "sources/store/local_graph.h"
#include "toolkit/context/constraint_file.h"
#include "toolkit/context/schema_constraints.h"
#include "toolkit/context/sense_card.h"

namespace {

using namespace helve;

[[noreturn]] void fail(const Error& error) {
  fmt::print(stderr, "context_cost: {}\n", error.message);
  std::exit(1);
}

double microseconds(MonotonicTime from) {
  return std::chrono::duration<double, std::micro>(real_clock().now() - from).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

std::shared_ptr<const store::Snapshot> load(const std::string& path) {
  auto document = rdf::open_document(real_env(), path, {}, {});
  if (!document) fail(document.error());
  std::vector<rdf::Document> documents;
  documents.push_back(*std::move(document));
  auto loaded = store::load_documents(std::move(documents), {}, {});
  if (!loaded) fail(loaded.error());
  return std::move(loaded->snapshot);
}

struct Round {
  double schema_us = 0;
  double facts_us = 0;
  double texts_us = 0;
  context::GraphFacts facts;
  std::string l0;
  std::string l1;
};

Round run_round(const std::shared_ptr<const store::Snapshot>& snapshot, const std::string& name) {
  const auto graph = store::make_local_graph(snapshot, {name, name, "helve", {}, {}, {}, false});
  if (!graph) fail(graph.error());
  Round round;
  MonotonicTime start = real_clock().now();
  if (const auto schema = (*graph)->schema({}); !schema) fail(schema.error());
  round.schema_us = microseconds(start);
  start = real_clock().now();
  auto facts = context::gather_facts(**graph, {});
  if (!facts) fail(facts.error());
  round.facts_us = microseconds(start);
  start = real_clock().now();
  round.l0 = context::pack_sense_card(*facts).text;
  round.l1 = context::pack_schema_constraints(*facts, context::find_constraints(*facts)).text;
  round.texts_us = microseconds(start);
  round.facts = *std::move(facts);
  return round;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail({ErrorCode::InvalidInput, "context_cost FILE ROUNDS", {}});
  const auto snapshot = load(argv[1]);
  std::vector<double> schema;
  std::vector<double> facts;
  std::vector<double> texts;
  std::vector<double> all;
  Round round;
  for (int i = 0; i < std::max(1, std::atoi(argv[2])); ++i) {
    round = run_round(snapshot, argv[1]);
    schema.push_back(round.schema_us);
    facts.push_back(round.facts_us);
    texts.push_back(round.texts_us);
    all.push_back(round.schema_us + round.facts_us + round.texts_us);
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("first_us", all.front());
  json.member("median_us", median(all));
  json.member("least_us", least(all));
  json.member("schema_us", least(schema));
  json.member("facts_us", least(facts));
  json.member("texts_us", least(texts));
  json.member("triples", round.facts.triples);
  json.member("classes", round.facts.class_count);
  json.member("named_classes", round.facts.named_class_count);
  json.member("properties", round.facts.property_count);
  json.member("annotation_only", round.facts.annotation_only_count);
  json.member("namespaces", round.facts.namespaces.total);
  json.member("disjoint", static_cast<std::uint64_t>(round.facts.disjoint.size()));
  json.member("inverses", static_cast<std::uint64_t>(round.facts.inverses.size()));
  json.member("cardinalities", static_cast<std::uint64_t>(round.facts.cardinalities.size()));
  json.member("l0", round.l0);
  json.member("l1", round.l1);
  json.end_object();
  fmt::print("{}\n", out);
  return 0;
}
