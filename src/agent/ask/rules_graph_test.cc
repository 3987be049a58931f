// builtin:rules on the sample graph, with the questions it was made with.
#include <cstdlib>
#include <iostream>
#include <map>

#include "agent/ask/rules_questions.h"
#include "agent/ask/rules_testing.h"

namespace helve::agent {
namespace {

class RulesOnSample : public RulesTest {
 protected:
  RulesOnSample() {
    static const auto sample = helve::testing::graph_of(sample_text(), "sample");
    graph_ = sample;
  }

  // Right answers by level.
  std::map<unsigned, std::size_t> solved(std::string_view layers, std::uint64_t seed) {
    std::map<unsigned, std::size_t> right;
    for (const RulesQuestion& one : kRulesQuestions) {
      const AskResult result = ask_rules(one.question, layers, seed);
      const bool is_good = is_right(result, one.reference);
      if (is_good) ++right[one.level];
      if (std::getenv("HELVE_RULES_SHOW") != nullptr) {
        std::cout << (is_good ? "ok   " : "FAIL ") << layers << " " << one.level << " "
                  << one.question << "  steps " << result.run.iterations << "\n";
        if (!is_good) std::cout << result.run.query << "\n  -> " << result.run.content << "\n";
      }
    }
    return right;
  }
};

TEST_F(RulesOnSample, Development) {
  for (const std::string_view layers : {"none", "L0", "L1", "L0,L1", "all"}) {
    auto right = solved(layers, 0);
    std::cout << layers << ": " << right[1] << " " << right[2] << " " << right[3] << "\n";
  }
}

}  // namespace
}  // namespace helve::agent
