// A W3C test manifest: a list of test cases in Turtle, and of other manifests.
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

// A folder on disk that stands somewhere on the web.
struct TestRoot {
  std::filesystem::path folder;
  std::string base;  // ends in '/'
};

struct TestCase {
  std::string iri;
  std::string name;
  std::string type;  // IRI
  rdf::Term action;  // what is tested: a file, or a node with more properties; an empty IRI when
                     // the name or a comment says it all
  rdf::Term result;  // what must come out; an empty IRI when there is nothing
};

class Manifest {
 public:
  // Reads the file `path` below the root.
  static Result<Manifest> read(const TestRoot& root, const std::string& path);

  const std::vector<TestCase>& cases() const { return cases_; }
  // Paths below the root of the manifests that this one includes.
  const std::vector<std::string>& includes() const { return includes_; }

  // The first object, for test types whose action or result is a node of its own.
  std::optional<rdf::Term> object_of(const rdf::TermView& subject,
                                     std::string_view predicate) const;
  // All of them, in the order of the manifest.
  std::vector<rdf::Term> objects_of(const rdf::TermView& subject, std::string_view predicate) const;
  // The items of an RDF list; none where there is no list.
  std::vector<rdf::Term> list(const std::optional<rdf::Term>& head) const;
  // The file behind an IRI of the manifest; NotFound when it lies outside of the root.
  Result<std::filesystem::path> path_of(std::string_view iri) const;
  // The IRI that a file is to be read at: mf:assumedTestBase, or where the manifest stands.
  std::string base_of(std::string_view iri) const;

 private:
  Result<void> collect();
  Result<TestCase> test_case(const rdf::Term& entry) const;

  TestRoot root_;
  std::string base_;  // the folder of the manifest
  std::string assumed_base_;
  rdf::QuadSet graph_;
  std::unordered_map<rdf::TermIndex, std::vector<rdf::QuadIndexes>> by_subject_;
  std::vector<TestCase> cases_;
  std::vector<std::string> includes_;
};

// The manifest and all those it includes, depth first.
Result<std::vector<Manifest>> read_manifests(const TestRoot& root, const std::string& path);

// The whole file.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace helve::conformance
