#include "toolkit/examples/example_document.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sources/rdf/vocabulary.h"
#include "toolkit/examples/html_text.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kShacl = "http://www.w3.org/ns/shacl#";
constexpr std::string_view kSpex = "https://purl.expasy.org/sparql-examples/ontology#";
constexpr std::string_view kRdfHtml = "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML";
// Both are in use.
constexpr std::array<std::string_view, 2> kSchema = {"https://schema.org/", "http://schema.org/"};

std::string_view name_in(std::string_view space, std::string_view iri) {
  return iri.starts_with(space) ? iri.substr(space.size()) : std::string_view();
}

std::string_view name_in_schema(std::string_view iri) {
  for (const std::string_view space : kSchema) {
    if (const auto name = name_in(space, iri); !name.empty()) return name;
  }
  return {};
}

bool is_executable_class(std::string_view iri) {
  const std::string_view shacl = name_in(kShacl, iri);
  return shacl == "SPARQLExecutable" || shacl == "SPARQLSelectExecutable" ||
         shacl == "SPARQLAskExecutable" || shacl == "SPARQLConstructExecutable" ||
         name_in(kSpex, iri) == "SPARQLDescribeExecutable";
}

std::optional<ExampleForm> form_of(std::string_view predicate) {
  const std::string_view shacl = name_in(kShacl, predicate);
  if (shacl == "select") return ExampleForm::Select;
  if (shacl == "ask") return ExampleForm::Ask;
  if (shacl == "construct") return ExampleForm::Construct;
  if (shacl == "describe" || name_in(kSpex, predicate) == "describe") return ExampleForm::Describe;
  return std::nullopt;
}

std::string key_of(const rdf::TermView& term) {
  return (term.is_blank() ? "_:" : "") + std::string(term.value);
}

void add_once(std::vector<std::string>& list, std::string_view text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.emplace_back(text);
}

}  // namespace

ExampleDocument::Node& ExampleDocument::node_of(const rdf::TermView& term) {
  const auto [place, is_new] = by_key_.try_emplace(key_of(term), nodes_.size());
  if (is_new) {
    nodes_.emplace_back();
    nodes_.back().key = place->first;
  }
  return nodes_[place->second];
}

// English first, then what has no language.
void ExampleDocument::add_comment(Node& node, const rdf::TermView& comment) {
  const int rank = comment.language.starts_with("en") ? 0 : comment.language.empty() ? 1 : 2;
  if (rank >= node.comment_rank) return;
  node.comment_rank = rank;
  node.comment = comment.datatype == kRdfHtml ? text_of_html(comment.value)
                                              : text_with_some_html(comment.value);
}

void ExampleDocument::add_shacl(Node& node, std::string_view name, const rdf::TermView& object) {
  if (name == "prefix" && object.is_literal()) {
    node.prefix = object.value;
    node.has_prefix = true;
  }
  if (name == "namespace") node.name_space = object.value;  // "..."^^xsd:anyURI, or an IRI
  if (name == "declare" && !object.is_literal()) node.declared.push_back(key_of(object));
}

Result<void> ExampleDocument::statement(const rdf::StatementView& statement) {
  const std::string_view predicate = statement.predicate.value;
  const rdf::TermView& object = statement.object;
  const std::string_view shacl = name_in(kShacl, predicate);
  const std::string_view schema = name_in_schema(predicate);
  const bool is_type = predicate == rdf::kRdfType;
  const bool is_comment = name_in(rdf::kRdfs, predicate) == "comment" && object.is_literal();
  const bool is_federation = name_in(kSpex, predicate) == "federatesWith" && object.is_iri();
  const auto form = object.is_literal() ? form_of(predicate) : std::nullopt;
  const bool is_of_interest = !shacl.empty() || schema == "target" || schema == "keywords" ||
                              (is_type && is_executable_class(object.value)) || is_comment ||
                              is_federation || form;
  if (!is_of_interest) return {};
  auto charged = memory_.add(sizeof(Node) / 4 + 2 * statement.subject.value.size() +
                             object.value.size() + sizeof(std::string));
  if (!charged) {
    is_out_of_memory_ = true;
    return charged;
  }
  Node& node = node_of(statement.subject);
  if (is_type) node.is_executable = true;
  if (is_comment) add_comment(node, object);
  if (form) node.texts.emplace_back(*form, object.value);
  if (is_federation) add_once(node.federates_with, object.value);
  if (schema == "target" && object.is_iri()) add_once(node.targets, object.value);
  if (schema == "keywords" && object.is_literal()) add_once(node.keywords, object.value);
  add_shacl(node, shacl, object);
  return {};
}

ExampleDocument::Content ExampleDocument::take() {
  Content content;
  for (Node& node : nodes_) {
    for (const std::string& key : node.declared) {
      const auto found = by_key_.find(key);
      if (found == by_key_.end()) continue;
      const Node& declaration = nodes_[found->second];
      if (!declaration.has_prefix || declaration.name_space.empty()) continue;
      content.prefixes.emplace_back(declaration.prefix, declaration.name_space);
    }
    if (!node.is_executable) {
      content.others += node.texts.size();
      continue;
    }
    for (auto& [form, text] : node.texts) {
      ExampleQuery query;
      query.iri = node.key;
      query.form = form;
      query.text = std::move(text);
      query.comment = node.comment;
      query.keywords = node.keywords;
      query.targets = node.targets;
      query.federates_with = node.federates_with;
      content.queries.push_back(std::move(query));
    }
  }
  return content;
}

}  // namespace helve::toolkit
