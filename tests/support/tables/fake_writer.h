// FakeWriter: changes the tables of a FakeTables as SQLite does, and goes wrong where a test wants
// it to.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sources/table_writer.h"
#include "tests/support/tables/fake_tables.h"

namespace helve::testing {

class FakeWriter final : public TableWriter {
 public:
  explicit FakeWriter(FakeTables& tables) : tables_(tables) {}

  Result<WriteOutline> examine(const TableWrite& write, SqlProblem& problem,
                               const OpContext& context) const override;
  Result<std::unique_ptr<WriteTransaction>> begin(const OpContext& context) const override;

  // What tests set before a call.
  struct Behaviour {
    bool can_try = true;
    bool can_roll_back = true;
    bool has_returning = true;
    std::optional<double> estimated_rows;
    std::vector<std::string> notes;         // of examine()
    std::optional<std::uint64_t> affected;  // told instead of what is true
    bool hides_affected = false;            // nothing is told
    std::uint64_t besides = 0;              // rows that triggers change
    std::optional<std::uint64_t> stops_at;  // rows: more are told as too much
    std::function<void()> before_begin;     // what others do meanwhile
    std::optional<Error> run_error;         // of every run()
    std::optional<Error> commit_error;
    bool loses_commit = false;  // made, and nobody hears of it
    bool fails_undo = false;
    bool fails_roll_back = false;
  };
  Behaviour behaviour;

  // What they look at afterwards.
  struct Counts {
    std::atomic<int> begun{0}, ran{0}, undone{0}, committed{0}, rolled_back{0}, open{0};
    std::atomic<int> read{0};
    std::atomic<int> examined{0}, without_rules{0};  // statements of any kind
  };
  Counts& counts() const { return counts_; }
  FakeTables& tables() const { return tables_; }

 private:
  FakeTables& tables_;
  mutable Counts counts_;
};

}  // namespace helve::testing
