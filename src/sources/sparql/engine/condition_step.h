// ConditionStep: what of a condition can be told from ids, found out once for each query.
// batch_condition.h runs it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/expression_node.h"

namespace helve::sparql {

enum class Truth : std::uint8_t {
  False,
  True,
  Error,
  Unknown,  // the ids alone do not tell
};

// What is known of an id by its tag.
using TruthByTag = std::array<Truth, 16>;

struct ConditionStep {
  enum class Kind : std::uint8_t {
    And,
    Or,
    Not,
    Constant,     // no variable: once for all
    ByTag,        // of one column
    EqualId,      // a column and a constant
    OrderId,      // a column and an inlined constant
    OneOf,        // a column and constants
    Columns,      // two columns: = != < <= > >= sameTerm
    ByQualifier,  // LANG or DATATYPE of one column
    Text,         // a test of the text of one column
    Row,
  };
  // Truths by id, for the ids met last; each has one place.
  struct Memo {
    MemoryCharge charge;
    std::vector<Id> ids;
    std::vector<Truth> truths;
  };
  // The truth for all literals of a language or datatype.
  struct QualifierTruth {
    rdf::Tag tag;
    std::string qualifier;
    Truth truth;
  };

  Kind kind = Kind::Row;
  const BoundExpression::Node* node = nullptr;
  std::vector<ConditionStep> parts;  // And, Or, Not
  std::size_t column = 0;            // of all but And, Or, Not, Row
  std::size_t other_column = 0;      // Columns
  // OrderId, Columns, with the column on the left; of Columns also SameTerm, as Equal.
  Function comparison = Function::Equal;
  Id constant;                  // EqualId, OrderId
  TruthByTag same{};            // EqualId, OneOf: of an id that is the constant
  TruthByTag others{};          // of every other id; of all for ByTag and OrderId
  bool is_same_term = false;    // Columns
  std::string text;             // Text: the part that is looked for; not for REGEX
  bool asks_datatype = false;   // ByQualifier: not LANG alone
  bool is_of_str = false;       // Text: STR(column), so that every term but a blank node has one
  bool has_one_column = false;  // what is unknown depends on `column` alone
  // What evaluation learns.
  std::optional<Truth> known;         // Constant
  std::vector<QualifierTruth> found;  // ByQualifier
  std::optional<Memo> memo;
};

// The node must outlive it. REQUIRES: is_repeatable(node).
ConditionStep make_condition_step(const BoundExpression::Node& node, EvaluationContext& context);

// False where a second evaluation may give something else: RAND, UUID, BNODE.
bool is_repeatable(const BoundExpression::Node& node);

}  // namespace helve::sparql
