#include "sources/store/live/delta_terms.h"

#include <bit>
#include <mutex>

#include "base/env.h"
#include "sources/rdf/inline_value.h"
#include "sources/rdf/language_tag.h"
#include "sources/rdf/vocabulary.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

// Of this process alone: nobody can choose terms that meet in one place of the table.
std::uint64_t checksum_of(const DictionaryTerm& term) {
  static const std::uint64_t seed = real_env().random().next_u64();
  return checksum(term.text, checksum(term.qualifier, seed + static_cast<std::uint64_t>(term.tag)));
}

}  // namespace

DictionaryTerm to_dictionary_term(const rdf::TermView& term, std::string& scratch) {
  DictionaryTerm out;
  out.text = term.value;
  if (term.is_iri()) {
    out.tag = Tag::Iri;
  } else if (term.is_blank()) {
    out.tag = Tag::Blank;
  } else if (!term.language.empty()) {
    out.tag = Tag::LangString;
    out.qualifier = rdf::with_normal_language(term, scratch).language;
  } else if (term.datatype.empty() || term.datatype == rdf::kXsdString) {
    out.tag = Tag::String;
  } else if (const auto id = rdf::inline_literal(term.value, term.datatype)) {
    out = {};
    out.inlined = *id;
    out.tag = id->tag();
  } else {
    out.tag = Tag::TypedLiteral;
    out.qualifier = term.datatype;
  }
  return out;
}

DeltaTerms::DeltaTerms(const Dictionary& base) {
  for (std::size_t i = 0; i < kSections; ++i) {
    starts_[i] = base.section_size(static_cast<Tag>(i + 1));
  }
}

DeltaTerms::~DeltaTerms() {
  for (Section& section : sections_) {
    for (auto& chunk : section.chunks) delete[] chunk.load();
  }
}

// The chunk of a place, and where it stands in it.
static std::pair<std::size_t, std::uint64_t> locate(std::uint64_t place, std::uint64_t least) {
  const std::uint64_t number = place / least + 1;
  const auto chunk = static_cast<std::size_t>(std::bit_width(number) - 1);
  return {chunk, place - least * ((std::uint64_t{1} << chunk) - 1)};
}

const DeltaTerms::Stored* DeltaTerms::stored(Id id) const {
  if (id.tag() < Tag::Iri || id.tag() > Tag::TypedLiteral) return nullptr;
  const std::size_t i = section_of(id.tag());
  if (id.payload() < starts_[i]) return nullptr;
  const std::uint64_t place = id.payload() - starts_[i];
  if (place >= sections_[i].size.load(std::memory_order_acquire)) return nullptr;
  const auto [chunk, at] = locate(place, kChunkMin);
  const Stored* const chunk_data = sections_[i].chunks[chunk].load(std::memory_order_acquire);
  return chunk_data != nullptr && chunk_data[at].is_set ? chunk_data + at : nullptr;
}

DeltaTerms::Stored& DeltaTerms::slot(std::size_t section, std::uint64_t place) {
  const auto [chunk, at] = locate(place, kChunkMin);
  auto& pointer = sections_[section].chunks[chunk];
  Stored* data = pointer.load(std::memory_order_relaxed);
  if (data == nullptr) {
    data = new Stored[kChunkMin << chunk];
    pointer.store(data, std::memory_order_release);
  }
  return data[at];
}

std::string_view DeltaTerms::stored_qualifier(const Stored& at) {
  return at.qualifier != nullptr ? std::string_view(*at.qualifier) : std::string_view();
}

bool DeltaTerms::has(Id id) const { return stored(id) != nullptr; }

DeltaTerms::Ends DeltaTerms::ends() const {
  Ends ends = starts_;
  for (std::size_t i = 0; i < kSections; ++i) {
    ends[i] += sections_[i].size.load(std::memory_order_acquire);
  }
  return ends;
}

std::uint64_t DeltaTerms::size() const {
  std::uint64_t size = 0;
  for (const Section& section : sections_) size += section.size.load(std::memory_order_relaxed);
  return size;
}

rdf::TermView DeltaTerms::term(Id id) const {
  const Stored& at = *stored(id);
  switch (id.tag()) {
    case Tag::Iri:
      return rdf::TermView::iri(at.text);
    case Tag::Blank:
      return rdf::TermView::blank(at.text);
    case Tag::LangString:
      return rdf::TermView::lang_literal(at.text, *at.qualifier);
    case Tag::TypedLiteral:
      return rdf::TermView::literal(at.text, *at.qualifier);
    default:
      return rdf::TermView::literal(at.text);
  }
}

std::string_view DeltaTerms::qualifier(Id id) const {
  if (id.tag() == Tag::String) return rdf::kXsdString;
  const Stored* const at = stored(id);
  return at != nullptr ? stored_qualifier(*at) : std::string_view();
}

std::optional<Id> DeltaTerms::find(const DictionaryTerm& term) const {
  const std::shared_lock lock(mutex_);
  return index_.find(checksum_of(term), [&](Id id) {
    if (id.tag() != term.tag) return false;
    const Stored& one = *stored(id);
    return one.text == term.text && stored_qualifier(one) == term.qualifier;
  });
}

void DeltaTerms::store(Id id, const DictionaryTerm& term, Stored& to) {
  const std::unique_lock lock(mutex_);
  to.text = term.text;
  if (!term.qualifier.empty()) to.qualifier = &*qualifiers_.emplace(term.qualifier).first;
  to.is_set = true;
  Section& section = sections_[section_of(id.tag())];
  const std::uint64_t place = id.payload() - starts_[section_of(id.tag())];
  if (place >= section.size.load(std::memory_order_relaxed)) {
    section.size.store(place + 1, std::memory_order_release);
  }
  index_.insert(checksum_of(term), id);
  bytes_.fetch_add(sizeof(Stored) + term.text.size() + IdTable::kBytesMax,
                   std::memory_order_relaxed);
}

Id DeltaTerms::add(const DictionaryTerm& term) {
  const std::size_t i = section_of(term.tag);
  const std::uint64_t place = sections_[i].size.load(std::memory_order_relaxed);
  const Id id(term.tag, starts_[i] + place);
  store(id, term, slot(i, place));
  return id;
}

bool DeltaTerms::put(Id id, const DictionaryTerm& term) {
  if (id.tag() != term.tag || id.tag() < Tag::Iri || id.tag() > Tag::TypedLiteral) return false;
  const std::size_t i = section_of(id.tag());
  if (id.payload() < starts_[i] || has(id)) return false;
  const std::uint64_t place = id.payload() - starts_[i];
  // Ids are given one after the other; those of terms that came to no statement are left out.
  // LiveOptions::hold_within() lets less than this come.
  constexpr std::uint64_t kPlacesMax = std::uint64_t{1} << 24;
  if (place >= kPlacesMax) return false;
  store(id, term, slot(i, place));
  return true;
}

void DeltaTerms::forget(Id id) {
  if (!has(id)) return;
  const std::size_t i = section_of(id.tag());
  Stored& gone = slot(i, id.payload() - starts_[i]);
  const DictionaryTerm term{{}, id.tag(), gone.text, stored_qualifier(gone)};
  index_.erase(checksum_of(term), id);
  bytes_.fetch_sub(sizeof(Stored) + term.text.size() + IdTable::kBytesMax,
                   std::memory_order_relaxed);
  gone = {};
}

void DeltaTerms::truncate(const Ends& ends) {
  const std::unique_lock lock(mutex_);
  for (std::size_t i = 0; i < kSections; ++i) {
    const std::uint64_t size = sections_[i].size.load(std::memory_order_relaxed);
    const std::uint64_t kept = ends[i] - starts_[i];
    for (std::uint64_t place = kept; place < size; ++place) {
      forget(Id(static_cast<Tag>(i + 1), starts_[i] + place));
    }
    if (kept < size) sections_[i].size.store(kept, std::memory_order_release);
  }
}

void DeltaTerms::remove(std::span<const Id> ids) {
  const std::unique_lock lock(mutex_);
  for (const Id id : ids) forget(id);
}

}  // namespace helve::store
