// Evaluation tests of updates, on a store that changes. Their syntax is in sparql_syntax_tests.cc.
#include <fmt/format.h>

#include "sources/rdf/isomorphism.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/live/live_store.h"
#include "tests/conformance/sparql_data.h"
#include "tests/conformance/sparql_texts.h"
#include "tests/conformance/test_types.h"

namespace helve::conformance {

namespace {

using sparql::GraphChoice;
using sparql::Part;

std::string ut(std::string_view name) {
  return fmt::format("http://www.w3.org/2009/sparql/tests/test-update#{}", name);
}

Result<void> add_graph_file(const Manifest& manifest, const std::string& iri,
                            const std::string& graph, TestData& data) {
  HELVE_ASSIGN(const auto path, manifest.path_of(iri));
  return data.add(path, manifest.base_of(iri), graph);
}

// The data before, or after: both are written in the same way.
Result<TestData> state_of(const Manifest& manifest, const rdf::Term& node) {
  TestData data;
  for (const rdf::Term& file : manifest.objects_of(node.view(), ut("data"))) {
    HELVE_TRY(add_graph_file(manifest, file.value, "", data));
  }
  for (const rdf::Term& graph : manifest.objects_of(node.view(), ut("graphData"))) {
    const auto file = manifest.object_of(graph.view(), ut("graph"));
    const auto label = manifest.object_of(graph.view(), std::string(rdf::kRdfs) + "label");
    if (!file || !label) return Error{ErrorCode::InvalidInput, "a graph has no file or no name"};
    HELVE_TRY(add_graph_file(manifest, file->value, label->value, data));
  }
  return data;
}

Result<void> gather(const sparql::Snapshot& data, GraphChoice graph, const rdf::TermView& name,
                    rdf::QuadSet& quads) {
  const auto scan = data.scan({{}, {}, {}, graph}, std::nullopt, sparql::kTripleParts);
  sparql::QuadBatch batch;
  std::array<std::string, 3> scratch;
  while (scan->next(batch, sparql::QuadBatch::kRows)) {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      HELVE_TRY(quads.statement({data.term(batch[Part::Subject][row], scratch[0]),
                                 data.term(batch[Part::Predicate][row], scratch[1]),
                                 data.term(batch[Part::Object][row], scratch[2]), name}));
    }
  }
  return {};
}

// All graphs. An empty one is as good as none.
Result<rdf::QuadSet> quads_of(const sparql::Snapshot& data) {
  rdf::QuadSet quads;
  HELVE_TRY(gather(data, {GraphChoice::Kind::Default, {}}, rdf::TermView::iri(""), quads));
  std::string scratch;
  for (const sparql::Id graph : data.named_graphs()) {
    HELVE_TRY(gather(data, {GraphChoice::Kind::One, graph}, data.term(graph, scratch), quads));
  }
  return quads;
}

Result<void> run_update_evaluation(const Manifest& manifest, const TestCase& test,
                                   sparql::Version version) {
  const auto request = manifest.object_of(test.action.view(), ut("request"));
  if (!request) return Error{ErrorCode::InvalidInput, "the test has no ut:request"};
  HELVE_ASSIGN(const auto path, manifest.path_of(request->value));
  HELVE_ASSIGN(const std::string text, read_file(path));
  HELVE_ASSIGN(
      const sparql::ParsedUpdate parsed,
      sparql::parse_update(text, strict_options(manifest.base_of(request->value), version)));
  HELVE_ASSIGN(const TestData before, state_of(manifest, test.action));
  HELVE_ASSIGN(const TestData after, state_of(manifest, test.result));
  HELVE_ASSIGN(const auto base, before.make_snapshot());
  HELVE_ASSIGN(const auto store, store::LiveStore::in_memory(base));
  const OpContext context;
  store::UpdateOptions options;
  options.load = [](const std::string& iri, const OpContext&) -> Result<rdf::Document> {
    return Error{ErrorCode::NotFound, fmt::format("there is no <{}>", iri)};
  };
  HELVE_TRY(store->update(parsed.update, options, context));
  HELVE_ASSIGN(const rdf::QuadSet met, quads_of(*store->snapshot()));
  HELVE_ASSIGN(const BackendData expected_data, after.make());
  HELVE_ASSIGN(const rdf::QuadSet expected, quads_of(*expected_data.front()));
  HELVE_ASSIGN(const bool is_same, rdf::are_isomorphic(expected, met));
  if (is_same) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} statements after the update, not the {} that are expected",
                           met.quads().size(), expected.quads().size())};
}

}  // namespace

void add_sparql_update_tests(TestTypes& types, sparql::Version version) {
  types[std::string(kManifest) + "UpdateEvaluationTest"] = [version](const Manifest& manifest,
                                                                     const TestCase& test) {
    return run_update_evaluation(manifest, test, version);
  };
}

}  // namespace helve::conformance
