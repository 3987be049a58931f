// Whole queries and updates as SPARQL text, from the parts in printer_text.h.
#include "sources/sparql/algebra/printer.h"

#include <fmt/format.h>

#include <utility>

#include "sources/sparql/algebra/printer_text.h"

namespace helve::sparql {

namespace {

template <typename Node>
std::string printed(const Node& node, const PrefixList& prefixes) {
  SparqlText text(prefixes);
  text.append(node);
  return text.take();
}

}  // namespace

// Every line starts with its break, the first one too.
std::string SparqlText::take() {
  if (!out_.empty() && (out_.front() == '\n' || out_.front() == ' ')) out_.erase(0, 1);
  return std::exchange(out_, {});
}

void SparqlText::prologue(Version version, std::string_view base_iri, const PrefixList& prefixes) {
  if (version == Version::Sparql12) {
    newline();
    out_ += "VERSION \"1.2\"";
  }
  if (!base_iri.empty()) {
    newline();
    out_ += "BASE ";
    rdf::append_ntriples(out_, rdf::TermView::iri(base_iri));
  }
  for (const auto& [name, value] : prefixes) {
    newline();
    out_ += fmt::format("PREFIX {}: ", name);
    rdf::append_ntriples(out_, rdf::TermView::iri(value));
  }
}

void SparqlText::append(const Query& query) {
  prologue(query.version, query.base_iri, query.prefixes);
  newline();
  std::visit([&](const auto& form) { this->append(form, query.dataset); }, query.form);
}

void SparqlText::append(const Select& select, const std::vector<DatasetGraph>& dataset) {
  out_ += "SELECT";
  if (select.duplicates == Duplicates::Distinct) out_ += " DISTINCT";
  if (select.duplicates == Duplicates::Reduced) out_ += " REDUCED";
  if (select.is_star) out_ += " *";
  for (const SelectItem& selected : select.items) {
    space_or_break();
    item(selected);
  }
  body(select.body, dataset, "WHERE ");
}

void SparqlText::append(const Construct& form, const std::vector<DatasetGraph>& dataset) {
  out_ += "CONSTRUCT ";
  open_brace();
  start_triples();
  for (const TriplePattern& next : form.triples) next_triple(next);
  end_triples();
  close_brace();
  body(form.body, dataset, "WHERE ");
}

void SparqlText::append(const Ask& form, const std::vector<DatasetGraph>& dataset) {
  out_ += "ASK";
  body(form.body, dataset, "");
}

void SparqlText::append(const Describe& form, const std::vector<DatasetGraph>& dataset) {
  out_ += form.is_star ? "DESCRIBE *" : "DESCRIBE";
  for (const auto& described : form.targets) {
    space_or_break();
    append(described);
  }
  if (!form.body.where.is_unit()) return body(form.body, dataset, "WHERE ");
  dataset_clause("FROM ", dataset);
  modifiers(form.body);
}

void SparqlText::dataset_clause(std::string_view keyword,
                                const std::vector<DatasetGraph>& dataset) {
  for (const DatasetGraph& graph : dataset) {
    newline();
    out_ += keyword;
    if (graph.is_named) out_ += "NAMED ";
    iri(graph.iri);
  }
}

void SparqlText::body(const Body& body, const std::vector<DatasetGraph>& dataset,
                      std::string_view keyword) {
  dataset_clause("FROM ", dataset);
  if (dataset.empty()) {
    out_ += ' ';
  } else {
    newline();
  }
  out_ += keyword;
  group(body.where);
  modifiers(body);
}

void SparqlText::modifiers(const Body& body) {
  const auto clause = [this](std::string_view keyword, const auto& parts, const auto& append_part) {
    if (parts.empty()) return;
    newline();
    out_ += keyword;
    for (const auto& part : parts) {
      out_ += ' ';
      append_part(part);
    }
  };
  clause("GROUP BY", body.group_by, [this](const GroupKey& by) { key(by); });
  clause("HAVING", body.having, [this](const Expression& condition) { constraint(condition); });
  clause("ORDER BY", body.order_by, [this](const OrderKey& by) { key(by); });
  if (body.limit) {
    newline();
    out_ += fmt::format("LIMIT {}", *body.limit);
  }
  if (body.offset) {
    newline();
    out_ += fmt::format("OFFSET {}", *body.offset);
  }
  if (body.values) {
    newline();
    append(*body.values);
  }
}

void SparqlText::append(const Update& update) {
  prologue(update.version, update.base_iri, update.prefixes);
  bool is_first = true;
  for (const UpdateOperation& operation : update.operations) {
    if (!is_first) out_ += " ;";
    is_first = false;
    newline();
    append(operation.node);
  }
}

void SparqlText::quads(const std::vector<QuadTemplate>& quads) {
  open_brace();
  for (std::size_t begin = 0; begin < quads.size();) {
    std::size_t end = begin + 1;
    while (end < quads.size() && quads[end].graph == quads[begin].graph) ++end;
    const auto& graph = quads[begin].graph;
    if (graph) {
      newline();
      out_ += "GRAPH ";
      append(*graph);
      out_ += ' ';
      open_brace();
    }
    start_triples();
    for (; begin < end; ++begin) next_triple(quads[begin].triple);
    end_triples();
    if (graph) close_brace();
  }
  close_brace();
}

void SparqlText::append(const InsertData& operation) {
  out_ += "INSERT DATA ";
  quads(operation.quads);
}

void SparqlText::append(const DeleteData& operation) {
  out_ += "DELETE DATA ";
  quads(operation.quads);
}

void SparqlText::append(const DeleteWhere& operation) {
  out_ += "DELETE WHERE ";
  quads(operation.quads);
}

void SparqlText::append(const Modify& operation) {
  if (operation.with) {
    out_ += "WITH ";
    iri(*operation.with);
    newline();
  }
  if (operation.deletes) {
    out_ += "DELETE ";
    quads(*operation.deletes);
  }
  if (operation.deletes && operation.inserts) newline();
  if (operation.inserts) {
    out_ += "INSERT ";
    quads(*operation.inserts);
  }
  dataset_clause("USING ", operation.using_graphs);
  newline();
  out_ += "WHERE ";
  group(operation.where);
}

void SparqlText::append(const Load& operation) {
  out_ += operation.is_silent ? "LOAD SILENT " : "LOAD ";
  iri(operation.from);
  if (operation.into.kind == GraphTarget::Kind::Default) return;
  out_ += " INTO ";
  target(operation.into);
}

void SparqlText::append(const ManageGraph& operation) {
  constexpr std::string_view kVerbs[] = {"CLEAR ", "DROP ", "CREATE "};
  out_ += kVerbs[static_cast<std::size_t>(operation.verb)];
  if (operation.is_silent) out_ += "SILENT ";
  target(operation.target);
}

void SparqlText::append(const TransferGraph& operation) {
  constexpr std::string_view kVerbs[] = {"ADD ", "MOVE ", "COPY "};
  out_ += kVerbs[static_cast<std::size_t>(operation.verb)];
  if (operation.is_silent) out_ += "SILENT ";
  target(operation.from);
  out_ += " TO ";
  target(operation.to);
}

void SparqlText::target(const GraphTarget& target) {
  switch (target.kind) {
    case GraphTarget::Kind::Default:
      out_ += "DEFAULT";
      return;
    case GraphTarget::Kind::Named:
      out_ += "NAMED";
      return;
    case GraphTarget::Kind::All:
      out_ += "ALL";
      return;
    case GraphTarget::Kind::One:
      out_ += "GRAPH ";
      iri(target.iri);
      return;
  }
}

std::string to_sparql(const Query& query) { return printed(query, query.prefixes); }

std::string to_sparql(const Update& update) { return printed(update, update.prefixes); }

std::string to_sparql(const Pattern& pattern, const PrefixList& prefixes) {
  SparqlText text(prefixes);
  text.group_content(pattern);
  return text.take();
}

std::string to_sparql(const TriplePattern& triple, const PrefixList& prefixes) {
  SparqlText text(prefixes);
  text.triple(triple);
  return text.take();
}

std::string to_sparql(const Expression& expression, const PrefixList& prefixes) {
  return printed(expression, prefixes);
}

std::string to_sparql(const Path& path, const PrefixList& prefixes) {
  return printed(path, prefixes);
}

std::string to_sparql(const TermPattern& term, const PrefixList& prefixes) {
  return printed(term, prefixes);
}

}  // namespace helve::sparql
