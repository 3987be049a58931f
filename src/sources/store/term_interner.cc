// Open addressing over (hash, number) pairs; the terms themselves are compared only on equal
// hashes.
#include "sources/store/term_interner.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/limits.h"
#include "sources/rdf/inline_value.h"
#include "sources/rdf/language_tag.h"

namespace helve::store {

namespace {

constexpr std::size_t kFirstSlots = 1'024;
constexpr std::size_t kArenaBytes = kMiB;

std::uint64_t mix(std::uint64_t hash, std::uint64_t with) {
  return (hash ^ with) * 0x9E3779B97F4A7C15ull;
}

}  // namespace

TermInterner::TermInterner(MemoryBudget& budget, std::uint64_t hash_seed)
    : charge_(budget, "reading terms"), hash_seed_(hash_seed), slots_(kFirstSlots) {}

std::uint64_t TermInterner::hash_of(const InternedTerm& term) const {
  const std::uint64_t text_hash = term.is_inlined()
                                      ? mix(term.inlined_bits, hash_seed_)
                                      : XXH3_64bits_withSeed(term.data, term.length, hash_seed_);
  return mix(text_hash, static_cast<std::uint64_t>(term.tag) << 32 | term.qualifier);
}

InternedTerm TermInterner::classify(const rdf::TermView& term) const {
  InternedTerm out;
  out.data = term.value.data();
  out.length = static_cast<std::uint32_t>(term.value.size());
  if (term.is_iri()) {
    out.tag = Tag::Iri;
  } else if (term.is_blank()) {
    out.tag = Tag::Blank;
  } else if (!term.language.empty()) {
    out.tag = Tag::LangString;
  } else if (term.datatype.empty()) {
    out.tag = Tag::String;
  } else if (const auto id = rdf::inline_literal(term.value, term.datatype)) {
    out = InternedTerm{};
    out.tag = id->tag();
    out.inlined_bits = id->bits();
  } else {
    out.tag = Tag::TypedLiteral;
  }
  return out;
}

Result<LocalTerm> TermInterner::intern(const rdf::TermView& view) {
  if (view.value.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorCode::LimitExceeded, "a term is longer than 4,294,967,295 bytes"};
  }
  InternedTerm term = classify(view);
  if (term.tag == Tag::LangString || term.tag == Tag::TypedLiteral) {
    HELVE_ASSIGN(term.qualifier, term.tag == Tag::LangString ? intern_language(view.language)
                                                             : intern_qualifier(view.datatype));
  }
  return find_or_add(term, hash_of(term));
}

Result<LocalTerm> TermInterner::find_or_add(const InternedTerm& term, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  const auto slot_hash = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = slot_hash & mask;
  for (; slots_[at].term != 0; at = (at + 1) & mask) {
    if (slots_[at].hash != slot_hash) continue;
    const InternedTerm& other = terms_[slots_[at].term - 1];
    if (other.tag == term.tag && other.qualifier == term.qualifier && other.length == term.length &&
        other.inlined_bits == term.inlined_bits &&
        (term.length == 0 || std::memcmp(other.data, term.data, term.length) == 0)) {
      return slots_[at].term - 1;
    }
  }
  return add(term, hash, at);
}

Result<LocalTerm> TermInterner::add(InternedTerm term, std::uint64_t hash, std::size_t slot) {
  if (terms_.size() >= std::numeric_limits<std::uint32_t>::max() - 1) {
    return Error{ErrorCode::LimitExceeded, "the data has more than 4,294,967,294 different terms"};
  }
  if (!term.is_inlined()) {
    HELVE_ASSIGN(term.data, keep(term.text()));
  }
  if (terms_.size() == terms_.capacity()) {
    const std::size_t capacity = std::max<std::size_t>(256, terms_.capacity() * 2);
    HELVE_TRY(charge_.add((capacity - terms_.capacity()) * sizeof(InternedTerm)));
    terms_.reserve(capacity);
  }
  terms_.push_back(term);
  slots_[slot] = {static_cast<std::uint32_t>(hash >> 32),
                  static_cast<std::uint32_t>(terms_.size())};
  if (terms_.size() * 2 > slots_.size()) HELVE_TRY(grow());
  return static_cast<LocalTerm>(terms_.size() - 1);
}

// The slots keep the half of a hash that says where a term goes, so that growing need not look at
// the terms.
Result<void> TermInterner::grow() {
  const std::size_t size = slots_.size() * 2;
  HELVE_TRY(charge_.add((size - slots_.size()) * sizeof(Slot)));
  std::vector<Slot> slots(size);
  const std::size_t mask = size - 1;
  for (const Slot& old : slots_) {
    if (old.term == 0) continue;
    std::size_t at = old.hash & mask;
    while (slots[at].term != 0) at = (at + 1) & mask;
    slots[at] = old;
  }
  slots_ = std::move(slots);
  return {};
}

Result<const char*> TermInterner::keep(std::string_view text) {
  const std::less<> before;
  if (!before(text.data(), stable_.data()) &&
      !before(stable_.data() + stable_.size(), text.data() + text.size())) {
    return text.data();
  }
  if (text.size() > arena_left_) {
    const std::size_t bytes = std::max(kArenaBytes, text.size());
    HELVE_TRY(charge_.add(bytes));
    arena_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    arena_at_ = arena_.back().get();
    arena_left_ = bytes;
  }
  char* const kept = arena_at_;
  if (!text.empty()) std::memcpy(kept, text.data(), text.size());
  arena_at_ += text.size();
  arena_left_ -= text.size();
  text_bytes_ += text.size();
  return kept;
}

void TermInterner::forget_index() {
  const std::size_t bytes = (slots_.size() - std::min(slots_.size(), kFirstSlots)) * sizeof(Slot);
  slots_ = {};
  (void)charge_.resize(charge_.bytes() - bytes);  // shrinking never fails
}

// Tags are mostly in their normal form, and mostly that of the term before.
Result<std::uint32_t> TermInterner::intern_language(std::string_view tag) {
  if (rdf::is_normal_language(tag)) return intern_qualifier(tag);
  return intern_qualifier(rdf::normal_language(tag));
}

Result<std::uint32_t> TermInterner::intern_qualifier(std::string_view name) {
  if (last_qualifier_ < qualifiers_.size() && qualifiers_[last_qualifier_] == name) {
    return last_qualifier_;
  }
  if (const auto found = qualifier_index_.find(name); found != qualifier_index_.end()) {
    return last_qualifier_ = found->second;
  }
  HELVE_TRY(charge_.add(name.size() * 2 + 128));
  last_qualifier_ = static_cast<std::uint32_t>(qualifiers_.size());
  qualifiers_.emplace_back(name);
  qualifier_index_.emplace(qualifiers_.back(), last_qualifier_);
  return last_qualifier_;
}

}  // namespace helve::store
