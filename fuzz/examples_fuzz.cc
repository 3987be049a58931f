// Bytes as a document of SHACL SPARQL examples, and as the text of a registry: nothing crashes, and
// a registry is the same from its text.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/parser.h"
#include "toolkit/examples/endpoint_registry.h"
#include "toolkit/examples/example_document.h"

using helve::toolkit::EndpointRegistry;

namespace {

void check_text(const EndpointRegistry& registry) {
  const std::string text = to_text(registry);
  const auto again = helve::toolkit::registry_from_text(text);
  HELVE_CHECK(again.has_value() && to_text(*again) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto read = helve::toolkit::registry_from_text(bytes)) check_text(*read);

  const helve::OpContext context;
  helve::MemoryCharge memory(*context.memory, "examples");
  helve::toolkit::ExampleDocument document(memory);
  helve::rdf::ReadOptions options;
  options.lenient = true;
  if (!helve::rdf::read_document(helve::rdf::Format::Turtle, bytes, options, context, document)) {
    return 0;
  }
  auto content = document.take();
  helve::toolkit::ExampleFolder folder;
  folder.name = "folder";
  folder.prefixes = content.prefixes;
  const auto prefixes = std::make_shared<const helve::PrefixList>(content.prefixes);
  for (auto& query : content.queries) {
    query.file = "Subject/1.ttl";
    query.prefixes = prefixes;
    helve::sparql::ParseOptions parsing;
    parsing.known_prefixes = *prefixes;
    if (const auto parsed = helve::sparql::parse_query(query.text, parsing)) {
      query.reach = helve::toolkit::reach_of(parsed->query);
      query.used_prefixes = parsed->query.prefixes;
    }
    folder.queries.push_back(std::move(query));
  }
  const auto registry = registry_of(folder, context);
  HELVE_CHECK(registry.has_value());
  check_text(*registry);
  for (const auto& one : registry->endpoints) HELVE_CHECK(registry->find(one.url) != nullptr);
  return 0;
}
