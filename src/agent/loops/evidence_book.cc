#include "agent/loops/evidence_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/loops/prompt_words.h"
#include "agent/loops/query_match.h"
#include "base/digest.h"
#include "base/utf8_repair.h"
#include "toolkit/tools/parameter_names.h"

namespace helve::agent {

namespace {

constexpr std::size_t kKeysTold = 5;
constexpr std::size_t kKeyChars = 100;
constexpr std::size_t kQueryChars = 200;
constexpr std::uint64_t kRowsShown = 5;
constexpr std::size_t kColumnsShown = 10;
constexpr std::size_t kCellChars = 100;
constexpr std::array<std::string_view, 4> kQueryTools = {"sparql_query", "query_execute",
                                                         "result_sql", "g_query"};

// results_0 of "results_0", "@results_0" and "Ref('results_0', 'results', ...)".
std::string key_of(std::string_view words) {
  constexpr std::string_view kRef = "Ref('";
  if (words.starts_with(kRef)) {
    words.remove_prefix(kRef.size());
    return std::string(words.substr(0, words.find('\'')));
  }
  if (words.starts_with('@')) words.remove_prefix(1);
  return std::string(words);
}

// The text of an argument, by whichever of its names it was given.
std::string text_argument(const toolkit::Parameter& parameter, const JsonValue& arguments) {
  const JsonValue* given = arguments.find(parameter.name);
  const JsonValue::Object* const members = arguments.if_object();
  for (std::size_t i = 0; given == nullptr && members != nullptr && i < members->size(); ++i) {
    if (is_alias_of(parameter, (*members)[i].key)) given = &(*members)[i].value;
  }
  const std::string* const text = given != nullptr ? given->if_string() : nullptr;
  return text != nullptr ? *text : std::string();
}

bool has_fact(const toolkit::Reply& reply, std::string_view key) {
  return std::any_of(reply.facts.begin(), reply.facts.end(),
                     [&](const toolkit::Reply::Fact& fact) { return fact.key == key; });
}

bool is_query_tool(std::string_view tool) {
  return std::find(kQueryTools.begin(), kQueryTools.end(), tool) != kQueryTools.end();
}

// The latest of them; to the letter, or else but for its blanks.
const Evidence* of_query(const std::vector<Evidence>& all, std::string_view query) {
  const auto latest = [&](const auto& is_it) {
    const auto found = std::find_if(all.rbegin(), all.rend(), is_it);
    return found == all.rend() ? nullptr : &*found;
  };
  const Evidence* const exact = latest([&](const Evidence& one) { return one.query == query; });
  if (exact != nullptr) return exact;
  const std::string wanted = plain_query(query);
  return latest([&](const Evidence& one) { return plain_query(one.query) == wanted; });
}

Evidence evidence_of(const toolkit::Handle& handle) {
  Evidence evidence;
  evidence.handle = handle.ref.key;
  evidence.ref = to_string(handle.ref);
  evidence.query = handle.origin.query;
  evidence.query_hash = digest_hex(DigestKind::Sha256, handle.origin.query);
  evidence.source = handle.ref.source;
  evidence.rows = handle.ref.rows;
  return evidence;
}

std::string shown_rows(const toolkit::Handle& handle) {
  if (handle.rows == nullptr) return {};
  const auto& columns = handle.rows->columns();
  const std::size_t wide = std::min(columns.size(), kColumnsShown);
  std::string text = fmt::format("{}\n", fmt::join(columns.begin(), columns.begin() + wide, " | "));
  for (std::uint64_t row = 0; row < std::min(handle.rows->rows(), kRowsShown); ++row) {
    std::vector<std::string> cells;
    for (std::size_t column = 0; column < wide; ++column) {
      const auto cell = handle.rows->cell(row, column);
      const std::string shown = cell ? show_term(*cell, handle.origin.prefixes) : std::string();
      cells.push_back(head_of(repaired_utf8(shown), kCellChars));
    }
    text += fmt::format("{}\n", fmt::join(cells, " | "));
  }
  return text;
}

}  // namespace

std::optional<toolkit::Handle> EvidenceBook::look_up(const std::string& key,
                                                     const OpContext& op) const {
  const auto store = toolkit_.handles(caller_, op);
  if (!store) return std::nullopt;
  auto handle = (*store)->get(key, op);
  if (!handle || !is_query_tool(handle->origin.tool)) return std::nullopt;
  return *std::move(handle);
}

void EvidenceBook::note_stored(const std::string& key, const OpContext& op) {
  const auto handle = look_up(key, op);
  if (!handle) return;
  // Asked for again it is the last.
  std::erase_if(seen_, [&](const Evidence& one) { return one.handle == key; });
  seen_.push_back(evidence_of(*handle));
  first_rows_ = shown_rows(*handle);
}

void EvidenceBook::note_read(const std::string& key, const OpContext& op) {
  if (key.empty() || find(key) != nullptr) return;
  if (const auto handle = look_up(key, op)) seen_.push_back(evidence_of(*handle));
}

void EvidenceBook::note(std::string_view tool, const JsonValue& arguments,
                        const toolkit::CallOutcome& outcome, const OpContext& op) {
  const auto* const reply = std::get_if<toolkit::Reply>(&outcome.answer);
  const auto found = toolkit_.registry().find(tool);
  if (reply == nullptr || !found) return;
  const bool is_asked = is_query_tool(tool) || tool == "sparql_count";
  const bool has_no_rows =
      is_asked && !reply->handle && (has_fact(*reply, "boolean") || has_fact(*reply, "count"));
  for (const toolkit::Parameter& parameter : (*found)->parameters) {
    const std::string text = text_argument(parameter, arguments);
    if (parameter.type == toolkit::ParameterType::Handle) note_read(key_of(text), op);
    const bool is_query = parameter.name == "query" || parameter.name == "sql";
    if (!is_query || !has_no_rows || text.empty()) continue;
    seen_.push_back({{}, {}, text, digest_hex(DigestKind::Sha256, text), outcome.source, 0});
  }
  if (reply->handle) note_stored(reply->handle->key, op);
}

const Evidence* EvidenceBook::find(std::string_view key) const {
  const auto found = std::find_if(seen_.begin(), seen_.end(),
                                  [&](const Evidence& one) { return one.handle == key; });
  return key.empty() || found == seen_.end() ? nullptr : &*found;
}

std::string EvidenceBook::known_keys() const {
  std::vector<std::string> keys = handles();
  if (keys.empty()) return "no query has stored rows yet";
  std::reverse(keys.begin(), keys.end());
  keys.resize(std::min(keys.size(), kKeysTold));
  return fmt::format("results of this run: {}", fmt::join(keys, ", "));
}

Result<Evidence> EvidenceBook::named(const std::string& key, const OpContext& op) const {
  if (const Evidence* const seen = find(key)) return *seen;
  const std::string shown = head_of(repaired_utf8(key), kKeyChars);
  const auto handle = look_up(key, op);
  if (!handle) {
    return Error{ErrorCode::NotFound, fmt::format("there is no result of a query named {}", shown),
                 known_keys()};
  }
  if (std::find(earlier_.begin(), earlier_.end(), key) == earlier_.end()) {
    return Error{ErrorCode::NotFound, fmt::format("{} is older than this run", shown),
                 fmt::format("read it first (sparql_slice result={}); {}", shown, known_keys())};
  }
  return evidence_of(*handle);
}

Result<BoundEvidence> EvidenceBook::bind(const EvidenceClaim& claim, const OpContext& op) const {
  const bool has_query = !plain_query(claim.query).empty();
  if (claim.handles.empty() && !has_query) return claim.is_none ? BoundEvidence() : last();
  BoundEvidence bound;
  for (const std::string& words : claim.handles) {
    HELVE_ASSIGN(Evidence evidence, named(key_of(words), op));
    bound.evidence.push_back(std::move(evidence));
  }
  if (bound.evidence.empty()) {
    const Evidence* const asked = of_query(seen_, claim.query);
    if (asked == nullptr) {
      return Error{ErrorCode::NotFound, "no such query has been run, or it failed",
                   fmt::format("give the query as it was run, or leave it out; {}", known_keys())};
    }
    return BoundEvidence{{*asked}, asked->query, Binding::Query};
  }
  bound.bound = Binding::Named;
  bound.query = bound.evidence.back().query;
  if (!has_query) return bound;
  const Evidence* const asked = of_query(bound.evidence, claim.query);
  if (asked == nullptr) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} did not come of that query", bound.evidence.back().handle),
                 fmt::format("it came of: {}",
                             head_of(repaired_utf8(bound.evidence.back().query), kQueryChars))};
  }
  bound.query = asked->query;
  return bound;
}

BoundEvidence EvidenceBook::last() const {
  if (seen_.empty()) return {};
  return {{seen_.back()}, seen_.back().query, Binding::Assumed};
}

std::vector<std::string> EvidenceBook::handles() const {
  std::vector<std::string> keys;
  for (const Evidence& one : seen_) {
    if (!one.handle.empty()) keys.push_back(one.handle);
  }
  return keys;
}

}  // namespace helve::agent
