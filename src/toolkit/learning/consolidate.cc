#include "toolkit/learning/consolidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "base/ascii.h"
#include "toolkit/learning/utility.h"

namespace helve::learning {

namespace {

using memory::Item;

constexpr std::size_t kShingle = 3;          // words
constexpr double kCommonWordsMin = 0.5;      // below that, texts are not compared at all
constexpr std::size_t kWordsLookedFor = 64;  // of an item, for its candidates

using Texts = std::set<std::string>;

// Of two sets without anything: 1.
double jaccard(const Texts& left, const Texts& right) {
  std::size_t common = 0;
  for (const std::string& one : left) common += right.count(one);
  const std::size_t all = left.size() + right.size() - common;
  return all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all);
}

Texts words_in(std::string_view text) {
  const std::vector<std::string> terms = memory::terms_of(text);
  return {terms.begin(), terms.end()};
}

Texts shingles_of(std::string_view text) {
  const std::vector<std::string> terms = memory::terms_of(text);
  Texts shingles;
  if (terms.size() < kShingle) shingles.insert(fmt::format("{}", fmt::join(terms, " ")));
  for (std::size_t i = 0; i + kShingle <= terms.size(); ++i) {
    shingles.insert(fmt::format("{} {} {}", terms[i], terms[i + 1], terms[i + 2]));
  }
  return shingles;
}

bool is_sign_of_name(char c) { return is_digit(c) || c == ':' || c == '_' || c == '#' || c == '/'; }

// One name or number changes all, in a text that is otherwise the same: up:Gene for up:Protein.
Texts names_in(std::string_view text) {
  constexpr std::string_view kEnds = " \t\r\n,;(){}[]\"'`";
  Texts names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(kEnds, at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(kEnds, begin), text.size());
    std::string_view word = text.substr(begin, at - begin);
    while (!word.empty() && (word.back() == '.' || word.back() == ':')) word.remove_suffix(1);
    if (std::any_of(word.begin(), word.end(), is_sign_of_name)) names.insert(std::string(word));
  }
  return names;
}

// What decides which of several stays. Ascending: the best first.
struct Standing {
  bool is_quarantined = false;
  std::int64_t verified = 0;  // the later, the smaller
  double use = 0;             // the more, the smaller
  WallTime created_at{};
  std::string id;

  explicit Standing(const Item& item)
      : is_quarantined(item.quarantined),
        verified(item.verified_at ? -item.verified_at->time_since_epoch().count() : 0),
        use(-use_of(item.counters)),
        created_at(item.created_at),
        id(item.id) {}
  auto key() const { return std::tie(is_quarantined, verified, use, created_at, id); }
};

class Planner {
 public:
  Planner(memory::MemoryRepository& bank, const ConsolidationOptions& options,
          const OpContext& context)
      : bank_(bank), options_(options), context_(context) {}

  Result<ConsolidationPlan> run() {
    HELVE_TRY(bank_.visit(
        of_plan(),
        [this](const Item& item) -> Result<void> {
          if (standings_.size() == options_.items_max) {
            plan_.is_complete = false;
          } else {
            standings_.emplace_back(item);
          }
          return {};
        },
        context_));
    plan_.items = standings_.size();
    std::sort(standings_.begin(), standings_.end(),
              [](const Standing& left, const Standing& right) { return left.key() < right.key(); });
    for (const Standing& one : standings_) {
      HELVE_TRY(context_.check());
      if (!gone_.contains(one.id)) HELVE_TRY(take(one));
    }
    return std::move(plan_);
  }

 private:
  static memory::ItemFilter of_plan() {
    memory::ItemFilter filter;
    filter.with_quarantined = true;
    return filter;
  }

  // Whatever says the same as this one, and stands behind it, goes.
  Result<void> take(const Standing& standing) {
    HELVE_ASSIGN(const std::vector<Item> found, bank_.get({standing.id}, context_));
    const Item& best = found.front();
    HELVE_ASSIGN(const std::vector<std::string> ids, neighbours(best));
    HELVE_ASSIGN(std::vector<Item> others, bank_.get(ids, context_));
    std::sort(others.begin(), others.end(),
              [](const Item& left, const Item& right) { return left.id < right.id; });
    for (const Item& other : others) {
      const bool stands_behind = Standing(best).key() < Standing(other).key();
      if (!stands_behind || gone_.contains(other.id) || stays_.contains(other.id)) continue;
      ++plan_.comparisons;
      Similarity similarity;
      if (!are_near_duplicates(best, other, options_, similarity)) continue;
      gone_.insert(other.id);
      stays_.insert(best.id);
      plan_.pairs.push_back({other.id, best.id, similarity});
    }
    return {};
  }

  // Items that have at least half of its words, of those with its rarest ones.
  Result<std::vector<std::string>> neighbours(const Item& item) {
    memory::CandidateRequest request;
    request.terms = memory::query_terms(item.title + "\n" + item.content, kWordsLookedFor);
    request.filter = of_plan();
    request.filter.polarity = item.src;
    request.filter.domain = item.domain;
    request.candidates_max = options_.neighbours_max;
    std::vector<std::string> ids;
    if (request.terms.empty()) return ids;
    HELVE_ASSIGN(const memory::Candidates found, bank_.candidates(request, context_));
    const auto least =
        static_cast<std::ptrdiff_t>(kCommonWordsMin * static_cast<double>(request.terms.size()));
    for (const memory::Candidate& one : found.items) {
      if (one.id == item.id) continue;
      const auto common =
          std::count_if(request.terms.begin(), request.terms.end(),
                        [&](const std::string& term) { return one.bag.weight_of(term) > 0; });
      if (common >= least) ids.push_back(one.id);
    }
    return ids;
  }

  memory::MemoryRepository& bank_;
  const ConsolidationOptions& options_;
  const OpContext& context_;
  std::vector<Standing> standings_;
  std::set<std::string> gone_, stays_;
  ConsolidationPlan plan_;
};

bool is_still_so(const Item& superseded, const Item& by) {
  const auto is_there = [](const Item& item) {
    return item.superseded_by.empty() && !item.retracted_at;
  };
  return is_there(superseded) && is_there(by) && (superseded.quarantined || !by.quarantined);
}

}  // namespace

Similarity similarity_of(const Item& left, const Item& right) {
  Similarity similarity;
  similarity.title = jaccard(words_in(left.title), words_in(right.title));
  similarity.content = jaccard(shingles_of(left.content), shingles_of(right.content));
  similarity.has_same_names = names_in(left.content) == names_in(right.content) &&
                              names_in(left.title) == names_in(right.title);
  return similarity;
}

bool are_near_duplicates(const Item& left, const Item& right, const ConsolidationOptions& options,
                         Similarity& similarity) {
  if (left.src != right.src || left.domain != right.domain || left.scope != right.scope) {
    return false;
  }
  similarity = similarity_of(left, right);
  return similarity.has_same_names && similarity.title >= options.title_similarity_min &&
         similarity.content >= options.content_similarity_min;
}

Result<ConsolidationPlan> plan_consolidation(memory::MemoryRepository& bank,
                                             const ConsolidationOptions& options,
                                             const OpContext& context) {
  if (!options.is_enabled) return ConsolidationPlan{};
  return Planner(bank, options, context).run();
}

Result<ConsolidationReport> apply(memory::MemoryRepository& bank, const ConsolidationPlan& plan,
                                  const OpContext& context) {
  ConsolidationReport report;
  for (const MergePair& pair : plan.pairs) {
    HELVE_TRY(context.check());
    const auto items = bank.get({pair.superseded, pair.by}, context);
    if (!items && items.error().code != ErrorCode::NotFound) return items.error();
    if (!items || !is_still_so(items->front(), items->back())) {
      report.skipped.push_back(pair);
      continue;
    }
    HELVE_ASSIGN(const memory::ChangeReport changed,
                 bank.supersede(pair.superseded, pair.by, context));
    report.changes.push_back(changed.change);
  }
  return report;
}

Result<ConsolidationReport> merge(memory::MemoryRepository& bank,
                                  const std::vector<std::string>& ids, const OpContext& context) {
  if (ids.size() < 2 || std::set(ids.begin(), ids.end()).size() != ids.size()) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} items are named", ids.size()),
                 "name the one that stays and then others, each once"};
  }
  for (const std::string& id : ids) HELVE_TRY(memory::check_id(id));
  HELVE_ASSIGN(const std::vector<Item> items, bank.get(ids, context));
  ConsolidationPlan plan;
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].src != items[0].src) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} is of {}, {} of {}", ids[0], name_of(items[0].src), ids[i],
                               name_of(items[i].src)),
                   "merge items that were learnt of the same"};
    }
    if (!is_still_so(items[i], items[0])) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} cannot take the place of {}", ids[0], ids[i]),
                   "neither may be superseded or retracted, nor a quarantined one take the place "
                   "of an active one"};
    }
    plan.pairs.push_back({ids[i], ids[0], similarity_of(items[i], items[0])});
  }
  return apply(bank, plan, context);
}

}  // namespace helve::learning
