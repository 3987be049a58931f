#include "sources/store/text_index_fields.h"

#include <algorithm>
#include <array>

#include "base/unicode_fold.h"
#include "base/utf8.h"
#include "sources/store/text_index_words.h"

namespace helve::store {

namespace {

struct KnownPredicate {
  std::string_view iri;
  TextField field;
};

constexpr TextField kLabel = TextField::Label;
constexpr TextField kSynonym = TextField::Synonym;

// The order is that of preference.
constexpr auto kKnownPredicates = std::to_array<KnownPredicate>({
    {"http://www.w3.org/2004/02/skos/core#prefLabel", kLabel},
    {"http://www.w3.org/2000/01/rdf-schema#label", kLabel},
    {"http://schema.org/name", kLabel},
    {"https://schema.org/name", kLabel},
    {"http://xmlns.com/foaf/0.1/name", kLabel},
    {"http://purl.org/dc/terms/title", kLabel},
    {"http://purl.org/dc/elements/1.1/title", kLabel},
    {"http://purl.uniprot.org/core/scientificName", kLabel},
    {"http://purl.uniprot.org/core/fullName", kLabel},
    {"http://purl.uniprot.org/core/mnemonic", kSynonym},
    {"http://purl.uniprot.org/core/commonName", kSynonym},
    {"http://purl.uniprot.org/core/shortName", kSynonym},
    {"http://www.w3.org/2004/02/skos/core#altLabel", kSynonym},
    {"http://www.w3.org/2004/02/skos/core#hiddenLabel", kSynonym},
    {"http://www.w3.org/2004/02/skos/core#notation", kSynonym},
    {"http://schema.org/alternateName", kSynonym},
    {"https://schema.org/alternateName", kSynonym},
    {"http://www.w3.org/2008/05/skos-xl#literalForm", kLabel},
});

constexpr auto kLabelNames = std::to_array<std::string_view>(
    {"label", "name", "title", "preflabel", "preferredlabel", "preferredname", "fullname",
     "displayname", "displaylabel", "scientificname", "rdfslabel", "headline", "term"});
constexpr auto kSynonymNames = std::to_array<std::string_view>({"altlabel",
                                                                "alternativelabel",
                                                                "alternativename",
                                                                "alternatename",
                                                                "alternativeterm",
                                                                "alternative",
                                                                "alttitle",
                                                                "hiddenlabel",
                                                                "synonym",
                                                                "exactsynonym",
                                                                "hasexactsynonym",
                                                                "hasrelatedsynonym",
                                                                "hasbroadsynonym",
                                                                "hasnarrowsynonym",
                                                                "hassynonym",
                                                                "alias",
                                                                "aka",
                                                                "nick",
                                                                "nickname",
                                                                "shortname",
                                                                "shortlabel",
                                                                "commonname",
                                                                "vernacularname",
                                                                "abbreviation",
                                                                "acronym",
                                                                "symbol",
                                                                "mnemonic",
                                                                "othername",
                                                                "formername",
                                                                "birthname"});

// The place in a list that has the well-known ones first; nullopt for what names nothing.
struct Preference {
  std::size_t place = 0;
  TextField field = kLabel;
};

std::optional<Preference> preference_of(std::string_view iri) {
  for (std::size_t i = 0; i < kKnownPredicates.size(); ++i) {
    if (kKnownPredicates[i].iri == iri) return Preference{i, kKnownPredicates[i].field};
  }
  std::string scratch;
  std::string name = fold_text(local_name(iri, scratch).substr(0, 64));
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c == '_' || c == '-'; }),
             name.end());
  const auto is_in = [&name](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_in(kLabelNames)) return Preference{kKnownPredicates.size(), kLabel};
  if (is_in(kSynonymNames)) return Preference{kKnownPredicates.size() + 1, kSynonym};
  return std::nullopt;
}

std::string_view beginning(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  return text.substr(0, utf8_valid_prefix(text.substr(0, bytes_max)));
}

}  // namespace

std::vector<LabelPredicate> find_label_predicates(const Snapshot& snapshot) {
  struct Found {
    std::size_t place = 0;
    LabelPredicate predicate;
  };
  std::vector<Found> found;
  const Dictionary& dictionary = snapshot.dictionary();
  std::string scratch;
  for (const PredicateStatistics& predicate : snapshot.statistics().predicates) {
    const rdf::TermView term = dictionary.term(predicate.predicate, scratch);
    const auto code = dictionary.code_of(predicate.predicate);
    if (!term.is_iri() || !code || utf8_valid_prefix(term.value) != term.value.size()) continue;
    if (const auto preference = preference_of(term.value)) {
      found.push_back({preference->place, {*code, preference->field}});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.predicate.field != b.predicate.field ? a.predicate.field < b.predicate.field
                                                  : a.place < b.place;
  });
  if (found.size() > kLabelPredicatesMax) found.resize(kLabelPredicatesMax);
  std::vector<LabelPredicate> predicates;
  predicates.reserve(found.size());
  for (const Found& one : found) predicates.push_back(one.predicate);
  return predicates;
}

std::vector<LabelText> labels_of(const Snapshot& snapshot,
                                 const std::vector<LabelPredicate>& predicates, Code subject,
                                 std::size_t labels_max, std::size_t bytes_max) {
  std::vector<LabelText> labels;
  const Permutation& spo = snapshot.indexes()[Order::Spo];
  const Dictionary& dictionary = snapshot.dictionary();
  const RowRange rows = spo.rows_of(subject);
  std::string scratch;
  for (const LabelPredicate& predicate : predicates) {
    if (rows.empty() || labels.size() >= labels_max) break;
    const RowRange found = spo.narrow(rows, 1, predicate.predicate);
    Code before = CodeReader::kNone;
    for (std::uint64_t row = found.first; row < found.last && labels.size() < labels_max; ++row) {
      const Code object = spo.at(2, row);
      if (object == before) continue;  // in another graph
      before = object;
      const Id id = dictionary.id_of(object);
      if (id.tag() != Tag::String && id.tag() != Tag::LangString) continue;
      const rdf::TermView term = dictionary.term(id, scratch);
      labels.push_back({std::string(beginning(term.value, bytes_max)), std::string(term.language),
                        predicate.field});
    }
  }
  return labels;
}

const LabelText* preferred_label(const std::vector<LabelText>& labels) {
  const LabelText* best = nullptr;
  const auto rank = [](const LabelText& label) {
    const int language = label.language.empty()                                        ? 0
                         : label.language == "en" || label.language.starts_with("en-") ? 1
                                                                                       : 2;
    return language + (label.field == TextField::Label ? 0 : 3);
  };
  for (const LabelText& label : labels) {
    if (label.text.empty()) continue;
    if (best == nullptr || rank(label) < rank(*best)) best = &label;
  }
  return best;
}

}  // namespace helve::store
