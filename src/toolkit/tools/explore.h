// Looking at a graph: what is in it, what one thing is. Written over GraphSource, for the sources
// of a session and for graphs behind handles alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sources/graph_source.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// A property of the instances of a class, as far as some of them show it.
struct ClassProperty {
  std::string iri;
  std::uint64_t instances = 0;  // of those looked at
  bool is_required = false;     // all that were looked at have it
};

struct ClassFacts {
  std::uint64_t sampled = 0;              // instances looked at
  std::vector<ClassProperty> properties;  // the commonest first
};

std::string_view name_of(PropertyKind kind);  // "object"

// For replies: what is not there is null, not empty.
ReplyValue text_or_null(const std::string& text);
ReplyValue first_or_null(const std::vector<std::string>& iris);

// From some hundreds of instances; kept in call.facts.
Result<std::shared_ptr<const ClassFacts>> class_facts(const std::string& iri,
                                                      const GraphSource& graph, ToolCall& call);

// The commonest, but for rdf:type, which all have.
ReplyValue::List common_properties(const ClassFacts& facts, std::size_t count);

enum class ResourceKind : std::uint8_t { Class, Property, Instance };
ResourceKind kind_of_resource(const std::string& iri, const GraphSchema& schema);

enum class Direction : std::uint8_t { Both, Outgoing, Incoming };
enum class DescribeMode : std::uint8_t { Triples, Summary, Grouped };
struct DescribeChoices {
  std::string resource;
  std::uint64_t limit = 20;
  Direction direction = Direction::Both;
  DescribeMode mode = DescribeMode::Triples;
};
ToolAnswer describe_resource(ToolCall& call, const GraphSource& graph,
                             const DescribeChoices& choices);

enum class PeekMode : std::uint8_t { Sample, Schema, Count };
struct PeekChoices {
  std::string resource;
  std::uint64_t limit = 5;
  bool shows_properties = true;
  PeekMode mode = PeekMode::Sample;
  NameKind kind = NameKind::Any;  // Class: anything else is an error
};
ToolAnswer peek_resource(ToolCall& call, const GraphSource& graph, const PeekChoices& choices);

enum class SchemaMode : std::uint8_t { Overview, Classes, Properties, Patterns };
struct SchemaChoices {
  SchemaMode mode = SchemaMode::Overview;
  std::string filter;  // a prefix, the start of an IRI, or a part of a name; empty: all
  std::uint64_t limit = 50;
  bool is_short = false;  // counts and labels alone
};
ToolAnswer show_schema(ToolCall& call, const GraphSource& graph, const SchemaChoices& choices);

}  // namespace helve::toolkit
