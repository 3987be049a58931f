#include "toolkit/memory/bank.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shared_file.h"
#include "toolkit/memory/question_terms.h"
#include "toolkit/memory/sqlite_repository.h"
#include "toolkit/memory/vectors.h"

namespace helve::memory {

namespace {

constexpr std::size_t kFused = 200;       // of each list that is fused
constexpr std::size_t kLookedAt = 1'000;  // nearest items that the filter may look at
constexpr std::size_t kUsesKept = 100;    // items whose uses are written together
constexpr Duration kUsesTime = std::chrono::seconds(2);

}  // namespace

Result<std::shared_ptr<MemoryBank>> MemoryBank::open(const std::filesystem::path& path,
                                                     bool is_made, Env& env,
                                                     const OpContext& context) {
  BankFileOptions options;
  options.path = path;
  options.is_made = is_made;
  HELVE_ASSIGN(auto repository, open_sqlite_repository(options, env, real_shared_files(), context));
  return std::make_shared<MemoryBank>(std::move(repository), env.clock(), path.filename().string());
}

MemoryBank::MemoryBank(std::unique_ptr<MemoryRepository> repository, const Clock& clock,
                       std::string name)
    : repository_(std::move(repository)), clock_(clock), name_(std::move(name)) {}

MemoryBank::~MemoryBank() { flush_uses(); }

Result<SearchResult> MemoryBank::search(std::string_view question, const SearchOptions& options,
                                        const OpContext& context) {
  CandidateRequest request;
  request.terms = telling_terms(question);
  if (request.terms.empty()) {
    return Error{ErrorCode::InvalidInput, "the question has no words",
                 "say in a few words what it is about"};
  }
  request.filter = options.filter;
  request.candidates_max = repository_->candidates_wanted();
  HELVE_ASSIGN(const Candidates found, repository_->candidates(request, context));
  const bool is_fusion = options.ranker == Ranker::Fusion;
  auto ranked = rank(found, request.terms, {options.ranker, options.uses_history, clock_.wall()},
                     is_fusion ? std::max(options.count, kFused) : options.count);
  SearchResult result;
  if (is_fusion) {
    auto meant = rank_by_meaning(question, options.filter, context);
    if (meant) {
      ranked = fuse({std::move(ranked), *std::move(meant)}, options.count);
    } else {
      HELVE_TRY(context.check());
      ranked.resize(std::min(ranked.size(), options.count));
      result.warning = fmt::format("ranked by words alone: {}", meant.error().message);
    }
  }
  std::vector<std::string> ids;
  ids.reserve(ranked.size());
  for (const Ranked& one : ranked) ids.push_back(one.id);
  HELVE_ASSIGN(auto items, get_present(ids, context));
  result.candidates = found.items.size();
  result.is_complete = found.is_complete;
  for (std::size_t i = 0; i < items.size(); ++i) {
    // Between the two looks it may have been taken back.
    if (!items[i] || !options.filter.lets_through(*items[i])) continue;
    result.hits.push_back({*std::move(items[i]), ranked[i].score});
  }
  return result;
}

// An item may be evicted between two looks, and one that is damaged must not hide the others.
Result<std::vector<std::optional<Item>>> MemoryBank::get_present(
    const std::vector<std::string>& ids, const OpContext& context) {
  std::vector<std::optional<Item>> present(ids.size());
  if (auto all = repository_->get(ids, context)) {
    std::move(all->begin(), all->end(), present.begin());
    return present;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    HELVE_TRY(context.check());
    if (auto one = repository_->get({ids[i]}, context)) present[i] = std::move(one->front());
  }
  return present;
}

Result<std::shared_ptr<const VectorTable>> MemoryBank::table(const OpContext& context) {
  VectorRequest request;
  request.model = embeddings_->model();
  std::shared_ptr<const VectorTable> known;
  {
    const std::lock_guard lock(mutex_);
    known = table_;
  }
  if (known != nullptr) request.known_stamp = known->stamp;
  HELVE_ASSIGN(auto read, repository_->vectors(request, context));
  if (!read) return known;
  auto fresh = std::make_shared<const VectorTable>(*std::move(read));
  const std::lock_guard lock(mutex_);
  table_ = fresh;
  return std::shared_ptr<const VectorTable>(std::move(fresh));
}

Result<std::vector<Ranked>> MemoryBank::rank_by_meaning(std::string_view question,
                                                        const ItemFilter& filter,
                                                        const OpContext& context) {
  if (embeddings_ == nullptr) {
    return Error{ErrorCode::InvalidInput, "no embeddings endpoint is configured"};
  }
  HELVE_ASSIGN(const auto vectors, table(context));
  if (vectors->ids.empty()) return Error{ErrorCode::NotFound, "no item has a vector yet"};
  HELVE_ASSIGN(const auto wanted, embeddings_->embed({std::string(question)}, context));
  if (wanted.front().size() != vectors->dims) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the vector of the question has {} values, and those of the items {}",
                             wanted.front().size(), vectors->dims)};
  }
  const auto nearest = rank_by_vector(*vectors, wanted.front(), kLookedAt);
  std::vector<Ranked> kept;
  // What is filtered out has no place in the list, and so takes none from others.
  for (std::size_t at = 0; at < nearest.size() && kept.size() < kFused; at += kFused) {
    const std::size_t end = std::min(nearest.size(), at + kFused);
    std::vector<std::string> ids;
    for (std::size_t i = at; i < end; ++i) ids.push_back(nearest[i].id);
    HELVE_ASSIGN(const auto items, get_present(ids, context));
    for (std::size_t i = at; i < end && kept.size() < kFused; ++i) {
      const auto& item = items[i - at];
      if (item && filter.lets_through(*item)) kept.push_back(nearest[i]);
    }
  }
  return kept;
}

Result<std::size_t> MemoryBank::embed_missing(std::size_t most, const OpContext& context) {
  if (embeddings_ == nullptr) {
    return Error{ErrorCode::InvalidInput, "no embeddings endpoint is configured",
                 "name one, and a model"};
  }
  std::size_t made = 0;
  while (made < most) {
    const std::size_t count = std::min(most - made, embeddings_->batch_max());
    HELVE_ASSIGN(const auto items,
                 repository_->without_vectors(embeddings_->model(), count, context));
    if (items.empty()) break;
    std::vector<std::string> texts;
    texts.reserve(items.size());
    for (const Item& item : items) texts.push_back(embedded_text(item));
    HELVE_ASSIGN(auto values, embeddings_->embed(texts, context));
    std::vector<ItemVector> vectors;
    for (std::size_t i = 0; i < items.size(); ++i) {
      vectors.push_back({items[i].id, std::move(values[i])});
    }
    HELVE_TRY(repository_->put_vectors(embeddings_->model(), vectors, context));
    made += items.size();
  }
  return made;
}

void MemoryBank::note_use(const std::string& id, Usage usage) {
  {
    const std::lock_guard lock(mutex_);
    ++uses_[{id, usage}];
    if (uses_.size() < kUsesKept) return;
  }
  flush_uses();
}

void MemoryBank::flush_uses() {
  std::vector<UsageNote> notes;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [use, times] : uses_) notes.push_back({use.first, use.second, times});
    uses_.clear();
  }
  if (notes.empty()) return;
  const OpContext context{.deadline = Deadline(clock_, kUsesTime)};
  (void)repository_->note_usage(notes, context);
}

}  // namespace helve::memory
