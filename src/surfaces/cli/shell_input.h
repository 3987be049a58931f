// Lines typed into the shell, put together to statements: dot commands, declarations of prefixes
// and queries. shell_session.h runs them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sources/sparql/algebra/parser.h"

namespace helve::cli {

struct Statement {
  std::string command;  // ".explain"; empty: a query, or declarations alone
  std::string text;     // the query, or what stands behind the command

  friend bool operator==(const Statement&, const Statement&) = default;
};

// A query ends where it is whole: with the line that completes it, unless the next line is already
// there and goes on with it (ORDER BY ...); with a ';' behind it; or with an empty line, or two
// where brackets are open. A line that can never become right ends it too, so that the mistake is
// told at once.
class StatementAssembler {
 public:
  // `parse` is what the session parses with; prefixes may be unknown.
  explicit StatementAssembler(sparql::ParseOptions parse);

  // Takes a line without its end; gives the statements that it ended.
  std::vector<Statement> add(std::string_view line);
  // True when what is pending is whole: to be taken now if no line is waiting.
  bool is_whole() const { return state_ == State::Whole; }
  // True when the next line begins a statement.
  bool is_empty() const { return pending_.text.empty() && pending_.command.empty(); }
  // What is pending, as the last statement.
  std::optional<Statement> take();
  const std::string& text() const { return pending_.text; }
  void clear();

 private:
  enum class State { Open, Whole, Wrong };

  void begin(std::string_view line, std::vector<Statement>& ended);
  void append(std::string_view line, std::vector<Statement>& ended);
  void end(std::vector<Statement>& ended);
  State judge(std::string_view text) const;
  bool begins_statement(std::string_view line) const;

  sparql::ParseOptions parse_;
  Statement pending_;
  State state_ = State::Open;
  std::size_t empty_lines_ = 0;
};

// Declarations (PREFIX, BASE) without a query.
bool is_prologue(std::string_view text, const sparql::ParseOptions& parse);

struct ShellCommandInfo {
  std::string_view name;  // with its dot
  std::string_view arguments;
  std::string_view help;
};
std::span<const ShellCommandInfo> shell_commands();

}  // namespace helve::cli
