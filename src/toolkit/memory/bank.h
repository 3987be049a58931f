// MemoryBank: what tools and commands ask: a repository, and the ranking of what it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "toolkit/memory/embeddings.h"
#include "toolkit/memory/rank.h"
#include "toolkit/memory/repository.h"

namespace helve::memory {

struct SearchOptions {
  std::size_t count = 6;
  ItemFilter filter;
  Ranker ranker = Ranker::Bm25;
  bool uses_history = true;
};

struct Hit {
  Item item;
  double score = 0;
};

struct SearchResult {
  std::vector<Hit> hits;
  std::uint64_t candidates = 0;  // that were ranked
  // Otherwise there are more items with common words of the question, which were not ranked.
  bool is_complete = true;
  std::string warning;  // why it was not ranked as was asked for; empty: it was
};

// Thread-safe.
class MemoryBank {
 public:
  // In a SQLite file. Env must outlive it.
  static Result<std::shared_ptr<MemoryBank>> open(const std::filesystem::path& path, bool is_made,
                                                  Env& env, const OpContext& context);
  // The clock must outlive it.
  MemoryBank(std::unique_ptr<MemoryRepository> repository, const Clock& clock, std::string name);
  // Keeps the uses that were noted, if it can.
  ~MemoryBank();
  MemoryBank(const MemoryBank&) = delete;
  MemoryBank& operator=(const MemoryBank&) = delete;

  // The best first, ties by id. InvalidInput where the question has no words.
  Result<SearchResult> search(std::string_view question, const SearchOptions& options,
                              const OpContext& context);
  // What Ranker::Fusion asks. Before anybody searches.
  void set_embeddings(std::shared_ptr<const EmbeddingClient> embeddings) {
    embeddings_ = std::move(embeddings);
  }
  // Makes vectors for items that have none, at most so many; how many were made. What is done stays
  // when it fails.
  Result<std::size_t> embed_missing(std::size_t most, const OpContext& context);

  // Counted, now or later: that cannot fail, and changes the rank alone.
  void note_use(const std::string& id, Usage usage);

  MemoryRepository& repository() { return *repository_; }
  const std::string& name() const { return name_; }  // for replies: the name of the file

 private:
  void flush_uses();
  // Those that are there and can be read, in the order of the ids.
  Result<std::vector<std::optional<Item>>> get_present(const std::vector<std::string>& ids,
                                                       const OpContext& context);
  // Of items that the filter lets through.
  Result<std::vector<Ranked>> rank_by_meaning(std::string_view question, const ItemFilter& filter,
                                              const OpContext& context);
  Result<std::shared_ptr<const VectorTable>> table(const OpContext& context);

  const std::unique_ptr<MemoryRepository> repository_;
  const Clock& clock_;
  const std::string name_;
  std::shared_ptr<const EmbeddingClient> embeddings_;  // null: there is none
  std::mutex mutex_;
  std::shared_ptr<const VectorTable> table_;  // as it was last
  std::map<std::pair<std::string, Usage>, std::uint64_t> uses_;
};

// A bank that cannot be changed through it. Copies are views of the same bank, which must outlive
// them.
class MemoryReader {
 public:
  explicit MemoryReader(MemoryBank& bank) : bank_(&bank) {}

  Result<SearchResult> search(std::string_view question, const SearchOptions& options,
                              const OpContext& context) const {
    return bank_->search(question, options, context);
  }
  Result<std::vector<Item>> get(const std::vector<std::string>& ids,
                                const OpContext& context) const {
    return bank_->repository().get(ids, context);
  }
  std::vector<std::string> take_warnings() const { return bank_->repository().take_warnings(); }
  const std::string& name() const { return bank_->name(); }

 private:
  MemoryBank* bank_;
};

}  // namespace helve::memory
