#include "sources/store/text_index_gatherer.h"

#include <algorithm>

#include "sources/store/snapshot_layout.h"

namespace helve::store {

void Gatherer::set_text(std::string_view text) {
  text_words_.clear();
  for (const Word& word : splitter_.split(text)) text_words_.push_back(intern(word.text));
  std::sort(text_words_.begin(), text_words_.end());
  text_words_.erase(std::unique(text_words_.begin(), text_words_.end()), text_words_.end());
  has_whole_ = !splitter_.whole().empty() && !splitter_.is_cut();
  if (has_whole_) text_checksum_ = whole_checksum(splitter_.whole());
}

void Gatherer::add(Name name, TextField field) {
  for (const std::uint32_t word : text_words_) postings_.push_back({word, name, field});
  if (has_whole_) {
    wholes_.push_back({text_checksum_, name * 4 + static_cast<std::uint32_t>(field)});
  }
}

Result<void> Gatherer::account() {
  return charge_.resize(bytes_.capacity() + words_.capacity() * sizeof(Interned) +
                        slots_.capacity() * sizeof(std::uint32_t) +
                        postings_.capacity() * sizeof(Posting) +
                        wholes_.capacity() * sizeof(WholeText));
}

std::uint32_t Gatherer::intern(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(checksum(text, seed_));
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t known = slots_[slot] - 1;
    if (words_[known].hash == hash && word(known) == text) return known;
  }
  const auto added = static_cast<std::uint32_t>(words_.size());
  words_.push_back({bytes_.size(), static_cast<std::uint32_t>(text.size()), hash});
  bytes_ += text;
  slots_[slot] = added + 1;
  if (words_.size() * 2 > slots_.size()) grow();
  return added;
}

void Gatherer::grow() {
  std::vector<std::uint32_t> slots(slots_.size() * 2);
  const std::size_t mask = slots.size() - 1;
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    std::size_t slot = words_[i].hash & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = i + 1;
  }
  slots_ = std::move(slots);
}

}  // namespace helve::store
