// SPARQL 1.1 Update. https://www.w3.org/TR/sparql11-query/#rUpdateUnit
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

Result<ParsedUpdate> Parser::update_unit() {
  ParsedUpdate parsed;
  Update& update = parsed.update;
  prologue();
  while (!failed() && update1(update)) {
    if (!take_if(TokenKind::Semicolon)) break;
    prologue();
  }
  if (!failed() && !at(TokenKind::End)) {
    if (update.operations.empty() || last_.kind == TokenKind::Semicolon) {
      fail_at_start(false);
    } else {
      fail_expected("';' before the next operation, or the end of the text",
                    "operations are separated by ';'");
    }
  }
  if (failed()) return *std::move(error_);
  update.version = version_;
  update.base_iri = resolver_.base();
  update.prefixes = take_prefixes();
  parsed.notes = std::move(notes_);
  return parsed;
}

// False: there is no operation here.
bool Parser::update1(Update& update) {
  const std::uint32_t begin = token_.span.begin;
  ++operation_;
  label_bgps_.clear();
  count_parts();
  std::optional<UpdateOperation::Node> node;
  if (at_word("LOAD")) {
    node = load();
  } else if (at_word("CLEAR")) {
    node = manage_graph(ManageGraph::Verb::Clear);
  } else if (at_word("DROP")) {
    node = manage_graph(ManageGraph::Verb::Drop);
  } else if (at_word("CREATE")) {
    node = manage_graph(ManageGraph::Verb::Create);
  } else if (at_word("ADD")) {
    node = transfer_graph(TransferGraph::Verb::Add);
  } else if (at_word("MOVE")) {
    node = transfer_graph(TransferGraph::Verb::Move);
  } else if (at_word("COPY")) {
    node = transfer_graph(TransferGraph::Verb::Copy);
  } else if (at_word("INSERT")) {
    node = insert_operation();
  } else if (at_word("DELETE")) {
    node = delete_operation();
  } else if (at_word("WITH")) {
    Modify modification;
    take();
    modification.with = iri("the IRI of a graph after WITH");
    node = modify(std::move(modification));
  } else {
    return false;
  }
  if (!failed()) update.operations.push_back({*std::move(node), span_from(begin)});
  return true;
}

UpdateOperation::Node Parser::load() {
  take();
  Load load;
  load.is_silent = take_word("SILENT");
  load.from = iri("the IRI of a document after LOAD");
  if (take_word("INTO")) load.into = graph_ref("GRAPH and an IRI after INTO");
  return load;
}

UpdateOperation::Node Parser::manage_graph(ManageGraph::Verb verb) {
  take();
  ManageGraph operation;
  operation.verb = verb;
  operation.is_silent = take_word("SILENT");
  operation.target = verb == ManageGraph::Verb::Create ? graph_ref("GRAPH and an IRI after CREATE")
                                                       : graph_ref_all();
  return operation;
}

UpdateOperation::Node Parser::transfer_graph(TransferGraph::Verb verb) {
  take();
  TransferGraph operation;
  operation.verb = verb;
  operation.is_silent = take_word("SILENT");
  operation.from = graph_or_default();
  if (!take_word("TO")) fail_expected("TO and a graph", "write COPY <g1> TO <g2>");
  operation.to = graph_or_default();
  return operation;
}

GraphTarget Parser::graph_ref(std::string_view expected) {
  GraphTarget target{GraphTarget::Kind::One, {}};
  if (!take_word("GRAPH")) {
    fail_expected(expected, "write GRAPH <http://example.org/g>");
    return target;
  }
  target.iri = iri("the IRI of a graph");
  return target;
}

GraphTarget Parser::graph_ref_all() {
  if (take_word("DEFAULT")) return {GraphTarget::Kind::Default, {}};
  if (take_word("NAMED")) return {GraphTarget::Kind::Named, {}};
  if (take_word("ALL")) return {GraphTarget::Kind::All, {}};
  return graph_ref("GRAPH and an IRI, DEFAULT, NAMED or ALL");
}

GraphTarget Parser::graph_or_default() {
  if (take_word("DEFAULT")) return {GraphTarget::Kind::Default, {}};
  take_word("GRAPH");
  return {GraphTarget::Kind::One, iri("DEFAULT or the IRI of a graph")};
}

UpdateOperation::Node Parser::insert_operation() {
  if (!is_word(peek(), "DATA")) return modify({});
  take();
  take();
  TripleRules rules;
  rules.place = "INSERT DATA";
  rules.has_variables = rules.has_paths = rules.is_pattern = false;
  rules.is_data = true;
  return InsertData{quads(rules)};
}

UpdateOperation::Node Parser::delete_operation() {
  TripleRules rules;
  rules.has_blank_nodes = rules.has_paths = rules.is_pattern = false;
  if (is_word(peek(), "DATA")) {
    take();
    take();
    rules.place = "DELETE DATA";
    rules.has_variables = false;
    rules.is_data = true;
    return DeleteData{quads(rules)};
  }
  if (is_word(peek(), "WHERE")) {
    take();
    take();
    rules.place = "DELETE WHERE";
    return DeleteWhere{quads(rules)};
  }
  return modify({});
}

UpdateOperation::Node Parser::modify(Modify update) {
  TripleRules rules;
  rules.has_paths = rules.is_pattern = false;
  if (take_word("DELETE")) {
    rules.place = "the template of DELETE";
    rules.has_blank_nodes = false;
    update.deletes = quads(rules);
  }
  if (take_word("INSERT")) {
    rules.place = "the template of INSERT";
    rules.has_blank_nodes = true;
    update.inserts = quads(rules);
  }
  if (!update.deletes && !update.inserts) fail_expected("DELETE or INSERT after WITH");
  while (at_word("USING")) {
    DatasetGraph graph;
    const std::uint32_t begin = token_.span.begin;
    take();
    graph.is_named = take_word("NAMED");
    graph.iri = iri("the IRI of a graph after USING");
    graph.span = span_from(begin);
    count_parts();
    update.using_graphs.push_back(std::move(graph));
  }
  if (!take_word("WHERE")) {
    fail_expected("WHERE and a pattern",
                  "write DELETE { ... } INSERT { ... } WHERE { ... }, or INSERT DATA { ... }");
  }
  Group group = group_graph_pattern("WHERE");
  update.where = wrap(group);
  return update;
}

// Quads in braces
std::vector<QuadTemplate> Parser::quads(const TripleRules& rules) {
  const ScopedValue<TripleRules> scoped(rules_, rules);
  std::vector<QuadTemplate> out;
  const Token open = token_;
  if (!expect(TokenKind::LeftBrace, "'{' and triples")) return out;
  while (!failed()) {
    Triples triples;
    triples_template(triples);
    for (TriplePattern& triple : triples) out.push_back({std::move(triple), std::nullopt});
    if (!at_word("GRAPH")) break;
    quads_not_triples(out);
    take_if(TokenKind::Dot);
  }
  if (take_if(TokenKind::RightBrace) || failed()) return out;
  if (at(TokenKind::End)) {
    fail_in_group(open);
  } else if (!fail_triple_term() && !fail_open_iri()) {
    fail_expected("a triple, GRAPH or '}'",
                  fmt::format("{} holds only triples, and GRAPH around them", rules.place));
  }
  return out;
}

void Parser::quads_not_triples(std::vector<QuadTemplate>& out) {
  take();
  const VarOrIri graph = var_or_iri("the graph's IRI after GRAPH");
  const Token open = token_;
  if (!expect(TokenKind::LeftBrace, "'{' after the name of the graph")) return;
  Triples triples;
  triples_template(triples);
  for (TriplePattern& triple : triples) {
    if (const auto* constant = std::get_if<Constant>(&graph)) charge(constant->term.value.size());
    if (failed()) return;
    out.push_back({std::move(triple), graph});
  }
  if (take_if(TokenKind::RightBrace) || failed()) return;
  if (at(TokenKind::End)) return fail_in_group(open);
  if (fail_triple_term() || fail_open_iri()) return;
  fail_expected("a triple or '}'", at_word("GRAPH") ? "GRAPH cannot stand in GRAPH" : "");
}

}  // namespace helve::sparql
