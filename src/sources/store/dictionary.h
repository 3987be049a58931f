// Dictionary: the terms of a store. Sections of sorted strings give ids in string order; a dense
// 32-bit code numbers all terms, inlined ones too, in the order of their ids, and is what the
// indexes hold.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/rdf/id.h"
#include "sources/rdf/term.h"
#include "sources/store/code_column.h"
#include "sources/store/front_coded.h"

namespace helve::store {

using rdf::Id;
using rdf::Tag;

// True for bits of an inlined id that some literal has: others would lead arithmetic astray.
bool is_inlined_id(std::uint64_t bits);

// Strings of the five dictionary tags. `qualifiers` (languages or datatypes) has one entry for each
// string of LangString and TypedLiteral, and is empty otherwise; equal strings are ordered by it.
struct DictionarySection {
  FrontCoded strings;
  PackedColumn<std::uint32_t> qualifiers;  // index into Dictionary's qualifier names
};

// Immutable; thread-safe.
class Dictionary {
 public:
  static constexpr std::size_t kSections = 5;  // Iri, Blank, String, LangString, TypedLiteral

  Dictionary() = default;
  Dictionary(std::array<DictionarySection, kSections> sections,
             std::vector<std::string> qualifier_names, PackedColumn<std::uint64_t> inlined);

  std::uint64_t size() const { return code_end_; }
  std::uint64_t section_size(Tag tag) const { return section(tag).strings.size(); }
  const DictionarySection& section(Tag tag) const {
    return sections_[static_cast<std::size_t>(tag) - 1];
  }
  // Languages and datatype IRIs, sorted; qualifiers index it.
  const std::vector<std::string>& qualifier_names() const { return qualifier_names_; }
  std::size_t memory_bytes() const;

  // The id of a term, if the store has it (an inlinable literal always has one).
  std::optional<Id> find(const rdf::TermView& term) const;

  // The term of an id of this store; `scratch` holds its text. REQUIRES: defined, in this
  // dictionary.
  rdf::TermView term(Id id, std::string& scratch) const;

  // Language tag of a LangString or datatype IRI of any other literal, without decoding its text.
  std::string_view qualifier(Id id) const;

  // Undefined for what is no code of this store: only a damaged index has such.
  Id id_of(Code code) const;
  // True for an id of a term here, and for inlined ones that a literal can have.
  bool has(Id id) const;
  // A stretch of codes that have the same tag: their ids are `delta` more. Inlined terms have no
  // such stretch.
  struct Stretch {
    Code first = 0;
    Code size = 0;
    std::uint64_t delta = 0;

    bool has(Code code) const { return code - first < size; }
    Id id_of(Code code) const { return Id::from_bits(delta + code); }
  };
  Stretch stretch_of(Code code) const;
  // nullopt when the id is of no term in this store.
  std::optional<Code> code_of(Id id) const;
  // Codes of a dictionary tag: [first, last).
  std::pair<Code, Code> codes_of(Tag tag) const;
  // Bits of the inlined ids in use, ascending; their codes are the last ones.
  const PackedColumn<std::uint64_t>& inlined() const { return inlined_; }

 private:
  std::optional<Id> find_in_section(Tag tag, std::string_view text,
                                    std::string_view qualifier) const;

  std::array<DictionarySection, kSections> sections_;
  std::array<std::uint64_t, kSections + 1> section_start_{};  // in codes
  std::vector<std::string> qualifier_names_;
  PackedColumn<std::uint64_t> inlined_;
  std::uint64_t code_end_ = 0;
};

inline Id Dictionary::id_of(Code code) const {
  for (std::size_t i = 0; i < kSections; ++i) {
    if (code < section_start_[i + 1]) {
      return {static_cast<Tag>(i + 1), code - section_start_[i]};
    }
  }
  const std::uint64_t place = code - section_start_[kSections];
  return place < inlined_.size() ? Id::from_bits(inlined_[place]) : Id();
}

// Turns ids into codes; quick where neighbours have the same kind of term.
class CodeReader {
 public:
  // Of no term in the store.
  static constexpr Code kNone = 0xFFFFFFFF;

  explicit CodeReader(const Dictionary& dictionary) : dictionary_(&dictionary) {}

  Code operator()(Id id) {
    const std::uint64_t place = id.bits() - first_bits_;
    if (place < size_) [[likely]]
      return first_ + static_cast<Code>(place);
    return find(id);
  }

 private:
  Code find(Id id);

  const Dictionary* dictionary_;
  std::uint64_t first_bits_ = 0;
  std::uint64_t size_ = 0;
  Code first_ = 0;
};

// Turns codes into ids; quick where neighbours have the same kind of term, as in a column.
class IdReader {
 public:
  explicit IdReader(const Dictionary& dictionary) : dictionary_(&dictionary) {}

  Id operator()(Code code) {
    if (!stretch_.has(code)) {
      stretch_ = dictionary_->stretch_of(code);
      if (!stretch_.has(code)) return dictionary_->id_of(code);
    }
    return stretch_.id_of(code);
  }

 private:
  const Dictionary* dictionary_;
  Dictionary::Stretch stretch_;
};

}  // namespace helve::store
