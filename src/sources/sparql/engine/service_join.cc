#include "sources/sparql/engine/service_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kBindingsAtOnce = 100;
constexpr std::size_t kRequestsMax = 200;

// The endpoint is not asked for all it has, but for what goes with rows that are here: their
// bindings go along as VALUES, a block at a time, each once.
class ServiceJoin final : public RowExpander {
 public:
  ServiceJoin(OperatorPtr input, Schema schema, const Service& service,
              std::vector<std::string> names, RunState& run)
      : RowExpander(std::move(input), std::move(schema), run),
        service_(service),
        names_(std::move(names)),
        run_(run) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      columns_.push_back(*this->schema().find(names_[i]));
      if (columns_[i] < input_columns()) shared_.push_back(i);
    }
    if (const auto* variable = std::get_if<Variable>(&service.endpoint)) {
      endpoint_column_ = this->schema().find(variable->name);
    }
  }

 protected:
  Result<void> begin_row() override {
    HELVE_ASSIGN(const std::string endpoint, endpoint_of_row(row()));
    HELVE_TRY(run_.services->check(endpoint));
    answers_ = &answers_of(endpoint);
    const std::vector<Id> key = key_of_row(row());
    if (!answers_->is_whole) {
      if (!is_any_defined(key)) {
        HELVE_TRY(ask_whole(endpoint));
      } else {
        HELVE_TRY(ask_block(endpoint));
      }
    }
    // Answers to other rows may go with this one only where its own bindings leave it open.
    is_looked_up_ = !shared_.empty() && are_all_defined(key) && !answers_->is_whole;
    at_ = is_looked_up_ ? answers_->by_key.find(key) : 0;
    key_ = key;
    return {};
  }

  Result<bool> produce(Batch& out) override {
    HELVE_TRY(pace(1));
    while (!is_at_end() && !is_full(out)) {
      if (is_compatible()) append(out);
      at_ = is_looked_up_ ? answers_->by_key.next(at_, key_) : at_ + 1;
    }
    return is_at_end();
  }

 private:
  struct Answers {
    Answers(std::size_t width, const std::vector<std::size_t>& shared, MemoryBudget& memory)
        : rows(width, memory, "SERVICE"),
          by_key(rows, shared, memory, "SERVICE"),
          asked(shared.size(), memory, "SERVICE") {}

    RowTable rows;
    RowIndex by_key;  // the columns that the input has too
    RowSet asked;
    bool is_whole = false;  // asked for without bindings
  };

  bool is_at_end() const {
    return is_looked_up_ ? at_ == RowTable::kNone : at_ >= answers_->rows.rows();
  }

  Answers& answers_of(const std::string& endpoint) {
    auto& answers = by_endpoint_[endpoint];
    if (answers == nullptr) {
      answers = std::make_unique<Answers>(names_.size(), shared_, run_.memory());
    }
    return *answers;
  }

  Result<std::string> endpoint_of_row(std::size_t row) const {
    if (const auto* constant = std::get_if<Constant>(&service_.endpoint)) {
      return constant->term.value;
    }
    const Id id = endpoint_column_ && *endpoint_column_ < input_columns()
                      ? input().at(*endpoint_column_, row)
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

  // What the row binds of the variables of the service; blank nodes of ours mean nothing there.
  std::vector<Id> key_of_row(std::size_t row) const {
    std::vector<Id> key;
    key.reserve(shared_.size());
    std::string scratch;
    for (const std::size_t i : shared_) {
      const Id id = input().at(columns_[i], row);
      const bool is_blank = id.is_defined() && run_.terms.term(id, scratch).is_blank();
      key.push_back(is_blank ? Id() : id);
    }
    return key;
  }
  static bool is_any_defined(const std::vector<Id>& key) {
    return std::any_of(key.begin(), key.end(), [](Id id) { return id.is_defined(); });
  }
  static bool are_all_defined(const std::vector<Id>& key) {
    return std::all_of(key.begin(), key.end(), [](Id id) { return id.is_defined(); });
  }

  Result<void> ask_whole(const std::string& endpoint) {
    answers_->is_whole = true;
    HELVE_ASSIGN(const auto answer, ask(endpoint, *service_.inner));
    if (answer) return keep(*answer);
    return add_answer(std::vector<Id>(names_.size()));
  }

  // For this row and those behind it that were not asked for yet.
  Result<void> ask_block(const std::string& endpoint) {
    Values values;
    for (const std::size_t i : shared_) values.variables.push_back({names_[i], {}});
    std::vector<std::vector<Id>> keys;
    for (std::size_t other = row(); other < input().rows && keys.size() < kBindingsAtOnce;
         ++other) {
      if (endpoint_column_) {
        const auto theirs = endpoint_of_row(other);
        if (!theirs || *theirs != endpoint) continue;
      }
      std::vector<Id> key = key_of_row(other);
      if (!is_any_defined(key)) continue;
      HELVE_ASSIGN(const auto inserted, answers_->asked.insert(key));
      if (!inserted.is_new) {
        if (other == row()) return {};
        continue;
      }
      values.rows.push_back(terms_of(key));
      keys.push_back(std::move(key));
    }
    HELVE_ASSIGN(const auto answer, ask(endpoint, bound(std::move(values))));
    if (answer) return keep(*answer);
    for (const std::vector<Id>& key : keys) {
      std::vector<Id> none(names_.size());
      for (std::size_t i = 0; i < shared_.size(); ++i) none[shared_[i]] = key[i];
      HELVE_TRY(add_answer(none));
    }
    return {};
  }

  std::vector<std::optional<rdf::Term>> terms_of(const std::vector<Id>& key) const {
    std::vector<std::optional<rdf::Term>> terms;
    terms.reserve(key.size());
    std::string scratch;
    for (const Id id : key) {
      terms.push_back(id.is_defined() ? std::optional(rdf::Term(run_.terms.term(id, scratch)))
                                      : std::nullopt);
    }
    return terms;
  }

  Pattern bound(Values values) const {
    std::vector<Pattern> parts;
    parts.emplace_back(std::move(values));
    if (const auto* join = service_.inner->if_is<Join>()) {
      parts.insert(parts.end(), join->parts.begin(), join->parts.end());
    } else if (!service_.inner->is_unit()) {
      parts.push_back(*service_.inner);
    }
    if (parts.size() == 1) return std::move(parts.front());
    return Pattern(Join{std::move(parts)});
  }

  // nullopt: it failed, and SILENT makes nothing of it.
  Result<std::optional<SolutionTable>> ask(const std::string& endpoint, const Pattern& pattern) {
    if (++requests_ > kRequestsMax) {
      return Error(ErrorCode::LimitExceeded,
                   fmt::format("SERVICE <{}> would be asked more than {} times, with {} bindings "
                               "each",
                               endpoint, kRequestsMax, kBindingsAtOnce),
                   "narrow what stands before it, or ask the endpoint first and join by a handle");
    }
    Result<SolutionTable> answer = run_.services->ask(endpoint, pattern, run_.op);
    if (answer) return std::optional(*std::move(answer));
    HELVE_TRY(run_.op.check());
    const ErrorCode code = answer.error().code;
    const bool is_final = code == ErrorCode::Denied || code == ErrorCode::Cancelled;
    if (is_final || !service_.is_silent) return std::move(answer).error();
    return std::optional<SolutionTable>();
  }

  Result<void> keep(const SolutionTable& answer) {
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
      HELVE_TRY(add_answer(ids));
    }
    return {};
  }

  Result<void> add_answer(const std::vector<Id>& ids) {
    HELVE_TRY(answers_->rows.append(ids));
    return answers_->by_key.add(answers_->rows.rows() - 1);
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
    for (const std::size_t i : shared_) {
      const Id ours = input().at(columns_[i], row());
      const Id theirs = answers_->rows.at(at_, i);
      if (ours.is_defined() && theirs.is_defined() && ours != theirs) return false;
    }
    return true;
  }

  void append(Batch& out) const {
    append_input(out);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Id& target = out.columns[columns_[i]].back();
      if (!target.is_defined()) target = answers_->rows.at(at_, i);
    }
  }

  Service service_;
  std::vector<std::string> names_;
  RunState& run_;
  std::vector<std::size_t> columns_;  // by name
  std::vector<std::size_t> shared_;   // names that the input has too
  std::optional<std::size_t> endpoint_column_;
  std::unordered_map<std::string, std::unique_ptr<Answers>> by_endpoint_;
  std::unordered_map<std::string, Id> blanks_;
  std::size_t requests_ = 0;
  Answers* answers_ = nullptr;  // of the row
  std::vector<Id> key_;         // of the row
  bool is_looked_up_ = false;
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
