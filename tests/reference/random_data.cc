#include "tests/reference/random_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "sources/rdf/document.h"
#include "sources/rdf/vocabulary.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"

namespace helve::reference {

namespace {

constexpr std::string_view kNamespace = "http://example.org/";

rdf::Term iri(const std::string& name) {
  return rdf::Term(rdf::TermView::iri(std::string(kNamespace) + name));
}

// How subjects and objects are chosen.
enum class Shape : std::uint8_t { Even, Hub, Ring, Dense };

class RandomData {
 public:
  RandomData(Choices& choices, const DataOptions& options)
      : choices_(choices),
        options_(options),
        shape_(static_cast<Shape>(choices.below(4))),
        nodes_(shape_ == Shape::Dense ? 4 : 2 + choices.below(options.nodes_max)),
        has_graphs_(options.has_graphs && choices.chance(60)) {}

  std::vector<MemoryQuad> make() {
    std::vector<MemoryQuad> quads;
    const std::size_t most = options_.quads_max + 1;
    const std::size_t count =
        choices_.chance(10) ? choices_.below(most) : most / 2 + choices_.below(most - most / 2);
    while (quads.size() < count) {
      if (!quads.empty() && has_graphs_ && choices_.chance(20)) {
        quads.push_back(choices_.pick(quads));  // again, elsewhere
        quads.back()[3] = graph();
      } else {
        quads.push_back(quad());
      }
    }
    return quads;
  }

 private:
  MemoryQuad quad() {
    const std::size_t predicate = any_predicate(choices_);
    const std::size_t subject = number();
    rdf::Term object = node_term(shape_ == Shape::Ring ? (subject + 1) % nodes_ : number());
    if (predicate + 1 == kPredicates) {
      object = iri("C" + std::to_string(choices_.below(3)));
    } else if (choices_.chance(predicate == 2 ? 90 : 15)) {
      object = any_literal_term(choices_);
    }
    return {node_term(subject), predicate_term(predicate), std::move(object), graph()};
  }

  std::size_t number() {
    if (shape_ == Shape::Hub && choices_.chance(50)) return 0;
    return choices_.below(nodes_);
  }

  rdf::Term graph() {
    if (!has_graphs_ || choices_.chance(50)) return {};
    return graph_term(choices_.below(kGraphs));
  }

  Choices& choices_;
  DataOptions options_;
  Shape shape_;
  std::size_t nodes_;
  bool has_graphs_;
};

void append_triple(std::string& out, const MemoryQuad& quad) {
  for (std::size_t i = 0; i < 3; ++i) {
    rdf::append_ntriples(out, quad[i].view());
    out += ' ';
  }
}

bool in_default_graph(const MemoryQuad& quad) { return quad[3].value.empty(); }

}  // namespace

// Every fourth is a blank node; one is a predicate as well.
rdf::Term node_term(std::size_t number) {
  if (number % 4 == 3) return rdf::Term(rdf::TermView::blank("b" + std::to_string(number)));
  return number == 6 ? predicate_term(1) : iri("n" + std::to_string(number));
}

std::size_t any_predicate(Choices& choices) {
  return choices.pick(std::array<std::size_t, 10>{0, 0, 0, 0, 1, 1, 2, 2, 3, kPredicates - 1});
}

rdf::Term predicate_term(std::size_t number) {
  if (number + 1 == kPredicates) return rdf::Term(rdf::TermView::iri(rdf::kRdfType));
  return iri("p" + std::to_string(number));
}

rdf::Term graph_term(std::size_t number) {
  return number == 0 ? node_term(0) : iri("g" + std::to_string(number));
}

rdf::Term any_literal_term(Choices& choices) {
  static const std::string xsd = "http://www.w3.org/2001/XMLSchema#";
  static const std::array<std::pair<std::string, std::string>, 30> literals = {{
      {"0", xsd + "integer"},
      {"1", xsd + "integer"},
      {"2", xsd + "integer"},
      {"3", xsd + "integer"},
      {"-7", xsd + "integer"},
      {"01", xsd + "integer"},
      {"100", xsd + "integer"},
      {"123456789012345678901234567890", xsd + "integer"},
      {"7", xsd + "byte"},
      {"1.0", xsd + "decimal"},
      {"1.5", xsd + "decimal"},
      {"2.50", xsd + "decimal"},
      {"1e0", xsd + "double"},
      {"2.5e0", xsd + "double"},
      {"NaN", xsd + "double"},
      {"0.5", xsd + "float"},
      {"true", xsd + "boolean"},
      {"false", xsd + "boolean"},
      {"2020-01-01T00:00:00Z", xsd + "dateTime"},
      {"2020-01-01T02:00:00+02:00", xsd + "dateTime"},
      {"2020-01-01T00:00:00", xsd + "dateTime"},
      {"2021-05-05", xsd + "date"},
      {"bad", xsd + "integer"},
      {"x", "http://example.org/type"},
      {"", ""},
      {"a", ""},
      {"abc", ""},
      {"Abc", ""},
      {"1", ""},
      {"b\u00e4r \"q\"", ""},
  }};
  if (choices.chance(12)) {
    static constexpr std::array<std::string_view, 3> kLanguages = {"en", "de-AT", "EN"};
    return rdf::Term(
        rdf::TermView::lang_literal(choices.chance(50) ? "a" : "abc", choices.pick(kLanguages)));
  }
  const auto& [text, datatype] = choices.pick(literals);
  return rdf::Term(rdf::TermView::literal(text, datatype));
}

std::vector<MemoryQuad> random_quads(Choices& choices, const DataOptions& options) {
  return RandomData(choices, options).make();
}

std::vector<std::string> graph_names(const std::vector<MemoryQuad>& quads) {
  std::set<std::string> names;
  for (const MemoryQuad& quad : quads) {
    if (!in_default_graph(quad)) names.insert(quad[3].value);
  }
  return {names.begin(), names.end()};
}

std::string to_nquads(const std::vector<MemoryQuad>& quads) {
  std::string out;
  for (const MemoryQuad& quad : quads) {
    append_triple(out, quad);
    if (!in_default_graph(quad)) rdf::append_ntriples(out, quad[3].view());
    out += " .\n";
  }
  return out;
}

std::string to_trig(const std::vector<MemoryQuad>& quads) {
  std::map<std::string, std::string> by_graph;
  for (const MemoryQuad& quad : quads) {
    std::string& text = by_graph[in_default_graph(quad) ? "" : rdf::to_ntriples(quad[3].view())];
    text += "  ";
    append_triple(text, quad);
    text += ".\n";
  }
  std::string out;
  for (const auto& [name, text] : by_graph) out += fmt::format("{} {{\n{}}}\n", name, text);
  return out;
}

SnapshotPtr make_memory(const std::vector<MemoryQuad>& quads) {
  return std::make_shared<MemorySnapshot>(quads);
}

SnapshotPtr make_store(const std::vector<MemoryQuad>& quads) {
  const std::string text = to_nquads(quads);
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("data.nq", text, rdf::Format::NQuads));
  auto loaded = store::load_documents(std::move(documents), {}, {});
  HELVE_CHECK(loaded.has_value());
  return store::as_dataset(std::move(loaded->snapshot));
}

}  // namespace helve::reference
