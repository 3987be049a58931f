// What statements that change a SQLite file may do: SQLite tells it, one by one, and it has to be
// what their words say. sqlite_rules.h is the same for what they read.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sources/sql/sqlite/sqlite_rules.h"
#include "sources/write_shape.h"

namespace helve::sql {

struct ChangeOutline {
  WriteKind kind = WriteKind::Insert;
  std::string table;  // as the file spells it
  std::vector<std::string> notes;
  bool replaces = false;  // rows that are in the way
  bool drops_table = false;
};

// Judges one statement after the other. Not thread-safe.
class ChangeRules {
 public:
  // `has_rules`: otherwise everything may be read.
  ChangeRules(const TableRules& rules, bool has_rules, SqliteNames names)
      : reads_(rules, std::move(names)), has_rules_(has_rules) {}

  // Of the next statement that reads.
  std::optional<sqlite::ReadRefusal> begin_read(std::string_view sql);
  // Of the next statement that changes.
  std::optional<sqlite::ReadRefusal> begin(std::string_view sql, WriteShape shape);
  std::optional<sqlite::ReadRefusal> judge_read(std::string_view table, std::string_view column,
                                                std::string_view inside);
  std::optional<sqlite::ReadRefusal> judge(const sqlite::FileChange& change);
  // Once it is compiled. Denied where SQLite told of no change that the words tell of.
  Result<ChangeOutline> outline() const;
  const ReadRules& reads() const { return reads_; }

 private:
  using Refusal = std::optional<sqlite::ReadRefusal>;

  Refusal judge_words(const std::vector<SqlToken>& tokens) const;
  Refusal judge_rows(const sqlite::FileChange& change, const std::string& name);
  Refusal judge_target(const sqlite::FileChange& change, const std::string& name);
  Refusal judge_besides(const sqlite::FileChange& change, const std::string& name);
  Refusal judge_inserted_columns(std::string_view table, const std::string& name) const;
  Refusal judge_updated_column(const sqlite::FileChange& change, const std::string& name) const;
  Refusal judge_definition(const sqlite::FileChange& change, const std::string& name);
  Refusal judge_defined(std::string_view table, bool is_there) const;
  Refusal judge_new_name() const;
  bool is_part_of_definition(const sqlite::FileChange& change, const std::string& name) const;
  bool is_replacing(const std::string& table) const;
  std::vector<std::string> notes() const;

  ReadRules reads_;
  bool has_rules_;
  bool is_changing_ = false;
  WriteShape shape_;
  std::vector<std::string> words_;  // what they stand for, in lower case
  bool mentions_schema_ = false;
  bool has_column_list_ = false;
  std::string target_;  // as the file spells it; empty: not told yet
  std::string index_;   // that is made
  std::map<std::string, std::set<std::string>, std::less<>>
      triggers_;                    // and the tables they change
  std::set<std::string> cascades_;  // tables whose rows foreign keys delete
  std::set<std::string> updates_;   // or change
  std::set<std::string> dropped_triggers_;
  std::set<std::string, std::less<>> virtuals_;  // that triggers change, in lower case
};

}  // namespace helve::sql
