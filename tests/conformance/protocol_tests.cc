// Tests of the SPARQL Protocol, the Graph Store Protocol and service descriptions, each against a
// server that listens on this machine.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sources/rdf/vocabulary.h"
#include "surfaces/serve/answer.h"
#include "tests/conformance/test_server.h"
#include "tests/conformance/test_types.h"

namespace helve::conformance {

namespace {

constexpr std::string_view kSd = "http://www.w3.org/ns/sparql-service-description#";

std::string update_term(std::string_view name) {
  return fmt::format("http://www.w3.org/2009/sparql/tests/test-update#{}", name);
}

// The graphs that a test wants to find.
Result<TestData> graphs_of(const Manifest& manifest, const TestCase& test) {
  TestData data;
  for (const rdf::Term& graph :
       manifest.objects_of(rdf::TermView::iri(test.iri), update_term("graphData"))) {
    const auto file = manifest.object_of(graph.view(), update_term("graph"));
    const auto label = manifest.object_of(graph.view(), std::string(rdf::kRdfs) + "label");
    if (!file || !label) return Error{ErrorCode::InvalidInput, "a graph has no file or no name"};
    HELVE_ASSIGN(const auto path, manifest.path_of(file->value));
    HELVE_TRY(data.add(path, manifest.base_of(file->value), label->value));
  }
  return data;
}

Result<void> run_exchanges(const Manifest& manifest, const TestCase& test, std::string_view written,
                           std::string_view served) {
  HELVE_ASSIGN(std::vector<HttpExchange> exchanges, read_exchanges(manifest, test));
  HELVE_ASSIGN(const TestData data, graphs_of(manifest, test));
  HELVE_ASSIGN(const auto server, TestServer::start(data));
  for (HttpExchange& exchange : exchanges) {
    exchange.target = with_path(exchange.target, written, served);
    HELVE_TRY(server->check(std::move(exchange)));
  }
  return {};
}

// Tests without an action are the steps of one session: each begins where the one before ended.
class Session {
 public:
  Result<void> run(const Manifest& manifest, const TestCase& test) {
    if (server_ == nullptr) {
      HELVE_ASSIGN(server_, TestServer::start({}));
    }
    HELVE_ASSIGN(HttpExchange exchange, read_exchange_text(manifest, test, std::string(kTestHost),
                                                           std::string(serve::kGraphsPath)));
    return server_->check(std::move(exchange));
  }

 private:
  std::unique_ptr<TestServer> server_;
};

// https://www.w3.org/ns/sparql-service-description: a property, the class of its subjects, that of
// its values; empty: any.
struct SchemaProperty {
  std::string_view name;
  std::string_view domain;
  std::string_view range;
};
constexpr SchemaProperty kSchema[] = {{"endpoint", "Service", ""},
                                      {"feature", "Service", ""},
                                      {"defaultEntailmentRegime", "Service", ""},
                                      {"extensionFunction", "Service", ""},
                                      {"extensionAggregate", "Service", ""},
                                      {"languageExtension", "Service", ""},
                                      {"supportedLanguage", "Service", ""},
                                      {"propertyFeature", "Service", ""},
                                      {"defaultDataset", "Service", "Dataset"},
                                      {"availableGraphs", "Service", "GraphCollection"},
                                      {"resultFormat", "Service", ""},
                                      {"inputFormat", "Service", ""},
                                      {"defaultGraph", "Dataset", "Graph"},
                                      {"namedGraph", "Dataset", "NamedGraph"},
                                      {"entailmentRegime", "NamedGraph", ""},
                                      {"name", "NamedGraph", ""},
                                      {"graph", "NamedGraph", "Graph"}};

class ServiceDescription {
 public:
  static Result<ServiceDescription> get(const TestServer& server, const std::string& accept,
                                        rdf::Format format) {
    const mcp::RawAnswer answer = server.describe(accept);
    const std::string type = answer.header("content-type");
    if (answer.status != 200 || !type.starts_with(accept)) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{}: {} {}", accept, answer.status, answer.body.substr(0, 300))};
    }
    ServiceDescription description;
    HELVE_TRY(rdf::read_document(format, answer.body, {}, {}, description.graph_));
    return description;
  }

  std::size_t statements() const { return graph_.quads().size(); }

  bool has_endpoint(std::string_view address) const {
    return std::any_of(graph_.quads().begin(), graph_.quads().end(), [&](const auto& quad) {
      const rdf::StatementView statement = graph_.view(quad);
      return statement.predicate.value == std::string(kSd) + "endpoint" &&
             statement.object.value == address && has_type(quad[0], "Service");
    });
  }

  Result<void> check_schema() const {
    for (const rdf::QuadIndexes& quad : graph_.quads()) {
      std::string_view predicate = graph_.term(quad[1]).value;
      if (!predicate.starts_with(kSd)) continue;
      predicate.remove_prefix(kSd.size());
      const auto* const property =
          std::find_if(std::begin(kSchema), std::end(kSchema),
                       [&](const SchemaProperty& known) { return known.name == predicate; });
      if (property == std::end(kSchema) || !has_type(quad[0], property->domain) ||
          (!property->range.empty() && !has_type(quad[2], property->range))) {
        return Error{ErrorCode::InvalidInput,
                     fmt::format("sd:{} is not used as the vocabulary says", predicate)};
      }
    }
    return {};
  }

 private:
  bool has_type(rdf::TermIndex subject, std::string_view type) const {
    return std::any_of(graph_.quads().begin(), graph_.quads().end(), [&](const auto& quad) {
      return quad[0] == subject && graph_.term(quad[1]).value == rdf::kRdfType &&
             graph_.term(quad[2]).value == std::string(kSd).append(type);
    });
  }

  rdf::QuadSet graph_;
};

// These tests are sentences without data.
Result<void> describe(const TestCase& test) {
  HELVE_ASSIGN(const auto server, TestServer::start({}));
  HELVE_ASSIGN(const auto turtle,
               ServiceDescription::get(*server, "text/turtle", rdf::Format::Turtle));
  if (test.iri.ends_with("#has-endpoint-triple")) {
    if (turtle.has_endpoint(fmt::format("http://{}{}", kTestHost, serve::kEndpointPath))) return {};
    return Error{ErrorCode::InvalidInput, "the endpoint is not named"};
  }
  if (test.iri.ends_with("#conforms-to-schema")) return turtle.check_schema();
  if (!test.iri.ends_with("#returns-rdf")) {
    return Error{ErrorCode::InvalidInput, "not one of the three tests that are known"};
  }
  HELVE_ASSIGN(const auto xml,
               ServiceDescription::get(*server, "application/rdf+xml", rdf::Format::RdfXml));
  if (turtle.statements() > 0 && xml.statements() == turtle.statements()) return {};
  return Error{ErrorCode::InvalidInput, "the formats do not tell the same"};
}

}  // namespace

void add_protocol_tests(TestTypes& types) {
  const auto type = [](std::string_view name) { return std::string(kManifest).append(name); };
  types[type("ProtocolTest")] = [](const Manifest& manifest, const TestCase& test) {
    return run_exchanges(manifest, test, "/sparql/", serve::kEndpointPath);
  };
  types[type("GraphStoreProtocolTest")] = [session = std::make_shared<Session>()](
                                              const Manifest& manifest, const TestCase& test) {
    if (test.action.value.empty()) return session->run(manifest, test);
    return run_exchanges(manifest, test, "/gsp", serve::kGraphsPath);
  };
  types[type("ServiceDescriptionTest")] = [](const Manifest& /*manifest*/, const TestCase& test) {
    return describe(test);
  };
}

}  // namespace helve::conformance
