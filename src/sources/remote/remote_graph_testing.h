// RemoteGraphTest: an endpoint whose answers are scripted, for the tests of RemoteGraph and of what
// it learns.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/percent.h"
#include "sources/remote/remote_graph.h"
#include "sources/sparql/algebra/parser.h"
#include "tests/support/fake_env.h"

namespace helve::remote {

inline constexpr const char* kJson = "application/sparql-results+json";

struct Rows final : RowSink {
  Result<void> columns(const std::vector<std::string>& new_names) override {
    names = new_names;
    return {};
  }
  Result<void> row(Row cells) override {
    values.push_back(cells[0] ? std::string(cells[0]->value) : "-");
    return {};
  }
  std::vector<std::string> names;
  std::vector<std::string> values;
};

struct Statements final : rdf::StatementSink {
  Result<void> statement(const rdf::StatementView& statement) override {
    objects.emplace_back(statement.object.value);
    return {};
  }
  std::vector<std::string> objects;
};

inline std::string numbers(int count, int first = 0) {
  std::string bindings;
  for (int i = first; i < first + count; ++i) {
    bindings += fmt::format(R"({}{{"x":{{"type":"literal","value":"{}"}}}})",
                            bindings.empty() ? "" : ",", i);
  }
  return fmt::format(R"({{"head":{{"vars":["x"]}},"results":{{"bindings":[{}]}}}})", bindings);
}

class RemoteGraphTest : public ::testing::Test {
 protected:
  RemoteGraphTest() {
    make();
    // An endpoint that is known already, and holds nothing.
    env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
      return HttpResponse{200, {{"content-type", kJson}}, numbers(0)};
    });
    EXPECT_TRUE(graph_->schema({}));
    env_.http().set_handler(nullptr);
    known_ = env_.http().requests().size();
  }
  // One of which nothing is known.
  void make() {
    SourceInfo info;
    info.name = "far";
    info.uri = "https://example.org/sparql";
    EndpointOptions options;
    options.name = info.name;
    options.url = info.uri;
    knowledge_ = std::make_shared<EndpointKnowledge>(ProfilePlace(), EndpointProfile(), env_);
    graph_ = make_remote_graph(*EndpointClient::make(options, env_, gates_, knowledge_), knowledge_,
                               info, env_);
  }
  static sparql::Query parsed(const std::string& text) { return sparql::parse_query(text)->query; }
  GraphRun select(const std::string& text, Rows& rows, std::uint64_t max = 1'000'000) {
    return graph_->run(parsed(text), max, rows, {});
  }
  // The queries that were sent.
  std::vector<std::string> asked() {
    std::vector<std::string> queries;
    const auto requests = env_.http().requests();
    for (std::size_t i = known_; i < requests.size(); ++i) {
      const HttpRequest& request = requests[i];
      queries.push_back(*percent_decoded(request.body.substr(request.body.find('=') + 1)));
    }
    return queries;
  }

  FakeEnv env_;
  std::shared_ptr<HostGates> gates_ = std::make_shared<HostGates>(env_.clock());
  std::shared_ptr<EndpointKnowledge> knowledge_;
  std::shared_ptr<const GraphSource> graph_;
  std::size_t known_ = 0;  // requests that were made to know it
};

}  // namespace helve::remote
