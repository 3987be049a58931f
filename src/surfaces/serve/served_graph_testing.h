// A graph as it is served, and a place for answers, for the tests of this folder.
#pragma once

#include <string>
#include <string_view>

#include "base/env.h"
#include "sources/store/dataset.h"
#include "sources/store/local_graph.h"
#include "surfaces/serve/answer.h"
#include "tests/support/graph/graph_of.h"

namespace helve::serve {

inline constexpr std::string_view kZoo = R"(
@prefix zoo: <http://example.org/zoo#> .
zoo:leo a zoo:Cat ; zoo:name "Leo" .
zoo:mia a zoo:Cat ; zoo:name "Mia" .
zoo:rex a zoo:Dog .
zoo:night { zoo:leo zoo:sleeps true }
zoo:day { zoo:mia zoo:sleeps false . zoo:rex zoo:sleeps false }
)";

inline ServedGraph served(std::string_view trig = kZoo) {
  ServedGraph graph;
  graph.source = testing::graph_of(trig);
  graph.data = store::as_dataset(store::snapshot_of(*graph.source));
  graph.env = &real_env();
  return graph;
}

class GatheredAnswer final : public AnswerOut {
 public:
  void begin(Headers headers) override { head_ = std::move(headers); }
  Result<void> write(std::string_view bytes) override {
    body_ += bytes;
    return {};
  }
  Result<void> flush() override { return {}; }

  const std::string& body() const { return body_; }
  std::string header(std::string_view name) const { return find(head_, name); }
  static std::string find(const Headers& headers, std::string_view name) {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }

 private:
  Headers head_;
  std::string body_;
};

}  // namespace helve::serve
