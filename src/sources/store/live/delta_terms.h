// DeltaTerms: terms that came with changes and that the base of a store does not have. Their ids go
// on behind those of the base, each kind of term for itself, in the order in which they came: not
// in the order of their strings. A term keeps its id until the store is compacted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "sources/rdf/id.h"
#include "sources/rdf/term.h"
#include "sources/store/dictionary.h"
#include "sources/store/live/id_table.h"

namespace helve::store {

// A term as dictionaries have it: inlined, or a kind, a text and, for two kinds, a qualifier.
struct DictionaryTerm {
  Id inlined;  // defined: all there is
  Tag tag = Tag::Undefined;
  std::string_view text;
  std::string_view qualifier;
};
// `scratch` may hold the qualifier.
DictionaryTerm to_dictionary_term(const rdf::TermView& term, std::string& scratch);

// One thread adds, any number read: what an id stands for never changes.
class DeltaTerms {
 public:
  static constexpr std::size_t kSections = Dictionary::kSections;
  using Ends = std::array<std::uint64_t, kSections>;  // by section, behind its last id's payload

  explicit DeltaTerms(const Dictionary& base);
  ~DeltaTerms();
  DeltaTerms(const DeltaTerms&) = delete;
  DeltaTerms& operator=(const DeltaTerms&) = delete;

  std::optional<Id> find(const DictionaryTerm& term) const;
  // REQUIRES: has(id).
  rdf::TermView term(Id id) const;
  std::string_view qualifier(Id id) const;
  bool has(Id id) const;
  Ends ends() const;
  const Ends& starts() const { return starts_; }
  // Ids that were given, and the memory that their terms take.
  std::uint64_t size() const;
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  // The id of a term that find() does not know.
  Id add(const DictionaryTerm& term);
  // With an id that was given before; false for one that is taken, of the base, or far off.
  bool put(Id id, const DictionaryTerm& term);
  // Forgets all from these ends on; their ids are given anew. REQUIRES: nobody has one of them.
  void truncate(const Ends& ends);
  // Forgets these, which can be put again. REQUIRES: the same.
  void remove(std::span<const Id> ids);

 private:
  struct Stored {
    std::string text;
    const std::string* qualifier = nullptr;
    bool is_set = false;
  };
  // Chunk k has kChunkMin << k of them, so that none ever moves.
  static constexpr std::uint64_t kChunkMin = 256;
  static constexpr std::size_t kChunks = 26;
  static constexpr std::uint64_t kTermsMax = kChunkMin * ((std::uint64_t{1} << kChunks) - 1);
  struct Section {
    std::array<std::atomic<Stored*>, kChunks> chunks{};
    std::atomic<std::uint64_t> size{0};
  };

  static std::string_view stored_qualifier(const Stored& at);
  static std::size_t section_of(Tag tag) { return static_cast<std::size_t>(tag) - 1; }
  const Stored* stored(Id id) const;
  Stored& slot(std::size_t section, std::uint64_t place);
  void store(Id id, const DictionaryTerm& term, Stored& to);
  void forget(Id id);  // REQUIRES: mutex_

  Ends starts_{};  // sizes of the base's sections
  std::array<Section, kSections> sections_;
  mutable std::shared_mutex mutex_;  // of index_ and qualifiers_
  IdTable index_;
  std::unordered_set<std::string> qualifiers_;
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace helve::store
