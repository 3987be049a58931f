#include "surfaces/cli/query_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/stdio.h"
#include "base/text.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/store/snapshot_file.h"
#include "surfaces/cli/load_input.h"

namespace helve::cli {

namespace {

constexpr std::string_view kQueryName = "query";

Error invalid(std::string message, std::string hint) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

// "file", "folder" or "index"; empty for what is no source of data.
std::string_view source_noun(const std::string& path, CommandContext& context) {
  const auto status = context.env.files().status(path);
  if (!status || status->kind == FileKind::Other) return "";
  if (status->kind == FileKind::Regular) return "file";
  return store::is_snapshot_folder(path, context.env) ? "index" : "folder";
}

Result<std::string> read_standard_input(CommandContext& context) {
  const auto source = stdin_source(context.op.cancel, context.op.deadline);
  const std::size_t bytes_max = context.op.limits.query_bytes_max;
  std::string text;
  std::array<char, 16 * kKiB> piece;
  while (text.size() <= bytes_max) {  // one more is the parser's to refuse
    HELVE_ASSIGN(const std::size_t count, source->read(piece));
    if (count == 0) break;
    text.append(piece.data(), count);
  }
  return text;
}

Result<std::string> read_query_file(const std::string& path, CommandContext& context) {
  if (path == "-") return read_standard_input(context);
  HELVE_ASSIGN(const auto status, context.env.files().status(path));
  if (status.kind == FileKind::Directory) {
    return invalid(fmt::format("'{}' is a folder", path), "name the file with the query");
  }
  HELVE_ASSIGN(const auto file, context.env.files().map(path));
  return std::string(file->text().substr(0, context.op.limits.query_bytes_max + 1));
}

Error missing_query(const std::string& only_word, std::string_view noun = "") {
  return invalid(only_word.empty()
                     ? "there is no query"
                     : fmt::format("there is no query, only the {} '{}'", noun, only_word),
                 "write it as the last argument, in single quotes, or name its file with -f");
}

// The last word as the query.
Result<void> take_query(std::vector<std::string>& words, QueryInput& input,
                        CommandContext& context) {
  if (words.empty()) return missing_query({});
  const std::string word = words.back();
  words.pop_back();
  input.name = kQueryName;
  if (word == "-") {
    HELVE_ASSIGN(input.text, read_standard_input(context));
    return {};
  }
  if (const auto noun = source_noun(word, context); !noun.empty()) {
    const bool is_query = word.ends_with(".rq") || word.ends_with(".sparql");
    if (!is_query || noun != "file") return missing_query(word, noun);
    return invalid(fmt::format("'{}' is a file, not a query", word),
                   fmt::format("-f {} reads the query from it", word));
  }
  input.text = word;
  return {};
}

// A text in the place of a file: "ASK {}", "{ ?s ?p ?o }"; but not "{a,b}.ttl", "base.ttl".
bool looks_like_query(std::string_view word) {
  const auto* const begin = std::find_if_not(word.begin(), word.end(), is_space);
  const auto* const end = std::find_if_not(begin, word.end(), [](char c) { return is_letter(c); });
  constexpr std::string_view kBehindKeyword = " \t\r\n{(*?$<";
  if (end != word.end() && kBehindKeyword.find(*end) != std::string_view::npos) {
    for (const std::string_view keyword :
         {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "PREFIX", "BASE"}) {
      if (sparql::same_keyword({begin, end}, keyword)) return true;
    }
  }
  return word.find('{') != std::string_view::npos &&
         std::any_of(word.begin(), word.end(), is_space);
}

Result<void> check_files(const std::vector<std::string>& words, const std::string& query_file,
                         CommandContext& context) {
  for (const std::string& word : words) {
    if (!looks_like_query(word) || context.env.files().status(word)) continue;
    constexpr std::size_t kShownMax = 60;
    const std::string shown = elide_end(word, kShownMax);
    if (query_file.empty()) {
      return invalid(fmt::format("two queries are given: '{}' and the last argument", shown),
                     "ask one after the other; files are named before the query");
    }
    return invalid(fmt::format("two queries are given: '{}' and the one in {}", shown,
                               query_file == "-" ? "standard input" : query_file),
                   "leave one of them out");
  }
  return {};
}

Result<void> check_standard_input(const QueryOptions& options, const QueryInput& input) {
  const bool is_query_there = options.query_file.empty()
                                  ? !options.words.empty() && options.words.back() == "-"
                                  : options.query_file == "-";
  const auto files = std::count_if(input.sources.begin(), input.sources.end(),
                                   [](const QuerySource& source) { return source.path == "-"; });
  if (files + (is_query_there ? 1 : 0) <= 1) return {};
  return invalid("standard input can be read only once",
                 "name '-' once, as a file or as the query");
}

}  // namespace

Result<QuerySource> parse_named_graph(const std::string& word) {
  const std::size_t equals = word.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
    return invalid(fmt::format("--named-graph '{}' is not of the form IRI=FILE", word),
                   "for example --named-graph http://example.org/g=data.ttl");
  }
  std::string iri = word.substr(0, equals);
  if (!has_iri_scheme(iri) || find_bad_iri_character(iri)) {
    return invalid(fmt::format("'{}' is not an absolute IRI", iri),
                   "for example --named-graph http://example.org/g=data.ttl");
  }
  return QuerySource{word.substr(equals + 1), std::move(iri)};
}

Result<std::vector<QuerySource>> find_sources(const QueryOptions& options,
                                              std::vector<std::string> words) {
  std::vector<QuerySource> sources;
  sources.reserve(words.size() + options.default_graphs.size() + options.named_graphs.size());
  for (std::string& word : words) sources.push_back({std::move(word), {}});
  for (const std::string& path : options.default_graphs) sources.push_back({path, {}});
  for (const std::string& word : options.named_graphs) {
    HELVE_ASSIGN(QuerySource source, parse_named_graph(word));
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<OpenedGraph> open_sources(const std::vector<QuerySource>& sources,
                                 const QueryOptions& options, CommandContext& context) {
  InputOptions input = options.input;
  std::vector<std::string> graphs;
  for (const QuerySource& source : sources) {
    input.paths.push_back(source.path);
    graphs.push_back(source.graph);
  }
  HELVE_ASSIGN(OpenedGraph graph, open_graph(input, context, {.graphs = std::move(graphs)}));
  const store::LoadReport& report = graph.loaded.report;
  report_skipped(report.skipped, report.problems, context);
  return graph;
}

sparql::ParseOptions parse_options_of(const QueryOptions& options, const CommandContext& context) {
  sparql::ParseOptions parse;
  parse.base_iri = options.base_iri;
  parse.version = options.version == "1.2" ? sparql::Version::Sparql12 : sparql::Version::Sparql11;
  parse.is_strict = options.is_strict;
  parse.limits = context.op.limits;
  return parse;
}

Result<QueryInput> find_query_input(const QueryOptions& options, CommandContext& context) {
  QueryInput input;
  std::vector<std::string> words = options.words;
  if (options.query_file.empty()) {
    HELVE_TRY(take_query(words, input, context));
  } else {
    input.name = options.query_file == "-" ? std::string(kQueryName) : options.query_file;
  }
  HELVE_TRY(check_files(words, options.query_file, context));
  HELVE_ASSIGN(input.sources, find_sources(options, std::move(words)));
  if ((options.is_parse_only || options.shows_algebra) && !input.sources.empty()) {
    return invalid(fmt::format("checking a query reads no data, but '{}' is named",
                               input.sources.front().path),
                   "name only the query; in single quotes it is one argument");
  }
  HELVE_TRY(check_standard_input(options, input));
  if (!options.query_file.empty()) {
    HELVE_ASSIGN(input.text, read_query_file(options.query_file, context));
  }
  return input;
}

}  // namespace helve::cli
