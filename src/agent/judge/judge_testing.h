// Tables made of words, and judges on the sample graph and a small database, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/judge/judge.h"
#include "tests/support/fake_env.h"
#include "tests/support/graph/far_graph.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/tables/fake_tables.h"
#include "tests/support/test_data.h"
#include "toolkit/handles/row_table.h"

namespace helve::agent {

inline constexpr std::string_view kXsd = "http://www.w3.org/2001/XMLSchema#";

// "" is unbound, "_:x" a blank node, "<x>" an IRI, "x@en" a text with a language, "5^integer" a
// literal of a type of XSD; all else a text.
inline std::optional<rdf::Term> term_of(const std::string& word) {
  if (word.empty()) return std::nullopt;
  if (word.starts_with("_:")) return rdf::Term(rdf::TermView::blank(word.substr(2)));
  if (word.starts_with('<')) return rdf::Term(rdf::TermView::iri(word));
  if (const std::size_t at = word.find('@'); at != std::string::npos) {
    return rdf::Term(rdf::TermView::lang_literal(word.substr(0, at), word.substr(at + 1)));
  }
  if (const std::size_t at = word.find('^'); at != std::string::npos) {
    const std::string type = std::string(kXsd) + word.substr(at + 1);
    return rdf::Term(rdf::TermView::literal(word.substr(0, at), type));
  }
  return rdf::Term(rdf::TermView::literal(word));
}

using Words = std::vector<std::string>;

inline toolkit::RowTablePtr table_of(const Words& columns, const std::vector<Words>& rows) {
  const OpContext context;
  toolkit::RowTableBuilder builder({}, context);
  EXPECT_TRUE(builder.columns(columns).has_value());
  for (const Words& row : rows) {
    std::vector<std::optional<rdf::Term>> terms;
    std::vector<std::optional<rdf::TermView>> cells;
    for (const std::string& word : row) terms.push_back(term_of(word));
    for (const auto& term : terms) {
      cells.push_back(term ? std::optional(term->view()) : std::nullopt);
    }
    EXPECT_TRUE(builder.row(cells).has_value());
  }
  return builder.finish();
}

// The sample and tables behind a toolkit.
class JudgeTest : public ::testing::Test {
 protected:
  JudgeTest() {
    auto made = toolkit::Toolkit::make({}, env_, helve::testing::graph_factory());
    EXPECT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    EXPECT_TRUE(toolkit_->add_source(sample()).has_value());
  }

  static std::shared_ptr<const GraphSource> sample() {
    static const auto graph = [] {
      const auto file =
          real_env().files().map(helve::testing::repository_path("examples/solar-system.trig"));
      EXPECT_TRUE(file.has_value());
      return helve::testing::graph_of((*file)->text(), "sample");
    }();
    return graph;
  }

  // The sample as an endpoint that can be made to fail, by the name "far".
  std::shared_ptr<helve::testing::FarGraph> add_far() {
    auto far = std::make_shared<helve::testing::FarGraph>(sample(), "far");
    EXPECT_TRUE(toolkit_->add_source(far).has_value());
    return far;
  }

  JudgeParts parts(const std::string& source = "sample") { return {*toolkit_, caller_, source}; }

  static TaskCase task_of(const std::string& reference) {
    TaskCase task;
    task.id = "t1";
    task.question = "Which moons has Mars?";
    task.reference = reference;
    return task;
  }
  static JudgedAnswer answer_of(const std::string& query) {
    JudgedAnswer answer;
    answer.content = "Phobos and Deimos";
    answer.query = query;
    return answer;
  }

  FakeEnv env_;
  toolkit::Caller caller_;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
};

}  // namespace helve::agent
