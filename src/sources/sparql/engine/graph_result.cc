#include "sources/sparql/engine/graph_result.h"

#include <array>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/triple_join.h"

namespace helve::sparql {

struct GraphResult::Place {
  std::optional<std::size_t> column;
  std::optional<std::size_t> blank;  // number of a blank node of the template
  Id constant;
};

namespace {

// Numbers the blank nodes of a template.
class BlankNumbers {
 public:
  std::size_t of(const std::string& label) {
    return numbers_.try_emplace(label, numbers_.size()).first->second;
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

TermPattern as_term(const PredicatePattern& predicate) {
  if (const auto* variable = std::get_if<Variable>(&predicate)) return *variable;
  return std::get<Constant>(predicate);
}

}  // namespace

GraphResult::GraphResult(RunState& run, rdf::StatementSink& sink, std::uint64_t rows_max)
    : run_(run),
      sink_(sink),
      rows_max_(rows_max),
      pace_(run.op),
      seen_(3, run, "statements of the result"),
      targets_(1, run.memory(), "resources to describe") {
  added_.reset(3);
}

void GraphResult::add(Id subject, Id predicate, Id object) {
  added_.columns[0].push_back(subject);
  added_.columns[1].push_back(predicate);
  added_.columns[2].push_back(object);
  ++added_.rows;
}

Result<void> GraphResult::send_added() {
  const std::array<const Id*, 3> columns = {added_.columns[0].data(), added_.columns[1].data(),
                                            added_.columns[2].data()};
  fresh_.clear();
  auto inserted = seen_.insert(columns, added_.rows, fresh_);
  for (const std::uint32_t row : fresh_) HELVE_TRY(send(added_, row));
  added_.reset(3);
  if (is_full()) return {};
  return inserted;
}

Result<void> GraphResult::send_held() {
  while (seen_.has_held() && !is_full()) {
    HELVE_TRY(pace_.add(0, Batch::kRows));
    const auto has_rows = take_rows(seen_.held(), Batch::kRows, added_);
    for (std::size_t row = 0; row < added_.rows; ++row) HELVE_TRY(send(added_, row));
    added_.reset(3);
    if (is_full() || (has_rows && !*has_rows)) return {};
    HELVE_TRY(has_rows);
  }
  return {};
}

Result<void> GraphResult::send(const Batch& statements, std::size_t row) {
  if (sent_ == rows_max_) {
    has_more_ = true;
    return {};
  }
  ++sent_;
  std::array<std::string, 3> scratch;
  rdf::StatementView statement;
  statement.subject = run_.terms.term(statements.at(0, row), scratch[0]);
  statement.predicate = run_.terms.term(statements.at(1, row), scratch[1]);
  statement.object = run_.terms.term(statements.at(2, row), scratch[2]);
  HELVE_TRY(run_.check_data());
  return sink_.statement(statement);
}

Result<Id> GraphResult::value_of(const Place& place, const Batch& batch, std::size_t row) {
  if (place.column) return batch.at(*place.column, row);
  if (!place.blank) return place.constant;
  Id& blank = blanks_[*place.blank];
  if (!blank.is_defined()) {
    HELVE_ASSIGN(blank, run_.terms.make_blank());
  }
  return blank;
}

// Triples with an unbound variable or a term in a place where it cannot stand are left out.
Result<void> GraphResult::instantiate(const std::vector<Place>& places, const Batch& batch,
                                      std::size_t row) {
  std::fill(blanks_.begin(), blanks_.end(), Id());
  for (std::size_t i = 0; i + 2 < places.size(); i += 3) {
    HELVE_ASSIGN(const Id subject, value_of(places[i], batch, row));
    HELVE_ASSIGN(const Id predicate, value_of(places[i + 1], batch, row));
    HELVE_ASSIGN(const Id object, value_of(places[i + 2], batch, row));
    if (!subject.is_defined() || !predicate.is_defined() || !object.is_defined()) continue;
    if (run_.terms.kind(subject) == rdf::TermKind::Literal) continue;
    if (run_.terms.kind(predicate) != rdf::TermKind::Iri) continue;
    add(subject, predicate, object);
  }
  return {};
}

Result<bool> GraphResult::construct(const std::vector<TriplePattern>& triples,
                                    Operator& solutions) {
  std::vector<Place> places;
  BlankNumbers numbers;
  for (const TriplePattern& triple : triples) {
    for (const TermPattern& term : {triple.subject, as_term(triple.predicate), triple.object}) {
      Place place;
      if (const auto* blank = std::get_if<BlankNode>(&term)) {
        place.blank = numbers.of(blank->label);
      } else if (const auto* constant = std::get_if<Constant>(&term)) {
        HELVE_ASSIGN(place.constant, run_.terms.intern(constant->term.view()));
      } else {
        place.column = solutions.schema().find(std::get<Variable>(term).name);
      }
      places.push_back(place);
    }
  }
  blanks_.resize(numbers.size());
  Batch batch;
  while (!is_full()) {
    HELVE_ASSIGN(const bool has_rows, solutions.next(batch));
    if (!has_rows) break;
    Result<void> made;
    for (std::size_t row = 0; row < batch.rows && made && !is_full(); ++row) {
      made = pace_.add(0, 1 + triples.size());
      if (made) made = instantiate(places, batch, row);
      if (added_.rows >= Batch::kRows) HELVE_TRY(send_added());
    }
    HELVE_TRY(send_added());
    if (!is_full()) HELVE_TRY(std::move(made));
  }
  HELVE_TRY(send_held());
  return has_more_;
}

Result<void> GraphResult::add_target(Id id) {
  if (!id.is_defined() || run_.terms.kind(id) == rdf::TermKind::Literal) return {};
  HELVE_TRY(targets_.insert({&id, 1}));
  return {};
}

Result<void> GraphResult::collect_targets(const Describe& describe, Operator& solutions) {
  std::vector<std::size_t> columns;
  const auto add_column = [&](const std::string& name) {
    if (const auto column = solutions.schema().find(name)) columns.push_back(*column);
  };
  for (const auto& target : describe.targets) {
    if (const auto* constant = std::get_if<Constant>(&target)) {
      HELVE_ASSIGN(const Id id, run_.terms.intern(constant->term.view()));
      HELVE_TRY(add_target(id));
    } else {
      add_column(std::get<Variable>(target).name);
    }
  }
  if (describe.is_star) {
    for (const std::string& name : variables_in_scope(describe.body.where)) add_column(name);
  }
  if (columns.empty()) return {};
  Batch batch;
  while (true) {
    HELVE_ASSIGN(const bool has_rows, solutions.next(batch));
    if (!has_rows) return {};
    for (std::size_t row = 0; row < batch.rows; ++row) {
      HELVE_TRY(pace_.add(0, 1));
      for (const std::size_t column : columns) HELVE_TRY(add_target(batch.at(column, row)));
    }
  }
}

// Blank nodes that are met join the targets, so that the loop comes to them, each once.
Result<bool> GraphResult::describe(const Describe& describe, Operator& solutions,
                                   const GraphScope& scope) {
  HELVE_TRY(collect_targets(describe, solutions));
  TripleScan scan(run_.data(), scope);
  QuadBatch found;
  for (std::uint32_t i = 0; i < targets_.table().rows() && !is_full(); ++i) {
    scan.start(targets_.table().at(i, 0), {}, {});
    while (!is_full() && scan.next(found)) {
      HELVE_TRY(pace_.add(0, found.rows));
      for (std::size_t row = 0; row < found.rows; ++row) {
        add(found[Part::Subject][row], found[Part::Predicate][row], found[Part::Object][row]);
      }
      HELVE_TRY(send_added());
      for (std::size_t row = 0; row < found.rows && !is_full(); ++row) {
        const Id object = found[Part::Object][row];
        if (run_.terms.kind(object) == rdf::TermKind::BlankNode) HELVE_TRY(add_target(object));
      }
    }
  }
  HELVE_TRY(send_held());
  return has_more_;
}

}  // namespace helve::sparql
