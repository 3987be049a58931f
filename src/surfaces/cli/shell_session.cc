#include "surfaces/cli/shell_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/near_names.h"
#include "base/stdio.h"
#include "base/text.h"
#include "surfaces/cli/duration.h"
#include "surfaces/cli/explain_output.h"
#include "surfaces/cli/pager.h"
#include "surfaces/cli/query_input.h"
#include "surfaces/cli/shell_names.h"

namespace helve::cli {

namespace {

constexpr std::uint64_t kRowsShown = 50;
constexpr std::uint64_t kRowsCounted = 1'000'000;  // behind those that are shown

Error invalid_input(std::string message, std::string hint) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

Result<bool> parse_switch(const std::string& argument, bool now) {
  if (argument.empty()) return !now;
  if (argument == "on") return true;
  if (argument == "off") return false;
  return invalid_input(fmt::format("'{}' is neither on nor off", argument), "write on or off");
}

}  // namespace

ShellSession::ShellSession(const QueryOptions& options, sparql::PassSet passes,
                           std::shared_ptr<const store::LiveSnapshot> data,
                           const store::LoadReport& load, CommandContext& context)
    : context_(context),
      parse_(parse_options_of(options, context)),
      data_(std::move(data)),
      load_(load),
      rows_max_(options.limit.value_or(kRowsShown)) {
  parse_.known_prefixes = data_->prefixes();
  run_.passes = passes;
  run_.is_union_default = options.is_union;
  run_.env = &context.env;
}

Result<void> ShellSession::run(const Statement& statement) {
  context_.shown = {};
  auto done =
      statement.command.empty() ? ask(statement.text, std::nullopt) : run_command(statement);
  // Who leaves the pager has seen enough.
  const bool is_left = !done && done.error().reason == ErrorReason::OutputClosed;
  if (is_left && context_.out_terminal.is_interactive()) return {};
  return done;
}

Result<void> ShellSession::run_command(const Statement& statement) {
  struct Entry {
    std::string_view name;
    Handler handler;
  };
  static constexpr std::array<Entry, 13> kHandlers = {{
      {".help", &ShellSession::help},
      {".explain", &ShellSession::explain},
      {".analyze", &ShellSession::analyze},
      {".prefixes", &ShellSession::prefixes},
      {".classes", &ShellSession::classes},
      {".properties", &ShellSession::properties},
      {".schema", &ShellSession::schema},
      {".format", &ShellSession::format},
      {".limit", &ShellSession::limit},
      {".timeout", &ShellSession::timeout},
      {".timing", &ShellSession::timing},
      {".pager", &ShellSession::pager},
      {".quit", &ShellSession::quit},
  }};
  for (const Entry& entry : kHandlers) {
    if (entry.name == statement.command) return (this->*entry.handler)(statement.text);
  }
  std::vector<std::string_view> names;
  names.reserve(kHandlers.size());
  for (const Entry& entry : kHandlers) names.push_back(entry.name);
  const auto near = near_names(statement.command, names, 1);
  return invalid_input(fmt::format("there is no command '{}'", statement.command),
                       near.empty()
                           ? ".help lists them"
                           : fmt::format("did you mean '{}'? .help lists them", near.front()));
}

Result<void> ShellSession::ask(const std::string& text, std::optional<bool> explained) {
  context_.shown = {parse_.text_name, text};
  if (is_prologue(text, parse_)) {
    HELVE_ASSIGN(const auto parsed, sparql::parse_query(text + "\nASK {}", parse_));
    keep_declarations(parsed.query);
    return {};
  }
  HELVE_ASSIGN(const sparql::ParsedQuery parsed, sparql::parse_query(text, parse_));
  last_query_ = text;
  show_news(parsed.notes, text);
  keep_declarations(parsed.query);
  const RowLimits rows =
      rows_max_ == 0 ? RowLimits{} : RowLimits{rows_max_, rows_max_ + kRowsCounted};
  const Question question{parsed.query, data_, run_, format_, rows, has_timing_};
  return paged([&](CommandContext& context) {
    return within_time(
        [&](const OpContext& op) {
          if (!explained) return answer_question(question, op, context);
          const PlanRequest request{PlanFormat::Text, *explained, shown_prefixes(question)};
          return explain_query(parsed.query, data_, run_, request, op, context);
        },
        context);
  });
}

// That a prefix of the data or the session was taken is no news.
void ShellSession::show_news(std::vector<sparql::ParseNote> notes, std::string_view text) const {
  const PrefixList known = all_prefixes();
  std::erase_if(notes, [&](const sparql::ParseNote& note) {
    const std::string_view word = text.substr(note.span.begin, note.span.end - note.span.begin);
    const std::size_t colon = word.find(':');
    return colon != std::string_view::npos &&
           std::any_of(known.begin(), known.end(),
                       [&](const auto& prefix) { return prefix.first == word.substr(0, colon); });
  });
  show_notes(notes, context_);
}

// What a query declares holds for those that follow.
void ShellSession::keep_declarations(const sparql::Query& query) {
  for (const auto& [name, iri] : query.prefixes) {
    std::erase_if(declared_, [&name = name](const auto& known) { return known.first == name; });
    declared_.emplace_back(name, iri);
  }
  if (!query.prefixes.empty()) names_.reset();
  parse_.known_prefixes = all_prefixes();
  parse_.base_iri = query.base_iri;
}

PrefixList ShellSession::all_prefixes() const {
  PrefixList prefixes = declared_;
  const PrefixList& of_data = data_->prefixes();
  prefixes.insert(prefixes.end(), of_data.begin(), of_data.end());
  return prefixes;
}

const CompletionNames& ShellSession::names() {
  if (!names_) names_ = completion_names(*data_, all_prefixes());
  return *names_;
}

Result<void> ShellSession::paged(const std::function<Result<void>(CommandContext&)>& work) {
  if (!has_pager_ || !context_.out_terminal.is_interactive()) return work(context_);
  PagedOutput out(context_.out, pager_command(), context_.out_terminal.height());
  CommandContext inside = {context_.env,          context_.op,           out,
                           context_.out_terminal, context_.err_terminal, context_.is_quiet,
                           context_.timeout,      context_.shown,        context_.cache};
  return work(inside);
}

Result<void> ShellSession::show(const std::string& text) {
  return paged([&](CommandContext& context) -> Result<void> { return context.show(text); });
}

Result<void> ShellSession::help(const std::string& /*argument*/) {
  std::string text =
      "A query runs when it is whole; an empty line or a ';' ends it too. PREFIX and BASE stay.\n"
      "Tab completes, Ctrl-C drops a line or stops a query, Ctrl-D leaves.\n\n";
  for (const ShellCommandInfo& command : shell_commands()) {
    text += fmt::format("  {:<22} {}\n", fmt::format("{} {}", command.name, command.arguments),
                        command.help);
  }
  return show(text);
}

Result<void> ShellSession::ask_last(const std::string& text, bool is_measured) {
  if (!text.empty()) return ask(text, is_measured);
  if (last_query_.empty()) {
    return invalid_input("there is no query to explain yet", "write one behind the command");
  }
  return ask(std::string(last_query_), is_measured);
}

Result<void> ShellSession::prefixes(const std::string& /*argument*/) {
  std::string text;
  std::vector<std::string_view> seen;
  const PrefixList all = all_prefixes();
  for (const auto& [name, iri] : all) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    text += escape_for_terminal(fmt::format("PREFIX {}: <{}>", name, iri)) + "\n";
  }
  return show(text);
}

Result<void> ShellSession::classes(const std::string& argument) {
  return show(render(class_table(*data_, all_prefixes(), argument), context_.out_terminal));
}

Result<void> ShellSession::properties(const std::string& argument) {
  return show(render(property_table(*data_, all_prefixes(), argument), context_.out_terminal));
}

Result<void> ShellSession::schema(const std::string& /*argument*/) {
  HELVE_ASSIGN(const store::Summary summary, store::summarize(*data_, context_.op));
  const InfoReport report{{}, *data_, load_, summary};
  return show(render_info_text(report, context_.out_terminal));
}

Result<void> ShellSession::format(const std::string& argument) {
  if (const auto rows = sparql::result_format_by_name(argument)) {
    format_.rows = *rows;
    return {};
  }
  const auto graph = rdf::parse_format(argument);
  if (!graph) return unknown_format(argument);
  format_.graph = *graph;
  return {};
}

Result<void> ShellSession::limit(const std::string& argument) {
  std::uint64_t rows = 0;
  const char* const end = argument.data() + argument.size();
  const auto parsed = std::from_chars(argument.data(), end, rows);
  constexpr std::uint64_t kRowsMax = 1'000'000'000'000;
  if (argument.empty() || parsed.ec != std::errc() || parsed.ptr != end || rows > kRowsMax) {
    return invalid_input(fmt::format("'{}' is not a number of rows", argument),
                         "write .limit 100; 0: all");
  }
  rows_max_ = rows;
  return {};
}

Result<void> ShellSession::timeout(const std::string& argument) {
  HELVE_ASSIGN(context_.timeout, parse_duration(argument));
  return {};
}

Result<void> ShellSession::timing(const std::string& argument) {
  HELVE_ASSIGN(has_timing_, parse_switch(argument, has_timing_));
  return {};
}

Result<void> ShellSession::pager(const std::string& argument) {
  HELVE_ASSIGN(has_pager_, parse_switch(argument, has_pager_));
  return {};
}

Result<void> ShellSession::quit(const std::string& /*argument*/) {
  is_over_ = true;
  return {};
}

}  // namespace helve::cli
