// ShellSession: runs the statements of `helve shell` on open data and keeps what they set.
// shell_input.h puts them together, shell_command.cc reads the lines.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/loader.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/info_report.h"
#include "surfaces/cli/query_answer.h"
#include "surfaces/cli/query_output.h"
#include "surfaces/cli/shell_completion.h"
#include "surfaces/cli/shell_input.h"

namespace helve::cli {

class ShellSession {
 public:
  // `context` is the command's; the session sets its timeout and what its errors point into.
  ShellSession(const QueryOptions& options, sparql::PassSet passes,
               std::shared_ptr<const store::LiveSnapshot> data, const store::LoadReport& load,
               CommandContext& context);

  Result<void> run(const Statement& statement);
  bool is_over() const { return is_over_; }
  // The data proved to be; what was read is not to be kept.
  bool is_damaged() const { return data_->failure().has_value(); }

  const sparql::ParseOptions& parse_options() const { return parse_; }
  // Of the data, and of the prefixes as they are now.
  const CompletionNames& names();

 private:
  using Handler = Result<void> (ShellSession::*)(const std::string&);

  Result<void> run_command(const Statement& statement);
  Result<void> ask(const std::string& text, std::optional<bool> explained);
  void show_news(std::vector<sparql::ParseNote> notes, std::string_view text) const;
  void keep_declarations(const sparql::Query& query);
  Result<void> show(const std::string& text);
  Result<void> paged(const std::function<Result<void>(CommandContext&)>& work);
  PrefixList all_prefixes() const;

  Result<void> help(const std::string& argument);
  Result<void> explain(const std::string& text) { return ask_last(text, false); }
  Result<void> analyze(const std::string& text) { return ask_last(text, true); }
  Result<void> ask_last(const std::string& text, bool is_measured);
  Result<void> prefixes(const std::string& argument);
  Result<void> classes(const std::string& argument);
  Result<void> properties(const std::string& argument);
  Result<void> schema(const std::string& argument);
  Result<void> format(const std::string& argument);
  Result<void> limit(const std::string& argument);
  Result<void> timeout(const std::string& argument);
  Result<void> timing(const std::string& argument);
  Result<void> pager(const std::string& argument);
  Result<void> quit(const std::string& argument);

  CommandContext& context_;
  sparql::ParseOptions parse_;
  sparql::RunOptions run_;
  std::shared_ptr<const store::LiveSnapshot> data_;
  store::LoadReport load_;
  PrefixList declared_;  // in this session
  QueryFormat format_;
  std::uint64_t rows_max_;
  std::string last_query_;
  bool has_timing_ = true;
  bool has_pager_ = true;
  bool is_over_ = false;
  std::optional<CompletionNames> names_;
};

}  // namespace helve::cli
