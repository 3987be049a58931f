#include "toolkit/policy/restricted_writer.h"

#include <utility>

namespace helve::toolkit {

namespace {

using Rules = std::shared_ptr<const TableRules>;

template <typename Statement>
Statement within(Statement statement, const Rules& rules) {
  statement.rules = rules;
  return statement;
}

class RestrictedTransaction final : public WriteTransaction {
 public:
  RestrictedTransaction(std::unique_ptr<WriteTransaction> transaction, Rules rules)
      : transaction_(std::move(transaction)), rules_(std::move(rules)) {}

  WriteRun run(const TableWrite& write, RowSink* returned, const OpContext& context) override {
    return transaction_->run(within(write, rules_), returned, context);
  }
  Result<void> undo(const OpContext& context) override { return transaction_->undo(context); }
  TableRun read(const TableQuery& query, RowSink& sink, const OpContext& context) override {
    return transaction_->read(within(query, rules_), sink, context);
  }
  CommitOutcome commit(const OpContext& context) override { return transaction_->commit(context); }
  Result<void> roll_back(const OpContext& context) override {
    return transaction_->roll_back(context);
  }

 private:
  std::unique_ptr<WriteTransaction> transaction_;
  Rules rules_;
};

class RestrictedWriter final : public TableWriter {
 public:
  RestrictedWriter(const TableWriter& writer, Rules rules)
      : writer_(writer), rules_(std::move(rules)) {}

  Result<WriteOutline> examine(const TableWrite& write, SqlProblem& problem,
                               const OpContext& context) const override {
    return writer_.examine(within(write, rules_), problem, context);
  }
  Result<std::unique_ptr<WriteTransaction>> begin(const OpContext& context) const override {
    HELVE_ASSIGN(auto transaction, writer_.begin(context));
    return std::unique_ptr<WriteTransaction>(
        std::make_unique<RestrictedTransaction>(std::move(transaction), rules_));
  }

 private:
  const TableWriter& writer_;
  Rules rules_;
};

}  // namespace

std::unique_ptr<const TableWriter> restrict_writer(const TableWriter* writer, Rules rules) {
  if (writer == nullptr) return nullptr;
  return std::make_unique<const RestrictedWriter>(*writer, std::move(rules));
}

}  // namespace helve::toolkit
