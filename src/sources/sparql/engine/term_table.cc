#include "sources/sparql/engine/term_table.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "sources/rdf/inline_value.h"
#include "sources/rdf/language_tag.h"

namespace helve::sparql {

namespace {

// What a local term costs beside its text: the map's node and two strings.
constexpr std::size_t kBytesPerTerm = 240;

std::string key_of(const rdf::TermView& term) {
  std::string key;
  key.reserve(term.value.size() + term.datatype.size() + term.language.size() + 4);
  key.push_back(static_cast<char>(term.kind));
  key.push_back(static_cast<char>(term.direction));
  key.append(term.datatype).push_back('\0');
  key.append(term.language).push_back('\0');
  key.append(term.value);
  return key;
}

}  // namespace

TermTable::TermTable(std::shared_ptr<const Snapshot> snapshot, const OpContext& context)
    : snapshot_(std::move(snapshot)),
      context_(&context),
      charge_(*context.memory, "terms made by the query") {}

std::optional<Id> TermTable::find(const rdf::TermView& written) const {
  std::string language;
  const rdf::TermView term = rdf::with_normal_language(written, language);
  if (term.is_literal() && term.language.empty()) {
    if (const auto inlined = rdf::inline_literal(term.value, term.datatype)) return inlined;
  }
  if (const auto known = snapshot_->find(term)) return known;
  const auto local = local_by_key_.find(key_of(term));
  if (local == local_by_key_.end()) return std::nullopt;
  return Id(rdf::Tag::Local, local->second);
}

Result<Id> TermTable::intern(const rdf::TermView& written) {
  std::string language;
  const rdf::TermView term = rdf::with_normal_language(written, language);
  if (const auto known = find(term)) return *known;
  return add_local(term, key_of(term));
}

Result<Id> TermTable::make_blank() {
  while (true) {
    const std::string label = fmt::format("new{}", blanks_++);
    const rdf::TermView term = rdf::TermView::blank(label);
    if (!find(term)) return add_local(term, key_of(term));
  }
}

Result<Id> TermTable::add_local(const rdf::TermView& term, std::string key) {
  if (term.value.size() > context_->limits.literal_bytes_max) {
    return Error(ErrorCode::LimitExceeded,
                 fmt::format("a computed text of {} is longer than the limit of {}",
                             format_bytes(term.value.size()),
                             format_bytes(context_->limits.literal_bytes_max)),
                 "cut it with SUBSTR, or aggregate fewer values");
  }
  HELVE_TRY(charge_.add(kBytesPerTerm + 2 * key.size()));
  const std::uint64_t payload = local_.size();
  local_.emplace_back(term);
  local_by_key_.emplace(std::move(key), payload);
  return Id(rdf::Tag::Local, payload);
}

rdf::TermView TermTable::term(Id id, std::string& scratch) const {
  if (id.tag() == rdf::Tag::Local) return local_[id.payload()].view();
  return snapshot_->term(id, scratch);
}

rdf::TermKind TermTable::kind(Id id) const {
  switch (id.tag()) {
    case rdf::Tag::Iri:
      return rdf::TermKind::Iri;
    case rdf::Tag::Blank:
      return rdf::TermKind::BlankNode;
    case rdf::Tag::Local:
      return local_[id.payload()].kind;
    case rdf::Tag::Delta: {
      std::string scratch;
      return snapshot_->term(id, scratch).kind;
    }
    default:
      return rdf::TermKind::Literal;
  }
}

}  // namespace helve::sparql
