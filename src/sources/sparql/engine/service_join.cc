#include "sources/sparql/engine/service_join.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

namespace {

class ServiceJoin final : public RowExpander {
 public:
  ServiceJoin(OperatorPtr input, Schema schema, const Service& service,
              std::vector<std::string> names, RunState& run)
      : RowExpander(std::move(input), std::move(schema), run),
        service_(service),
        names_(std::move(names)),
        run_(run) {
    for (const std::string& name : names_) columns_.push_back(*this->schema().find(name));
    if (const auto* variable = std::get_if<Variable>(&service.endpoint)) {
      endpoint_column_ = this->schema().find(variable->name);
    }
  }

 protected:
  Result<void> begin_row() override {
    HELVE_ASSIGN(const std::string endpoint, endpoint_of_row());
    HELVE_ASSIGN(rows_, rows_of(endpoint));
    at_ = 0;
    return {};
  }

  Result<bool> produce(Batch& out) override {
    HELVE_TRY(pace(1));
    for (; at_ < rows_->rows() && !is_full(out); ++at_) {
      if (is_compatible()) append(out);
    }
    return at_ == rows_->rows();
  }

 private:
  Result<std::string> endpoint_of_row() const {
    if (const auto* constant = std::get_if<Constant>(&service_.endpoint)) {
      return constant->term.value;
    }
    const Id id = endpoint_column_ && *endpoint_column_ < input_columns()
                      ? input().at(*endpoint_column_, row())
                      : Id();
    std::string scratch;
    if (id.is_defined()) {
      const rdf::TermView term = run_.terms.term(id, scratch);
      if (term.is_iri()) return std::string(term.value);
    }
    return Error(ErrorCode::InvalidInput,
                 fmt::format("the endpoint ?{} of SERVICE has no IRI here",
                             std::get<Variable>(service_.endpoint).name),
                 "bind it before: with VALUES, BIND or a triple");
  }

  Result<const RowTable*> rows_of(const std::string& endpoint) {
    if (const auto known = by_endpoint_.find(endpoint); known != by_endpoint_.end()) {
      return &known->second;
    }
    HELVE_TRY(run_.services->check(endpoint));
    RowTable rows(names_.size(), run_.memory(), "SERVICE");
    Result<SolutionTable> answer = run_.services->ask(endpoint, *service_.inner, run_.op);
    if (answer) {
      HELVE_TRY(keep(*answer, rows));
    } else {
      HELVE_TRY(run_.op.check());
      const ErrorCode code = answer.error().code;
      const bool is_final = code == ErrorCode::Denied || code == ErrorCode::Cancelled;
      if (is_final || !service_.is_silent) return std::move(answer).error();
      HELVE_TRY(rows.append(std::vector<Id>(names_.size())));
    }
    return &by_endpoint_.emplace(endpoint, std::move(rows)).first->second;
  }

  Result<void> keep(const SolutionTable& answer, RowTable& rows) {
    std::vector<std::optional<std::size_t>> sources;
    const Schema given(answer.names);
    for (const std::string& name : names_) sources.push_back(given.find(name));
    for (const auto& solution : answer.rows) {
      std::vector<Id> ids;
      for (const auto& source : sources) {
        Id id;
        if (source && *source < solution.size() && solution[*source]) {
          HELVE_ASSIGN(id, intern(*solution[*source]));
        }
        ids.push_back(id);
      }
      HELVE_TRY(rows.append(ids));
    }
    return {};
  }

  // Blank nodes of an answer are none of ours.
  Result<Id> intern(const rdf::Term& term) {
    if (term.kind != rdf::TermKind::BlankNode) return run_.terms.intern(term.view());
    auto [known, is_new] = blanks_.try_emplace(term.value);
    if (is_new) {
      HELVE_ASSIGN(known->second, run_.terms.make_blank());
    }
    return known->second;
  }

  bool is_compatible() const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] >= input_columns()) continue;
      const Id ours = input().at(columns_[i], row());
      const Id theirs = rows_->at(at_, i);
      if (ours.is_defined() && theirs.is_defined() && ours != theirs) return false;
    }
    return true;
  }

  void append(Batch& out) const {
    append_input(out);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Id& target = out.columns[columns_[i]].back();
      if (!target.is_defined()) target = rows_->at(at_, i);
    }
  }

  Service service_;
  std::vector<std::string> names_;
  RunState& run_;
  std::vector<std::size_t> columns_;  // by name
  std::optional<std::size_t> endpoint_column_;
  std::unordered_map<std::string, RowTable> by_endpoint_;
  std::unordered_map<std::string, Id> blanks_;
  const RowTable* rows_ = nullptr;
  std::uint32_t at_ = 0;
};

}  // namespace

OperatorPtr make_service_join(OperatorPtr input, const Service& service, RunState& run) {
  std::vector<std::string> names = variables_in_scope(*service.inner);
  Schema schema = input->schema();
  for (const std::string& name : names) schema.add(name);
  return std::make_unique<ServiceJoin>(std::move(input), std::move(schema), service,
                                       std::move(names), run);
}

}  // namespace helve::sparql
