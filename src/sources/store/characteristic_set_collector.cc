#include "sources/store/characteristic_set_collector.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace helve::store {

namespace {

constexpr std::size_t kSlotsMin = 64;

template <typename T>
std::size_t vector_bytes(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace

void CharacteristicSetCollector::Sets::append(std::span<const Code> set,
                                              std::span<const std::uint32_t> set_triples,
                                              std::uint64_t hash, std::uint32_t set_subjects) {
  hashes.push_back(hash);
  subjects.push_back(set_subjects);
  predicates.insert(predicates.end(), set.begin(), set.end());
  triples.insert(triples.end(), set_triples.begin(), set_triples.end());
  starts.push_back(predicates.size());
}

std::size_t CharacteristicSetCollector::Sets::capacity_bytes() const {
  return vector_bytes(hashes) + vector_bytes(subjects) + vector_bytes(starts) +
         vector_bytes(predicates) + vector_bytes(triples);
}

Result<void> CharacteristicSetCollector::add(std::span<const Code> predicates,
                                             std::span<const std::uint32_t> triples,
                                             std::uint64_t hash, std::uint32_t subjects) {
  if (slots_.empty()) rehash(kSlotsMin);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t set = slots_[slot] - 1;
    if (!is(set, predicates, hash)) continue;
    sets_.subjects[set] += subjects;
    std::uint32_t* const sums = sets_.triples.data() + sets_.starts[set];
    for (std::size_t i = 0; i < triples.size(); ++i) sums[i] += triples[i];
    return {};
  }
  sets_.append(predicates, triples, hash, subjects);
  return index_last();
}

Result<void> CharacteristicSetCollector::add_all(const CharacteristicSetCollector& other) {
  for (std::size_t set = 0; set < other.size(); ++set) {
    HELVE_TRY(add(other.predicates(set), other.triples(set), other.sets_.hashes[set],
                  other.subjects(set)));
  }
  return {};
}

bool CharacteristicSetCollector::is(std::size_t set, std::span<const Code> predicates,
                                    std::uint64_t hash) const {
  const auto known = this->predicates(set);
  return sets_.hashes[set] == hash &&
         std::equal(known.begin(), known.end(), predicates.begin(), predicates.end());
}

Result<void> CharacteristicSetCollector::index_last() {
  if (size() > bounds_.sets_max || sets_.predicates.size() > bounds_.members_max) {
    forget_rare();
  } else if (size() * 2 > slots_.size()) {
    rehash(slots_.size() * 2);
  } else {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = sets_.hashes.back() & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(size());
  }
  const std::size_t bytes = sets_.capacity_bytes() + vector_bytes(slots_);
  if (bytes == charge_.bytes()) return {};
  return charge_.resize(bytes);
}

void CharacteristicSetCollector::forget_rare() {
  Sets kept;
  for (const std::uint32_t set : by_frequency()) {
    if (kept.subjects.size() >= bounds_.sets_max / 2) break;
    if (kept.predicates.size() + members(set) > bounds_.members_max / 2) continue;
    kept.append(predicates(set), triples(set), sets_.hashes[set], subjects(set));
  }
  sets_ = std::move(kept);
  rehash(slots_.size());
}

void CharacteristicSetCollector::rehash(std::size_t slots) {
  slots_.assign(slots, 0);
  const std::size_t mask = slots - 1;
  for (std::size_t set = 0; set < size(); ++set) {
    std::size_t slot = sets_.hashes[set] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(set + 1);
  }
}

std::vector<std::uint32_t> CharacteristicSetCollector::by_frequency() const {
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    if (subjects(a) != subjects(b)) return subjects(a) > subjects(b);
    const auto left = predicates(a);
    const auto right = predicates(b);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  return order;
}

}  // namespace helve::store
