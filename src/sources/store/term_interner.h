// TermInterner: numbers the terms of a document while it is read. Each loading thread has its own;
// dictionary_builder.h merges them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/rdf/id.h"
#include "sources/rdf/term.h"

namespace helve::store {

using rdf::Id;
using rdf::Tag;

// A term's number within one interner.
using LocalTerm = std::uint32_t;

// The text of a dictionary term, or the bits of an inlined one.
struct InternedTerm {
  const char* data = nullptr;
  std::uint64_t inlined_bits = 0;
  std::uint32_t length = 0;
  std::uint32_t qualifier = 0;  // language or datatype, for the tags that have one
  Tag tag = Tag::Undefined;

  bool is_inlined() const { return tag >= Tag::Boolean; }
  std::string_view text() const { return {data, length}; }
};

// Not thread-safe.
class TermInterner {
 public:
  // `hash_seed` should be a secret of the process: terms made to collide would cost quadratic time.
  TermInterner(MemoryBudget& budget, std::uint64_t hash_seed);

  // Text inside this stretch of memory outlives the interner and need not be copied.
  void set_stable_text(std::string_view text) { stable_ = text; }

  Result<LocalTerm> intern(const rdf::TermView& term);

  // What the terms take, without room that they may grow into.
  std::size_t bytes_used() const {
    return terms_.size() * (sizeof(InternedTerm) + 2 * sizeof(Slot)) + text_bytes_;
  }
  // Gives up what finds terms again: no more of them come.
  void forget_index();

  const std::vector<InternedTerm>& terms() const { return terms_; }
  std::vector<InternedTerm>& terms() { return terms_; }
  const std::deque<std::string>& qualifiers() const { return qualifiers_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t term = 0;  // plus one; zero is an empty slot
  };

  std::uint64_t hash_of(const InternedTerm& term) const;
  Result<LocalTerm> find_or_add(const InternedTerm& term, std::uint64_t hash);
  Result<LocalTerm> add(InternedTerm term, std::uint64_t hash, std::size_t slot);
  Result<void> grow();
  Result<const char*> keep(std::string_view text);
  Result<std::uint32_t> intern_language(std::string_view tag);
  Result<std::uint32_t> intern_qualifier(std::string_view name);
  InternedTerm classify(const rdf::TermView& term) const;

  MemoryCharge charge_;
  const std::uint64_t hash_seed_;
  std::string_view stable_;
  std::vector<InternedTerm> terms_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<char[]>> arena_;
  char* arena_at_ = nullptr;
  std::size_t arena_left_ = 0;
  std::size_t text_bytes_ = 0;          // in the arena
  std::deque<std::string> qualifiers_;  // never moves: qualifier_index_ points into it
  std::unordered_map<std::string_view, std::uint32_t> qualifier_index_;
  std::uint32_t last_qualifier_ = 0;
};

}  // namespace helve::store
