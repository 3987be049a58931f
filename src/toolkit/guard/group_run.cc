#include "toolkit/guard/group_run.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace helve::toolkit {

namespace {

constexpr double kTextWeight = 9;       // fetching a text and looking into it, in rows walked past
constexpr double kJoinKeeps = 0.5;      // of the rows, at least, by every join
constexpr double kBulkRows = 1'000;     // a step that brings in more is worth a sample
constexpr double kWorstShare = 0.3;     // of the work: what causes so much of it is to blame
constexpr double kSearchedShare = 0.1;  // of the rows: a search of fewer is not to blame
constexpr double kAnyPathShare = 0.1;   // of all triples: reached from one node by any path
constexpr std::size_t kAskedMax = 100'000;  // conditions times steps; beyond, conditions come last
// Elements that are put in order; more of them run as written.
constexpr std::size_t kOrderedElementsMax = 256;

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
    settle();
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
    if (left.size() > kOrderedElementsMax) return 0;
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
      if (has_object && step.is_type) return instances_of_values(step);
      if (has_object && !has_subject && step.value_rows) return *step.value_rows;
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
    if (has_object) return has_predicate || has_subject ? 1 : sizes.incoming();
    if (has_subject) return has_predicate ? 1 : sizes.degree();
    return has_predicate ? sizes.triples() / sizes.properties() : sizes.triples();
  }

  // VALUES ?c { ... } ?s a ?c
  double instances_of_values(const Element& step) const {
    const auto values = known_.values.find(step.object.variable);
    if (values == known_.values.end()) return 1;
    double sum = 0;
    for (const rdf::Term& term : values->second) sum += step.sizes->instances(term.value);
    return sum;
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
      if (element.reads_text) read_work_ += kTextWeight * at_.rows;
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
    const bool is_whole = is_read_whole(element);
    const double whole_rows = element.predicate == Element::Predicate::Known
                                  ? element.known_rows
                                  : (element.sizes ? element.sizes->triples() : 0);
    if (is_whole) work_ += whole_rows;
    largest_fan_ = std::max(largest_fan_, rows);
    peak_rows_ = std::max(peak_rows_, work);
    const bool is_join = has_started_ && is_connected(element) && element.class_iri.empty();
    at_.rows = is_join && rows <= 1 ? std::max(work * kJoinKeeps, std::min(work, 1.0)) : work;
    bind(element);
    const double brought_in = is_whole ? std::max(rows, whole_rows) : rows;
    if (brought_in >= kBulkRows && element.place.is_known()) at_.bulk.push_back(element.place);
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
    peak_rows_ = std::max(peak_rows_, rows);
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
    for (const Tie& tie : group_.ties) {
      if (are_bound(tie.first)) bind_tied(tie.second, tie.is_computed);
      if (are_bound(tie.second)) bind_tied(tie.first, tie.is_computed);
    }
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (!pending_[i] || !are_bound(group_.conditions[i].variables)) continue;
      pending_[i] = false;
      ask(group_.conditions[i]);
    }
  }

  void bind_tied(const std::set<std::string>& names, bool is_computed) {
    for (const std::string& name : names) {
      if (is_computed && !is_bound(name)) tied_.insert(name);
      known_.bind(name);
    }
  }

  // Nothing but a computed value leads to it: it is read once, to be compared.
  bool is_read_whole(const Element& element) const {
    if (element.kind != Element::Kind::Step || tied_.empty()) return false;
    const auto leads = [this](const StepEnd& end) {
      return is_fixed(end) && !tied_.contains(end.variable);
    };
    const bool is_tied =
        tied_.contains(element.subject.variable) || tied_.contains(element.object.variable);
    return is_tied && !leads(element.subject) && !leads(element.object);
  }

  void bind_all(const std::set<std::string>& names) {
    for (const std::string& name : names) known_.bind(name);
  }

  void ask(const Condition& condition) {
    if (at_.rows > out_.filtered_rows) {
      out_.filtered_rows = at_.rows;
      out_.filter = condition.expression;
    }
    if (!condition.is_text_search && condition.reads_text) read_work_ += kTextWeight * at_.rows;
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
    if (is_open && work > worst_open_ && work > 1) {
      worst_open_ = work;
      open_ = &element;
      open_fan_ = rows;
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
    } else if (searched_ != nullptr && searched_rows_ >= kSearchedShare * peak_rows_) {
      burden.kind = FindingKind::StringFilter;
      burden.condition = *searched_;
      burden.place = at_.bulk.empty() ? Place{} : at_.bulk.front();
    } else if (open_ != nullptr && (worst_open_ >= share || open_fan_ >= largest_fan_)) {
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
    } else if (read_work_ > 0) {
      burden.kind = FindingKind::StringFilter;
      burden.work += read_work_;
      burden.place = at_.bulk.empty() ? Place{} : at_.bulk.front();
      burden.needs_all_rows = true;
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
  double read_work_ = 0;  // beside it: the same where no few are looked for
  bool has_started_ = false;
  std::vector<bool> pending_;   // conditions not asked yet
  std::set<std::string> tied_;  // variables that only a computed value leads to
  double worst_cross_ = 0;
  Place cross_place_;
  double worst_path_ = 0;
  const Element* path_ = nullptr;
  double worst_open_ = 0;
  const Element* open_ = nullptr;
  double open_fan_ = 0;
  double largest_fan_ = 1;  // of a step
  double peak_rows_ = 1;
  bool is_open_start_ = false;
  double worst_listing_ = 0;
  const Element* listing_ = nullptr;
  double searched_rows_ = 0;
  const Condition* searched_ = nullptr;
};

}  // namespace

double run_group(const Group& group, Knowledge& known, Flow& at, QueryWork& out) {
  return GroupRun(group, known, at, out).run();
}

bool is_selective(const Group& group) {
  const auto lets_few_pass = [](const Condition& condition) { return condition.is_selective; };
  if (std::any_of(group.conditions.begin(), group.conditions.end(), lets_few_pass)) return true;
  return std::any_of(group.elements.begin(), group.elements.end(), [](const Element& element) {
    return std::any_of(element.branches.begin(), element.branches.end(),
                       [](const Group& branch) { return is_selective(branch); });
  });
}

}  // namespace helve::toolkit
