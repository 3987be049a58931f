// EvaluationContext: everything that expressions of one query share: terms, time, chance, base IRI,
// compiled regular expressions, and the first hard error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/iri.h"
#include "base/op_context.h"
#include "base/paced_check.h"
#include "base/result.h"
#include "sources/rdf/xsd_value.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/passes.h"
#include "sources/sparql/engine/regex_cache.h"
#include "sources/sparql/engine/term_table.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// Not thread-safe: one for each query. What it refers to must outlive it.
class EvaluationContext {
 public:
  EvaluationContext(const OpContext& op, TermTable& terms, Env& env, const std::string& base_iri,
                    Version version = Version::Sparql11, PassSet passes = PassSet::all());

  // The same for other terms, on another thread: the same moment, base and passes.
  EvaluationContext(const EvaluationContext& like, TermTable& terms);

  const OpContext& op() const { return op_; }
  const PassSet& passes() const { return passes_; }
  TermTable& terms() { return terms_; }
  Random& random() { return random_; }
  const rdf::XsdContext& xsd() const { return xsd_; }
  const IriResolver& base() const { return base_; }
  // The same moment throughout the query.
  const rdf::XsdValue& now() const { return now_; }
  RegexCache& regexes() { return regexes_; }

  // An expression error is a value; this is for what must end the query (memory, deadline, a
  // regular expression that cannot be run). The first stays. Operators ask after each row.
  void fail(Error error) {
    if (!failure_) failure_ = std::move(error);
  }
  const std::optional<Error>& failure() const { return failure_; }
  // Sets it aside while rows before the one that failed are looked at.
  std::optional<Error> take_failure() { return std::exchange(failure_, std::nullopt); }
  // Counts work that grows with the data (bytes touched) and looks at deadline and cancellation now
  // and then, between the checks of operators. False once there is a failure.
  bool spend(std::uint64_t bytes);

  // BNODE("label") gives one node for each label and solution; operators say when a new one begins.
  void begin_solution() { labelled_blanks_.clear(); }
  std::unordered_map<std::string, Id>& labelled_blanks() { return labelled_blanks_; }

  // The value as an id, for a column; undefined for an error.
  Id to_id(const Value& value);
  // The term that a value is; nullopt for an error. The view lives as long as `scratch` and the
  // value do.
  std::optional<rdf::TermView> to_term(const Value& value, std::string& scratch) const;
  // The typed value of a literal with an XSD datatype (xsd:string included, language-tagged strings
  // not); nullopt for every other term and for ill-typed literals.
  std::optional<rdf::XsdValue> to_xsd(const Value& value) const;
  // https://www.w3.org/TR/sparql11-query/#ebv; nullopt is a type error. SPARQL 1.2 has more of
  // them: strings with a language and ill-typed literals.
  std::optional<bool> truth(const Value& value) const;

 private:
  const OpContext& op_;
  TermTable& terms_;
  Random& random_;
  rdf::XsdContext xsd_;
  IriResolver base_;
  Version version_;
  PassSet passes_;
  rdf::XsdValue now_;
  RegexCache regexes_;
  PacedCheck pace_;
  std::optional<Error> failure_;
  std::unordered_map<std::string, Id> labelled_blanks_;
};

}  // namespace helve::sparql
