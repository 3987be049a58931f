#include "tests/conformance/manifest.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "sources/rdf/vocabulary.h"

namespace helve::conformance {

namespace {

std::string mf(std::string_view name) { return std::string(kManifest) + std::string(name); }

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::NotFound, fmt::format("cannot read {}", path.string())};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<Manifest> Manifest::read(const std::filesystem::path& folder, std::string base) {
  Manifest manifest;
  manifest.folder_ = folder;
  manifest.base_ = std::move(base);
  HELVE_ASSIGN(const std::string text, read_file(folder / "manifest.ttl"));
  rdf::ReadOptions options;
  options.base_iri = manifest.base_ + "manifest.ttl";
  options.document_name = (folder / "manifest.ttl").string();
  HELVE_TRY(rdf::read_document(rdf::Format::Turtle, text, options, {}, manifest.graph_));
  HELVE_TRY(manifest.collect());
  return manifest;
}

std::optional<rdf::Term> Manifest::object_of(const rdf::TermView& subject,
                                             std::string_view predicate) const {
  const auto index = graph_.find(subject);
  if (!index) return std::nullopt;
  const auto quads = by_subject_.find(*index);
  if (quads == by_subject_.end()) return std::nullopt;
  for (const rdf::QuadIndexes& quad : quads->second) {
    if (graph_.term(quad[1]).value == predicate) return rdf::Term(graph_.term(quad[2]));
  }
  return std::nullopt;
}

Result<void> Manifest::collect() {
  for (const rdf::QuadIndexes& quad : graph_.quads()) by_subject_[quad[0]].push_back(quad);
  const rdf::Term self(rdf::TermView::iri(base_ + "manifest.ttl"));
  const auto value_of = [this](const rdf::Term& subject, std::string_view predicate) {
    return object_of(subject.view(), predicate).value_or(rdf::Term());
  };
  label_ = value_of(self, std::string(rdf::kRdfs) + "label").value;
  assumed_base_ = value_of(self, mf("assumedTestBase")).value;
  if (assumed_base_.empty()) assumed_base_ = base_;
  rdf::Term list = value_of(self, mf("entries"));
  while (!list.value.empty() && list.value != rdf::kRdfNil) {
    const rdf::Term entry = value_of(list, rdf::kRdfFirst);
    TestCase test;
    test.iri = entry.value;
    test.name = value_of(entry, mf("name")).value;
    test.type = value_of(entry, rdf::kRdfType).value;
    test.action = value_of(entry, mf("action"));
    test.result = value_of(entry, mf("result"));
    if (test.type.empty() || test.action.value.empty()) {
      return Error{
          ErrorCode::InvalidInput,
          fmt::format("the entry <{}> of {} has no type or no action", test.iri, folder_.string())};
    }
    cases_.push_back(std::move(test));
    list = value_of(list, rdf::kRdfRest);
  }
  return {};
}

Result<std::filesystem::path> Manifest::path_of(std::string_view iri) const {
  if (!iri.starts_with(base_)) {
    return Error{ErrorCode::NotFound, fmt::format("<{}> is outside of <{}>", iri, base_)};
  }
  return folder_ / iri.substr(base_.size());
}

std::string Manifest::base_of(std::string_view iri) const {
  if (!iri.starts_with(base_)) return std::string(iri);
  return assumed_base_ + std::string(iri.substr(base_.size()));
}

}  // namespace helve::conformance
