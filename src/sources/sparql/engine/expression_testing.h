// For tests of expressions: terms in Turtle's syntax, a query's context over a fake machine, and
// expressions built by hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/rdf/reader.h"
#include "sources/rdf/term.h"
#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/term_functions.h"
#include "tests/support/dataset/memory_dataset.h"
#include "tests/support/fake_env.h"

namespace helve::sparql {

// Terms as objects of Turtle, separated by commas: "\"a\"@en, 1, <http://x>, :y, true".
inline std::vector<rdf::Term> terms_of(std::string_view turtle) {
  class Objects final : public rdf::StatementSink {
   public:
    Result<void> statement(const rdf::StatementView& view) override {
      terms.emplace_back(view.object);
      return {};
    }
    std::vector<rdf::Term> terms;
  };
  if (turtle.empty()) return {};
  std::string text =
      "@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n:s "
      ":p ";
  text.append(turtle).append(" .");
  Objects objects;
  const OpContext context;
  const auto read = rdf::read_document(rdf::Format::Turtle, text, {}, context, objects);
  EXPECT_TRUE(read.has_value()) << turtle << ": " << (read ? "" : read.error().to_string());
  return std::move(objects.terms);
}

inline rdf::Term term(std::string_view turtle) { return terms_of(turtle).at(0); }

inline Expression constant(std::string_view turtle) { return {Constant{term(turtle), {}}}; }
inline Expression variable(std::string name) { return {Variable{std::move(name), {}}}; }
inline Expression operation(Function function, std::vector<Expression> arguments) {
  return {Operation{function, std::move(arguments)}};
}
// The arguments are constants, as for terms_of.
inline Expression operation(Function function, std::string_view turtle) {
  std::vector<Expression> arguments;
  for (rdf::Term& argument : terms_of(turtle)) {
    arguments.emplace_back(Constant{std::move(argument), {}});
  }
  return operation(function, std::move(arguments));
}
// An expression that is an error: an unbound variable.
inline Expression error_expression() { return variable("unbound"); }

struct FunctionCase {
  Function function;
  std::string_view arguments;  // as for terms_of
  std::string_view expected;   // one term, or "error"
};

// As Evaluation shows a value.
inline std::string shown(std::string_view turtle) {
  return turtle == "error" ? "error" : rdf::to_ntriples(term(turtle).view());
}

// A query's context over some data; NOW is 2025-01-01T00:00:00Z.
class Evaluation {
 public:
  explicit Evaluation(std::string_view data = "", const std::string& base_iri = "",
                      const Limits& limits = {})
      : op_(with(limits)),
        terms_(memory_snapshot(data), op_),
        context_(op_, terms_, env_, base_iri) {}

  EvaluationContext& context() { return context_; }
  TermTable& terms() { return terms_; }
  OpContext& op() { return op_; }
  FakeEnv& env() { return env_; }

  Id id(std::string_view turtle) { return terms_.intern(term(turtle).view()).value(); }

  // In N-Triples, "error" for an error value, "failed: ..." for a hard one.
  std::string show(const Value& value) {
    std::string scratch;
    const auto shown = context_.to_term(value, scratch);
    std::string text = shown ? rdf::to_ntriples(*shown) : "error";
    if (context_.failure()) text = "failed: " + context_.failure()->message;
    return text;
  }
  std::string show_id(Id id) { return id.is_defined() ? show(id) : "error"; }

  // A function of terms, given in each shape that a Value has (value.h): all must give the same.
  std::string call(Function function, std::string_view turtle) {
    std::vector<Value> ids;
    std::vector<Value> whole_terms;
    std::vector<Value> values;
    for (rdf::Term& argument : terms_of(turtle)) {
      ids.emplace_back(terms_.intern(argument.view()).value());
      const auto value = context_.to_xsd(argument);
      // Only for spellings that a value gives back.
      const bool is_canonical = value && show(*value) == rdf::to_ntriples(argument.view());
      values.push_back(is_canonical ? Value(*value) : Value(argument));
      whole_terms.emplace_back(std::move(argument));
    }
    std::string shown = show(call_function(function, ids, context_));
    EXPECT_EQ(show(call_function(function, whole_terms, context_)), shown) << turtle;
    EXPECT_EQ(show(call_function(function, values, context_)), shown) << turtle;
    return shown;
  }

  // The value of an expression for one solution: variables and their values.
  std::string operator()(const Expression& expression,
                         const std::vector<std::pair<std::string, std::string>>& row = {}) {
    const auto bound = bind(expression, row);
    if (!bound) return "not bound: " + bound.error().message;
    return show(bound->value(batch_, 0, context_));
  }
  std::string truth(const Expression& expression,
                    const std::vector<std::pair<std::string, std::string>>& row = {}) {
    const auto bound = bind(expression, row);
    if (!bound) return "not bound: " + bound.error().message;
    const auto truth = bound->truth(batch_, 0, context_);
    return truth ? (*truth ? "true" : "false") : "error";
  }

 private:
  static OpContext with(const Limits& limits) {
    OpContext op;
    op.limits = limits;
    return op;
  }

  Result<BoundExpression> bind(const Expression& expression,
                               const std::vector<std::pair<std::string, std::string>>& row) {
    Schema schema;
    batch_.reset(row.size());
    batch_.rows = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      schema.add(row[i].first);
      batch_.columns[i].push_back(id(row[i].second));
    }
    return BoundExpression::bind(expression, schema, context_, {});
  }

  FakeEnv env_;
  OpContext op_;
  TermTable terms_;
  EvaluationContext context_;
  Batch batch_;
};

template <std::size_t kSize>
void check_functions_of(const FunctionCase (&cases)[kSize]) {
  Evaluation evaluation("", "http://example.org/base/");
  for (const FunctionCase& test : cases) {
    EXPECT_EQ(evaluation.call(test.function, test.arguments), shown(test.expected))
        << "function " << static_cast<int>(test.function) << " of " << test.arguments;
  }
}

}  // namespace helve::sparql
