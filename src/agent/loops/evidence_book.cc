#include "agent/loops/evidence_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/digest.h"

namespace helve::agent {

namespace {

constexpr std::size_t kKeysTold = 5;
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

// Models break lines otherwise the second time.
std::string without_blanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != ';'; });
  return out;
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

}  // namespace

std::optional<Evidence> EvidenceBook::look_up(const std::string& key, const OpContext& op) const {
  const auto store = toolkit_.handles(caller_, op);
  if (!store) return std::nullopt;
  const auto handle = (*store)->get(key, op);
  if (!handle) return std::nullopt;
  const bool is_of_query =
      std::find(kQueryTools.begin(), kQueryTools.end(), handle->origin.tool) != kQueryTools.end();
  return is_of_query ? std::optional(evidence_of(*handle)) : std::nullopt;
}

void EvidenceBook::note(const toolkit::CallOutcome& outcome, const OpContext& op) {
  const auto* const reply = std::get_if<toolkit::Reply>(&outcome.answer);
  if (reply == nullptr || !reply->handle) return;
  const std::string& key = reply->handle->key;
  // Asked for again it is the last.
  auto evidence = look_up(key, op);
  if (!evidence) return;
  std::erase_if(made_, [&](const Evidence& one) { return one.handle == key; });
  made_.push_back(*std::move(evidence));
}

const Evidence* EvidenceBook::find(std::string_view key) const {
  const auto found = std::find_if(made_.begin(), made_.end(),
                                  [&](const Evidence& one) { return one.handle == key; });
  return found == made_.end() ? nullptr : &*found;
}

const Evidence* EvidenceBook::find_query(std::string_view query) const {
  const std::string wanted = without_blanks(query);
  if (wanted.empty()) return nullptr;
  const auto found = std::find_if(made_.rbegin(), made_.rend(), [&](const Evidence& one) {
    return without_blanks(one.query) == wanted;
  });
  return found == made_.rend() ? nullptr : &*found;
}

std::string EvidenceBook::known_keys() const {
  if (made_.empty()) return "no query has stored rows yet";
  std::vector<std::string_view> keys;
  for (auto one = made_.rbegin(); one != made_.rend() && keys.size() < kKeysTold; ++one) {
    keys.emplace_back(one->handle);
  }
  return fmt::format("results of this run: {}", fmt::join(keys, ", "));
}

Result<BoundEvidence> EvidenceBook::bind(const EvidenceClaim& claim, const OpContext& op) const {
  BoundEvidence bound;
  for (const std::string& words : claim.handles) {
    const std::string key = key_of(words);
    const Evidence* const made = find(key);
    auto evidence = made != nullptr ? std::optional(*made) : look_up(key, op);
    if (!evidence) {
      return Error{ErrorCode::NotFound, fmt::format("there is no result of a query named {}", key),
                   known_keys()};
    }
    bound.evidence.push_back(*std::move(evidence));
  }
  const Evidence* const asked = find_query(claim.query);
  if (bound.evidence.empty()) {
    if (asked != nullptr) {
      bound.evidence.push_back(*asked);
    } else if (!made_.empty()) {
      bound.evidence.push_back(made_.back());
    }
  }
  if (bound.evidence.empty()) {
    bound.query = claim.query;
    return bound;
  }
  const bool is_named =
      asked != nullptr &&
      std::any_of(bound.evidence.begin(), bound.evidence.end(),
                  [&](const Evidence& one) { return one.handle == asked->handle; });
  bound.query = is_named ? asked->query : bound.evidence.back().query;
  return bound;
}

BoundEvidence EvidenceBook::last() const {
  BoundEvidence bound;
  if (!made_.empty()) {
    bound.evidence.push_back(made_.back());
    bound.query = made_.back().query;
  }
  return bound;
}

}  // namespace helve::agent
