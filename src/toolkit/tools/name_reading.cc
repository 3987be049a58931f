// read_name: a name as a caller wrote it, understood or refused. graph_access.h declares it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/iri.h"
#include "base/utf8.h"
#include "sources/sparql/algebra/well_known.h"
#include "toolkit/diagnosis/diagnosis.h"
#include "toolkit/diagnosis/near_iris.h"
#include "toolkit/tools/graph_access.h"
#include "toolkit/tools/learnt_prefixes.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kNameBytesMax = 4'096;
constexpr std::size_t kNearest = 5;
constexpr std::size_t kCompared = 20;     // hits of a search that are compared with the words
constexpr std::size_t kDistanceMax = 12;  // edits; beyond, names are all alike far

bool looks_prefixed(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon != std::string_view::npos && !name.substr(colon + 1).starts_with("//");
}

std::optional<std::string> expand(std::string_view name, const PrefixList& prefixes) {
  const std::size_t colon = name.find(':');
  const std::string_view prefix = name.substr(0, colon);
  const std::string_view local = name.substr(colon + 1);
  for (const auto& [known, iri] : prefixes) {
    if (known == prefix) return iri + std::string(local);
  }
  if (const auto iri = sparql::well_known_prefix(prefix)) {
    return std::string(*iri) + std::string(local);
  }
  return std::nullopt;
}

ToolError unknown_name(std::string_view text, NameKind kind, const GraphSource& graph,
                       const ToolCall& call, const std::vector<NameHit>& nearest) {
  const char* what = kind == NameKind::Class      ? "class"
                     : kind == NameKind::Property ? "property"
                                                  : "resource";
  const bool is_handle = call.arguments.has("handle");
  const std::string& place = is_handle ? call.arguments.text("handle") : graph.info().name;
  std::string hint = "if one of did_you_mean is meant, call again with it";
  if (nearest.empty()) {
    hint = is_handle ? fmt::format("g_sample handle={} shows what is in it", place)
                     : "look for it by words: sparql_find pattern=...";
  }
  ToolError error(
      Error{ErrorCode::NotFound, fmt::format("{} has no {} {}", place, what, text), hint});
  const ShownPrefixes prefixes = shown_prefixes(graph);
  for (const NameHit& hit : nearest) error.error.suggestions.push_back(show_hit(hit, prefixes));
  return error;
}

// What looks like something else than a name is not guessed at.
std::optional<Error> no_name(std::string_view text) {
  if (text.starts_with("_:")) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is a blank node: it has no name outside of its result", text),
                 "ask for it through what points at it: SELECT ?p ?o { <thing> <property> ?b . ?b "
                 "?p ?o }"};
  }
  if (!looks_like_key(text)) return std::nullopt;
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} is the key of a handle, not a thing of the graph", text),
               "sparql_peek or ctx_slice read a handle; VALUES ?x { @results_0.x } asks about its "
               "things"};
}

// A hit beside the words that were looked for.
struct Compared {
  NameHit hit;
  std::size_t distance = 0;  // edits from the words to the label or the local name
  bool has_all_words = false;
};

std::set<std::string, std::less<>> split_words(std::string_view text) {
  std::set<std::string, std::less<>> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Compared compare(const std::string& wanted, NameHit hit) {
  Compared compared{std::move(hit), kDistanceMax + 1, false};
  const auto words = split_words(wanted);
  const std::string_view local = split_name(compared.hit.iri).local;
  for (const std::string_view name : {std::string_view(compared.hit.label), local}) {
    const std::string folded = words_of(name);
    if (folded.empty()) continue;
    if (folded == wanted) compared.distance = 0;
    compared.distance = std::min(compared.distance, edit_distance(wanted, folded, kDistanceMax));
    const auto of_name = split_words(folded);
    compared.has_all_words = compared.has_all_words || std::includes(of_name.begin(), of_name.end(),
                                                                     words.begin(), words.end());
  }
  return compared;
}

// Nearest first; of those alike near, as the search had them.
std::vector<Compared> compare_all(std::string_view text, std::vector<NameHit> hits) {
  const std::string wanted = words_of(text);
  std::vector<Compared> all;
  all.reserve(hits.size());
  for (NameHit& hit : hits) all.push_back(compare(wanted, std::move(hit)));
  std::stable_sort(all.begin(), all.end(),
                   [](const Compared& a, const Compared& b) { return a.distance < b.distance; });
  return all;
}

// How many of them, from the first on, the words may mean: those that are called just so, or the
// only one that has all the words in its name. None: it would be a guess.
std::size_t meant(const std::vector<Compared>& all) {
  const auto exact = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const Compared& one) { return one.distance == 0; }));
  if (exact > 0) return exact;
  const auto having =
      std::count_if(all.begin(), all.end(), [](const Compared& one) { return one.has_all_words; });
  return having == 1 && all.front().has_all_words ? 1 : 0;
}

DataLine reading_of(std::string_view text, const std::vector<Compared>& all, std::size_t meaning,
                    const PrefixList& prefixes) {
  std::string reading = fmt::format("\"{}\" as {}", text, show_hit(all.front().hit, prefixes));
  for (std::size_t i = 1; i < std::min<std::size_t>(all.size(), 3); ++i) {
    reading += fmt::format("{} {}", i == 1 ? "; others:" : ",", show_hit(all[i].hit, prefixes));
  }
  const char* own = meaning > 1 ? "several things are called so, and the first was taken"
                    : all.front().distance == 0
                        ? "the words were taken for what is called just so"
                        : "the words were taken for the only thing that has them in its name";
  return {"read " + reading, own, "read_as", reading};
}

// Words: what is called so. A misspelt name is not guessed at.
std::variant<ReadName, ToolError> read_words(std::string_view text, NameKind kind,
                                             const GraphSource& graph, const ToolCall& call) {
  auto hits = graph.find({std::string(text), kind, kCompared, true}, call.op);
  const auto all = compare_all(
      text, hits ? std::move(*hits) : nearest_names(text, kind, graph, kNearest, call.op));
  const std::size_t meaning = meant(all);
  if (meaning > 0) {
    const ShownPrefixes prefixes = shown_prefixes(graph);
    return ReadName{all.front().hit.iri, {reading_of(text, all, meaning, prefixes)}};
  }
  // Whether an endpoint that did not answer has such a name is not known.
  if (!hits && graph.info().is_remote) return ToolError(std::move(hits).error());
  std::vector<NameHit> nearest;
  for (std::size_t i = 0; i < std::min(all.size(), kNearest); ++i) nearest.push_back(all[i].hit);
  return unknown_name(text, kind, graph, call, nearest);
}

}  // namespace

bool looks_like_key(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(1);
  const std::string_view key = text.substr(0, text.find('['));
  const std::size_t line = key.rfind('_');
  if (line == std::string_view::npos || !find_handle_type(key.substr(0, line))) return false;
  constexpr std::size_t kSecretDigits = 32;
  const std::string_view number = key.substr(line + 1);
  const bool is_secret = number.size() == kSecretDigits;
  return !number.empty() &&
         number.find_first_not_of(is_secret ? "0123456789abcdef" : "0123456789") == number.npos;
}

std::variant<ReadName, ToolError> read_name(std::string_view text, NameKind kind,
                                            const GraphSource& graph, const ToolCall& call) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty() || text.size() > kNameBytesMax || utf8_valid_prefix(text) != text.size()) {
    return ToolError(Error{ErrorCode::InvalidInput, "this is no name of anything",
                           "give an IRI, a prefixed name (ex:Thing) or a few words"});
  }
  if (auto other = no_name(text)) return ToolError(*std::move(other));
  std::string_view inner = text;
  if (inner.size() > 2 && inner.front() == '<' && inner.back() == '>') {
    inner = inner.substr(1, inner.size() - 2);
  }
  std::vector<std::string> readings;  // an absolute IRI first, then a prefixed name
  std::optional<std::string> expanded;
  if (inner == text && looks_prefixed(inner)) {
    expanded = expand(inner, learnt_prefixes(graph, call.op));
  }
  if (!find_bad_iri_character(inner)) {
    if (expanded && !find_bad_iri_character(*expanded)) readings.push_back(*expanded);
    if (has_iri_scheme(inner)) readings.emplace_back(inner);
  }
  for (std::string& iri : readings) {
    const auto is_known = graph.has_term(rdf::TermView::iri(iri), call.op);
    if (!is_known) return ToolError(is_known.error());
    if (*is_known) return ReadName{std::move(iri), {}};
  }
  if (readings.empty()) return read_words(text, kind, graph, call);
  return unknown_name(text, kind, graph, call,
                      nearest_names(readings.front(), kind, graph, kNearest, call.op));
}

}  // namespace helve::toolkit
