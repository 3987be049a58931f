#include "sources/sparql/engine/triple_join.h"

#include <array>
#include <utility>

namespace helve::sparql {

namespace {

class TripleJoin final : public RowExpander {
 public:
  TripleJoin(OperatorPtr input, Schema schema, std::array<Slot, 3> slots, const GraphScope& scope,
             const RunState& run)
      : RowExpander(std::move(input), std::move(schema), run),
        slots_(slots),
        scan_(run.data(), scope) {}

 protected:
  Result<void> begin_row() override {
    for (std::size_t part = 0; part < 3; ++part) {
      bound_[part] = slots_[part].value(input(), row(), input_columns());
    }
    scan_.start(bound_[0], bound_[1], bound_[2]);
    found_.rows = 0;
    at_ = 0;
    return {};
  }

  Result<bool> produce(Batch& out) override {
    if (at_ == found_.rows) {
      at_ = 0;
      if (!scan_.next(found_, rows_max())) return true;
      HELVE_TRY(pace(found_.rows));
    }
    for (; at_ < found_.rows && !is_full(out); ++at_) append_match(out);
    return false;
  }

 private:
  // A variable that stands twice in the pattern must match the same term.
  void append_match(Batch& out) {
    append_input(out);
    for (std::size_t part = 0; part < 3; ++part) {
      if (bound_[part].is_defined()) continue;
      Id& target = out.columns[*slots_[part].column].back();
      const Id found = found_.columns[part][at_];
      if (target.is_defined() && target != found) {
        for (auto& column : out.columns) column.pop_back();
        --out.rows;
        return;
      }
      target = found;
    }
  }

  std::array<Slot, 3> slots_;
  TripleScan scan_;
  std::array<Id, 3> bound_;
  QuadBatch found_;
  std::size_t at_ = 0;
};

Result<Slot> slot_of_term(const rdf::Term& term, RunState& run) {
  HELVE_ASSIGN(const Id id, run.terms.intern(term.view()));
  return Slot{std::nullopt, id};
}

}  // namespace

std::optional<std::string> column_name(const TermPattern& term) {
  if (const auto* variable = std::get_if<Variable>(&term)) return variable->name;
  if (const auto* blank = std::get_if<BlankNode>(&term)) return "_:" + blank->label;
  return std::nullopt;
}

std::optional<std::string> column_name(const PredicatePattern& predicate) {
  if (const auto* variable = std::get_if<Variable>(&predicate)) return variable->name;
  return std::nullopt;
}

Result<Slot> make_slot(const TermPattern& term, Schema& schema, RunState& run) {
  if (const auto name = column_name(term)) return Slot{schema.add(*name), {}};
  return slot_of_term(std::get<Constant>(term).term, run);
}

Result<Slot> make_slot(const PredicatePattern& predicate, Schema& schema, RunState& run) {
  if (const auto name = column_name(predicate)) return Slot{schema.add(*name), {}};
  return slot_of_term(std::get<Constant>(predicate).term, run);
}

Result<OperatorPtr> make_triple_join(OperatorPtr input, const TriplePattern& triple,
                                     const GraphScope& scope, RunState& run) {
  Schema schema = input->schema();
  HELVE_ASSIGN(const Slot subject, make_slot(triple.subject, schema, run));
  HELVE_ASSIGN(const Slot predicate, make_slot(triple.predicate, schema, run));
  HELVE_ASSIGN(const Slot object, make_slot(triple.object, schema, run));
  return OperatorPtr(std::make_unique<TripleJoin>(std::move(input), std::move(schema),
                                                  std::array<Slot, 3>{subject, predicate, object},
                                                  scope, run));
}

}  // namespace helve::sparql
