#include "toolkit/guard/workload.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "toolkit/guard/group_builder.h"

namespace helve::toolkit {

namespace {

using sparql::Body;
using sparql::Select;

constexpr double kTextWeight = 9;       // fetching a text and looking into it, in rows walked past
constexpr double kJoinKeeps = 0.5;      // of the rows, at least, by every join
constexpr double kBulkRows = 1'000;     // a step that brings in more is worth a sample
constexpr double kWorstShare = 0.3;     // of the work: what causes so much of it is to blame
constexpr double kAnyPathShare = 0.1;   // of all triples: reached from one node by any path
constexpr double kFewValues = 20;       // a LIMIT above it is seldom reached by DISTINCT ?p
constexpr double kGroupsUsual = 1'000;  // of GROUP BY
constexpr std::size_t kOrderedMax = 256;    // elements that are put in order; more: as written
constexpr std::size_t kAskedMax = 100'000;  // conditions times steps; beyond, conditions come last

// What the parts around a group have told. Variables can be forgotten again, so that branches of a
// UNION do not each need a copy of all that went before.
class Knowledge {
 public:
  bool is_bound(const std::string& name) const { return bound_.contains(name); }
  void bind(const std::string& name) {
    if (bound_.insert(name).second) order_.push_back(name);
  }
  std::size_t mark() const { return order_.size(); }
  void forget(std::size_t mark) {
    for (; order_.size() > mark; order_.pop_back()) bound_.erase(order_.back());
  }

  std::unordered_map<std::string, std::string> classes;  // variables with a class
  std::unordered_map<std::string, std::vector<rdf::Term>> values;

 private:
  std::unordered_set<std::string> bound_;
  std::vector<std::string> order_;
};

// Rows on their way, and the steps that made them many.
struct Flow {
  double rows = 1;
  std::vector<Place> bulk;
};

bool is_selective(const Group& group) {
  const auto lets_few_pass = [](const Condition& condition) { return condition.is_selective; };
  if (std::any_of(group.conditions.begin(), group.conditions.end(), lets_few_pass)) return true;
  return std::any_of(group.elements.begin(), group.elements.end(), [](const Element& element) {
    return std::any_of(element.branches.begin(), element.branches.end(),
                       [](const Group& branch) { return is_selective(branch); });
  });
}

// Runs a group in the cheapest order that can be told, and keeps account.
class GroupRun {
 public:
  GroupRun(const Group& group, Knowledge& known, Flow& at, QueryWork& out)
      : group_(group), known_(known), at_(at), out_(out) {}

  // Returns the work of the whole.
  double run() {
    for (const auto& [name, values] : group_.values) {
      known_.bind(name);
      known_.values[name] = values;
    }
    for (const Element& element : group_.elements) {
      if (!element.class_iri.empty()) known_.classes[element.subject.variable] = element.class_iri;
    }
    pending_.assign(group_.conditions.size(), true);
    std::vector<const Element*> left;
    for (const Element& element : group_.elements) left.push_back(&element);
    const std::size_t asked = group_.conditions.size() + group_.ties.size();
    const bool is_huge = asked * left.size() > kAskedMax;
    settle();
    while (!left.empty()) {
      const std::size_t next = choose(left);
      const Element& element = *left[next];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
      take(element);
      if (!is_huge) settle();
    }
    settle();
    for (const Group& optional : group_.optionals) run_optional(optional);
    run_exists();
    note_burden();
    return work_;
  }

 private:
  bool is_bound(const std::string& name) const { return known_.is_bound(name); }
  bool is_fixed(const StepEnd& end) const { return end.is_constant() || is_bound(end.variable); }

  bool is_connected(const Element& element) const {
    const auto has = [this](const std::string& name) { return is_bound(name); };
    switch (element.kind) {
      case Element::Kind::Step:
      case Element::Kind::Closure:
        return is_bound(element.subject.variable) || is_bound(element.object.variable) ||
               is_bound(element.predicate_variable);
      default:
        return std::any_of(element.variables.begin(), element.variables.end(), has);
    }
  }

  std::size_t choose(const std::vector<const Element*>& left) const {
    if (left.size() > kOrderedMax) return 0;
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double rows = fan(*left[i]);
      if (rows < least) {
        least = rows;
        best = i;
      }
    }
    return best;
  }

  // Rows that one row becomes.
  double fan(const Element& element) const {
    switch (element.kind) {
      case Element::Kind::Step:
        return fan_of_step(element);
      case Element::Kind::Closure:
        return fan_of_closure(element);
      case Element::Kind::Bind: {
        const bool is_ready =
            std::all_of(element.needs.begin(), element.needs.end(),
                        [this](const std::string& name) { return is_bound(name); });
        return is_ready ? 1 : std::numeric_limits<double>::max();
      }
      default:
        return is_connected(element) ? 1 : element.rows;
    }
  }

  double fan_of_step(const Element& step) const {
    const bool has_subject = is_fixed(step.subject);
    const bool has_object = is_fixed(step.object);
    if (has_subject && has_object) return 1;
    const Sizes& sizes = *step.sizes;
    if (step.predicate == Element::Predicate::Known) {
      if (has_object && !step.class_iri.empty()) return step.known_rows;
      return has_subject || has_object ? 1 : step.known_rows;
    }
    const auto values = known_.values.find(step.predicate_variable);
    if (values != known_.values.end()) {
      if (has_subject || has_object) return 1;
      double sum = 0;
      for (const rdf::Term& term : values->second) sum += sizes.property(term.value);
      return std::min(sum, sizes.triples());
    }
    const bool has_predicate =
        !step.predicate_variable.empty() && is_bound(step.predicate_variable);
    if (has_object) return 1;
    if (has_subject) return has_predicate ? 1 : sizes.degree();
    return has_predicate ? sizes.triples() / sizes.properties() : sizes.triples();
  }

  double fan_of_closure(const Element& path) const {
    const Sizes& sizes = *path.sizes;
    const bool is_any = path.predicate == Element::Predicate::Any;
    const bool is_loop = path.subject.variable == path.object.variable;
    if (is_fixed(path.subject) || (is_fixed(path.object) && !is_loop)) {
      return is_any ? sizes.triples() * kAnyPathShare : 1;
    }
    return (path.may_be_empty ? sizes.nodes() : 0) + 2 * path.known_rows;
  }

  void take(const Element& element) {
    if (element.kind == Element::Kind::Bind) {
      bind(element);
      return;
    }
    const bool is_cross = !is_connected(element) && at_.rows > 1 && has_started_;
    if (element.kind == Element::Kind::Union) {
      take_union(element, is_cross);
      return;
    }
    const bool is_free = element.kind == Element::Kind::Closure && !is_fixed(element.subject) &&
                         !is_fixed(element.object);
    const double rows = fan(element);
    const double work = at_.rows * rows;
    note_step(element, rows, work, is_cross, is_free);
    work_ += work;
    const bool is_join = has_started_ && is_connected(element) && element.class_iri.empty();
    at_.rows = is_join && rows <= 1 ? std::max(work * kJoinKeeps, std::min(work, 1.0)) : work;
    bind(element);
    if (rows >= kBulkRows && element.place.is_known()) at_.bulk.push_back(element.place);
    has_started_ = true;
  }

  void take_union(const Element& element, bool is_cross) {
    const double before = at_.rows;
    double rows = 0;
    double work = 0;
    std::vector<Place> bulk = at_.bulk;
    for (const Group& branch : element.branches) {
      Flow inside = at_;
      const std::size_t mark = known_.mark();
      work += GroupRun(branch, known_, inside, out_).run();
      known_.forget(mark);
      rows += inside.rows;
      bulk.insert(bulk.end(), inside.bulk.begin() + static_cast<std::ptrdiff_t>(at_.bulk.size()),
                  inside.bulk.end());
    }
    at_.bulk = std::move(bulk);
    if (is_cross && work > worst_cross_ && rows > 2 * before) {
      worst_cross_ = work;
      cross_place_ = at_.bulk.empty() ? Place{} : at_.bulk.back();
    }
    work_ += work;
    at_.rows = std::max(rows, before);
    bind(element);
    has_started_ = true;
  }

  void bind(const Element& element) {
    for (const StepEnd* end : {&element.subject, &element.object}) {
      if (!end->is_constant()) known_.bind(end->variable);
    }
    if (!element.predicate_variable.empty()) known_.bind(element.predicate_variable);
    bind_all(element.variables);
  }

  bool are_bound(const std::set<std::string>& names) const {
    return std::all_of(names.begin(), names.end(),
                       [this](const std::string& name) { return is_bound(name); });
  }

  // Ties give variables of the other side; conditions are asked once all their variables are there.
  void settle() {
    if (!has_started_) return;
    for (const auto& [left, right] : group_.ties) {
      if (are_bound(left)) bind_all(right);
      if (are_bound(right)) bind_all(left);
    }
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (!pending_[i] || !are_bound(group_.conditions[i].variables)) continue;
      pending_[i] = false;
      ask(group_.conditions[i]);
    }
  }

  void bind_all(const std::set<std::string>& names) {
    for (const std::string& name : names) known_.bind(name);
  }

  void ask(const Condition& condition) {
    if (at_.rows > out_.filtered_rows) {
      out_.filtered_rows = at_.rows;
      out_.filter = condition.expression;
    }
    if (!condition.is_text_search) return;
    work_ += kTextWeight * at_.rows;
    text_work_ += kTextWeight * at_.rows;
    if (at_.rows > searched_rows_) {
      searched_rows_ = at_.rows;
      searched_ = &condition;
    }
  }

  void note_step(const Element& element, double rows, double work, bool is_cross, bool is_free) {
    if (is_cross && rows > 1 && work > worst_cross_) {
      worst_cross_ = work;
      cross_place_ = element.place;
    }
    const bool is_path = element.kind == Element::Kind::Closure;
    const bool is_any = element.predicate == Element::Predicate::Any;
    if (is_path && (is_free || is_any) && work > worst_path_) {
      worst_path_ = work;
      path_ = &element;
    }
    if (is_path) return;
    const bool is_open = element.predicate != Element::Predicate::Known &&
                         !known_.values.contains(element.predicate_variable);
    const bool is_listing = element.is_type && element.class_iri.empty();
    if (is_open && work > worst_open_ && rows > 1) {
      worst_open_ = work;
      open_ = &element;
      is_open_start_ = !is_fixed(element.subject) && !is_fixed(element.object);
      if (is_open_start_ && !out_.unbound) out_.unbound = element.place;
    }
    if (is_listing && rows > 1 && work > worst_listing_) {
      worst_listing_ = work;
      listing_ = &element;
    }
  }

  void run_optional(const Group& optional) {
    Flow inside = at_;
    GroupRun run(optional, known_, inside, out_);
    run.has_started_ = has_started_;
    work_ += run.run();
    at_.rows = std::max(at_.rows, inside.rows);
  }

  // EXISTS is asked for one solution: what matters is a search that may find none.
  void run_exists() {
    for (const Group& exists : group_.exists) {
      if (!is_selective(exists)) continue;
      Flow inside;
      const std::size_t mark = known_.mark();
      const std::size_t first = out_.burdens.size();
      GroupRun(exists, known_, inside, out_).run();
      known_.forget(mark);
      for (std::size_t i = first; i < out_.burdens.size(); ++i) {
        out_.burdens[i].ignores_limit = true;
      }
    }
  }

  void note_burden() {
    Burden burden;
    burden.work = work_;
    burden.bulk = at_.bulk;
    const double share = kWorstShare * work_;
    const double walked_share = kWorstShare * (work_ - text_work_);
    if (path_ != nullptr && worst_path_ >= walked_share) {
      burden.kind = FindingKind::UnanchoredPath;
      burden.place = path_->place;
      burden.ignores_limit = true;
      burden.is_any_path = path_->predicate == Element::Predicate::Any;
    } else if (worst_cross_ > 0 && worst_cross_ >= walked_share) {
      burden.kind = FindingKind::CartesianProduct;
      burden.place = cross_place_;
    } else if (searched_ != nullptr && searched_rows_ * (kTextWeight + 1) >= share) {
      burden.kind = FindingKind::StringFilter;
      burden.condition = *searched_;
      burden.place = at_.bulk.empty() ? Place{} : at_.bulk.front();
    } else if (open_ != nullptr && worst_open_ >= share) {
      burden.kind = is_open_start_ ? FindingKind::UnboundPredicate : FindingKind::PropertyDiscovery;
      burden.place = open_->place;
      burden.few = open_->predicate_variable;
      const auto of_class = known_.classes.find(open_->subject.variable);
      if (of_class != known_.classes.end()) burden.class_iri = of_class->second;
    } else if (listing_ != nullptr && worst_listing_ >= share) {
      burden.kind = FindingKind::AllPredicates;
      burden.place = listing_->place;
      burden.few = listing_->object.variable;
      burden.needs_grouping = true;
    } else {
      return;
    }
    out_.burdens.push_back(std::move(burden));
  }

  const Group& group_;
  Knowledge& known_;
  Flow& at_;
  QueryWork& out_;
  double work_ = 0;
  double text_work_ = 0;  // of it: looking into texts
  bool has_started_ = false;
  std::vector<bool> pending_;  // conditions not asked yet
  double worst_cross_ = 0;
  Place cross_place_;
  double worst_path_ = 0;
  const Element* path_ = nullptr;
  double worst_open_ = 0;
  const Element* open_ = nullptr;
  bool is_open_start_ = false;
  double worst_listing_ = 0;
  const Element* listing_ = nullptr;
  double searched_rows_ = 0;
  const Condition* searched_ = nullptr;
};

// A query or sub-query: its pattern and what follows it.
class Measure {
 public:
  Measure(const GraphProfile& profile, QueryWork& out) : profile_(profile), out_(out) {}

  // Returns the rows it gives.
  double run(Body& body, Select* select, std::optional<double> needed, const Sizes& sizes) {
    Group group = build_group(body.where, sizes, [this](Select& sub, const Sizes& inside) {
      return run(sub.body, &sub, std::nullopt, inside);
    });
    if (body.values) add_values(*body.values, group);
    const std::size_t first = out_.burdens.size();
    const double filtered_before = out_.filtered_rows;
    Knowledge known;
    Flow at;
    GroupRun(group, known, at, out_).run();
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
    finish(first, {body, select, is_blocking, is_streaming, factor, group});
    double rows = at.rows;
    if (is_collecting) rows = body.group_by.empty() ? 1 : std::min(rows, kGroupsUsual);
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

  static void add_values(sparql::Values& values, Group& group) {
    Element element;
    element.kind = Element::Kind::Rows;
    element.rows = static_cast<double>(values.rows.size());
    for (std::size_t column = 0; column < values.variables.size(); ++column) {
      const std::string& name = values.variables[column].name;
      element.variables.insert(name);
      for (const auto& row : values.rows) {
        if (row[column]) group.values[name].push_back(*row[column]);
      }
    }
    group.elements.push_back(std::move(element));
  }

  static bool collects(const Body& body, const Select* select) {
    return select != nullptr ? sparql::is_grouped(*select) : sparql::is_grouped(body);
  }

  // DISTINCT over variables that have few values only: no LIMIT above their number is reached.
  static bool is_few_distinct(const Select* select, const Group& group,
                              std::optional<double> needed) {
    if (select == nullptr || select->duplicates == sparql::Duplicates::Keep) return false;
    if (needed && *needed <= kFewValues) return false;
    const sparql::VariableNames names = sparql::result_variables(*select);
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return group.few.contains(name); });
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
