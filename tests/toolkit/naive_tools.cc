#include "tests/toolkit/naive_tools.h"

#include "base/check.h"
#include "base/json.h"
#include "sources/sparql/algebra/parser.h"

namespace helve::proofs {

namespace {

class JsonResults final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& names) override {
    names_ = names;
    JsonValue::Array all(names.begin(), names.end());
    text =
        R"({"head":{"vars":)" + to_json(JsonValue(std::move(all))) + R"(},"results":{"bindings":[)";
    return {};
  }
  Result<void> row(Row cells) override {
    JsonValue::Object bindings;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i]) bindings.push_back({names_[i], binding(*cells[i])});
    }
    if (!text.ends_with('[')) text += ',';
    text += to_json(JsonValue(std::move(bindings)));
    return {};
  }

  std::string text;

 private:
  static JsonValue binding(const rdf::TermView& term) {
    JsonValue::Object object;
    const bool is_literal = term.kind == rdf::TermKind::Literal;
    const bool is_iri = term.kind == rdf::TermKind::Iri;
    object.push_back({"type", JsonValue(is_literal ? "literal" : is_iri ? "uri" : "bnode")});
    object.push_back({"value", JsonValue(term.value)});
    if (is_literal && !term.language.empty()) {
      object.push_back({"xml:lang", JsonValue(term.language)});
    } else if (is_literal && !term.datatype.ends_with("#string")) {
      object.push_back({"datatype", JsonValue(term.datatype)});
    }
    return JsonValue(std::move(object));
  }

  std::vector<std::string> names_;
};

}  // namespace

std::string naive_results(const GraphSource& graph, const std::string& query) {
  sparql::ParseOptions options;
  options.known_prefixes = graph.prefixes();
  const auto parsed = sparql::parse_query(query, options);
  HELVE_CHECK(parsed.has_value());
  JsonResults results;
  HELVE_CHECK(!graph.run(parsed->query, UINT64_MAX, results, {}).error.has_value());
  return results.text + "]}}";
}

}  // namespace helve::proofs
