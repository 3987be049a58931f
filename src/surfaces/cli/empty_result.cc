#include "surfaces/cli/empty_result.h"

#include <fmt/core.h>

#include <algorithm>

#include "sources/rdf/prefix_map.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/results/term_text.h"

namespace helve::cli {

namespace {

using sparql::Constant;
using sparql::GraphChoice;
using sparql::PatternPart;

constexpr std::size_t kSentencesMax = 3;

class EmptyResult {
 public:
  EmptyResult(const sparql::Query& query, const sparql::Snapshot& data)
      : query_(query), data_(data), prefixes_(query.prefixes.size()) {
    for (const auto& [name, iri] : query.prefixes) prefixes_.add(name, iri);
    parts_ = sparql::pattern_parts(query);
  }

  std::vector<std::string> explain(bool is_union) {
    if (data_.triples() == 0) return {"the data have no statements"};
    const bool asks_default = !is_union && !names_graphs();
    for (const PatternPart& part : parts_) {
      if (sentences_.size() >= kSentencesMax) break;
      if (part.triple == nullptr || lacks_terms(*part.triple)) continue;
      if (part.kind == PatternPart::Kind::Triple) look_for(*part.triple, asks_default);
    }
    return std::move(sentences_);
  }

 private:
  bool names_graphs() const {
    return !query_.dataset.empty() ||
           std::any_of(parts_.begin(), parts_.end(), [](const PatternPart& part) {
             return part.kind == PatternPart::Kind::Graph;
           });
  }

  bool lacks_terms(const sparql::TriplePattern& triple) {
    bool lacks = false;
    if (const auto* subject = std::get_if<Constant>(&triple.subject)) {
      lacks = lacks_term(subject->term) || lacks;
    }
    if (const auto* predicate = std::get_if<Constant>(&triple.predicate)) {
      lacks = lacks_term(predicate->term) || lacks;
    }
    if (const auto* path = std::get_if<sparql::Path>(&triple.predicate)) {
      lacks = lacks_terms(*path) || lacks;
    }
    if (const auto* object = std::get_if<Constant>(&triple.object)) {
      lacks = lacks_term(object->term) || lacks;
    }
    return lacks;
  }

  bool lacks_terms(const sparql::Path& path) {
    bool lacks =
        path.kind == sparql::Path::Kind::Iri && lacks_term(rdf::Term(rdf::TermView::iri(path.iri)));
    for (const sparql::Path& part : path.parts) lacks = lacks_terms(part) || lacks;
    return lacks;
  }

  bool lacks_term(const rdf::Term& term) {
    if (data_.find(term.view())) return false;
    std::string sentence;
    sparql::append_term_text(sentence, term.view(), prefixes_);
    sentence += " does not occur in the data";
    if (term.view().is_literal() && term.language.empty() && term.datatype.empty()) {
      sentence += "; a text with a language, such as \"...\"@en, is another term";
    }
    say(std::move(sentence));
    return true;
  }

  // One triple alone, by the counts of the indexes.
  void look_for(const sparql::TriplePattern& triple, bool asks_default) {
    sparql::QuadPattern pattern;
    pattern.subject = id_of(triple.subject);
    pattern.predicate = id_of(triple.predicate);
    pattern.object = id_of(triple.object);
    pattern.graph.kind = GraphChoice::Kind::Union;
    const std::string shown = sparql::to_sparql(triple, query_.prefixes);
    if (data_.count(pattern).n == 0) return say("no statement matches " + shown);
    pattern.graph.kind = GraphChoice::Kind::Default;
    if (!asks_default || is_graph_said_ || data_.count(pattern).n > 0) return;
    is_graph_said_ = true;
    say(fmt::format(
        "only named graphs have statements for {}: ask them with GRAPH ?g {{ ... }}, or "
        "let --union join all graphs",
        shown));
  }

  template <typename Part>
  sparql::Id id_of(const Part& part) const {
    const auto* constant = std::get_if<Constant>(&part);
    return constant == nullptr ? sparql::Id()
                               : data_.find(constant->term.view()).value_or(sparql::Id());
  }

  void say(std::string sentence) {
    if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end()) {
      sentences_.push_back(std::move(sentence));
    }
  }

  const sparql::Query& query_;
  const sparql::Snapshot& data_;
  rdf::PrefixMap prefixes_;
  std::vector<PatternPart> parts_;
  std::vector<std::string> sentences_;
  bool is_graph_said_ = false;
};

}  // namespace

std::vector<std::string> explain_empty(const sparql::Query& query, const sparql::Snapshot& data,
                                       bool is_union) {
  return EmptyResult(query, data).explain(is_union);
}

}  // namespace helve::cli
