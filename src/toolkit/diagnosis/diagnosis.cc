#include "toolkit/diagnosis/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/diagnosis/build_expression.h"
#include "toolkit/diagnosis/filter_cause.h"
#include "toolkit/diagnosis/inquiry.h"
#include "toolkit/diagnosis/near_iris.h"
#include "toolkit/diagnosis/pattern_cause.h"
#include "toolkit/diagnosis/smallest_set.h"

namespace helve::toolkit {

namespace {

using sparql::Pattern;

constexpr std::size_t kDepthMax = 60;    // of groups inside groups
constexpr std::size_t kBranchesMax = 8;  // of a UNION that are looked into
constexpr std::size_t kSuspectsMax = 3;  // parts that are empty alone, or filters that remove all
constexpr std::size_t kConditionsMax = 30;
constexpr std::size_t kManyParts = 50;  // of a group: its names are asked about first
constexpr std::uint64_t kNamesAskedMax = 100;
constexpr std::uint64_t kCountedMax = 10'000;

PartSet with_part(PartSet set, std::size_t index) {
  set.insert(std::upper_bound(set.begin(), set.end(), index), index);
  return set;
}

Diagnosis unknown(std::string says) {
  Diagnosis out;
  out.says = std::move(says);
  return out;
}

// The innermost group says how it came to be looked into, those around it need not.
Diagnosis with_preface(std::string preface, Diagnosis diagnosis) {
  const bool has_one =
      diagnosis.says.starts_with("None of the ") || diagnosis.says.starts_with("What EXISTS ");
  if (!has_one) diagnosis.says = std::move(preface) + " " + diagnosis.says;
  return diagnosis;
}

// Mistakes first, then other causes, then none.
int rank_of(const Diagnosis& diagnosis) {
  if (diagnosis.cause == EmptyCause::Unknown) return 2;
  return is_mistake(diagnosis.cause) ? 0 : 1;
}

class Search {
 public:
  explicit Search(Inquiry& inquiry) : inquiry_(inquiry) {}

  Diagnosis of_query() {
    const sparql::Query& query = inquiry_.query;
    if (const auto* describe = std::get_if<sparql::Describe>(&query.form)) {
      if (query.body().where.is_unit()) return of_targets(*describe);
    }
    return of_body(query.body(), std::get_if<sparql::Select>(&query.form),
                   {query.dataset, std::nullopt}, 0);
  }

 private:
  Probes& probes() { return inquiry_.probes; }

  Diagnosis of_targets(const sparql::Describe& describe) {
    for (const auto& target : describe.targets) {
      const auto* constant = std::get_if<sparql::Constant>(&target);
      if (constant == nullptr) continue;
      const auto known = probes().knows(constant->term.view());
      if (!known || *known) continue;
      Diagnosis out;
      out.cause = EmptyCause::UnknownIri;
      out.parts.push_back(inquiry_.shown(constant->term));
      out.spans.push_back(constant->span);
      out.says = fmt::format("{} is not in the data: no statement has it.", out.parts.front());
      offer_names(out, constant->term.value, NameKind::Any, {}, inquiry_);
      return out;
    }
    Diagnosis out = unknown("Everything to be described is known, but no statement is about it.");
    out.cause = EmptyCause::TrulyEmpty;
    return out;
  }

  // A query or a sub-query; `select` is null for the forms that have no columns.
  Diagnosis of_body(const sparql::Body& body, const sparql::Select* select, const Scope& scope,
                    std::size_t depth) {
    if (body.limit == 0U) return modifier("LIMIT 0", "LIMIT 0 lets no row pass.");
    std::vector<Part> parts = parts_of(body.where, inquiry_.prefixes);
    if (body.values) add_values(*body.values, parts);
    const bool may_have_rows =
        select == nullptr || is_grouped(*select) || body.offset.value_or(0) > 0;
    if (!may_have_rows) return of_parts(parts, scope, depth);
    const Pattern where = body.values ? joined(body.where, Pattern(*body.values)) : body.where;
    const auto has_rows = probes().has_rows(where, scope);
    if (!has_rows || !*has_rows) return of_parts(parts, scope, depth);
    if (select != nullptr) {
      if (auto found = of_modifiers(*select, parts, scope, depth)) return *std::move(found);
    }
    return unknown("The pattern has matches, so what follows it must leave nothing.");
  }

  void add_values(const sparql::Values& values, std::vector<Part>& parts) const {
    Part part;
    part.kind = Part::Kind::Values;
    part.pattern = Pattern(values);
    part.span = values.span;
    part.text = to_sparql(part.pattern, inquiry_.prefixes);
    for (const sparql::Variable& name : values.variables) part.variables.insert(name.name);
    parts.push_back(std::move(part));
  }

  Diagnosis modifier(std::string part, std::string says) {
    Diagnosis out;
    out.cause = EmptyCause::FilterRemovesAll;
    out.parts.push_back(std::move(part));
    out.spans.emplace_back();
    out.says = std::move(says);
    return out;
  }

  // HAVING, OFFSET, and a COUNT of what is never bound.
  std::optional<Diagnosis> of_modifiers(const sparql::Select& select,
                                        const std::vector<Part>& parts, const Scope& scope,
                                        std::size_t depth) {
    const sparql::Body& body = select.body;
    const auto rows_with = [&](auto change) {
      sparql::Query query;
      query.dataset = scope.dataset;
      sparql::Select changed = select;
      changed.body.order_by.clear();
      changed.body.limit.reset();
      changed.body.offset.reset();
      changed.body.where = in_graph(std::move(changed.body.where), scope.graph);
      change(changed);
      query.form = std::move(changed);
      return probes().count_rows(query, kCountedMax);
    };
    if (!body.having.empty()) {
      const auto groups = rows_with([](sparql::Select& s) { s.body.having.clear(); });
      const auto left = rows_with([](sparql::Select&) {});
      if (groups && groups->n > 0 && left && left->n == 0)
        return of_having(body, *groups, rows_with);
    }
    if (body.offset.value_or(0) > 0) {
      const auto rows = rows_with([](sparql::Select&) {});
      if (rows && rows->is_exact && rows->n <= *body.offset) {
        return modifier(fmt::format("OFFSET {}", *body.offset),
                        fmt::format("OFFSET {} goes beyond the end: there are {} rows.",
                                    format_count(*body.offset), count_text(*rows)));
      }
    }
    return of_counted(select, parts, scope, depth);
  }

  template <typename RowsWith>
  Diagnosis of_having(const sparql::Body& body, const GraphCount& groups,
                      const RowsWith& rows_with) {
    for (std::size_t i = 0; i < std::min(body.having.size(), kConditionsMax); ++i) {
      const auto left = rows_with([&](sparql::Select& s) { s.body.having = {body.having[i]}; });
      if (!left || left->n > 0) continue;
      Diagnosis out =
          modifier(fmt::format("HAVING({})", to_sparql(body.having[i], inquiry_.prefixes)),
                   fmt::format("HAVING removes all {} groups that reach it.", count_text(groups)));
      out.spans.front() = body.having[i].span;
      return out;
    }
    return modifier("HAVING", fmt::format("The conditions of HAVING together remove all {} groups.",
                                          count_text(groups)));
  }

  // COUNT(?x) is 0 where ?x comes from an OPTIONAL that never matches.
  std::optional<Diagnosis> of_counted(const sparql::Select& select, const std::vector<Part>& parts,
                                      const Scope& scope, std::size_t depth) {
    for (const sparql::SelectItem& item : select.items) {
      if (!item.expression) continue;
      const auto* aggregate = item.expression->if_is<sparql::Aggregate>();
      if (aggregate == nullptr || aggregate->argument.size() != 1) continue;
      const auto* counted = aggregate->argument.front().if_is<sparql::Variable>();
      if (counted == nullptr) continue;
      if (auto found = of_unbound(counted->name, parts, scope, depth)) return found;
    }
    return std::nullopt;
  }

  std::optional<Diagnosis> of_unbound(const std::string& name, const std::vector<Part>& parts,
                                      const Scope& scope, std::size_t depth) {
    std::vector<Part> needed;
    bool is_found = false;
    for (const Part& part : parts) {
      if (part.kind != Part::Kind::Optional || part.variables.count(name) == 0 || is_found) {
        needed.push_back(part);
        continue;
      }
      is_found = true;
      for (Part& inner : parts_of(*part.pattern_in_query, inquiry_.prefixes)) {
        needed.push_back(std::move(inner));
      }
    }
    if (!is_found) {
      Diagnosis out = unknown(fmt::format("?{} is never bound, so that nothing is counted.", name));
      out.cause = EmptyCause::NoMatch;
      const bool is_used = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
        return part.variables.count(name) > 0;
      });
      if (is_used) return std::nullopt;
      return out;
    }
    Diagnosis out = of_parts(needed, scope, depth + 1);
    out.says = fmt::format("?{} is bound by an OPTIONAL that never matches. ", name) + out.says;
    return out;
  }

  Diagnosis of_group(const Pattern& group, const Scope& scope, std::size_t depth) {
    return of_parts(parts_of(group, inquiry_.prefixes), scope, depth);
  }

  // REQUIRES: all parts together match nothing.
  Diagnosis of_parts(const std::vector<Part>& parts, const Scope& scope, std::size_t depth) {
    if (depth > kDepthMax) return unknown("The groups are nested too deeply to look into.");
    if (parts.empty()) return of_nothing(scope);
    GroupProbes group(parts, scope, probes());
    PartSet core;
    PartSet additions;
    PartSet removing;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      (parts[i].is_required() ? core : parts[i].removes() ? removing : additions).push_back(i);
    }
    if (auto found = of_many(parts, core)) return *std::move(found);
    const auto alone = group.empty_alone(core, kSuspectsMax);
    if (!alone.empty()) return of_suspects(group, alone, depth);
    if (auto found = of_core(group, core, depth)) return *std::move(found);
    if (!additions.empty()) {
      for (const std::size_t index : additions) core = with_part(std::move(core), index);
      if (auto found = of_core(group, core, depth)) return *std::move(found);
    }
    return of_removing(group, core, removing, depth);
  }

  // Where there are too many parts to ask about each, their names are fewer.
  std::optional<Diagnosis> of_many(const std::vector<Part>& parts, const PartSet& core) {
    if (core.size() <= kManyParts) return std::nullopt;
    for (const std::size_t index : core) {
      if (probes().asked() > kNamesAskedMax) break;
      if (parts[index].kind != Part::Kind::Triple) continue;
      if (auto found = unknown_iri(parts[index], inquiry_)) return found;
    }
    return std::nullopt;
  }

  // GRAPH <g> {} has a solution where there is such a graph.
  Diagnosis of_nothing(const Scope& scope) {
    if (!scope.graph) return unknown("There is nothing to match.");
    Diagnosis out = unknown("There is no such graph.");
    out.cause = EmptyCause::WrongGraph;
    return out;
  }

  Diagnosis of_suspects(GroupProbes& group, const std::vector<std::size_t>& alone,
                        std::size_t depth) {
    std::vector<Diagnosis> all;
    for (const std::size_t index : alone) {
      all.push_back(of_part(group, index, depth));
      if (is_mistake(all.back().cause)) break;
    }
    return best_of(std::move(all));
  }

  static Diagnosis best_of(std::vector<Diagnosis> all) {
    if (all.empty()) return unknown("Nothing could be found out.");
    const auto best = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return rank_of(a) < rank_of(b);
    });
    return std::move(*best);
  }

  // nullopt: these parts do have matches.
  std::optional<Diagnosis> of_core(GroupProbes& group, const PartSet& core, std::size_t depth) {
    if (core.empty()) return std::nullopt;
    const auto has_rows = group.has_rows(core);
    if (has_rows && *has_rows) return std::nullopt;
    const auto smallest = group.smallest_empty(core);
    if (!smallest || smallest->empty()) {
      return unknown(
          fmt::format("Every part that was asked about matches alone; the probes did not "
                      "suffice to find which of the {} parts do not go together.",
                      core.size()));
    }
    if (smallest->size() == 1 && group.parts()[smallest->front()].is_required()) {
      return of_part(group, smallest->front(), depth);
    }
    return join_cause(group, *smallest, inquiry_);
  }

  // A required part that matches nothing alone.
  Diagnosis of_part(GroupProbes& group, std::size_t index, std::size_t depth) {
    const Part& part = group.parts()[index];
    switch (part.kind) {
      case Part::Kind::Triple:
        return triple_cause(group.parts(), index, group.scope(), inquiry_);
      case Part::Kind::Union:
        return of_union(part, group.scope(), depth);
      case Part::Kind::SubSelect: {
        const auto* select = part.pattern_in_query->if_is<sparql::SubSelect>();
        return of_body(select->select->body, &*select->select, group.scope(), depth + 1);
      }
      case Part::Kind::Group:
        if (const auto* graph = part.pattern_in_query->if_is<sparql::Graph>()) {
          return of_group(*graph->inner, {group.scope().dataset, graph->name}, depth + 1);
        }
        return of_group(*part.pattern_in_query, group.scope(), depth + 1);
      default: {
        Diagnosis out = finding(EmptyCause::NoMatch, part);
        out.says = part.kind == Part::Kind::Values ? "VALUES has no rows."
                                                   : "The service gave nothing for this.";
        return out;
      }
    }
  }

  Diagnosis of_union(const Part& part, const Scope& scope, std::size_t depth) {
    const auto* branches = part.pattern_in_query->if_is<sparql::Union>();
    std::vector<Diagnosis> all;
    for (const Pattern& branch : branches->parts) {
      if (all.size() >= kBranchesMax || probes().is_spent()) break;
      all.push_back(of_group(branch, scope, depth + 1));
      if (is_mistake(all.back().cause)) break;
    }
    Diagnosis out = best_of(std::move(all));
    return with_preface(
        fmt::format("None of the {} branches of the UNION matches.", branches->parts.size()),
        std::move(out));
  }

  Diagnosis of_removing(GroupProbes& group, const PartSet& core, const PartSet& removing,
                        std::size_t depth) {
    std::vector<Diagnosis> all;
    for (std::size_t i = 0; i < std::min(removing.size(), kConditionsMax); ++i) {
      const auto left = group.has_rows(with_part(core, removing[i]));
      if (!left || *left) continue;
      all.push_back(of_killer(group, core, removing[i], depth));
      if (is_mistake(all.back().cause) || all.size() >= kSuspectsMax) break;
    }
    if (!all.empty()) return best_of(std::move(all));
    return of_removing_together(group, core, removing);
  }

  Diagnosis of_killer(GroupProbes& group, const PartSet& core, std::size_t killer,
                      std::size_t depth) {
    const Part& part = group.parts()[killer];
    const auto* exists = part.kind == Part::Kind::Filter
                             ? part.expression_in_query->if_is<sparql::Exists>()
                             : nullptr;
    if (exists != nullptr && !exists->is_negated) {
      const auto inner = probes().has_rows(*exists->pattern, group.scope());
      if (inner && !*inner) {
        return with_preface("What EXISTS asks for matches nothing.",
                            of_group(*exists->pattern, group.scope(), depth + 1));
      }
    }
    if (part.kind == Part::Kind::Filter) {
      if (auto found = of_filtered_variables(group, core, part, depth)) return *std::move(found);
    }
    return filter_cause(group, core, killer, inquiry_);
  }

  // A condition on a variable that is never bound is an error in every row.
  std::optional<Diagnosis> of_filtered_variables(GroupProbes& group, const PartSet& core,
                                                 const Part& filter, std::size_t depth) {
    const std::vector<Part>& parts = group.parts();
    const Pattern inner = assembled(parts, core);
    const auto certain = certain_variables(inner);
    const auto bound = variables_in_scope(inner);
    for (const std::string& name : conditional_variables(filter.conditions.front())) {
      if (certain.count(name) > 0) continue;
      if (std::find(bound.begin(), bound.end(), name) == bound.end()) {
        return of_stray_variable(name, bound, filter);
      }
      const auto ever = probes().has_rows(
          filtered(inner, call(sparql::Function::Bound, {sparql::Expression(variable(name))})),
          group.scope());
      if (!ever || *ever) continue;
      return of_unbound(name, parts, group.scope(), depth);
    }
    return std::nullopt;
  }

  // Not those inside EXISTS, which may bind its own.
  static std::set<std::string> conditional_variables(const sparql::Expression& condition) {
    const auto* operation = condition.if_is<sparql::Operation>();
    const bool may_skip =
        operation != nullptr && (operation->function == sparql::Function::Or ||
                                 operation->function == sparql::Function::Coalesce ||
                                 operation->function == sparql::Function::If);
    if (may_skip || has_exists(condition)) return {};
    return mentioned_variables(condition);
  }

  static bool has_exists(const sparql::Expression& expression) {
    bool out = false;
    for_each_expression(filtered(Pattern(), expression), [&](const sparql::Expression& node) {
      out = out || node.if_is<sparql::Exists>() != nullptr;
    });
    return out;
  }

  static Diagnosis of_stray_variable(const std::string& name, const sparql::VariableNames& bound,
                                     const Part& filter) {
    Diagnosis out = finding(EmptyCause::FilterRemovesAll, filter);
    out.says = fmt::format(
        "No pattern of this group binds ?{}, so that the filter fails in every row.", name);
    for (const std::string& other : bound) {
      if (edit_distance(name, other, 2) <= 2 && !other.starts_with('.')) {
        out.candidates.push_back("?" + other);
      }
    }
    if (!out.candidates.empty()) {
      out.says += fmt::format(" Is {} meant?", list_text(out.candidates, 3));
    }
    return out;
  }

  // No condition removes everything alone: leave out what can be left out.
  Diagnosis of_removing_together(GroupProbes& group, const PartSet& core, PartSet removing) {
    const auto together = [&](const PartSet& some) {
      PartSet set = core;
      for (const std::size_t index : some) set = with_part(std::move(set), index);
      return group.has_rows(set);
    };
    const auto left = together(removing);
    if (removing.empty() || !left || *left) {
      return unknown("Every part that was asked about has matches.");
    }
    for (std::size_t i = removing.size(); i-- > 0;) {
      PartSet fewer = removing;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const auto still = together(fewer);
      if (!still) break;
      if (!*still) removing = std::move(fewer);
    }
    Diagnosis out = finding(EmptyCause::FilterRemovesAll, group.parts(), removing);
    out.says = fmt::format("Each of these {} conditions leaves rows, together they leave none.",
                           removing.size());
    return out;
  }

  Inquiry& inquiry_;
};

PrefixList prefixes_for(const sparql::Query& query, const GraphSource& source) {
  PrefixList out = query.prefixes;
  for (auto& prefix : source.prefixes()) {
    const bool is_new = std::none_of(out.begin(), out.end(),
                                     [&](const auto& own) { return own.first == prefix.first; });
    if (is_new) out.push_back(std::move(prefix));
  }
  return out;
}

}  // namespace

Diagnosis diagnose_empty(const sparql::Query& query, const GraphSource& source,
                         const OpContext& context) {
  Probes probes(source, context);
  Inquiry inquiry{query, probes, prefixes_for(query, source)};
  Diagnosis out = Search(inquiry).of_query();
  out.probes = probes.asked();
  if (probes.has_gaps()) out.says += " Not every probe could be run in the time there was.";
  return out;
}

}  // namespace helve::toolkit
