#include "tests/diagnosis/broken_queries.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"

namespace helve::testing {

namespace {

using toolkit::EmptyCause;

// One slip of the hand in the last part of an IRI.
std::string mistyped(const std::string& iri, Random& random) {
  const std::size_t begin = iri.find_last_of("#/:") + 1;
  if (begin >= iri.size()) return iri + "x";
  std::vector<std::size_t> letters;
  for (std::size_t i = begin; i < iri.size(); ++i) {
    if (is_letter(iri[i])) letters.push_back(i);
  }
  std::string out = iri;
  if (letters.size() < 2) return out + "x";
  const std::size_t at = any_of(letters, random);
  switch (random() % 4) {
    case 0:
      out.erase(at, 1);
      break;
    case 1:
      out.insert(at, 1, out[at]);
      break;
    case 2:
      out[at] = out[at] == 'e' ? 'a' : 'e';
      break;
    default:
      if (at + 1 < out.size()) std::swap(out[at], out[at + 1]);
      break;
  }
  return out;
}

class Breaker {
 public:
  Breaker(const GraphSample& sample, const Draft& draft, Random& random)
      : sample_(sample), draft_(draft), random_(random) {}

  std::vector<BrokenQuery> run() {
    for (std::size_t i = 0; i < draft_.triples.size(); ++i) {
      mistype(i);
      reverse(i);
      spoil_literal(i);
      add_bad_filter(i);
    }
    move_to_wrong_graph();
    add_empty_join();
    return std::move(out_);
  }

 private:
  void keep(const std::string& kind, EmptyCause cause, const Draft& draft,
            std::pair<std::size_t, std::size_t> span) {
    DraftText text = draft.text();
    if (rows_of(sample_, text.text) > 0) return;
    out_.push_back({kind, cause, std::move(text.text), span});
  }
  void keep_triple(const std::string& kind, EmptyCause cause, const Draft& draft, std::size_t at) {
    keep(kind, cause, draft, draft.text().triples[at]);
  }
  void keep_filter(const std::string& kind, EmptyCause cause, const Draft& draft) {
    keep(kind, cause, draft, draft.text().filters.back());
  }
  bool is_known(const std::string& iri) const {
    return sample_.source->has_term(rdf::TermView::iri(iri), {}).value_or(true);
  }

  void mistype(std::size_t at) {
    const DraftTriple& triple = draft_.triples[at];
    const bool is_type = triple.predicate == rdf::kRdfType;
    if (!is_type) {
      Draft broken = draft_;
      broken.triples[at].predicate = mistyped(triple.predicate, random_);
      if (!is_known(broken.triples[at].predicate)) {
        keep_triple("unknown property", EmptyCause::UnknownIri, broken, at);
      }
    }
    for (const bool is_subject : {true, false}) {
      const DraftNode& node = is_subject ? triple.subject : triple.object;
      if (node.is_variable() || node.term.kind != rdf::TermKind::Iri) continue;
      Draft broken = draft_;
      DraftTriple& changed = broken.triples[at];
      rdf::Term& term = (is_subject ? changed.subject : changed.object).term;
      term.value = mistyped(term.value, random_);
      if (is_known(term.value)) continue;
      keep_triple(is_type ? "unknown class" : "unknown instance", EmptyCause::UnknownIri, broken,
                  at);
    }
  }

  void reverse(std::size_t at) {
    if (draft_.triples[at].object_seen.kind != rdf::TermKind::Iri) return;
    Draft broken = draft_;
    std::swap(broken.triples[at].subject, broken.triples[at].object);
    keep_triple("reversed", EmptyCause::Reversed, broken, at);
  }

  static std::vector<std::pair<EmptyCause, rdf::Term>> spoilt(const rdf::Term& term) {
    std::vector<std::pair<EmptyCause, rdf::Term>> out;
    const auto add = [&](EmptyCause cause, std::string value, std::string datatype,
                         std::string language) {
      rdf::Term other = term;
      other.value = std::move(value);
      other.datatype = std::move(datatype);
      other.language = std::move(language);
      if (!(other == term)) out.emplace_back(cause, std::move(other));
    };
    const std::string& value = term.value;
    if (!term.datatype.empty()) {
      add(EmptyCause::LiteralDatatype, value, {}, {});
      add(EmptyCause::LiteralDatatype, value, std::string(rdf::kXsdDecimal), {});
      return out;
    }
    if (term.language.empty()) {
      add(EmptyCause::LiteralLanguage, value, {}, "en");
      const bool is_number =
          !value.empty() && value.size() < 9 && std::all_of(value.begin(), value.end(), [](char c) {
            return std::isdigit(static_cast<unsigned char>(c)) != 0;
          });
      if (is_number) add(EmptyCause::LiteralDatatype, value, std::string(rdf::kXsdInteger), {});
    } else {
      add(EmptyCause::LiteralLanguage, value, {}, {});
      add(EmptyCause::LiteralLanguage, value, {}, term.language == "pt" ? "nl" : "pt");
    }
    std::string upper = value;
    std::string lower = value;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    add(EmptyCause::LiteralCase, upper, {}, term.language);
    add(EmptyCause::LiteralCase, lower, {}, term.language);
    add(EmptyCause::LiteralSpace, value + " ", {}, term.language);
    const std::size_t space = value.find(' ');
    if (space != std::string::npos) {
      add(EmptyCause::LiteralSpace, std::string(value).insert(space, 1, ' '), {}, term.language);
    }
    return out;
  }

  void spoil_literal(std::size_t at) {
    const rdf::Term& seen = draft_.triples[at].object_seen;
    if (seen.kind != rdf::TermKind::Literal || seen.value.empty() || seen.value.size() > 80) return;
    for (const auto& [cause, term] : spoilt(seen)) {
      const std::string name(toolkit::name_of(cause));
      Draft broken = draft_;
      broken.triples[at].object = {{}, term};
      keep_triple(name, cause, broken, at);
      if (!draft_.triples[at].object.is_variable()) continue;
      broken = draft_;
      broken.filters.push_back("?" + draft_.triples[at].object.variable + " = " + as_sparql(term));
      keep_filter(name + " in a filter", cause, broken);
    }
    if (!draft_.triples[at].object.is_variable() || seen.datatype.empty() == false) return;
    Draft broken = draft_;
    broken.filters.push_back("LANG(?" + draft_.triples[at].object.variable + ") = \"tlh\"");
    keep_filter("literal_language in a filter", EmptyCause::LiteralLanguage, broken);
  }

  void add_bad_filter(std::size_t at) {
    const DraftTriple& triple = draft_.triples[at];
    if (!triple.object.is_variable()) return;
    const std::string name = "?" + triple.object.variable;
    std::vector<std::string> filters = {"STRLEN(STR(" + name + ")) > 100000",
                                        "REGEX(STR(" + name + "), \"qqzzqq\")",
                                        "CONTAINS(STR(" + name + "), \"#nowhere#\")"};
    if (triple.object_seen.datatype == rdf::kXsdInteger ||
        triple.object_seen.datatype == rdf::kXsdDecimal) {
      filters = {name + " > 999999999999", name + " < -999999999999"};
    } else if (triple.object_seen.datatype == rdf::kXsdDate) {
      filters = {name + " > \"2999-01-01\"^^<http://www.w3.org/2001/XMLSchema#date>"};
    }
    Draft broken = draft_;
    broken.filters.push_back(any_of(filters, random_));
    keep_filter("filter removes all", EmptyCause::FilterRemovesAll, broken);
  }

  void move_to_wrong_graph() {
    Draft broken = draft_;
    const auto keep_moved = [&] {
      keep("wrong graph", EmptyCause::WrongGraph, broken, broken.text().dataset);
    };
    if (sample_.graphs.empty()) {
      broken.graph = "?g";
      keep_moved();
      return;
    }
    const std::string& other = any_of(sample_.graphs, random_);
    if (random_() % 2 == 0) {
      broken.graph = "<" + other + ">";
    } else {
      broken.from = other;
    }
    keep_moved();
    broken = draft_;
    broken.graph = "<" + mistyped(other, random_) + ">";
    keep_moved();
  }

  // A property that things of this kind never have, in neither direction (in the other it would be
  // a reversed triple).
  void add_empty_join() {
    const DraftNode& node = draft_.triples.front().subject;
    if (!node.is_variable() || draft_.triples.front().predicate != rdf::kRdfType) return;
    for (std::size_t tries = 0; tries < 20; ++tries) {
      auto other = sample_.of_predicate.begin();
      std::advance(other, static_cast<std::ptrdiff_t>(random_() % sample_.of_predicate.size()));
      Draft pair;
      pair.triples = {draft_.triples.front(), {node, other->first, {"other", {}}, {}}};
      if (rows_of(sample_, pair.text().text) > 0) continue;
      std::swap(pair.triples.back().subject, pair.triples.back().object);
      if (rows_of(sample_, pair.text().text) > 0) continue;
      Draft broken = draft_;
      broken.triples.push_back({node, other->first, {"other", {}}, {}});
      keep_triple("empty join", EmptyCause::EmptyJoin, broken, broken.triples.size() - 1);
      return;
    }
  }

  const GraphSample& sample_;
  const Draft& draft_;
  Random& random_;
  std::vector<BrokenQuery> out_;
};

}  // namespace

std::vector<BrokenQuery> broken_in_every_way(const GraphSample& sample, const Draft& draft,
                                             Random& random) {
  return Breaker(sample, draft, random).run();
}

}  // namespace helve::testing
