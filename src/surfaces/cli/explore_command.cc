// helve explore: the tools at a prompt.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "surfaces/cli/error_report.h"
#include "surfaces/cli/explore_line.h"
#include "surfaces/cli/line_loop.h"
#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

constexpr std::string_view kGraphHelp =
    "schema [classes|properties|patterns]   what is in the graph\n"
    "find WORDS                             names of classes, properties and instances\n"
    "peek NAME                              a first look at one of them\n"
    "describe NAME                          all that is said about it\n"
    "SELECT ... | query 'SELECT ...'        a SPARQL query; its rows get a handle\n";
constexpr std::string_view kTablesHelp =
    "tables [NAME]                          the tables of the database, or one of them\n"
    "SELECT ... FROM ...                    a SQL query; its rows get a handle\n"
    "EXPLAIN SELECT ...                     how the database would run it\n";
// Where it is a database that is asked.
constexpr std::string_view kTablesOnlyHelp =
    "find WORDS                             tables and columns named like that\n"
    "describe NAME                          all that is known of a table, with sample values\n";
constexpr std::string_view kHandleHelp =
    "slice results_0 [offset=N]             rows of a handle\n"
    "sql 'SELECT ... FROM results_0'        SQL over handles\n";
constexpr std::string_view kSourcesHelp =
    "use NAME, sources                      which source is asked; what there is\n";
constexpr std::string_view kLastHelp =
    "list_tools                             all tools; any of them can be called by name\n"
    "help, quit\n";

std::string help_of(const ExploreScope& scope) {
  std::string help;
  if (!scope.is_of_databases()) help += kGraphHelp;
  if (scope.has_databases()) help += kTablesHelp;
  if (scope.is_of_databases()) help += kTablesOnlyHelp;
  help += kHandleHelp;
  if (scope.sources.size() > 1) help += kSourcesHelp;
  help += kLastHelp;
  return help;
}

bool fits(const toolkit::Tool& tool, bool is_database) {
  if (tool.needs_either) return true;
  return is_database ? tool.needs_tables : tool.needs_graph || tool.takes_graph;
}

class Explorer {
 public:
  Explorer(ToolSession& session, bool is_json, CommandContext& context)
      : session_(session), is_json_(is_json), context_(context) {
    for (const toolkit::Tool& tool : session.toolkit().registry().tools()) {
      scope_.tools.push_back(tool.name);
    }
    for (const toolkit::KnownSource& source : session.toolkit().sources(session.caller())) {
      scope_.sources.push_back({source.info.name, source.info.kind == SourceKind::Tables});
    }
  }

  Result<void> converse() {
    context_.note("helve: 'help' lists what can be typed, Tab completes, Ctrl-D leaves");
    return take_typed_lines(
        [this](std::string_view line) { return complete_tool(line); },
        [this] { return (scope_.chosen.empty() ? "explore" : scope_.chosen) + "> "; }, lines(),
        context_);
  }

  // The first failure, after everything was run.
  Result<void> run_script() {
    HELVE_TRY(take_piped_lines(lines(), context_));
    if (!failure_) return {};
    context_.is_failure_reported = true;
    return *failure_;
  }

 private:
  LineTaker lines() {
    return {[this](const std::string& line) { take(line); }, [this] { return is_over_; }};
  }

  Completion complete_tool(std::string_view line) const {
    Completion completion;
    constexpr std::string_view kUse = "use ";
    if (line.starts_with(kUse)) {
      for (const ExploreSource& source : scope_.sources) {
        if (source.name.starts_with(line.substr(kUse.size()))) {
          completion.words.push_back(source.name);
        }
      }
      completion.begin = kUse.size();
      return completion;
    }
    if (line.find(' ') != std::string_view::npos) return completion;
    for (const std::string_view word : {"tables", "use", "sources"}) {
      const bool is_there = word == "tables" ? scope_.has_databases() : scope_.sources.size() > 1;
      if (is_there && word.starts_with(line)) completion.words.emplace_back(word);
    }
    for (const std::string& tool : scope_.tools) {
      for (const std::string_view name : {std::string_view(tool), short_name(tool)}) {
        if (!name.empty() && name.starts_with(line)) completion.words.emplace_back(name);
      }
    }
    return completion;
  }

  static std::string_view short_name(std::string_view tool) {
    constexpr std::string_view kFamily = "sparql_";
    return tool.starts_with(kFamily) ? tool.substr(kFamily.size()) : std::string_view();
  }

  void take(std::string_view line) {
    const auto done = run(line);
    if (done) return;
    if (!context_.is_failure_reported) {
      report_error(done.error(), context_.err_terminal, context_.shown);
    }
    context_.is_failure_reported = false;
    if (!failure_) failure_ = done.error();
  }

  Result<void> run(std::string_view line) {
    HELVE_ASSIGN(ExploreLine read, read_explore_line(line, scope_));
    is_over_ = read.is_end;
    if (read.is_help) return context_.show(help_of(scope_));
    if (read.lists_sources) return context_.show(sources_text());
    if (!read.use.empty()) scope_.chosen = read.use;
    if (read.tool.empty()) return {};
    const auto tool = session_.toolkit().registry().find(read.tool);
    if (tool) name_source(**tool, read.words);
    HELVE_ASSIGN(const JsonValue arguments,
                 read_tool_arguments(read.words, tool ? *tool : nullptr, context_));
    return show_outcome(session_.call(read.tool, arguments), is_json_, context_);
  }

  // The chosen one, where the tool is for its kind and the line names none.
  void name_source(const toolkit::Tool& tool, std::vector<std::string>& words) const {
    const bool is_free = std::none_of(words.begin(), words.end(), [](const std::string& word) {
      return word.starts_with("source=") || word.starts_with('{');
    });
    if (scope_.chosen.empty() || !is_free || !fits(tool, scope_.is_of_databases())) return;
    words.push_back("source=" + scope_.chosen);
  }

  std::string sources_text() const {
    std::string text;
    for (const ExploreSource& source : scope_.sources) {
      text += fmt::format("{}  {}{}\n", source.name, source.is_database ? "database" : "graph",
                          source.name == scope_.chosen ? ", asked" : "");
    }
    return text;
  }

  ToolSession& session_;
  bool is_json_;
  CommandContext& context_;
  ExploreScope scope_;
  std::optional<Error> failure_;
  bool is_over_ = false;
};

}  // namespace

Result<void> run_explore(const ExploreOptions& options, CommandContext& context) {
  ToolSessionOptions lasting = options.session;
  lasting.is_lasting = true;
  HELVE_ASSIGN(const auto session, ToolSession::open(lasting, context));
  Explorer explorer(*session, options.is_json, context);
  const bool is_interactive = ::isatty(STDIN_FILENO) == 1 && context.out_terminal.is_interactive();
  auto done = is_interactive ? explorer.converse() : explorer.run_script();
  session->finish();
  return done;
}

}  // namespace helve::cli
