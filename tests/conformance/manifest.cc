#include "tests/conformance/manifest.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "sources/rdf/vocabulary.h"

namespace helve::conformance {

namespace {

constexpr std::size_t kManifestsMax = 1'000;  // a manifest that includes itself ends here

std::string mf(std::string_view name) { return std::string(kManifest) + std::string(name); }

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::NotFound, fmt::format("cannot read {}", path.string())};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<Manifest> Manifest::read(const TestRoot& root, const std::string& path) {
  Manifest manifest;
  manifest.root_ = root;
  manifest.base_ = root.base + path.substr(0, path.rfind('/') + 1);
  HELVE_ASSIGN(const std::string text, read_file(root.folder / path));
  rdf::ReadOptions options;
  options.base_iri = root.base + path;
  options.document_name = (root.folder / path).string();
  HELVE_TRY(rdf::read_document(rdf::Format::Turtle, text, options, {}, manifest.graph_));
  HELVE_TRY(manifest.collect());
  return manifest;
}

std::vector<rdf::Term> Manifest::objects_of(const rdf::TermView& subject,
                                            std::string_view predicate) const {
  std::vector<rdf::Term> objects;
  const auto index = graph_.find(subject);
  if (!index) return objects;
  const auto quads = by_subject_.find(*index);
  if (quads == by_subject_.end()) return objects;
  for (const rdf::QuadIndexes& quad : quads->second) {
    if (graph_.term(quad[1]).value == predicate) objects.emplace_back(graph_.term(quad[2]));
  }
  return objects;
}

std::optional<rdf::Term> Manifest::object_of(const rdf::TermView& subject,
                                             std::string_view predicate) const {
  std::vector<rdf::Term> objects = objects_of(subject, predicate);
  if (objects.empty()) return std::nullopt;
  return std::move(objects.front());
}

std::vector<rdf::Term> Manifest::list(const std::optional<rdf::Term>& head) const {
  std::vector<rdf::Term> items;
  std::optional<rdf::Term> cell = head;
  while (cell && cell->value != rdf::kRdfNil) {
    if (auto item = object_of(cell->view(), rdf::kRdfFirst)) items.push_back(*std::move(item));
    cell = object_of(cell->view(), rdf::kRdfRest);
  }
  return items;
}

Result<TestCase> Manifest::test_case(const rdf::Term& entry) const {
  const auto value_of = [&](std::string_view predicate) {
    return object_of(entry.view(), predicate).value_or(rdf::Term());
  };
  TestCase test;
  test.iri = entry.value;
  test.name = value_of(mf("name")).value;
  test.type = value_of(rdf::kRdfType).value;
  test.action = value_of(mf("action"));
  test.result = value_of(mf("result"));
  if (test.type.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the entry <{}> of <{}> has no type", test.iri, base_)};
  }
  return test;
}

// Some manifests have an IRI that is not the address of the file.
Result<void> Manifest::collect() {
  for (const rdf::QuadIndexes& quad : graph_.quads()) by_subject_[quad[0]].push_back(quad);
  const std::string is_manifest = mf("Manifest");
  for (const rdf::QuadIndexes& quad : graph_.quads()) {
    const rdf::StatementView statement = graph_.view(quad);
    if (statement.predicate.value != rdf::kRdfType || statement.object.value != is_manifest) {
      continue;
    }
    assumed_base_ = object_of(statement.subject, mf("assumedTestBase")).value_or(rdf::Term()).value;
    for (const rdf::Term& entry : list(object_of(statement.subject, mf("entries")))) {
      HELVE_ASSIGN(TestCase test, test_case(entry));
      cases_.push_back(std::move(test));
    }
    for (const rdf::Term& included : list(object_of(statement.subject, mf("include")))) {
      HELVE_TRY(path_of(included.value));
      includes_.push_back(included.value.substr(root_.base.size()));
    }
  }
  if (assumed_base_.empty()) assumed_base_ = base_;
  return {};
}

Result<std::filesystem::path> Manifest::path_of(std::string_view iri) const {
  if (!iri.starts_with(root_.base)) {
    return Error{ErrorCode::NotFound, fmt::format("<{}> is outside of <{}>", iri, root_.base)};
  }
  return root_.folder / iri.substr(root_.base.size());
}

std::string Manifest::base_of(std::string_view iri) const {
  if (!iri.starts_with(base_)) return std::string(iri);
  return assumed_base_ + std::string(iri.substr(base_.size()));
}

Result<std::vector<Manifest>> read_manifests(const TestRoot& root, const std::string& path) {
  std::vector<Manifest> manifests;
  std::vector<std::string> waiting = {path};
  while (!waiting.empty()) {
    if (manifests.size() == kManifestsMax) {
      return Error{ErrorCode::LimitExceeded, fmt::format("{} includes too much", path)};
    }
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    HELVE_ASSIGN(Manifest manifest, Manifest::read(root, next));
    const auto& includes = manifest.includes();
    waiting.insert(waiting.end(), includes.rbegin(), includes.rend());
    manifests.push_back(std::move(manifest));
  }
  return manifests;
}

}  // namespace helve::conformance
