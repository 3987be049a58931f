#include "toolkit/memory/bank.h"

#include "base/shared_file.h"
#include "toolkit/memory/sqlite_repository.h"

namespace helve::memory {

namespace {

constexpr std::size_t kUsesKept = 100;  // items whose uses are written together
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
  request.terms = query_terms(question);
  if (request.terms.empty()) {
    return Error{ErrorCode::InvalidInput, "the question has no words",
                 "say in a few words what it is about"};
  }
  request.filter = options.filter;
  request.candidates_max = repository_->candidates_wanted();
  HELVE_ASSIGN(const Candidates found, repository_->candidates(request, context));
  const auto ranked = rank(found, request.terms,
                           {options.ranker, options.uses_history, clock_.wall()}, options.count);
  std::vector<std::string> ids;
  for (const Ranked& one : ranked) ids.push_back(one.id);
  HELVE_ASSIGN(std::vector<Item> items, repository_->get(ids, context));
  SearchResult result;
  result.candidates = found.items.size();
  result.is_complete = found.is_complete;
  for (std::size_t i = 0; i < items.size(); ++i) {
    // Between the two looks it may have been taken back.
    if (!options.filter.lets_through(items[i])) continue;
    result.hits.push_back({std::move(items[i]), ranked[i].score});
  }
  return result;
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
