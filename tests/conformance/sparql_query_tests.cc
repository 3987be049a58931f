// Evaluation tests of queries, each run on every backend. Syntax tests are in
// sparql_syntax_tests.cc.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "sources/rdf/vocabulary.h"
#include "tests/conformance/sparql_answer.h"
#include "tests/conformance/sparql_data.h"
#include "tests/conformance/sparql_services.h"
#include "tests/conformance/sparql_texts.h"
#include "tests/conformance/test_types.h"

namespace helve::conformance {

namespace {

std::string qt(std::string_view name) {
  return fmt::format("http://www.w3.org/2001/sw/DataAccess/tests/test-query#{}", name);
}

Result<void> add_file(const Manifest& manifest, const std::string& iri, const std::string& graph,
                      TestData& data) {
  HELVE_ASSIGN(const auto path, manifest.path_of(iri));
  return data.add(path, manifest.base_of(iri), graph);
}

// qt:graphData is the file, whose IRI names the graph, or a node with the file and its name.
Result<void> add_named_graph(const Manifest& manifest, const rdf::Term& graph, TestData& data) {
  const auto file = manifest.object_of(graph.view(), qt("graph"));
  if (!file) return add_file(manifest, graph.value, manifest.base_of(graph.value), data);
  const auto label = manifest.object_of(graph.view(), std::string(rdf::kRdfs) + "label");
  return add_file(manifest, file->value, label ? label->value : file->value, data);
}

// The action of a test, or one of its endpoints: both have qt:data.
Result<TestData> dataset_of(const Manifest& manifest, const rdf::Term& node) {
  TestData data;
  for (const rdf::Term& file : manifest.objects_of(node.view(), qt("data"))) {
    HELVE_TRY(add_file(manifest, file.value, "", data));
  }
  for (const rdf::Term& graph : manifest.objects_of(node.view(), qt("graphData"))) {
    HELVE_TRY(add_named_graph(manifest, graph, data));
  }
  return data;
}

// Graphs that only the query speaks of.
Result<void> add_query_graphs(const Manifest& manifest, const sparql::Query& query,
                              TestData& data) {
  for (const sparql::DatasetGraph& graph : query.dataset) {
    if (!data.has_graph(graph.iri)) HELVE_TRY(add_file(manifest, graph.iri, graph.iri, data));
  }
  return {};
}

using BackendServices = std::array<TestServices, kBackends.size()>;

Result<BackendServices> services_of(const Manifest& manifest, const rdf::Term& action) {
  BackendServices services;
  for (const rdf::Term& service : manifest.objects_of(action.view(), qt("serviceData"))) {
    HELVE_ASSIGN(const TestData data, dataset_of(manifest, service));
    HELVE_ASSIGN(const BackendData backends, data.make());
    const auto endpoint = manifest.object_of(service.view(), qt("endpoint"));
    if (!endpoint) return Error{ErrorCode::InvalidInput, "qt:serviceData without qt:endpoint"};
    for (std::size_t i = 0; i < backends.size(); ++i) {
      services[i].add(endpoint->value, backends[i]);
    }
  }
  return services;
}

bool is_lax(const Manifest& manifest, const TestCase& test) {
  const auto cardinality = manifest.object_of(rdf::TermView::iri(test.iri),
                                              std::string(kManifest) + "resultCardinality");
  return cardinality && cardinality->value == std::string(kManifest) + "LaxCardinality";
}

using PassSets = std::vector<sparql::PassSet>;

std::string name_of(const sparql::PassSet& passes) {
  if (passes == sparql::PassSet::none()) return " without any pass";
  std::string out;
  for (std::size_t i = 0; i < sparql::kPasses; ++i) {
    const auto pass = static_cast<sparql::Pass>(i);
    if (!passes.has(pass)) out += fmt::format(" without {}", sparql::name_of(pass));
  }
  return out;
}

Result<void> run_query_evaluation(const Manifest& manifest, const TestCase& test,
                                  sparql::Version version, const PassSets& pass_sets) {
  const auto query_file = manifest.object_of(test.action.view(), qt("query"));
  if (!query_file) return Error{ErrorCode::InvalidInput, "the test has no qt:query"};
  HELVE_ASSIGN(const sparql::Query query, parse_query_file(manifest, query_file->value, version));
  HELVE_ASSIGN(const auto result_path, manifest.path_of(test.result.value));
  HELVE_ASSIGN(const ExpectedAnswer expected,
               read_expected(result_path, manifest.base_of(test.result.value), query));
  HELVE_ASSIGN(TestData data, dataset_of(manifest, test.action));
  HELVE_TRY(add_query_graphs(manifest, query, data));
  HELVE_ASSIGN(const BackendData backends, data.make());
  HELVE_ASSIGN(BackendServices services, services_of(manifest, test.action));
  for (std::size_t i = 0; i < backends.size(); ++i) {
    for (const sparql::PassSet& passes : pass_sets) {
      const auto check = [&]() -> Result<void> {
        HELVE_ASSIGN(const Answer answer, answer_query(query, backends[i], services[i], passes));
        return check_answer(answer, expected, query, is_lax(manifest, test));
      };
      if (Result<void> checked = check(); !checked) {
        Error error = std::move(checked).error();
        error.message = fmt::format("on {}{}: {}", kBackends[i], name_of(passes), error.message);
        return error;
      }
    }
  }
  return {};
}

}  // namespace

void add_sparql_query_tests(TestTypes& types, sparql::Version version, const PassSets& passes) {
  for (const std::string_view type : {"QueryEvaluationTest", "CSVResultFormatTest"}) {
    types[std::string(kManifest) + std::string(type)] = [version, passes](const Manifest& manifest,
                                                                          const TestCase& test) {
      return run_query_evaluation(manifest, test, version, passes);
    };
  }
}

}  // namespace helve::conformance
