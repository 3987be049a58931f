// helve find: which IRIs are called so?
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/load_input.h"
#include "surfaces/cli/open_graph.h"
#include "surfaces/cli/prefix_shortener.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

constexpr std::size_t kNameWidthMax = 60;
constexpr std::size_t kLabelWidthMax = 50;

std::string_view kind_name(NameKind kind) {
  switch (kind) {
    case NameKind::Any:
      return "any";
    case NameKind::Class:
      return "class";
    case NameKind::Property:
      return "property";
    case NameKind::Instance:
      break;
  }
  return "instance";
}

Result<NameKind> parse_kind(std::string_view name) {
  for (const NameKind kind :
       {NameKind::Any, NameKind::Class, NameKind::Property, NameKind::Instance}) {
    if (kind_name(kind) == name) return kind;
  }
  return Error{ErrorCode::InvalidInput, fmt::format("'{}' is no kind of name", name),
               "class, property, instance or any"};
}

bool is_there(const std::string& word, Env& env) {
  return word == "-" || env.files().status(word).has_value();
}

// The first word is a source, and so are those behind it that are there, but for the last.
Result<FindRequest> take_request(const FindOptions& options, InputOptions& input, Env& env) {
  const auto& words = options.words;
  if (words.size() < 2) {
    return Error{ErrorCode::InvalidInput, "the words to look for are missing",
                 "helve find SOURCE... WORDS"};
  }
  std::size_t sources = 1;
  while (sources + 1 < words.size() && is_there(words[sources], env)) ++sources;
  input.paths.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(sources));
  FindRequest request;
  for (std::size_t i = sources; i < words.size(); ++i) {
    request.text += (i == sources ? "" : " ") + words[i];
  }
  HELVE_ASSIGN(request.kind, parse_kind(options.kind));
  request.hits_max = options.limit;
  request.is_fuzzy = !options.is_exact;
  return request;
}

std::string hits_to_text(const std::vector<NameHit>& hits, const PrefixShortener& shortener,
                         const Terminal& terminal) {
  struct Line {
    std::string name;
    std::string label;
    std::string_view kind;
    std::string count;
  };
  std::vector<Line> lines;
  std::array<std::size_t, 4> widths = {4, 5, 4, 5};
  for (const NameHit& hit : hits) {
    Line line{elide_middle(escape_for_terminal(shortener.shorten(hit.iri)), kNameWidthMax),
              elide_end(escape_for_terminal(hit.label), kLabelWidthMax), kind_name(hit.kind),
              format_count(hit.count)};
    widths = {std::max(widths[0], display_width(line.name)),
              std::max(widths[1], display_width(line.label)), std::max(widths[2], line.kind.size()),
              std::max(widths[3], line.count.size())};
    lines.push_back(std::move(line));
  }
  std::string out = terminal.styled(
      Style::Dim,
      fmt::format("{}  {}  {}  {}", pad_end("name", widths[0]), pad_end("label", widths[1]),
                  pad_end("kind", widths[2]), pad_start("count", widths[3])));
  out += '\n';
  for (const Line& line : lines) {
    out += fmt::format("{}  {}  {}  {}\n", pad_end(line.name, widths[0]),
                       pad_end(line.label, widths[1]), pad_end(line.kind, widths[2]),
                       pad_start(line.count, widths[3]));
  }
  return out;
}

std::string hits_to_json(const FindRequest& request, const std::vector<NameHit>& hits) {
  return json_object([&](JsonWriter& json) {
    json.member("text", request.text);
    json.member("kind", kind_name(request.kind));
    write_objects(json, "hits", hits, [&](const NameHit& hit) {
      json.member("iri", hit.iri);
      json.member("label", hit.label);
      json.member("language", hit.language);
      json.member("kind", kind_name(hit.kind));
      json.member("count", hit.count);
      json.member("score", hit.score);
    });
  });
}

}  // namespace

Result<void> run_find(const FindOptions& options, CommandContext& context) {
  InputOptions input = options.input;
  HELVE_ASSIGN(const FindRequest request, take_request(options, input, context.env));
  HELVE_ASSIGN(const OpenedGraph graph, open_graph(input, context));
  SourceInfo info;
  info.name = info.uri = input.paths.front();
  info.engine = std::string("helve ") + kVersion;
  HELVE_ASSIGN(const auto source,
               opening::source_of(graph, input, std::move(info), open_tools(context)));
  const auto hits = source->find(request, context.op);
  if (!hits) {
    graph.finish(graph.data->failure().has_value(), context.op);
    return hits.error();
  }
  if (options.is_json) {
    HELVE_TRY(context.show(hits_to_json(request, *hits)));
  } else if (!hits->empty()) {
    HELVE_TRY(context.show(
        hits_to_text(*hits, PrefixShortener(graph.data->prefixes()), context.out_terminal)));
  }
  report_skipped(graph.loaded.report.skipped, graph.loaded.report.problems, context);
  if (hits->empty()) context.note(fmt::format("nothing is called '{}'", request.text));
  graph.finish(false, context.op);
  return {};
}

}  // namespace helve::cli
