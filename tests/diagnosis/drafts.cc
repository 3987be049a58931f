#include "tests/diagnosis/drafts.h"

#include <algorithm>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::testing {

namespace {

class StatementKeeper final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    rows.emplace_back();
    for (const auto& cell : cells) rows.back().push_back(cell ? rdf::Term(*cell) : rdf::Term());
    return {};
  }
  std::vector<std::vector<rdf::Term>> rows;
};

constexpr std::uint64_t kStatementsMax = 200'000;

std::vector<std::vector<rdf::Term>> rows_for(const GraphSource& source, const std::string& text) {
  StatementKeeper keeper;
  const auto query = sparql::parse_query(text);
  if (query) source.run(query->query, kStatementsMax, keeper, {});
  return std::move(keeper.rows);
}

auto key_of(const Statement& s) {
  return std::tie(s.subject.value, s.predicate, s.object.value, s.object.datatype,
                  s.object.language);
}

DraftNode node(std::string variable) { return {std::move(variable), {}}; }
DraftNode node(const rdf::Term& term) { return {{}, term}; }

class DraftMaker {
 public:
  DraftMaker(const GraphSample& sample, Random& random) : sample_(sample), random_(random) {
    for (const auto& [iri, list] : sample.of_subject) {
      if (list.size() >= 2) subjects_.push_back(iri);
    }
  }

  Draft make() {
    Draft draft;
    const std::string& subject = any_of(subjects_, random_);
    if (random_() % 3 == 0) {
      add_chain(subject, draft);
    } else {
      add_star(subject, draft);
    }
    if (random_() % 4 == 0 && !draft.triples.empty()) add_filter(draft);
    if (random_() % 5 == 0 && !draft.triples.empty()) {
      draft.optional = "?" + draft.triples.front().subject.variable + " <" +
                       any_statement(subject).predicate + "> ?extra";
      if (draft.triples.front().subject.variable.empty()) draft.optional.clear();
    }
    draft.is_count = random_() % 8 == 0;
    switch (random_() % 8) {
      case 0:
        draft.before = " { SELECT * WHERE {";
        draft.after = " } }";
        break;
      case 1:
        draft.before = " {";
        draft.after = " } UNION { ?no ?way ?on FILTER(false) }";
        break;
      default:
        break;
    }
    return draft;
  }

 private:
  const Statement& any_statement(const std::string& subject) {
    return sample_.statements[any_of(sample_.of_subject.at(subject), random_)];
  }

  void add_type(const std::string& subject, const std::string& name, Draft& draft) {
    const auto types = sample_.types.find(subject);
    if (types == sample_.types.end()) return;
    const rdf::Term type(rdf::TermView::iri(any_of(types->second, random_)));
    draft.triples.push_back({node(name), std::string(rdf::kRdfType), node(type), type});
  }

  void add_star(const std::string& subject, Draft& draft) {
    add_type(subject, "x", draft);
    std::set<std::string> used = {std::string(rdf::kRdfType)};
    const std::size_t count = 1 + random_() % 3;
    for (std::size_t tries = 0; tries < 8 && used.size() <= count; ++tries) {
      const Statement& statement = any_statement(subject);
      if (!used.insert(statement.predicate).second) continue;
      const bool is_fixed = random_() % 2 == 0 &&
                            statement.object.kind != rdf::TermKind::BlankNode &&
                            statement.object.value.size() < 80;
      const std::string name = "v" + std::to_string(used.size());
      draft.triples.push_back({node("x"), statement.predicate,
                               is_fixed ? node(statement.object) : node(name), statement.object});
    }
  }

  void add_chain(const std::string& subject, Draft& draft) {
    const Statement& first = any_statement(subject);
    if (first.object.kind != rdf::TermKind::Iri || first.predicate == rdf::kRdfType ||
        sample_.of_subject.count(first.object.value) == 0) {
      return add_star(subject, draft);
    }
    const Statement& second = any_statement(first.object.value);
    if (random_() % 2 == 0) add_type(subject, "a", draft);
    draft.triples.push_back({node("a"), first.predicate, node("b"), first.object});
    const bool is_fixed = random_() % 2 == 0 && second.object.kind != rdf::TermKind::BlankNode &&
                          second.object.value.size() < 80;
    draft.triples.push_back(
        {node("b"), second.predicate, is_fixed ? node(second.object) : node("c"), second.object});
    if (random_() % 3 == 0) {
      draft.triples[draft.triples.size() - 2].subject =
          node(rdf::Term(rdf::TermView::iri(subject)));
      if (draft.triples.size() == 3) draft.triples.erase(draft.triples.begin());
    }
  }

  void add_filter(Draft& draft) {
    const DraftTriple& last = draft.triples.back();
    if (!last.object.is_variable()) return;
    const std::string name = "?" + last.object.variable;
    const char* test =
        last.object_seen.kind == rdf::TermKind::Literal ? "isLITERAL(" : "!isLITERAL(";
    draft.filters.push_back(test + name + ")");
  }

  const GraphSample& sample_;
  Random& random_;
  std::vector<std::string> subjects_;
};

}  // namespace

GraphSample sample_of(std::string name, std::shared_ptr<const GraphSource> source) {
  GraphSample sample;
  sample.name = std::move(name);
  for (auto& row : rows_for(*source, "SELECT ?s ?p ?o { ?s ?p ?o }")) {
    sample.statements.push_back({std::move(row[0]), std::move(row[1].value), std::move(row[2])});
  }
  for (auto& row : rows_for(*source, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")) {
    sample.graphs.push_back(std::move(row[0].value));
  }
  std::sort(sample.graphs.begin(), sample.graphs.end());
  std::sort(sample.statements.begin(), sample.statements.end(),
            [](const Statement& a, const Statement& b) { return key_of(a) < key_of(b); });
  for (std::size_t i = 0; i < sample.statements.size(); ++i) {
    const Statement& statement = sample.statements[i];
    sample.of_predicate[statement.predicate].push_back(i);
    if (statement.subject.kind != rdf::TermKind::Iri) continue;
    sample.of_subject[statement.subject.value].push_back(i);
    if (statement.predicate == rdf::kRdfType && statement.object.kind == rdf::TermKind::Iri) {
      sample.types[statement.subject.value].push_back(statement.object.value);
      sample.instances[statement.object.value].push_back(statement.subject.value);
    }
  }
  sample.source = std::move(source);
  return sample;
}

std::string as_sparql(const rdf::Term& term) {
  return to_sparql(sparql::TermPattern(sparql::Constant{term, {}}));
}

std::string as_sparql(const DraftNode& node) {
  return node.is_variable() ? "?" + node.variable : as_sparql(node.term);
}

DraftText Draft::text() const {
  DraftText out;
  out.text = is_count ? "SELECT (COUNT(*) AS ?n)" : "SELECT *";
  const auto place = [&](const std::string& piece) {
    out.text += ' ';
    const std::size_t begin = out.text.size();
    out.text += piece;
    return std::pair{begin, out.text.size()};
  };
  if (!from.empty()) out.dataset = place("FROM <" + from + ">");
  out.text += " WHERE {" + before;
  if (!graph.empty()) {
    out.dataset = place("GRAPH " + graph);
    out.text += " {";
  }
  for (const DraftTriple& triple : triples) {
    out.triples.push_back(place(as_sparql(triple.subject) + " <" + triple.predicate + "> " +
                                as_sparql(triple.object)));
    out.text += " .";
  }
  if (!graph.empty()) out.text += " }";
  out.text += after;
  if (!optional.empty()) out.text += " OPTIONAL { " + optional + " }";
  for (const std::string& filter : filters) {
    out.text += " FILTER(";
    out.filters.push_back(place(filter));
    out.text += ")";
  }
  out.text += " }";
  return out;
}

std::uint64_t rows_of(const GraphSample& sample, const std::string& query) {
  const auto parsed = sparql::parse_query(query);
  if (!parsed) return 0;
  const auto count =
      sample.source->count_upto(parsed->query.body().where, parsed->query.dataset, 10, {});
  return count ? count->n : 0;
}

std::vector<Draft> make_drafts(const GraphSample& sample, std::size_t count, Random& random) {
  std::vector<Draft> out;
  DraftMaker maker(sample, random);
  for (std::size_t tries = 0; tries < 10 * count && out.size() < count; ++tries) {
    Draft draft = maker.make();
    if (!draft.triples.empty() && rows_of(sample, draft.text().text) > 0) {
      out.push_back(std::move(draft));
    }
  }
  return out;
}

}  // namespace helve::testing
