#include "sources/sparql/engine/node_set.h"

#include <algorithm>

namespace helve::sparql {

NodeSet::NodeSet(MemoryBudget& budget, std::string_view what)
    : charge_(budget, what), table_(1, budget, what), others_(1, budget, what) {}

std::uint64_t* NodeSet::word_of(Id id) {
  const Directory& pages = directory(id);
  const std::uint64_t page = id.payload() >> kPageBits;
  if (page >= pages.size() || pages[page] == 0) return nullptr;
  return words_.data() + (pages[page] - 1) * kPageWords + id.payload() / 64 % kPageWords;
}

Result<void> NodeSet::add_page(Id id) {
  Directory& pages = directory(id);
  const std::uint64_t page = id.payload() >> kPageBits;
  if (page >= pages.size()) {
    const std::size_t size = std::max<std::size_t>(page + 1, 2 * pages.size());
    HELVE_TRY(charge_.add(size * sizeof(std::uint32_t)));
    pages.resize(size);
  }
  if (words_.size() + kPageWords > words_.capacity()) {
    const std::size_t size = std::max<std::size_t>(kPageWords, 2 * words_.size());
    HELVE_TRY(charge_.add(size * sizeof(std::uint64_t)));
    words_.reserve(size);
  }
  pages[page] = static_cast<std::uint32_t>(words_.size() / kPageWords) + 1;
  words_.resize(words_.size() + kPageWords);
  return {};
}

Result<bool> NodeSet::insert(Id id) {
  if (!is_dense(id)) {
    HELVE_ASSIGN(const RowSet::Inserted inserted, others_.insert({&id, 1}));
    if (!inserted.is_new) return false;
    HELVE_TRY(table_.append({&id, 1}));
    return true;
  }
  std::uint64_t* word = word_of(id);
  if (word == nullptr) {
    HELVE_TRY(add_page(id));
    word = word_of(id);
  }
  const std::uint64_t bit = std::uint64_t{1} << id.payload() % 64;
  if ((*word & bit) != 0) return false;
  HELVE_TRY(table_.append({&id, 1}));
  *word |= bit;
  return true;
}

void NodeSet::clear() {
  for (const Id id : table_.ids()) {
    if (is_dense(id)) *word_of(id) = 0;
  }
  others_.clear();
  table_.clear();
}

}  // namespace helve::sparql
