#include "tests/differential/answer.h"

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "base/json_writer.h"
#include "base/op_context.h"
#include "sources/rdf/document.h"
#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/sparql/results/solutions.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"
#include "tests/support/dataset/memory_dataset.h"

namespace helve::differential {

namespace {

using rdf::TermKind;
using rdf::TermView;

constexpr std::string_view kXsdString = "http://www.w3.org/2001/XMLSchema#string";

void write_term(JsonWriter& writer, const TermView& term) {
  writer.begin_object();
  constexpr std::array<std::string_view, 3> kTypes = {"uri", "bnode", "literal"};
  writer.member("type", kTypes.at(static_cast<std::size_t>(term.kind)));
  writer.member("value", term.value);
  if (term.is_literal()) {
    if (!term.language.empty()) {
      writer.member("xml:lang", term.language);
    } else {
      writer.member("datatype", term.datatype.empty() ? kXsdString : term.datatype);
    }
  }
  writer.end_object();
}

class JsonAnswer final : public sparql::SolutionSink {
 public:
  explicit JsonAnswer(JsonWriter& writer) : writer_(writer) {}

  Result<void> variables(const std::vector<std::string>& names) override {
    writer_.key("vars");
    writer_.begin_array();
    for (const std::string& name : names) writer_.value(name);
    writer_.end_array();
    writer_.key("rows");
    writer_.begin_array();
    has_rows_ = true;
    return {};
  }
  Result<void> solution(std::span<const std::optional<TermView>> terms) override {
    writer_.begin_array();
    for (const auto& term : terms) {
      if (term) {
        write_term(writer_, *term);
      } else {
        writer_.null();
      }
    }
    writer_.end_array();
    return {};
  }
  Result<void> boolean(bool answer) override {
    writer_.member("answer", answer);
    return {};
  }
  void finish() {
    if (has_rows_) writer_.end_array();
  }

 private:
  JsonWriter& writer_;
  bool has_rows_ = false;
};

struct JsonTriples final : rdf::StatementSink {
  explicit JsonTriples(JsonWriter& json) : writer(json) {}
  Result<void> statement(const rdf::StatementView& statement) override {
    writer.begin_array();
    for (const TermView& term : {statement.subject, statement.predicate, statement.object}) {
      write_term(writer, term);
    }
    writer.end_array();
    return {};
  }
  JsonWriter& writer;
};

struct QuadCollector final : rdf::StatementSink {
  Result<void> statement(const rdf::StatementView& statement) override {
    quads.push_back({rdf::Term(statement.subject), rdf::Term(statement.predicate),
                     rdf::Term(statement.object), rdf::Term(statement.graph)});
    return {};
  }
  std::vector<MemoryQuad> quads;
};

Result<std::shared_ptr<const sparql::Snapshot>> load_memory(const std::string& nquads) {
  QuadCollector collector;
  HELVE_TRY(rdf::read_document(rdf::Format::NQuads, nquads, {}, {}, collector));
  return std::shared_ptr<const sparql::Snapshot>(std::make_shared<MemorySnapshot>(collector.quads));
}

Result<std::shared_ptr<const sparql::Snapshot>> load_store(const std::string& nquads) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("data.nq", nquads, rdf::Format::NQuads));
  HELVE_ASSIGN(store::Loaded loaded, store::load_documents(std::move(documents), {}, {}));
  return store::as_dataset(std::move(loaded.snapshot));
}

}  // namespace

Result<std::shared_ptr<const sparql::Snapshot>> DatasetCache::get(const std::string& nquads) {
  if (snapshot_ == nullptr || nquads != nquads_) {
    HELVE_ASSIGN(snapshot_, kind_ == DatasetKind::Store ? load_store(nquads) : load_memory(nquads));
    nquads_ = nquads;
  }
  return snapshot_;
}

Result<std::string> answer(std::string_view query,
                           const std::shared_ptr<const sparql::Snapshot>& snapshot) {
  OpContext context;
  context.deadline = Deadline(real_clock(), std::chrono::seconds(10));
  HELVE_ASSIGN(const sparql::ParsedQuery parsed, sparql::parse_query(query));
  HELVE_ASSIGN(auto run, sparql::QueryRun::start(parsed.query, snapshot, {}, context));
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  if (run.kind() == sparql::QueryRun::Kind::Graph) {
    writer.member("kind", "graph");
    writer.key("triples");
    writer.begin_array();
    JsonTriples triples(writer);
    HELVE_TRY(run.send(triples));
    writer.end_array();
  } else {
    const bool is_boolean = run.kind() == sparql::QueryRun::Kind::Boolean;
    writer.member("kind", is_boolean ? "boolean" : "solutions");
    JsonAnswer solutions(writer);
    HELVE_TRY(run.send(solutions));
    solutions.finish();
  }
  writer.end_object();
  return out;
}

std::string error_reply(const Error& error) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.member("error", error.to_string());
  writer.member("code", error_code_name(error.code));
  writer.end_object();
  return out;
}

}  // namespace helve::differential
