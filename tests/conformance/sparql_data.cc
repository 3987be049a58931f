#include "tests/conformance/sparql_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sources/rdf/writer.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"
#include "tests/conformance/manifest.h"

namespace helve::conformance {

namespace {

class GraphCollector final : public rdf::StatementSink {
 public:
  GraphCollector(std::vector<MemoryQuad>& quads, const std::string& graph)
      : quads_(quads), graph_(rdf::TermView::iri(graph)) {}

  Result<void> statement(const rdf::StatementView& statement) override {
    quads_.push_back({rdf::Term(statement.subject), rdf::Term(statement.predicate),
                      rdf::Term(statement.object),
                      statement.in_default_graph() ? graph_ : rdf::Term(statement.graph)});
    return {};
  }

 private:
  std::vector<MemoryQuad>& quads_;
  rdf::Term graph_;
};

Result<std::shared_ptr<const store::Snapshot>> make_store(const std::vector<MemoryQuad>& quads,
                                                          const OpContext& context) {
  StringSink text;
  const auto writer = rdf::make_writer(rdf::Format::NQuads, text, {}, context);
  for (const auto& [subject, predicate, object, graph] : quads) {
    HELVE_TRY(writer->statement({subject.view(), predicate.view(), object.view(), graph.view()}));
  }
  HELVE_TRY(writer->finish());
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("data", text.text(), rdf::Format::NQuads));
  HELVE_ASSIGN(const store::Loaded loaded,
               store::load_documents(std::move(documents), {}, context));
  return loaded.snapshot;
}

}  // namespace

Result<void> TestData::add(const std::filesystem::path& path, const std::string& base_iri,
                           const std::string& graph) {
  const auto format = rdf::format_of_path(path.string());
  if (!format) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no known format", path.string())};
  }
  HELVE_ASSIGN(const std::string text, read_file(path));
  rdf::ReadOptions options;
  options.base_iri = base_iri;
  options.document_name = path.string();
  options.blank_prefix = fmt::format("d{}x", graphs_.size());
  GraphCollector collector(quads_, graph);
  HELVE_TRY(rdf::read_document(*format, text, options, {}, collector));
  graphs_.push_back(graph);
  return {};
}

bool TestData::has_graph(const std::string& graph) const {
  return std::find(graphs_.begin(), graphs_.end(), graph) != graphs_.end();
}

Result<BackendData> TestData::make() const {
  HELVE_ASSIGN(const auto in_store, make_store(quads_, {}));
  return BackendData{std::make_shared<MemorySnapshot>(quads_), store::as_dataset(in_store)};
}

Result<std::shared_ptr<const store::Snapshot>> TestData::make_snapshot() const {
  return make_store(quads_, {});
}

}  // namespace helve::conformance
