// The algebra as an indented tree of (operator ...), for people who want to know how a query was
// understood. Neighbour of printer.cc, whose syntax it takes for triples and expressions.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/algebra/printer_text.h"

namespace helve::sparql {

namespace {

class TreeText {
 public:
  explicit TreeText(const PrefixList& prefixes) : terms_(prefixes, SparqlText::Layout::OneLine) {}

  void append(const Query& query) {
    std::visit([&](const auto& form) { this->open_form(form); }, query.form);
    for (const DatasetGraph& graph : query.dataset) {
      leaf(graph.is_named ? "from-named" : "from", iri(graph.iri));
    }
    if (const auto* construct = std::get_if<Construct>(&query.form)) {
      open("template");
      triples(construct->triples);
      close();
    }
    append(query.body());
    close();
  }

  void append(const Pattern& pattern) {
    std::visit([this](const auto& node) { this->add(node); }, pattern.node);
  }

  std::string take() { return std::move(out_); }

 private:
  // Of a VALUES with thousands of rows nobody reads more; to_sparql gives them all.
  static constexpr std::size_t kRowsMax = 20;

  void open(std::string_view name, std::string_view about = {}) {
    if (!out_.empty()) out_ += '\n';
    out_.append(2 * depth_++, ' ');
    out_ += '(';
    out_ += name;
    if (!name.empty() && !about.empty()) out_ += ' ';
    out_ += about;
  }
  void close() {
    out_ += ')';
    --depth_;
  }
  void leaf(std::string_view name, std::string_view about = {}) {
    open(name, about);
    close();
  }

  template <typename Node>
  std::string text(const Node& node) {
    terms_.append(node);
    return terms_.take();
  }
  std::string iri(std::string_view value) {
    terms_.iri(value);
    return terms_.take();
  }
  // What another method of the text appends for each node, with spaces between.
  template <typename Node, typename Method>
  std::string list(const std::vector<Node>& nodes, const Method& method) {
    std::string all;
    for (const Node& node : nodes) {
      if (!all.empty()) all += ' ';
      method(node);
      all += terms_.take();
    }
    return all;
  }

  void triples(const std::vector<TriplePattern>& list) {
    for (const TriplePattern& triple : list) {
      terms_.triple(triple);
      leaf(std::holds_alternative<Path>(triple.predicate) ? "path" : "", terms_.take());
    }
  }
  void conditions(std::string_view name, const std::vector<Expression>& list) {
    for (const Expression& condition : list) leaf(name, text(condition));
  }

  void open_form(const Select& select) {
    std::string head;
    if (select.duplicates == Duplicates::Distinct) head = "distinct ";
    if (select.duplicates == Duplicates::Reduced) head = "reduced ";
    head += select.is_star ? "*" : list(select.items, [this](const auto& i) { terms_.item(i); });
    open("select", head);
  }
  void open_form(const Construct& /*form*/) { open("construct"); }
  void open_form(const Ask& /*form*/) { open("ask"); }
  void open_form(const Describe& form) {
    open("describe",
         form.is_star ? "*" : list(form.targets, [this](const auto& t) { terms_.append(t); }));
  }

  void append(const Body& body) {
    if (!body.group_by.empty()) {
      leaf("group-by", list(body.group_by, [this](const auto& key) { terms_.key(key); }));
    }
    conditions("having", body.having);
    if (!body.order_by.empty()) {
      leaf("order-by", list(body.order_by, [this](const auto& key) { terms_.key(key); }));
    }
    if (body.limit) leaf("limit", std::to_string(*body.limit));
    if (body.offset) leaf("offset", std::to_string(*body.offset));
    if (body.values) add(*body.values);
    append(body.where);
  }

  void add(const BasicGraphPattern& pattern) {
    if (pattern.triples.empty()) return leaf("unit");
    open("triples");
    triples(pattern.triples);
    close();
  }
  void add(const Join& join) {
    open("join");
    for (const Pattern& part : join.parts) append(part);
    close();
  }
  void add(const LeftJoin& optional) {
    open("left-join");
    append(*optional.left);
    append(*optional.right);
    conditions("condition", optional.conditions);
    close();
  }
  void add(const Union& alternatives) {
    open("union");
    for (const Pattern& part : alternatives.parts) append(part);
    close();
  }
  void add(const Minus& minus) {
    open("minus");
    append(*minus.left);
    append(*minus.right);
    close();
  }
  void add(const Filter& filter) {
    open("filter");
    conditions("condition", filter.conditions);
    append(*filter.inner);
    close();
  }
  void add(const Extend& extend) {
    open("extend", fmt::format("{} = {}", text(extend.variable), text(*extend.expression)));
    append(*extend.inner);
    close();
  }
  void add(const Values& values) {
    open("values", list(values.variables, [this](const auto& v) { terms_.append(v); }));
    const auto cell = [this](const std::optional<rdf::Term>& value) { terms_.cell(value); };
    const std::size_t shown = std::min(values.rows.size(), kRowsMax);
    for (std::size_t i = 0; i < shown; ++i) leaf("row", list(values.rows[i], cell));
    if (shown < values.rows.size()) {
      leaf("rows", fmt::format("and {} more", values.rows.size() - shown));
    }
    close();
  }
  void add(const Graph& graph) {
    open("graph", text(graph.name));
    append(*graph.inner);
    close();
  }
  void add(const Service& service) {
    open(service.is_silent ? "service silent" : "service", text(service.endpoint));
    append(*service.inner);
    close();
  }
  void add(const SubSelect& sub) {
    open_form(*sub.select);
    append(sub.select->body);
    close();
  }

  SparqlText terms_;
  std::string out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string to_tree(const Query& query) {
  TreeText tree(query.prefixes);
  tree.append(query);
  return tree.take();
}

std::string to_tree(const Pattern& pattern, const PrefixList& prefixes) {
  TreeText tree(prefixes);
  tree.append(pattern);
  return tree.take();
}

}  // namespace helve::sparql
