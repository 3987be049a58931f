// Good questions without an answer: what diagnosis must not call a mistake.
#include <algorithm>

#include "sources/rdf/vocabulary.h"
#include "tests/diagnosis/broken_queries.h"

namespace helve::testing {

namespace {

std::string triple(const std::string& s, const std::string& p, const std::string& o) {
  return s + " <" + p + "> " + o + " . ";
}
std::string iri(const std::string& value) { return "<" + value + ">"; }

class Questioner {
 public:
  Questioner(const GraphSample& sample, Random& random) : sample_(sample), random_(random) {
    for (const auto& [type, things] : sample.instances) {
      if (things.size() >= 3) types_.push_back(type);
    }
  }

  bool has_types() const { return !types_.empty(); }

  static constexpr std::size_t kKinds = 9;

  // Pattern and kind; may well have answers.
  EmptyQuestion make(std::size_t number) {
    const std::string& type = any_of(types_, random_);
    const auto& things = sample_.instances.at(type);
    const std::string& thing = any_of(things, random_);
    const Statement& one = statement_of(any_of(things, random_));
    const Statement& two = statement_of(any_of(things, random_));
    switch (number) {
      case 0:
        return {"a thing without a property of its kind", triple(iri(thing), one.predicate, "?v")};
      case 1:
        return {"two values that no one has together",
                triple("?x", rdf_type(), iri(type)) + value("?x", one) + value("?x", two)};
      case 2:
        return {"a value that this thing does not have", value(iri(thing), one)};
      case 3:
        return {"no one lacks it", triple("?x", rdf_type(), iri(type)) + "FILTER NOT EXISTS { " +
                                       triple("?x", one.predicate, "?v") + "}"};
      case 4:
        return {"properties that no one has all of",
                triple("?x", one.predicate, "?v") + triple("?x", two.predicate, "?w") +
                    value("?x", statement_of(any_of(things, random_)))};
      case 5:
        return {"two things in common",
                triple(iri(thing), one.predicate, "?v") +
                    triple(iri(any_of(things, random_)), one.predicate, "?v")};
      case 6:
        return {"of two kinds at once", triple("?x", rdf_type(), iri(type)) +
                                            triple("?x", rdf_type(), iri(any_of(types_, random_)))};
      case 7:
        return {"nothing points at a thing of its kind", pointing_at(one)};
      default:
        return {"outside of the range", triple("?x", rdf_type(), iri(type)) +
                                            triple("?x", one.predicate, "?v") +
                                            "FILTER(?v > 1000000000000 && ?v < 1000000000005)"};
    }
  }

 private:
  static std::string rdf_type() { return std::string(rdf::kRdfType); }

  const Statement& statement_of(const std::string& subject) {
    return sample_.statements[any_of(sample_.of_subject.at(subject), random_)];
  }
  // The object of a statement, or rather another thing of its kind.
  std::string pointing_at(const Statement& statement) {
    const auto types = sample_.types.find(statement.object.value);
    if (statement.object.kind != rdf::TermKind::Iri || types == sample_.types.end()) {
      return triple("?x", statement.predicate, "?v");
    }
    const auto& alike = sample_.instances.at(any_of(types->second, random_));
    return triple("?x", statement.predicate, iri(any_of(alike, random_)));
  }
  std::string value(const std::string& subject, const Statement& statement) {
    const bool is_term = statement.object.kind != rdf::TermKind::BlankNode;
    return triple(subject, statement.predicate, is_term ? as_sparql(statement.object) : "?any");
  }

  const GraphSample& sample_;
  Random& random_;
  std::vector<std::string> types_;
};

}  // namespace

std::vector<EmptyQuestion> empty_questions(const GraphSample& sample, std::size_t count,
                                           Random& random) {
  std::vector<EmptyQuestion> out;
  Questioner questioner(sample, random);
  if (!questioner.has_types()) return out;
  for (std::size_t kind = 0; kind < Questioner::kKinds; ++kind) {
    std::size_t made = 0;
    for (std::size_t tries = 0; tries < 30 * count && made < count; ++tries) {
      EmptyQuestion question = questioner.make(kind);
      question.text = "SELECT * WHERE { " + question.text + "}";
      if (rows_of(sample, question.text) > 0) continue;
      out.push_back(std::move(question));
      ++made;
    }
  }
  return out;
}

}  // namespace helve::testing
