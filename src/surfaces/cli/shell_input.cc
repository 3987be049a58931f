#include "surfaces/cli/shell_input.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/lexer.h"

namespace helve::cli {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
// Longer texts are looked at only where they are said to end: looking at each line would take time
// in proportion to the square of their length.
constexpr std::size_t kJudgedBytesMax = 64 * kKiB;

constexpr std::array<ShellCommandInfo, 13> kCommands = {{
    {".help", "", "this list"},
    {".explain", "[QUERY]", "how a query is run; without one, the last"},
    {".analyze", "[QUERY]", "the same, measured: runs it and drops the answer"},
    {".prefixes", "", "prefixes of this session and of the data"},
    {".classes", "[TEXT]", "classes of the data, with instances; those whose name has the text"},
    {".properties", "[TEXT]", "properties of the data, with triples"},
    {".schema", "", "what the data are: sizes, classes, properties, languages"},
    {".format", "NAME", "table, json, xml, csv, tsv; turtle, ntriples, ... for graphs"},
    {".limit", "N", "rows to show; 0: all"},
    {".timeout", "TIME", "how long a query may take: 30s, 2min; 0: as long as it takes"},
    {".timing", "on|off", "whether answers tell how long they took"},
    {".pager", "on|off", "whether long answers go through $PAGER, or less"},
    {".quit", "", "leave; so does Ctrl-D"},
}};
constexpr std::array<std::string_view, 7> kFirstWords = {"SELECT", "ASK",  "CONSTRUCT", "DESCRIBE",
                                                         "PREFIX", "BASE", "VERSION"};

bool takes_query(std::string_view command) {
  return command == ".explain" || command == ".analyze";
}

// The command at the start of a line: a dot and a letter. `?s ?p ?o` newline `. ?a` is none.
std::string_view command_of(std::string_view line) {
  line = trimmed(line);
  if (line.size() < 2 || line[0] != '.' || !std::isalpha(static_cast<unsigned char>(line[1]))) {
    return {};
  }
  return line.substr(0, line.find_first_of(kSpace));
}

struct Brackets {
  std::size_t open = 0;
  bool is_broken = false;  // the text ends inside a string, or has what is no token
};

Brackets brackets_of(std::string_view text) {
  Brackets brackets;
  sparql::Lexer lexer(text, sparql::Version::Sparql12);
  while (true) {
    switch (lexer.next().kind) {
      case sparql::TokenKind::End:
        return brackets;
      case sparql::TokenKind::Bad:
        brackets.is_broken = true;
        return brackets;
      case sparql::TokenKind::LeftBrace:
      case sparql::TokenKind::LeftParenthesis:
      case sparql::TokenKind::LeftBracket:
        ++brackets.open;
        break;
      case sparql::TokenKind::RightBrace:
      case sparql::TokenKind::RightParenthesis:
      case sparql::TokenKind::RightBracket:
        if (brackets.open > 0) --brackets.open;
        break;
      default:
        break;
    }
  }
}

// A string of three quotes may go on in the next line.
bool ends_in_long_string(std::string_view text) {
  for (const std::string_view quotes : {"\"\"\"", "'''"}) {
    std::size_t count = 0;
    for (std::size_t at = text.find(quotes); at != std::string_view::npos;
         at = text.find(quotes, at + quotes.size())) {
      ++count;
    }
    if (count % 2 == 1) return true;
  }
  return false;
}

// Whether the mistake stands at the end, where more text may remedy it.
bool is_at_end(const Error& error, std::string_view text) {
  if (!error.position) return false;
  const std::string_view written = trimmed(text);
  const auto end = static_cast<std::size_t>(written.data() - text.data()) + written.size();
  const auto lines = static_cast<std::uint64_t>(std::count(
                         text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n')) +
                     1;
  if (error.position->line != lines) return error.position->line > lines;
  const std::size_t line_begin = text.rfind('\n', end - 1) + 1;
  return error.position->column > utf8_length(text.substr(line_begin, end - line_begin));
}

}  // namespace

std::span<const ShellCommandInfo> shell_commands() { return kCommands; }

bool is_prologue(std::string_view text, const sparql::ParseOptions& parse) {
  return sparql::parse_query(std::string(text) + "\nASK {}", parse).has_value();
}

StatementAssembler::StatementAssembler(sparql::ParseOptions parse) : parse_(std::move(parse)) {
  parse_.awaits_prefixes = true;
  // Only for looking: a relative IRI is told when the query runs.
  if (parse_.base_iri.empty()) parse_.base_iri = "http://localhost/";
}

std::vector<Statement> StatementAssembler::add(std::string_view line) {
  std::vector<Statement> ended;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!is_empty() && state_ == State::Whole && begins_statement(line)) end(ended);
  if (is_empty()) {
    begin(line, ended);
  } else {
    append(line, ended);
  }
  return ended;
}

void StatementAssembler::begin(std::string_view line, std::vector<Statement>& ended) {
  const std::string_view content = trimmed(line);
  if (content.empty() || content.starts_with('#')) return;
  const std::string_view command = command_of(line);
  if (command.empty()) {
    append(line, ended);
    return;
  }
  const std::string_view rest = trimmed(content.substr(command.size()));
  if (!takes_query(command) || rest.empty()) {
    ended.push_back({std::string(command), std::string(rest)});
    return;
  }
  pending_.command = command;
  append(rest, ended);
}

void StatementAssembler::append(std::string_view line, std::vector<Statement>& ended) {
  const std::string_view content = trimmed(line);
  const bool is_end = content.ends_with(';');
  if (!pending_.text.empty()) pending_.text += '\n';
  pending_.text += line;
  empty_lines_ = content.empty() ? empty_lines_ + 1 : 0;
  if (content.empty()) {
    if (state_ == State::Whole || empty_lines_ > 1 || brackets_of(pending_.text).open == 0) {
      end(ended);
    }
    return;
  }
  const bool is_long = pending_.text.size() > kJudgedBytesMax;
  if (is_end) {
    // Behind a whole query; elsewhere it stands between triples.
    const std::string without = pending_.text.substr(0, pending_.text.rfind(';'));
    if (judge(without) == State::Whole) {
      pending_.text = without;
      end(ended);
      return;
    }
  }
  state_ = is_long ? State::Open : judge(pending_.text);
  if (state_ == State::Wrong) end(ended);
}

StatementAssembler::State StatementAssembler::judge(std::string_view text) const {
  const auto parsed = sparql::parse_query(text, parse_);
  if (parsed || is_prologue(text, parse_)) return State::Whole;
  if (parsed.error().code != ErrorCode::InvalidInput || utf8_valid_prefix(text) != text.size()) {
    return State::Wrong;
  }
  const Brackets brackets = brackets_of(text);
  if (brackets.open > 0 || is_at_end(parsed.error(), text)) return State::Open;
  return brackets.is_broken && ends_in_long_string(text) ? State::Open : State::Wrong;
}

bool StatementAssembler::begins_statement(std::string_view line) const {
  const std::string_view content = trimmed(line);
  if (!command_of(content).empty()) return true;
  const std::string_view word = content.substr(0, content.find_first_of(" \t?$*({<"));
  return std::any_of(kFirstWords.begin(), kFirstWords.end(),
                     [&](std::string_view first) { return sparql::same_keyword(word, first); });
}

void StatementAssembler::end(std::vector<Statement>& ended) {
  if (auto statement = take()) ended.push_back(*std::move(statement));
}

std::optional<Statement> StatementAssembler::take() {
  if (is_empty()) return std::nullopt;
  Statement statement = std::move(pending_);
  clear();
  statement.text =
      std::string(statement.text.substr(0, statement.text.find_last_not_of(kSpace) + 1));
  return statement;
}

void StatementAssembler::clear() {
  pending_ = {};
  state_ = State::Open;
  empty_lines_ = 0;
}

}  // namespace helve::cli
