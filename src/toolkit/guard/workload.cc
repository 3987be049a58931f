#include "toolkit/guard/workload.h"

#include <algorithm>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "toolkit/guard/group_builder.h"
#include "toolkit/guard/group_run.h"

namespace helve::toolkit {

namespace {

using sparql::Body;
using sparql::Select;

constexpr double kFewValues = 20;       // a LIMIT above it is seldom reached by DISTINCT ?p
constexpr double kUsualGroups = 1'000;  // of GROUP BY

// A query or sub-query: its pattern and what follows it.
class Measure {
 public:
  Measure(const GraphProfile& profile, QueryWork& out) : profile_(profile), out_(out) {}

  // Returns the rows it gives.
  double run(Body& body, Select* select, std::optional<double> needed, const Sizes& sizes) {
    const Group group = build_group(body, sizes, [this](Select& sub, const Sizes& inside) {
      return run(sub.body, &sub, std::nullopt, inside);
    });
    const std::size_t first = out_.burdens.size();
    const double filtered_before = out_.filtered_rows;
    Knowledge known;
    Flow at;
    const double work = run_group(group, known, at, out_);
    if (body.limit) {
      const double limit =
          static_cast<double>(*body.limit) + static_cast<double>(body.offset.value_or(0));
      needed = std::min(needed.value_or(limit), limit);
    }
    const bool is_collecting = collects(body, select);
    const bool is_blocking =
        is_collecting || !body.order_by.empty() || is_few_distinct(select, group, needed);
    const bool is_streaming = !is_blocking && !is_selective(group);
    const double factor =
        needed && is_streaming ? std::min(1.0, *needed / std::max(at.rows, 1.0)) : 1;
    if (needed && is_streaming) {
      out_.filtered_rows = std::max(filtered_before, out_.filtered_rows * factor);
    }
    out_.work += work * factor;
    finish(first, {body, select, is_blocking, is_streaming, factor, group});
    double rows = at.rows;
    if (is_collecting) rows = body.group_by.empty() ? 1 : std::min(rows, kUsualGroups);
    return needed ? std::min(rows, *needed) : rows;
  }

 private:
  struct Ending {
    Body& body;
    Select* select;
    bool is_blocking;
    bool is_streaming;
    double factor;
    const Group& group;
  };

  static bool collects(const Body& body, const Select* select) {
    return select != nullptr ? sparql::is_grouped(*select) : sparql::is_grouped(body);
  }

  // DISTINCT over variables that have few values only: no LIMIT above their number is reached.
  static bool is_few_distinct(const Select* select, const Group& group,
                              std::optional<double> needed) {
    if (select == nullptr || select->duplicates == sparql::Duplicates::Keep) return false;
    if (needed && *needed <= kFewValues) return false;
    // What is cut out of a text has fewer values than there are texts: how many is not known.
    const auto is_few = [&group](const std::string& name) {
      return group.few.contains(name) || group.texts.contains(name);
    };
    if (select->is_star) {
      const sparql::VariableNames names = sparql::result_variables(*select);
      return std::all_of(names.begin(), names.end(), is_few);
    }
    return std::all_of(
        select->items.begin(), select->items.end(), [&](const sparql::SelectItem& item) {
          if (!item.expression) return is_few(item.variable.name);
          const auto of = sparql::mentioned_variables(*item.expression);
          return has_few_values(*item.expression) || std::all_of(of.begin(), of.end(), is_few);
        });
  }

  // Whether the different values of the variable are what is asked for.
  static bool lists(const Ending& ending, const std::string& name) {
    if (name.empty() || !ending.is_blocking) return false;
    for (const sparql::GroupKey& key : ending.body.group_by) {
      if (sparql::mentioned_variables(key.expression).contains(name)) return true;
    }
    if (ending.select == nullptr) return false;
    if (ending.select->duplicates != sparql::Duplicates::Keep) {
      const sparql::VariableNames names = sparql::result_variables(*ending.select);
      if (std::find(names.begin(), names.end(), name) != names.end()) return true;
    }
    for (const sparql::SelectItem& item : ending.select->items) {
      if (item.expression && sparql::mentioned_variables(*item.expression).contains(name)) {
        return true;
      }
    }
    return false;
  }

  void finish(std::size_t first, const Ending& ending) {
    std::vector<Burden>& all = out_.burdens;
    for (std::size_t i = first; i < all.size(); ++i) {
      Burden& burden = all[i];
      burden.body = &ending.body;
      burden.is_streaming = ending.is_streaming && !burden.ignores_limit;
      if (!burden.ignores_limit) burden.work *= ending.factor;
      const bool is_listing = lists(ending, burden.few);
      if (burden.kind == FindingKind::UnboundPredicate && is_listing) {
        burden.kind = FindingKind::AllPredicates;
      }
      if (burden.needs_grouping && !is_listing) burden.work = 0;
      if (burden.needs_all_rows && !ending.is_blocking) burden.work = 0;
      // Our engine counts the triples of every predicate, and of every pattern, by its indexes.
      const bool is_one_pattern = ending.group.elements.size() == 1 &&
                                  ending.group.conditions.empty() && ending.group.optionals.empty();
      if (profile_.is_local && is_one_pattern && ending.is_blocking && !burden.ignores_limit) {
        burden.work = 0;
      }
    }
  }

  const GraphProfile& profile_;
  QueryWork& out_;
};

}  // namespace

QueryWork measure(sparql::Query& query, const GraphProfile& profile,
                  std::optional<std::uint64_t> rows_max) {
  QueryWork work;
  std::optional<double> needed;
  if (rows_max) needed = static_cast<double>(*rows_max);
  if (std::holds_alternative<sparql::Ask>(query.form)) needed = 1;
  Sizes sizes(profile);
  std::vector<std::string> graphs;
  for (const sparql::DatasetGraph& graph : query.dataset) graphs.push_back(graph.iri);
  if (!graphs.empty()) sizes = sizes.within(graphs);
  Measure measure(profile, work);
  work.rows = measure.run(query.body(), std::get_if<Select>(&query.form), needed, sizes);
  return work;
}

}  // namespace helve::toolkit
