// Finding and decoding terms.
#include "sources/store/dictionary.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sources/rdf/inline_value.h"
#include "sources/rdf/language_tag.h"
#include "sources/rdf/vocabulary.h"

namespace helve::store {

namespace {

// Ids of the first and the last moment that is inlined.
std::pair<Id, Id> inlined_range(std::string_view first, std::string_view last,
                                std::string_view datatype) {
  return {*rdf::inline_literal(first, datatype), *rdf::inline_literal(last, datatype)};
}

}  // namespace

bool is_inlined_id(std::uint64_t bits) {
  static const auto dates = inlined_range("0000-01-01", "9999-12-31", rdf::kXsdDate);
  static const auto zoned = inlined_range("0000-01-01T00:00:00+14:00",
                                          "9999-12-31T23:59:59.999-14:00", rdf::kXsdDateTime);
  static const auto local =
      inlined_range("0000-01-01T00:00:00", "9999-12-31T23:59:59.999999", rdf::kXsdDateTime);
  const Id id = Id::from_bits(bits);
  const auto is_in = [id](const std::pair<Id, Id>& range) {
    return id >= range.first && id <= range.second;
  };
  switch (id.tag()) {
    case Tag::Boolean:
      return id.payload() <= 1;
    case Tag::Integer:
    case Tag::Decimal:
    case Tag::Double:
      return id.payload() > 0;
    case Tag::Date:
      return is_in(dates);
    case Tag::DateTimeZoned:
      return is_in(zoned);
    case Tag::DateTime:
      return is_in(local);
    default:
      return false;
  }
}

Dictionary::Dictionary(std::array<DictionarySection, kSections> sections,
                       std::vector<std::string> qualifier_names,
                       PackedColumn<std::uint64_t> inlined)
    : sections_(std::move(sections)),
      qualifier_names_(std::move(qualifier_names)),
      inlined_(std::move(inlined)) {
  for (std::size_t i = 0; i < kSections; ++i) {
    section_start_[i + 1] = section_start_[i] + sections_[i].strings.size();
  }
  code_end_ = section_start_[kSections] + inlined_.size();
}

bool Dictionary::has(Id id) const {
  if (id.is_inlined()) return is_inlined_id(id.bits());
  return id.tag() >= Tag::Iri && id.tag() <= Tag::TypedLiteral &&
         id.payload() < section_size(id.tag());
}

std::size_t Dictionary::memory_bytes() const {
  std::size_t bytes = inlined_.bytes();
  for (const auto& section : sections_) {
    bytes += section.strings.memory_bytes() + section.qualifiers.bytes();
  }
  for (const auto& name : qualifier_names_) bytes += name.capacity() + sizeof(std::string);
  return bytes;
}

std::optional<Id> Dictionary::find(const rdf::TermView& term) const {
  switch (term.kind) {
    case rdf::TermKind::Iri:
      return find_in_section(Tag::Iri, term.value, {});
    case rdf::TermKind::BlankNode:
      return find_in_section(Tag::Blank, term.value, {});
    case rdf::TermKind::Literal:
      break;
  }
  if (!term.language.empty()) {
    std::string scratch;
    const std::string_view language = rdf::with_normal_language(term, scratch).language;
    return find_in_section(Tag::LangString, term.value, language);
  }
  if (term.datatype.empty() || term.datatype == rdf::kXsdString) {
    return find_in_section(Tag::String, term.value, {});
  }
  if (const auto id = rdf::inline_literal(term.value, term.datatype)) return id;
  return find_in_section(Tag::TypedLiteral, term.value, term.datatype);
}

std::optional<Id> Dictionary::find_in_section(Tag tag, std::string_view text,
                                              std::string_view qualifier) const {
  const DictionarySection& in = section(tag);
  const std::uint64_t first = in.strings.lower_bound(text);
  if (first == in.strings.size()) return std::nullopt;
  std::string found;
  in.strings.get(first, found);
  if (found != text) return std::nullopt;
  if (in.qualifiers.empty()) return Id(tag, first);
  // Literals of the same text stand side by side in the order of their qualifiers.
  const auto name = std::lower_bound(qualifier_names_.begin(), qualifier_names_.end(), qualifier);
  if (name == qualifier_names_.end() || *name != qualifier) return std::nullopt;
  const auto wanted = static_cast<std::uint32_t>(name - qualifier_names_.begin());
  found += '\0';
  const std::uint64_t last = in.strings.lower_bound(found);
  const std::uint64_t place = in.qualifiers.lower_bound(first, last, wanted);
  if (place >= last || in.qualifiers[place] != wanted) return std::nullopt;
  return Id(tag, place);
}

rdf::TermView Dictionary::term(Id id, std::string& scratch) const {
  scratch.clear();
  if (id.is_inlined()) {
    rdf::append_inlined_lexical(scratch, id);
    return rdf::TermView::literal(scratch, rdf::inlined_datatype(id.tag()));
  }
  section(id.tag()).strings.get(id.payload(), scratch);
  switch (id.tag()) {
    case Tag::Iri:
      return rdf::TermView::iri(scratch);
    case Tag::Blank:
      return rdf::TermView::blank(scratch);
    case Tag::LangString:
      return rdf::TermView::lang_literal(scratch, qualifier(id));
    case Tag::TypedLiteral:
      return rdf::TermView::literal(scratch, qualifier(id));
    default:
      return rdf::TermView::literal(scratch);
  }
}

std::string_view Dictionary::qualifier(Id id) const {
  switch (id.tag()) {
    case Tag::LangString:
    case Tag::TypedLiteral:
      return qualifier_names_[section(id.tag()).qualifiers[id.payload()]];
    case Tag::String:
      return rdf::kXsdString;
    default:
      return rdf::inlined_datatype(id.tag());
  }
}

Code CodeReader::find(Id id) {
  if (id.tag() == Tag::Undefined || id.tag() == Tag::Delta || id.tag() == Tag::Local) return kNone;
  if (id.is_inlined()) return dictionary_->code_of(id).value_or(kNone);
  const auto [first, last] = dictionary_->codes_of(id.tag());
  first_ = first;
  first_bits_ = Id(id.tag(), 0).bits();
  size_ = last - first;
  return id.payload() < size_ ? first_ + static_cast<Code>(id.payload()) : kNone;
}

Dictionary::Stretch Dictionary::stretch_of(Code code) const {
  for (std::size_t i = 0; i < kSections; ++i) {
    if (code >= section_start_[i + 1]) continue;
    const Id first(static_cast<Tag>(i + 1), 0);
    return {static_cast<Code>(section_start_[i]),
            static_cast<Code>(section_start_[i + 1] - section_start_[i]),
            first.bits() - section_start_[i]};
  }
  return {};
}

std::optional<Code> Dictionary::code_of(Id id) const {
  if (!id.is_inlined()) {
    HELVE_CHECK(id.tag() >= Tag::Iri && id.tag() <= Tag::TypedLiteral);
    if (id.payload() >= section_size(id.tag())) return std::nullopt;
    return static_cast<Code>(section_start_[static_cast<std::size_t>(id.tag()) - 1] + id.payload());
  }
  const std::uint64_t place = inlined_.lower_bound(0, inlined_.size(), id.bits());
  if (place == inlined_.size() || inlined_[place] != id.bits()) return std::nullopt;
  return static_cast<Code>(section_start_[kSections] + place);
}

std::pair<Code, Code> Dictionary::codes_of(Tag tag) const {
  const auto i = static_cast<std::size_t>(tag) - 1;
  return {static_cast<Code>(section_start_[i]), static_cast<Code>(section_start_[i + 1])};
}

}  // namespace helve::store
