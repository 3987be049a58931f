// EndpointRegistry: the endpoints, graphs and prefixes that a folder of examples tells of, and how
// often. A value that is kept as text, one JSON object a line.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "toolkit/examples/example_reader.h"

namespace helve::toolkit {

using CountedTexts = std::vector<std::pair<std::string, std::uint64_t>>;  // the commonest first

// An endpoint by all its addresses: http and https, and with or without a slash at the end, are
// one.
struct EndpointEntry {
  std::string name;                   // that no other has: of a folder of examples, or its host
  std::string url;                    // the commonest of its addresses
  CountedTexts addresses;             // examples that name it so
  std::uint64_t example_count = 0;    // that are for it: schema:target
  std::uint64_t federated_count = 0;  // that ask it from another: SERVICE, spex:federatesWith
  std::array<std::uint64_t, kExampleForms> forms{};  // of those that are for it
  CountedTexts federates_with;                       // urls that those ask
  CountedTexts asked_from;                           // urls whose examples ask it
  CountedTexts keywords;
  std::vector<std::string> questions;  // some of those that are for it
  // That those declare or use, the commonest first.
  std::vector<std::pair<std::pair<std::string, std::string>, std::uint64_t>> prefixes;

  bool is_primary() const { return example_count > 0; }
  std::uint64_t uses() const { return example_count + federated_count; }
};

struct GraphEntry {
  std::string iri;
  std::uint64_t example_count = 0;
  std::vector<std::string> endpoints;  // urls of those that have it
};

struct EndpointRegistry {
  // Bounds of what is kept; `incomplete` tells where they were met.
  static constexpr std::size_t kEndpointsMax = 2'000;
  static constexpr std::size_t kGraphsMax = 10'000;
  static constexpr std::size_t kPrefixesMax = 10'000;
  static constexpr std::size_t kAddressBytesMax = 1'000;  // of an IRI or a keyword
  static constexpr std::size_t kEndpointsOfOneMax = 100;  // of one example, of each kind
  static constexpr std::size_t kTextsMax = 20;            // of each list of an endpoint
  static constexpr std::size_t kQuestionsMax = 5;

  std::string name;                      // of the folder
  std::vector<EndpointEntry> endpoints;  // the most used first
  std::vector<GraphEntry> graphs;        // those with most examples first
  PrefixList prefixes;                   // sh:declare
  std::uint64_t queries = 0;
  std::array<std::uint64_t, kExampleForms> forms{};
  std::uint64_t federated_queries = 0;
  std::uint64_t variable_services = 0;  // queries with SERVICE ?x
  std::uint64_t variable_graphs = 0;    // with GRAPH ?g
  std::uint64_t files = 0;
  std::uint64_t broken_files = 0;
  std::uint64_t links = 0;
  std::uint64_t unparsed = 0;
  std::vector<FileProblem> problems;
  std::string incomplete;

  std::size_t primary_count() const;
  // By name, in any case, or by address; null where there is none.
  const EndpointEntry* find(std::string_view name_or_url) const;
};

Result<EndpointRegistry> registry_of(const ExampleFolder& folder, const OpContext& context);

// One address for all that mean the same endpoint.
std::string endpoint_key(std::string_view url);

std::string to_text(const EndpointRegistry& registry);
// Unavailable where it is not such a text; nothing in it is trusted.
Result<EndpointRegistry> registry_from_text(std::string_view text);

}  // namespace helve::toolkit
