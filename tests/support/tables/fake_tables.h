// FakeTables: a SQL database in memory behind the seam of the tools. SQLite runs the statements;
// the dialect is the one that a test wants tools to write.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.h"
#include "sources/table_source.h"

namespace helve::testing {

struct FakeTable {
  TableInfo info;
  std::vector<std::vector<SqlValue>> rows;
};

// Values of rows: the terms that databases give.
SqlValue text_value(std::string_view text);
SqlValue integer_value(std::int64_t number);
SqlValue double_value(double number);
SqlValue null_value();

// "id integer primary key, name text not null" without SQL's freedom: names, types and nothing
// else, by commas; the first column is the primary key where its type ends with "key".
TableInfo table_info(const std::string& name, const std::string& columns);

class FakeWriter;
using FakeContent = std::shared_ptr<const std::vector<FakeTable>>;

class FakeTables final : public TableSource {
 public:
  FakeTables(std::string name, SqlDialect dialect, std::vector<FakeTable> tables);
  ~FakeTables() override;

  const SourceInfo& info() const override { return info_; }
  std::string fingerprint() const override;
  SqlDialect dialect() const override { return dialect_; }
  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override;
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override;
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override;
  Result<SourceRights> rights(const OpContext& context) const override;
  std::string setup_script() const override { return "-- nothing to set up"; }
  const TableWriter* writer() const override;

  // What tests look at and change.
  std::uint64_t runs() const { return runs_; }
  std::uint64_t fresh_reads() const { return fresh_reads_; }
  std::vector<TableQuery> queries() const;  // in the order they came
  void set_fingerprint(std::string fingerprint);
  // Known to the catalogue only when it is read anew.
  void hide_until_fresh(const std::string& table) { hidden_ = table; }
  // From now on it can be changed, as its writer is told to (fake_writer.h).
  FakeWriter& open_for_writing();
  FakeContent content() const;
  void set_content(std::vector<FakeTable> tables);
  void set_uri(std::string uri) { info_.uri = std::move(uri); }
  void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }

 private:
  TableRun run_statement(const TableQuery& query, RowSink& sink, const OpContext& context) const;

  SourceInfo info_;
  SqlDialect dialect_;
  FakeContent tables_;
  std::unique_ptr<FakeWriter> writer_;
  std::string hidden_;
  std::vector<std::string> notes_;
  mutable std::atomic<std::uint64_t> runs_{0};
  mutable std::atomic<std::uint64_t> fresh_reads_{0};
  mutable std::mutex mutex_;
  mutable std::vector<TableQuery> queries_;
  std::string fingerprint_ = "fake-1";
};

// For fake_writer.cc: the statement with literals for its parameters, and what SQLite says.
Result<std::string> with_literals(const TableQuery& query, SqlDialect dialect);
std::string literal_of(const SqlValue& value);
SqlProblem problem_of(const Error& error);

// A music shop: artists, albums, tracks, customers, invoices, and an empty table.
std::shared_ptr<FakeTables> music_shop(SqlDialect dialect = SqlDialect::Sqlite,
                                       std::string name = "shop");

}  // namespace helve::testing
