// What SQLite's authorizer is answered; part of the adapter sqlite_file.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sqlite_file.h"

namespace helve::sqlite {

// Not thread-safe.
class FileJudge {
 public:
  explicit FileJudge(FilePermits permits) : permits_(std::move(permits)) {}

  const FilePermits& permits() const { return permits_; }
  void set_reads(JudgeRead judge) { reads_ = std::move(judge); }
  void set_changes(JudgeChange judge) { changes_ = std::move(judge); }

  // What is asked from now on is of such a statement.
  void set_origin(StatementOrigin origin, bool is_running);
  StatementOrigin origin() const { return origin_; }
  void forget_refusal() { refusal_.reset(); }
  // Of the first that was refused.
  const std::optional<ReadRefusal>& refusal() const { return refusal_; }

  // SQLITE_OK or SQLITE_DENY, by the arguments of an authorizer.
  int decide(int action, std::string_view first, std::string_view second, std::string_view inside);

 private:
  int decide_read(std::string_view table, std::string_view column, std::string_view inside);
  int decide_function(std::string_view name);
  int decide_pragma(std::string_view pragma, std::string_view argument);
  int decide_other(int action, std::string_view first, std::string_view second,
                   std::string_view inside);
  int decide_change(FileChange change);
  int deny(std::string why);
  int deny(ReadRefusal refusal);

  FilePermits permits_;
  JudgeRead reads_;
  JudgeChange changes_;
  StatementOrigin origin_ = StatementOrigin::Ours;
  bool is_running_ = false;
  bool is_altering_ = false;
  std::optional<ReadRefusal> refusal_;
};

}  // namespace helve::sqlite
