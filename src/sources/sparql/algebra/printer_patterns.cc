// Graph patterns as SPARQL text: elements of groups, and braces where a group of the text would
// otherwise be another pattern. https://www.w3.org/TR/sparql11-query/#sparqlTranslateGraphPatterns
#include "sources/sparql/algebra/printer_text.h"

namespace helve::sparql {

void SparqlText::open_brace() {
  out_ += '{';
  ++indent_;
  ends_in_triples_ = false;
}

void SparqlText::close_brace() {
  --indent_;
  if (out_.back() != '{') newline();
  out_ += '}';
  ends_in_triples_ = false;
}

void SparqlText::group(const Pattern& pattern) {
  open_brace();
  group_content(pattern);
  close_brace();
}

void SparqlText::group_content(const Pattern& pattern) {
  if (const auto* sub = pattern.if_is<SubSelect>()) {
    newline();
    append(*sub->select);
  } else {
    elements(pattern);
  }
}

void SparqlText::elements(const Pattern& pattern) {
  std::visit([this](const auto& node) { this->add(node); }, pattern.node);
}

// What the group is before its next element. Its FILTERs would hold for the whole group.
void SparqlText::inline_or_group(const Pattern& pattern) {
  if (pattern.if_is<Filter>() == nullptr) return elements(pattern);
  start_element();
  group(pattern);
}

// A part that is joined to what the group is so far.
void SparqlText::joined_part(const Pattern& part) {
  const bool is_one_element =
      part.if_is<BasicGraphPattern>() != nullptr
          ? !ends_in_triples_ && !part.is_unit()
          : part.if_is<Union>() != nullptr || part.if_is<Values>() != nullptr ||
                part.if_is<Graph>() != nullptr || part.if_is<Service>() != nullptr ||
                part.if_is<SubSelect>() != nullptr;
  if (is_one_element) return elements(part);
  start_element();
  group(part);
}

void SparqlText::start_element() {
  newline();
  ends_in_triples_ = false;
}

void SparqlText::filters(const std::vector<Expression>& conditions) {
  for (const Expression& condition : conditions) {
    start_element();
    out_ += is_call(condition) ? "FILTER " : "FILTER";
    constraint(condition);
  }
}

void SparqlText::add(const BasicGraphPattern& pattern) {
  if (pattern.triples.empty()) return;
  start_triples();
  for (const TriplePattern& next : pattern.triples) next_triple(next);
  end_triples();
  ends_in_triples_ = true;
}

void SparqlText::add(const Join& join) {
  bool is_first = true;
  for (const Pattern& part : join.parts) {
    if (is_first) {
      inline_or_group(part);
    } else {
      joined_part(part);
    }
    is_first = false;
  }
}

void SparqlText::add(const LeftJoin& optional) {
  inline_or_group(*optional.left);
  start_element();
  out_ += "OPTIONAL ";
  open_brace();
  if (!optional.conditions.empty()) {
    inline_or_group(*optional.right);
    filters(optional.conditions);
  } else if (optional.right->if_is<Filter>() != nullptr) {
    // Directly inside, its FILTERs would become the conditions.
    start_element();
    group(*optional.right);
  } else {
    group_content(*optional.right);
  }
  close_brace();
}

void SparqlText::add(const Union& alternatives) {
  start_element();
  bool is_first = true;
  for (const Pattern& part : alternatives.parts) {
    if (!is_first) out_ += " UNION ";
    is_first = false;
    group(part);
  }
}

void SparqlText::add(const Minus& minus) {
  inline_or_group(*minus.left);
  start_element();
  out_ += "MINUS ";
  group(*minus.right);
}

void SparqlText::add(const Filter& filter) {
  inline_or_group(*filter.inner);
  filters(filter.conditions);
}

void SparqlText::add(const Extend& extend) {
  inline_or_group(*extend.inner);
  start_element();
  out_ += "BIND";
  named(*extend.expression, extend.variable);
}

void SparqlText::add(const Values& values) {
  start_element();
  append(values);
}

void SparqlText::add(const Graph& graph) {
  start_element();
  out_ += "GRAPH ";
  append(graph.name);
  out_ += ' ';
  group(*graph.inner);
}

void SparqlText::add(const Service& service) {
  start_element();
  out_ += service.is_silent ? "SERVICE SILENT " : "SERVICE ";
  append(service.endpoint);
  out_ += ' ';
  group(*service.inner);
}

void SparqlText::add(const SubSelect& sub) {
  start_element();
  open_brace();
  newline();
  append(*sub.select);
  close_brace();
}

void SparqlText::cell(const std::optional<rdf::Term>& value) {
  if (value) {
    term(value->view());
  } else {
    out_ += "UNDEF";
  }
}

void SparqlText::append(const Values& values) {
  out_ += "VALUES ";
  if (values.variables.size() == 1) {
    append(values.variables.front());
    out_ += " {";
    for (const auto& row : values.rows) {
      space_or_break();
      cell(row.front());
    }
    out_ += values.rows.empty() ? "}" : " }";
    return;
  }
  out_ += '(';
  for (std::size_t i = 0; i < values.variables.size(); ++i) {
    if (i > 0) out_ += ' ';
    append(values.variables[i]);
  }
  out_ += ") ";
  open_brace();
  for (const auto& row : values.rows) {
    newline();
    out_ += '(';
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out_ += ' ';
      cell(row[i]);
    }
    out_ += ')';
  }
  close_brace();
}

}  // namespace helve::sparql
