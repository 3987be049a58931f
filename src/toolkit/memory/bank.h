// MemoryBank: what tools and commands ask: a repository, and the ranking of what it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/env.h"
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
  // Counted, now or later: that cannot fail, and changes the rank alone.
  void note_use(const std::string& id, Usage usage);

  MemoryRepository& repository() { return *repository_; }
  const std::string& name() const { return name_; }  // for replies: the name of the file

 private:
  void flush_uses();

  const std::unique_ptr<MemoryRepository> repository_;
  const Clock& clock_;
  const std::string name_;
  std::mutex mutex_;
  std::map<std::pair<std::string, Usage>, std::uint64_t> uses_;
};

}  // namespace helve::memory
