// Changes of SQLite files for the tests of this folder; sqlite_testing.h has the files.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sources/sql/sqlite/sqlite_testing.h"
#include "sources/table_writer.h"

namespace helve::sql {

inline OpContext in_time(Duration timeout = std::chrono::seconds(20)) {
  OpContext context;
  context.deadline = Deadline(real_clock(), timeout);
  return context;
}

inline std::shared_ptr<const TableSource> writable(const std::filesystem::path& path,
                                                   Env& env = real_env(),
                                                   std::string role = "sql-worker") {
  DatabaseOptions options = options_for(path, std::move(role));
  options.is_writable = true;
  return source_of(std::move(options), env);
}

using Rules = std::shared_ptr<const TableRules>;

inline TableWrite write_of(std::string sql, Rules rules = nullptr) {
  TableWrite write;
  write.sql = std::move(sql);
  write.rules = std::move(rules);
  return write;
}

// "insert p: note; note", or the error.
inline std::string examined(const TableSource& source, std::string sql, Rules rules = nullptr) {
  SqlProblem problem;
  const auto outline =
      source.writer()->examine(write_of(std::move(sql), std::move(rules)), problem, in_time());
  if (!outline) return "error: " + outline.error().to_string();
  EXPECT_TRUE(outline->can_try);
  EXPECT_TRUE(outline->can_roll_back);
  std::string text = std::string(name_of(outline->kind)) + " " + outline->table;
  for (const std::string& note : outline->notes) text += "; " + note;
  return text;
}

inline std::unique_ptr<WriteTransaction> begun(const TableSource& source) {
  auto transaction = source.writer()->begin(in_time());
  if (!transaction) {
    ADD_FAILURE() << transaction.error().to_string();
    return nullptr;
  }
  return *std::move(transaction);
}

// "3 affected; note", with the rows that were returned behind; or the error.
inline std::string changed(WriteTransaction& transaction, const TableWrite& write,
                           const OpContext& context = in_time()) {
  TermSink sink;
  const WriteRun run = transaction.run(write, &sink, context);
  if (run.error) return "error: " + run.error->to_string();
  std::string text = run.affected ? std::to_string(*run.affected) + " affected" : "done";
  for (const std::string& note : run.notes) text += "; " + note;
  if (!sink.names.empty()) text += "\n" + sink.text;
  return text;
}

inline std::string changed(WriteTransaction& transaction, std::string sql, Rules rules = nullptr) {
  return changed(transaction, write_of(std::move(sql), std::move(rules)));
}

// What the transaction sees.
inline std::string seen(WriteTransaction& transaction, std::string sql, Rules rules = nullptr) {
  TableQuery query;
  query.sql = std::move(sql);
  query.rules = std::move(rules);
  TermSink sink;
  const TableRun run = transaction.read(query, sink, in_time());
  return run.error ? "error: " + run.error->to_string() : sink.text;
}

// One statement, committed.
inline std::string committed(const TableSource& source, std::string sql) {
  const auto transaction = begun(source);
  if (transaction == nullptr) return "error: not begun";
  std::string text = changed(*transaction, std::move(sql));
  const CommitOutcome outcome = transaction->commit(in_time());
  if (outcome.error) text += "; " + outcome.error->to_string();
  return text;
}

}  // namespace helve::sql
