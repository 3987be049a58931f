#include "toolkit/learning/relax.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/ascii.h"
#include "sources/sparql/algebra/analysis.h"
#include "toolkit/tables/statement_outline.h"

namespace helve::learning {

namespace {

using sparql::Expression;
using sparql::Pattern;

bool is_slot(std::string_view text, std::string_view begin) {
  return text.size() > begin.size() && text.starts_with(begin) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin.size()), text.end(),
                     is_digit);
}

bool is_slot_node(const Expression& expression) {
  if (const auto* variable = expression.if_is<sparql::Variable>()) {
    return is_slot(variable->name, "slot");
  }
  const auto* constant = expression.if_is<sparql::Constant>();
  return constant != nullptr && constant->term.kind == rdf::TermKind::Literal &&
         is_slot(constant->term.value, "SLOT");
}

bool is_slot_variable(const sparql::TermPattern& term) {
  const auto* variable = std::get_if<sparql::Variable>(&term);
  return variable != nullptr && is_slot(variable->name, "slot");
}

bool has_slots(const Pattern& pattern) {
  bool has = false;
  sparql::for_each_pattern(pattern, [&](const Pattern& node) {
    const auto* triples = node.if_is<sparql::BasicGraphPattern>();
    if (triples == nullptr) return;
    for (const sparql::TriplePattern& triple : triples->triples) {
      has |= is_slot_variable(triple.subject) || is_slot_variable(triple.object);
    }
  });
  sparql::for_each_expression(pattern, [&](const Expression& node) { has |= is_slot_node(node); });
  return has;
}

// A condition that stands alone, as a pattern that can be walked.
bool has_slots(const Expression& expression) {
  return has_slots(Pattern(sparql::Filter{Pattern(), {expression}}));
}

void relax(std::vector<Expression>& conditions) {
  std::erase_if(conditions, [](const Expression& one) { return has_slots(one); });
}

void relax(Pattern& pattern);

void relax_parts(std::vector<Pattern>& parts) {
  for (Pattern& part : parts) relax(part);
}

// Takes the place of a node by a part of it.
void replace_by(Pattern& pattern, sparql::Box<Pattern>& inner) {
  Pattern kept = std::move(*inner);
  pattern = std::move(kept);
}

// A part that became a join becomes its parts: no part of a join is one.
void relax(sparql::Join& join) {
  std::vector<Pattern> parts;
  for (Pattern& part : join.parts) {
    relax(part);
    if (auto* inner = std::get_if<sparql::Join>(&part.node)) {
      std::move(inner->parts.begin(), inner->parts.end(), std::back_inserter(parts));
    } else {
      parts.push_back(std::move(part));
    }
  }
  join.parts = std::move(parts);
}

void relax(Pattern& pattern) {
  if (auto* join = std::get_if<sparql::Join>(&pattern.node)) {
    relax(*join);
  } else if (auto* optional = std::get_if<sparql::LeftJoin>(&pattern.node)) {
    relax(*optional->left);
    replace_by(pattern, optional->left);  // what is optional decides nothing
  } else if (auto* either = std::get_if<sparql::Union>(&pattern.node)) {
    relax_parts(either->parts);
  } else if (auto* minus = std::get_if<sparql::Minus>(&pattern.node)) {
    relax(*minus->left);
    if (has_slots(*minus->right)) replace_by(pattern, minus->left);
  } else if (auto* filter = std::get_if<sparql::Filter>(&pattern.node)) {
    relax(*filter->inner);
    relax(filter->conditions);
    if (filter->conditions.empty()) replace_by(pattern, filter->inner);
  } else if (auto* extend = std::get_if<sparql::Extend>(&pattern.node)) {
    relax(*extend->inner);
  } else if (auto* graph = std::get_if<sparql::Graph>(&pattern.node)) {
    relax(*graph->inner);
  } else if (auto* inner = std::get_if<sparql::SubSelect>(&pattern.node)) {
    relax(inner->select->body.where);
    relax(inner->select->body.having);
  }
}

}  // namespace

bool has_slots(const sparql::Query& query) { return has_slots(query.body().where); }

sparql::Query relaxed(const sparql::Query& query) {
  sparql::Query asked = query;
  sparql::Ask ask;
  ask.body.where = query.body().where;
  relax(ask.body.where);
  asked.form = std::move(ask);
  return asked;
}

namespace {

constexpr std::string_view kSlot = ":slot";
// Stands for a slot where a statement is taken apart: no column has such a value.
constexpr std::string_view kMark = "'helve slot'";

std::string with_slots_as(std::string_view pattern, std::string_view other) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t slot = std::min(pattern.find(kSlot, at), pattern.size());
    text += pattern.substr(at, slot - at);
    at = slot;
    if (slot == pattern.size()) break;
    at = std::min(pattern.find_first_not_of("0123456789", slot + kSlot.size()), pattern.size());
    text += other;
  }
  return text;
}

bool has_mark(std::string_view text) { return text.find(kMark) != std::string_view::npos; }

}  // namespace

Result<SqlProbe> sql_probe(std::string_view pattern, SqlDialect dialect) {
  SqlProbe probe;
  probe.statement = with_slots_as(pattern, "NULL");
  const std::string marked = with_slots_as(pattern, kMark);
  HELVE_ASSIGN(const std::vector<SqlToken> tokens, read_sql_tokens(marked, dialect));
  const toolkit::StatementOutline outline = toolkit::outline_of(tokens, {}, dialect);
  const std::string_view from = outline.from.of(marked);
  const std::string_view with = outline.with.of(marked);
  if (!outline.is_select || outline.from.is_empty() || has_mark(from) || has_mark(with)) {
    return probe;
  }
  std::string rows = fmt::format("{}{}SELECT 1 FROM {}", with, with.empty() ? "" : " ", from);
  bool is_first = true;
  for (const toolkit::SqlCondition& condition : outline.conditions) {
    const std::string_view text = condition.span.of(marked);
    if (condition.span.is_empty() || has_mark(text)) continue;
    rows += fmt::format(" {} ({})", is_first ? "WHERE" : "AND", text);
    is_first = false;
  }
  probe.rows = rows + " LIMIT 1";
  return probe;
}

}  // namespace helve::learning
