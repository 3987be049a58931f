#include "toolkit/diagnosis/smallest_set.h"

#include <algorithm>
#include <utility>

#include "sources/sparql/algebra/printer.h"

namespace helve::toolkit {

namespace {

// Above that many parts, pairs are not tried one by one.
constexpr std::size_t kPairedPartsMax = 14;
// Above that many, neither are single parts.
constexpr std::size_t kSinglePartsMax = 100;

// Triples that differ in the names of their variables alone have the same. Empty: of its own.
std::string shape_of(const Part& part) {
  if (part.kind != Part::Kind::Triple || part.graph) return {};
  sparql::TriplePattern triple = part.triple();
  if (std::holds_alternative<sparql::Variable>(triple.predicate)) return {};
  auto* subject = std::get_if<sparql::Variable>(&triple.subject);
  auto* object = std::get_if<sparql::Variable>(&triple.object);
  if (subject != nullptr && object != nullptr && subject->name == object->name) return {};
  if (subject != nullptr) subject->name = "s";
  if (object != nullptr) object->name = "o";
  return to_sparql(triple);
}

PartSet with_first(PartSet set, const PartSet& more, std::size_t count) {
  set.insert(set.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(set.begin(), set.end());
  return set;
}

}  // namespace

std::optional<bool> GroupProbes::ask(const PartSet& chosen) {
  if (const auto found = seen_.find(chosen); found != seen_.end()) return found->second;
  const std::string shape = chosen.size() == 1 ? shape_of(parts_[chosen.front()]) : std::string();
  if (const auto found = shapes_.find(shape); !shape.empty() && found != shapes_.end()) {
    return found->second;
  }
  const auto answer = probes_.has_rows(assembled(parts_, chosen), scope_);
  if (answer) seen_.emplace(chosen, *answer);
  if (answer && !shape.empty()) shapes_.emplace(shape, *answer);
  return answer;
}

std::optional<bool> GroupProbes::has_rows(const PartSet& chosen) {
  const bool can_split = std::all_of(
      chosen.begin(), chosen.end(), [&](std::size_t index) { return parts_[index].is_required(); });
  if (!can_split) return ask(chosen);
  bool is_known = true;
  for (const PartSet& set : connected(parts_, chosen)) {
    const auto answer = ask(set);
    if (answer && !*answer) return false;
    is_known = is_known && answer.has_value();
  }
  if (!is_known) return std::nullopt;
  return true;
}

std::vector<std::size_t> GroupProbes::empty_alone(const PartSet& chosen, std::size_t parts_max) {
  std::vector<std::size_t> out;
  if (chosen.size() > kSinglePartsMax) return out;
  for (const std::size_t index : chosen) {
    if (out.size() >= parts_max) break;
    if (!parts_[index].is_required()) continue;
    const auto answer = ask({index});
    if (answer && !*answer) out.push_back(index);
  }
  return out;
}

std::optional<PartSet> GroupProbes::empty_pair(const PartSet& chosen) {
  if (chosen.size() > kPairedPartsMax) return std::nullopt;
  for (std::size_t b = 1; b < chosen.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (!share_variable(parts_[chosen[a]], parts_[chosen[b]])) continue;
      if (!parts_[chosen[a]].is_required() || !parts_[chosen[b]].is_required()) continue;
      PartSet pair = {chosen[a], chosen[b]};
      const auto answer = ask(pair);
      if (answer && !*answer) return pair;
    }
  }
  return std::nullopt;
}

// Each round finds, by halving, the shortest beginning of the rest that is empty together with what
// is kept already: its last part belongs to the set, and what comes behind it does not.
std::optional<PartSet> GroupProbes::cut_down(PartSet chosen) {
  PartSet kept;
  while (true) {
    if (!kept.empty()) {
      const auto answer = has_rows(kept);
      if (!answer) return std::nullopt;
      if (!*answer) return kept;
    }
    std::size_t low = 1;  // the shortest that may be empty
    std::size_t high = chosen.size();
    if (high == 0) return kept;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const auto answer = has_rows(with_first(kept, chosen, middle));
      if (!answer) return std::nullopt;
      if (*answer) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    kept = with_first(std::move(kept), {chosen[high - 1]}, 1);
    chosen.resize(high - 1);
  }
}

std::optional<PartSet> GroupProbes::smallest_empty(const PartSet& chosen) {
  if (const auto alone = empty_alone(chosen, 1); !alone.empty()) return PartSet{alone.front()};
  if (auto pair = empty_pair(chosen)) return pair;
  return cut_down(chosen);
}

}  // namespace helve::toolkit
