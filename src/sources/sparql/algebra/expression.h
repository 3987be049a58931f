// Expressions: what stands in FILTER, BIND, SELECT, GROUP BY, HAVING and ORDER BY. A value type;
// how they are evaluated is the engine's matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sources/rdf/term.h"
#include "sources/sparql/algebra/box.h"
#include "sources/sparql/algebra/source_span.h"

namespace helve::sparql {

struct Expression;
struct Pattern;

struct Variable {
  std::string name;  // without ? or $
  SourceSpan span;

  friend bool operator==(const Variable&, const Variable&) = default;
};

// An IRI (absolute) or a literal. Blank nodes of patterns are not terms but BlankNode.
struct Constant {
  rdf::Term term;
  SourceSpan span;

  friend bool operator==(const Constant&, const Constant&) = default;
};

// Operators and built-in functions. functions.h has a row about each.
enum class Function : std::uint8_t {
  // Operators. Or and And take two or more arguments; In and NotIn the value and then the list.
  Or,
  And,
  Not,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  NotIn,
  Add,
  Subtract,
  Multiply,
  Divide,
  Plus,    // unary
  Negate,  // unary
  // Functional forms.
  Bound,
  If,
  Coalesce,
  SameTerm,
  // Terms.
  IsIri,
  IsBlank,
  IsLiteral,
  IsNumeric,
  Str,
  Lang,
  Datatype,
  Iri,
  BNode,
  StrDt,
  StrLang,
  Uuid,
  StrUuid,
  // Strings.
  StrLen,
  Substr,
  UCase,
  LCase,
  StrStarts,
  StrEnds,
  Contains,
  StrBefore,
  StrAfter,
  EncodeForUri,
  Concat,
  LangMatches,
  Regex,
  Replace,
  // Numbers.
  Abs,
  Round,
  Ceil,
  Floor,
  Rand,
  // Dates.
  Now,
  Year,
  Month,
  Day,
  Hours,
  Minutes,
  Seconds,
  Timezone,
  Tz,
  // Digests.
  Md5,
  Sha1,
  Sha256,
  Sha384,
  Sha512,
  // SPARQL 1.2.
  HasLang,
  HasLangDir,
  LangDir,
  StrLangDir,
};
inline constexpr std::size_t kFunctionCount = static_cast<std::size_t>(Function::StrLangDir) + 1;

struct Operation {
  Function function = Function::And;
  std::vector<Expression> arguments;
};

// A function named by an IRI: a cast such as xsd:integer, or an extension.
struct Call {
  std::string iri;
  bool is_distinct = false;
  std::vector<Expression> arguments;
};

enum class AggregateKind : std::uint8_t { Count, Sum, Min, Max, Avg, Sample, GroupConcat };

struct Aggregate {
  AggregateKind kind = AggregateKind::Count;
  bool is_distinct = false;
  std::vector<Expression> argument;      // one; none for COUNT(*)
  std::optional<std::string> separator;  // GROUP_CONCAT
};

struct Exists {
  bool is_negated = false;
  Box<Pattern> pattern;

  // Defined where Pattern is complete.
  explicit Exists(Pattern inner, bool negated = false);
  Exists(const Exists&);
  Exists(Exists&&) noexcept;
  Exists& operator=(const Exists&);
  Exists& operator=(Exists&&) noexcept;
  ~Exists();
};

struct Expression {
  using Node = std::variant<Variable, Constant, Operation, Call, Aggregate, Exists>;

  Node node;
  SourceSpan span;

  Expression(Node expression_node, SourceSpan source = {})  // NOLINT(google-explicit-constructor)
      : node(std::move(expression_node)), span(source) {}
  template <typename T>
  const T* if_is() const {
    return std::get_if<T>(&node);
  }
};

bool operator==(const Operation& a, const Operation& b);
bool operator==(const Call& a, const Call& b);
bool operator==(const Aggregate& a, const Aggregate& b);
bool operator==(const Exists& a, const Exists& b);
bool operator==(const Expression& a, const Expression& b);

}  // namespace helve::sparql
