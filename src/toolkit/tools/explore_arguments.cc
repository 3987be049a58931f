#include "toolkit/tools/explore_arguments.h"

#include "toolkit/tools/declare.h"

namespace helve::toolkit {

std::vector<Parameter> describe_parameters() {
  return {text_parameter("resource", "IRI, prefixed name or label",
                         {"uri", "iri", "class", "class_uri", "cls"}),
          limit_parameter(20, 200, "triples or properties to show"),
          choice_parameter("direction", {"both", "outgoing", "incoming"}, "which triples"),
          choice_parameter("output_mode", {"triples", "summary", "grouped"}, "how to show them",
                           {"mode", "output"})};
}

std::vector<ReturnKey> describe_returns() {
  return {{"resource", "string", "as it was read"},
          {"label", "string", "null where there is none", true},
          {"types", "array", "its classes"},
          {"triples", "array", "triples: predicate and object", true},
          {"property_summary", "array", "summary: name, count, sample, types", true},
          {"properties", "array", "grouped: name, count, values", true},
          {"incoming_links", "array", "name, count, sample", true},
          {"total_triples", "integer", "in both directions, as asked"},
          {"truncated", "boolean", "there are more than shown"}};
}

DescribeChoices describe_choices(const Arguments& arguments) {
  DescribeChoices choices;
  choices.resource = arguments.text("resource");
  choices.limit = static_cast<std::uint64_t>(arguments.integer("limit"));
  const std::string& direction = arguments.text("direction");
  choices.direction = direction == "outgoing"   ? Direction::Outgoing
                      : direction == "incoming" ? Direction::Incoming
                                                : Direction::Both;
  const std::string& mode = arguments.text("output_mode");
  choices.mode = mode == "summary"   ? DescribeMode::Summary
                 : mode == "grouped" ? DescribeMode::Grouped
                                     : DescribeMode::Triples;
  return choices;
}

}  // namespace helve::toolkit
