// SQLite files and sources over them for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/env.h"
#include "sources/sql/sqlite/sqlite_source.h"
#include "tests/support/temp_directory.h"

namespace helve::sql {

// A connection of somebody who writes.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) {
    HELVE_CHECK(sqlite3_open(path.c_str(), &database_) == SQLITE_OK);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { sqlite3_close(database_); }

  void run(const std::string& sql) {
    char* message = nullptr;
    const int outcome = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message);
    EXPECT_EQ(outcome, SQLITE_OK) << sql << ": " << (message != nullptr ? message : "");
    sqlite3_free(message);
  }
  sqlite3* get() { return database_; }

 private:
  sqlite3* database_ = nullptr;
};

inline void make_database(const std::filesystem::path& path, const std::string& sql) {
  Writer(path).run(sql);
}

// This program, in another role (worker_main_test.cc).
inline std::vector<std::string> worker_command(std::string role = "sql-worker") {
  return {std::filesystem::read_symlink("/proc/self/exe").native(), std::move(role)};
}

inline DatabaseOptions options_for(const std::filesystem::path& path,
                                   std::string role = "sql-worker") {
  DatabaseOptions options;
  options.name = "test";
  options.address.dialect = SqlDialect::Sqlite;
  options.address.path = path.native();
  options.worker_command = worker_command(std::move(role));
  return options;
}

inline std::shared_ptr<const TableSource> source_of(DatabaseOptions options,
                                                    Env& env = real_env()) {
  auto source = open_sqlite(std::move(options), env);
  if (!source) {
    ADD_FAILURE() << source.error().to_string();
    return nullptr;
  }
  return *std::move(source);
}

// Rows as N-Triples terms.
class TermSink final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& given) override {
    names = given;
    return {};
  }
  Result<void> row(Row cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += " ";
      text += cells[i] ? rdf::to_ntriples(*cells[i]) : "-";
    }
    text += "\n";
    ++rows;
    return {};
  }

  std::vector<std::string> names;
  std::string text;
  std::uint64_t rows = 0;
};

struct Answer {
  TableRun run;
  std::vector<std::string> names;
  std::string text;  // or the error

  ErrorCode code() const {
    EXPECT_TRUE(run.error) << text;
    return run.error ? run.error->code : ErrorCode::Internal;
  }
};

inline Answer ask(const TableSource& source, const TableQuery& query,
                  Duration timeout = std::chrono::seconds(20)) {
  OpContext context;
  context.deadline = Deadline(real_clock(), timeout);
  TermSink sink;
  Answer answer;
  answer.run = source.run(query, sink, context);
  answer.names = sink.names;
  answer.text = answer.run.error ? "error: " + answer.run.error->to_string() : sink.text;
  EXPECT_EQ(answer.run.rows, sink.rows);
  return answer;
}

inline Answer ask(const TableSource& source, std::string sql,
                  Duration timeout = std::chrono::seconds(20)) {
  TableQuery query;
  query.sql = std::move(sql);
  return ask(source, query, timeout);
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Counts the workers that are started, and can kill the last one.
class CountingProcesses final : public Processes {
 public:
  Result<std::unique_ptr<WorkerProcess>> start(const ProcessOptions& options) override {
    ++started;
    auto process = real_env().processes().start(options);
    if (process) last = process->get();
    return process;
  }
  std::atomic<int> started{0};
  std::atomic<WorkerProcess*> last{nullptr};
};

class CountingEnv final : public Env {
 public:
  Clock& clock() override { return real_env().clock(); }
  Files& files() override { return real_env().files(); }
  Http& http() override { return real_env().http(); }
  Processes& processes() override { return counted; }
  Random& random() override { return real_env().random(); }
  CountingProcesses counted;
};

}  // namespace helve::sql
