// A W3C test manifest: a list of test cases in Turtle.
// https://www.w3.org/2001/sw/DataAccess/tests/README.html
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "sources/rdf/quad_set.h"

namespace helve::conformance {

inline constexpr std::string_view kManifest =
    "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";

struct TestCase {
  std::string iri;
  std::string name;
  std::string type;  // IRI
  rdf::Term action;  // what is tested: a file, or a node with more properties
  rdf::Term result;  // what must come out; an empty IRI when there is nothing
};

class Manifest {
 public:
  // Reads `folder`/manifest.ttl as if it stood at `base` (which ends in '/').
  static Result<Manifest> read(const std::filesystem::path& folder, std::string base);

  const std::vector<TestCase>& cases() const { return cases_; }
  const std::string& label() const { return label_; }

  // The first object, for test types whose action or result is a node of its own.
  std::optional<rdf::Term> object_of(const rdf::TermView& subject,
                                     std::string_view predicate) const;
  // The file behind an IRI of the manifest; NotFound when it lies elsewhere.
  Result<std::filesystem::path> path_of(std::string_view iri) const;
  // The IRI that a file is to be read at: mf:assumedTestBase, or where the manifest stands.
  std::string base_of(std::string_view iri) const;

 private:
  Result<void> collect();

  std::filesystem::path folder_;
  std::string base_;
  std::string assumed_base_;
  std::string label_;
  rdf::QuadSet graph_;
  std::unordered_map<rdf::TermIndex, std::vector<rdf::QuadIndexes>> by_subject_;
  std::vector<TestCase> cases_;
};

// The whole file.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace helve::conformance
