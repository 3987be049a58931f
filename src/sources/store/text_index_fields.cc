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

std::string_view beginning(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  return text.substr(0, utf8_valid_prefix(text.substr(0, bytes_max)));
}

// Takes objects of predicates that name a subject, as they stand in its rows.
class LabelTaker {
 public:
  LabelTaker(std::size_t labels_max, std::size_t bytes_max)
      : labels_max_(labels_max), bytes_max_(bytes_max) {}

  bool has_enough() const { return labels_.size() >= labels_max_; }
  // Texts, each once though several graphs have it.
  bool wants(Id object) {
    const bool is_new = object != before_;
    before_ = object;
    return is_new && (object.tag() == Tag::String || object.tag() == Tag::LangString);
  }
  void take(const rdf::TermView& term, TextField field) {
    labels_.push_back(
        {std::string(beginning(term.value, bytes_max_)), std::string(term.language), field});
  }
  void end_predicate() { before_ = Id(); }
  std::vector<LabelText> labels() { return std::move(labels_); }

 private:
  std::size_t labels_max_;
  std::size_t bytes_max_;
  Id before_;
  std::vector<LabelText> labels_;
};

}  // namespace

std::optional<LabelRank> label_rank(std::string_view predicate) {
  if (utf8_valid_prefix(predicate) != predicate.size()) return std::nullopt;
  for (std::size_t i = 0; i < kKnownPredicates.size(); ++i) {
    if (kKnownPredicates[i].iri == predicate) return LabelRank{kKnownPredicates[i].field, i};
  }
  std::string scratch;
  std::string name = fold_text(local_name(predicate, scratch).substr(0, 64));
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c == '_' || c == '-'; }),
             name.end());
  const auto is_in = [&name](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_in(kLabelNames)) return LabelRank{kLabel, kKnownPredicates.size()};
  if (is_in(kSynonymNames)) return LabelRank{kSynonym, kKnownPredicates.size()};
  return std::nullopt;
}

std::vector<LabelPredicate> find_label_predicates(const Snapshot& snapshot) {
  std::vector<std::pair<LabelRank, Code>> found;
  const Dictionary& dictionary = snapshot.dictionary();
  std::string scratch;
  for (const PredicateStatistics& predicate : snapshot.statistics().predicates) {
    const rdf::TermView term = dictionary.term(predicate.predicate, scratch);
    const auto code = dictionary.code_of(predicate.predicate);
    if (!term.is_iri() || !code) continue;
    if (const auto rank = label_rank(term.value)) found.emplace_back(*rank, *code);
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kLabelPredicatesMax) found.resize(kLabelPredicatesMax);
  std::vector<LabelPredicate> predicates;
  predicates.reserve(found.size());
  for (const auto& [rank, code] : found) predicates.push_back({code, rank.field});
  return predicates;
}

std::vector<LabelText> labels_of(const Snapshot& snapshot,
                                 const std::vector<LabelPredicate>& predicates, Code subject,
                                 std::size_t labels_max, std::size_t bytes_max) {
  const Permutation& spo = snapshot.indexes()[Order::Spo];
  const Dictionary& dictionary = snapshot.dictionary();
  const RowRange rows = spo.rows_of(subject);
  if (rows.empty()) return {};
  LabelTaker taker(labels_max, bytes_max);
  std::string scratch;
  for (const LabelPredicate& predicate : predicates) {
    const RowRange found = spo.narrow(rows, 1, predicate.predicate);
    for (std::uint64_t row = found.first; row < found.last && !taker.has_enough(); ++row) {
      const Id id = dictionary.id_of(spo.at(2, row));
      if (taker.wants(id)) taker.take(dictionary.term(id, scratch), predicate.field);
    }
    if (taker.has_enough()) break;
    taker.end_predicate();
  }
  return taker.labels();
}

std::vector<LabelText> labels_of(const SchemaRows& rows,
                                 const std::vector<NamingPredicate<Id>>& predicates, Id subject,
                                 std::size_t labels_max, std::size_t bytes_max) {
  LabelTaker taker(labels_max, bytes_max);
  std::string scratch;
  for (const NamingPredicate<Id>& predicate : predicates) {
    rows.visit_objects(subject, predicate.predicate, [&](Id id) {
      if (taker.wants(id)) taker.take(rows.term(id, scratch), predicate.field);
      return !taker.has_enough();
    });
    if (taker.has_enough()) break;
    taker.end_predicate();
  }
  return taker.labels();
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
