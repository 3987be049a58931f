// Example queries as SHACL describes them (sh:SPARQLExecutable), read from a folder of RDF files:
// the text of each, its question, and the endpoints that it is for.
// https://www.w3.org/TR/shacl-af/#SPARQLExecutable, https://github.com/sib-swiss/sparql-examples
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "toolkit/examples/folder_walk.h"
#include "toolkit/examples/query_reach.h"
#include "toolkit/examples/query_shape.h"

namespace helve::toolkit {

enum class ExampleForm : std::uint8_t { Select, Ask, Construct, Describe };
inline constexpr std::size_t kExampleForms = 4;
std::string_view name_of(ExampleForm form);  // "select"

struct ExampleQuery {
  std::string iri;   // "_:label" of a blank node
  std::string file;  // relative to the folder, "UniProt/1.ttl"
  ExampleForm form = ExampleForm::Select;
  std::string text;
  std::string comment;  // the question, as plain text
  // Each once, in the order of the file.
  std::vector<std::string> keywords;
  std::vector<std::string> targets;         // schema:target
  std::vector<std::string> federates_with;  // spex:federatesWith
  // sh:declare of its folder, then of the folders above; never null.
  std::shared_ptr<const PrefixList> prefixes;
  // Of the query, where it parses.
  QueryReach reach;
  QueryShape shape;
  PrefixList used_prefixes;  // declared by the query, or known and used
  std::string parse_error;   // empty: it does

  // The part of the file's name that is its folder; empty at the top.
  std::string_view folder() const;
  // Another endpoint is asked, as the query or its description says.
  bool is_federated() const { return !reach.services.empty() || !federates_with.empty(); }
};

struct FileProblem {
  std::string file;
  std::string message;
};

struct ExampleLimits {
  WalkLimits walk;
  std::size_t file_bytes_max = 4 * kMiB;  // of one file, unpacked: a larger one is not read
  std::size_t bytes_max = 64 * kMiB;      // of all files that are read
  std::size_t queries_max = 50'000;
  std::size_t problems_kept = 10;
};

struct ExampleFolder {
  std::string name;  // of the folder or file
  std::vector<ExampleQuery> queries;
  PrefixList prefixes;             // sh:declare of all files, each pair once, sorted
  std::uint64_t files = 0;         // that were read
  std::uint64_t broken_files = 0;  // that were not: no RDF, too large, not readable
  std::uint64_t links = 0;         // passed over
  std::uint64_t unparsed = 0;      // queries with a parse_error
  std::uint64_t others = 0;        // texts of queries that no executable has: constraints, targets
  std::vector<FileProblem> problems;  // the first, of files and queries
  std::string fingerprint;            // of names and contents
  std::string incomplete;             // why not all was read; empty: it was
};

// What is broken is counted, with the first reasons, and the rest is read. Errors: NotFound, what
// context.check() says, and LimitExceeded beyond the memory of the context.
Result<ExampleFolder> read_examples(const std::filesystem::path& path, const ExampleLimits& limits,
                                    Env& env, const OpContext& context);

}  // namespace helve::toolkit
