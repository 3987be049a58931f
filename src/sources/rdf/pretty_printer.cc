#include "sources/rdf/pretty_printer.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sources/rdf/output_buffer.h"
#include "sources/rdf/turtle_spelling.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

using Rows = std::span<const PrettyRow>;

constexpr std::size_t kIndent = 4;
// Brackets whose content fits stay on one line.
constexpr std::size_t kInlineBytesMax = 80;

// The rows at the front with the same key.
template <typename Key>
Rows take_front(Rows& rows, Key key) {
  std::size_t count = 1;
  while (count < rows.size() && key(rows[count]) == key(rows.front())) ++count;
  const Rows front = rows.first(count);
  rows = rows.subspan(count);
  return front;
}

class PrettyPrinter {
 public:
  PrettyPrinter(const QuadSet& set, const PrettyLayout& layout, const PrefixMap& prefixes,
                ByteSink& out, const OpContext& context)
      : set_(set), layout_(layout), prefixes_(prefixes), buffer_(out), context_(context) {}

  Result<void> print();

 private:
  void print_prefixes();
  std::vector<const PrefixMap::Prefix*> used_prefixes() const;
  Result<void> print_graph(Rows rows);
  Result<void> print_block(Rows rows, std::size_t indent);
  Result<void> print_properties(Rows rows, std::size_t indent);
  Result<void> print_objects(Rows rows, std::size_t indent);
  Result<void> print_object(Rank object, std::size_t indent);
  Result<void> print_nested(Rank node, std::size_t indent);
  Result<void> print_list(Rank head, std::size_t indent);

  void append_term(std::string& out, Rank rank) const;
  void append_verb(std::string& out, Rank predicate) const;
  bool append_inline(std::string& out, Rank object) const;
  bool append_inline_nested(std::string& out, Rank node) const;
  bool append_inline_list(std::string& out, Rank head) const;

  TermView term(Rank rank) const { return set_.term(layout_.term(rank)); }
  bool is_bracketed(Rank rank) const {
    return layout_.is_blank(rank) && layout_.role(rank) != BlankRole::Labelled;
  }
  bool is_list(Rank rank) const {
    return layout_.is_blank(rank) && layout_.role(rank) == BlankRole::ListCell;
  }
  // The item and the next cell of a list; rdf:first sorts before rdf:rest.
  std::pair<Rank, Rank> cell(Rank rank) const {
    const Rows rows = layout_.rows_of(rank);
    return {rows[0].object, rows[1].object};
  }
  void new_line(std::size_t indent) {
    buffer_.text() += '\n';
    buffer_.text().append(indent, ' ');
  }

  const QuadSet& set_;
  const PrettyLayout& layout_;
  const PrefixMap& prefixes_;
  OutputBuffer buffer_;
  const OpContext& context_;
  std::string scratch_;
  bool is_first_block_ = true;
};

Result<void> PrettyPrinter::print() {
  print_prefixes();
  Rows rows = layout_.rows();
  while (!rows.empty()) {
    HELVE_TRY(print_graph(take_front(rows, [](const PrettyRow& row) { return row.graph; })));
  }
  return buffer_.finish();
}

// Those that a term needs in the form it will take: lists and rdf:type need none.
std::vector<const PrefixMap::Prefix*> PrettyPrinter::used_prefixes() const {
  std::vector<bool> seen(layout_.term_count(), false);
  std::set<std::pair<std::string_view, const PrefixMap::Prefix*>> used;
  const auto use_iri = [&](std::string_view iri) {
    const auto name = prefixes_.shorten(iri);
    if (name) used.emplace(name->prefix->name, name->prefix);
  };
  const auto use = [&](Rank rank) {
    if (seen[rank]) return;
    seen[rank] = true;
    const TermView view = term(rank);
    if (view.is_iri()) use_iri(view.value);
    if (view.is_literal() && !view.datatype.empty() && !is_bare_literal(view)) {
      use_iri(view.datatype);
    }
  };
  for (const PrettyRow& row : layout_.rows()) {
    use(row.graph);
    use(row.subject);
    const bool in_list = is_list(row.subject);
    if (!in_list && term(row.predicate).value != kRdfType) use(row.predicate);
    if (!term(row.object).is_iri() || term(row.object).value != kRdfNil) use(row.object);
  }
  std::vector<const PrefixMap::Prefix*> sorted;
  sorted.reserve(used.size());
  for (const auto& [name, prefix] : used) sorted.push_back(prefix);
  return sorted;
}

void PrettyPrinter::print_prefixes() {
  constexpr std::size_t kAlignedMax = 16;
  const auto used = used_prefixes();
  std::size_t width = 0;
  for (const auto* prefix : used) {
    if (prefix->name.size() <= kAlignedMax) width = std::max(width, prefix->name.size());
  }
  for (const auto* prefix : used) {
    std::string& text = buffer_.text();
    text += "@prefix ";
    text += prefix->name;
    text += ": ";
    text.append(width - std::min(width, prefix->name.size()), ' ');
    append_ntriples(text, TermView::iri(prefix->iri));
    text += " .\n";
    is_first_block_ = false;
  }
}

Result<void> PrettyPrinter::print_graph(Rows rows) {
  const TermView graph = term(rows.front().graph);
  const bool is_default = graph.is_iri() && graph.value.empty();
  std::size_t indent = 0;
  if (!is_default) {
    if (!is_first_block_) buffer_.text() += '\n';
    append_term(buffer_.text(), rows.front().graph);
    buffer_.text() += " {\n";
    is_first_block_ = true;
    indent = kIndent;
  }
  while (!rows.empty()) {
    const Rows block = take_front(rows, [](const PrettyRow& row) { return row.subject; });
    const Rank subject = block.front().subject;
    const bool is_written_elsewhere =
        is_bracketed(subject) && layout_.role(subject) != BlankRole::Anonymous;
    if (is_written_elsewhere) continue;
    HELVE_TRY(print_block(block, indent));
  }
  if (!is_default) buffer_.text() += "}\n";
  return {};
}

Result<void> PrettyPrinter::print_block(Rows rows, std::size_t indent) {
  if (!is_first_block_) buffer_.text() += '\n';
  is_first_block_ = false;
  buffer_.text().append(indent, ' ');
  const Rank subject = rows.front().subject;
  if (is_bracketed(subject)) {
    buffer_.text() += "[]";
  } else {
    append_term(buffer_.text(), subject);
  }
  buffer_.text() += ' ';
  HELVE_TRY(print_properties(rows, indent + kIndent));
  buffer_.text() += " .\n";
  return context_.check();
}

// Predicates and their objects, the first on the current line, the others indented.
Result<void> PrettyPrinter::print_properties(Rows rows, std::size_t indent) {
  bool is_first = true;
  while (!rows.empty()) {
    const Rows objects = take_front(rows, [](const PrettyRow& row) { return row.predicate; });
    if (!is_first) {
      buffer_.text() += " ;";
      new_line(indent);
    }
    is_first = false;
    append_verb(buffer_.text(), objects.front().predicate);
    HELVE_TRY(print_objects(objects, indent));
  }
  return {};
}

// A single object follows its predicate. Of several, each has its line; the first one stays beside
// the predicate unless brackets follow. Types share a line where they fit.
Result<void> PrettyPrinter::print_objects(Rows rows, std::size_t indent) {
  if (rows.size() == 1) {
    buffer_.text() += ' ';
    return print_object(rows.front().object, indent);
  }
  const bool has_brackets = std::any_of(
      rows.begin(), rows.end(), [&](const PrettyRow& row) { return is_bracketed(row.object); });
  std::string types;
  if (term(rows.front().predicate).value == kRdfType && !has_brackets) {
    for (const PrettyRow& row : rows) {
      types += types.empty() ? " " : ", ";
      append_term(types, row.object);
      if (types.size() > kInlineBytesMax) break;
    }
    if (types.size() <= kInlineBytesMax) {
      buffer_.text() += types;
      return {};
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) buffer_.text() += ',';
    if (i > 0 || has_brackets) {
      new_line(indent + kIndent);
    } else {
      buffer_.text() += ' ';
    }
    HELVE_TRY(print_object(rows[i].object, indent + kIndent));
  }
  return {};
}

Result<void> PrettyPrinter::print_object(Rank object, std::size_t indent) {
  if (!is_bracketed(object)) {
    append_inline(buffer_.text(), object);
    return buffer_.drain_when_full();
  }
  scratch_.clear();
  if (append_inline(scratch_, object)) {
    buffer_.text() += scratch_;
    return buffer_.drain_when_full();
  }
  return is_list(object) ? print_list(object, indent) : print_nested(object, indent);
}

Result<void> PrettyPrinter::print_nested(Rank node, std::size_t indent) {
  buffer_.text() += '[';
  new_line(indent + kIndent);
  HELVE_TRY(print_properties(layout_.rows_of(node), indent + kIndent));
  new_line(indent);
  buffer_.text() += ']';
  return {};
}

Result<void> PrettyPrinter::print_list(Rank head, std::size_t indent) {
  buffer_.text() += '(';
  for (Rank at = head; is_list(at);) {
    const auto [item, next] = cell(at);
    new_line(indent + kIndent);
    HELVE_TRY(print_object(item, indent + kIndent));
    at = next;
  }
  new_line(indent);
  buffer_.text() += ')';
  return {};
}

void PrettyPrinter::append_term(std::string& out, Rank rank) const {
  if (layout_.is_blank(rank)) {
    fmt::format_to(std::back_inserter(out), "_:b{}", layout_.label_number(rank));
  } else {
    append_turtle(out, term(rank), prefixes_);
  }
}

void PrettyPrinter::append_verb(std::string& out, Rank predicate) const {
  const std::string_view iri = term(predicate).value;
  if (iri == kRdfType) {
    out += 'a';
  } else {
    append_turtle_iri(out, iri, prefixes_);
  }
}

// Appends the object on the current line; false, with any text appended, when brackets are too long
// for that. Tried again at each level, which costs no more than kInlineBytesMax each.
bool PrettyPrinter::append_inline(std::string& out, Rank object) const {
  if (is_list(object)) return append_inline_list(out, object);
  if (is_bracketed(object)) return append_inline_nested(out, object);
  const TermView view = term(object);
  if (view.is_iri() && view.value == kRdfNil) {
    out += "()";
  } else {
    append_term(out, object);
  }
  return true;
}

// Nothing, or a single property with a single value.
bool PrettyPrinter::append_inline_nested(std::string& out, Rank node) const {
  const Rows rows = layout_.rows_of(node);
  if (rows.empty()) {
    out += "[]";
    return true;
  }
  if (rows.size() > 1 || term(rows[0].object).value.size() > kInlineBytesMax) return false;
  out += "[ ";
  append_verb(out, rows[0].predicate);
  out += ' ';
  if (out.size() > kInlineBytesMax || !append_inline(out, rows[0].object)) return false;
  out += " ]";
  return out.size() <= kInlineBytesMax && out.find('\n') == std::string::npos;
}

bool PrettyPrinter::append_inline_list(std::string& out, Rank head) const {
  out += '(';
  for (Rank at = head; is_list(at);) {
    const auto [item, next] = cell(at);
    if (term(item).value.size() > kInlineBytesMax) return false;
    out += ' ';
    if (!append_inline(out, item) || out.size() > kInlineBytesMax) return false;
    at = next;
  }
  out += " )";
  return out.size() <= kInlineBytesMax && out.find('\n') == std::string::npos;
}

}  // namespace

Result<void> print_pretty(const QuadSet& set, const PrettyLayout& layout, const PrefixMap& prefixes,
                          ByteSink& out, const OpContext& context) {
  return PrettyPrinter(set, layout, prefixes, out, context).print();
}

}  // namespace helve::rdf
