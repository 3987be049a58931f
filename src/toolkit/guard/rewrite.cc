#include "toolkit/guard/rewrite.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/unicode_case.h"
#include "base/utf8.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"

namespace helve::toolkit {

namespace {

using sparql::BasicGraphPattern;
using sparql::Constant;
using sparql::Join;
using sparql::Path;
using sparql::Pattern;
using sparql::Select;
using sparql::TriplePattern;
using sparql::Variable;

constexpr std::uint64_t kInstancesSampled = 1'000;
constexpr std::uint64_t kTriplesSampled = 10'000;
constexpr std::uint64_t kPairsSampled = 100;
constexpr std::uint64_t kStartsSampled = 100;
constexpr std::uint64_t kRowsLimit = 1'000;

// Joins directly in joins become one, triples side by side one pattern: as a parser would read it.
class Tidier {
 public:
  void tidy(Pattern& pattern) { std::visit(*this, pattern.node); }

  void operator()(BasicGraphPattern& /*leaf*/) {}
  void operator()(sparql::Values& /*leaf*/) {}
  void operator()(sparql::Service& /*elsewhere*/) {}
  void operator()(Join& join) {
    std::vector<Pattern> parts;
    for (Pattern& part : join.parts) {
      tidy(part);
      if (auto* inner = std::get_if<Join>(&part.node)) {
        std::vector<Pattern> inner_parts = std::move(inner->parts);
        for (Pattern& inner_part : inner_parts) append(parts, std::move(inner_part));
      } else {
        append(parts, std::move(part));
      }
    }
    join.parts = std::move(parts);
  }
  void operator()(sparql::LeftJoin& optional) {
    tidy(*optional.left);
    tidy(*optional.right);
  }
  void operator()(sparql::Union& alternatives) {
    for (Pattern& part : alternatives.parts) tidy(part);
  }
  void operator()(sparql::Minus& minus) {
    tidy(*minus.left);
    tidy(*minus.right);
  }
  void operator()(sparql::Filter& filter) { tidy(*filter.inner); }
  void operator()(sparql::Extend& extend) { tidy(*extend.inner); }
  void operator()(sparql::Graph& graph) { tidy(*graph.inner); }
  void operator()(sparql::SubSelect& sub) { tidy(sub.select->body.where); }

 private:
  static void append(std::vector<Pattern>& parts, Pattern part) {
    auto* triples = std::get_if<BasicGraphPattern>(&part.node);
    auto* last = parts.empty() ? nullptr : std::get_if<BasicGraphPattern>(&parts.back().node);
    if (triples == nullptr || last == nullptr) {
      parts.push_back(std::move(part));
      return;
    }
    std::move(triples->triples.begin(), triples->triples.end(), std::back_inserter(last->triples));
  }
};

// Names that the query does not use.
class FreshNames {
 public:
  explicit FreshNames(const sparql::Query& query) {
    const auto add = [this](const Pattern& node) {
      for (const std::string& name : sparql::variables_in_scope(node)) used_.insert(name);
    };
    sparql::for_each_pattern(query.body().where, add);
    if (const auto* select = std::get_if<Select>(&query.form)) {
      for (const auto& item : select->items) used_.insert(item.variable.name);
    }
  }
  std::string take(const std::string& wish) {
    std::string name = wish;
    for (int i = 2; !used_.insert(name).second; ++i) name = wish + std::to_string(i);
    return name;
  }

 private:
  std::set<std::string> used_;
};

class Lightener {
 public:
  Lightener(sparql::Query& query, const Burden& burden)
      : query_(query), burden_(burden), names_(query) {}

  bool run() {
    if (burden_.kind == FindingKind::UnanchoredPath) return shorten_path();
    if (burden_.is_streaming) return limit();
    if (burden_.kind == FindingKind::StringFilter && name_the_text()) return true;
    return sample();
  }

 private:
  bool limit() {
    std::optional<std::uint64_t>& limit = burden_.body->limit;
    if (limit && *limit <= kRowsLimit) return sample();
    limit = kRowsLimit;
    return true;
  }

  // A step that brings in many rows brings in the first of them only.
  bool sample() {
    return std::any_of(burden_.bulk.begin(), burden_.bulk.end(),
                       [this](const Place& place) { return sample_at(place); });
  }

  bool sample_at(const Place& place) {
    if (place.select != nullptr) {
      std::optional<std::uint64_t>& limit = place.select->body.limit;
      if (limit && *limit <= kPairsSampled) return false;
      limit = limit ? kPairsSampled : kInstancesSampled;
      return true;
    }
    name_blank_nodes(*place.pattern);
    auto& triples = std::get<BasicGraphPattern>(place.pattern->node).triples;
    Select select;
    select.body.where = Pattern(BasicGraphPattern{{triples[place.triple]}});
    for (const std::string& name : sparql::variables_in_scope(select.body.where)) {
      select.items.push_back({Variable{name, {}}, std::nullopt});
    }
    if (select.items.empty()) return false;
    select.body.limit = sample_size(triples[place.triple]);
    triples.erase(triples.begin() + static_cast<std::ptrdiff_t>(place.triple));
    put_before(*place.pattern, Pattern(sparql::SubSelect(std::move(select))));
    return true;
  }

  std::uint64_t sample_size(const TriplePattern& triple) const {
    if (burden_.kind == FindingKind::CartesianProduct) return kPairsSampled;
    const auto* predicate = std::get_if<Constant>(&triple.predicate);
    const bool is_type = predicate != nullptr && predicate->term.value == rdf::kRdfType;
    return is_type && !std::holds_alternative<Variable>(triple.object) ? kInstancesSampled
                                                                       : kTriplesSampled;
  }

  // Blank nodes cannot be handed out of a sub-query.
  void name_blank_nodes(Pattern& pattern) {
    std::map<std::string, std::string> named;
    const auto name = [&](sparql::TermPattern& term) {
      const auto* blank = std::get_if<sparql::BlankNode>(&term);
      if (blank == nullptr) return;
      std::string& variable = named[blank->label];
      if (variable.empty()) variable = names_.take("node");
      term = Variable{variable, {}};
    };
    show_columns();
    for (TriplePattern& triple : std::get<BasicGraphPattern>(pattern.node).triples) {
      name(triple.subject);
      name(triple.object);
    }
  }

  // New variables must not become columns of SELECT *.
  void show_columns() {
    auto* select = std::get_if<Select>(&query_.form);
    if (select == nullptr || !select->is_star) return;
    const sparql::VariableNames names = sparql::result_variables(*select);
    if (names.empty()) return;
    select->is_star = false;
    for (const std::string& name : names) select->items.push_back({Variable{name, {}}, {}});
  }

  void put_before(Pattern& pattern, Pattern first) {
    if (pattern.is_unit()) {
      pattern.node = std::move(first.node);
    } else {
      Join join;
      join.parts.push_back(std::move(first));
      join.parts.emplace_back(std::move(pattern.node));
      pattern.node = std::move(join);
    }
    Tidier().tidy(query_.body().where);
  }

  // A search for a text becomes a look at what is exactly that text: an index has it.
  bool name_the_text() {
    if (!burden_.condition) return false;
    const Condition& condition = *burden_.condition;
    if (!condition.search || condition.filter == nullptr) return false;
    auto& filter = std::get<sparql::Filter>(condition.filter->node);
    if (!is_object_only(*filter.inner, condition.search->variable)) return false;
    sparql::Values values;
    values.variables.push_back({condition.search->variable, {}});
    for (const std::string& text : spellings(condition.search->text)) {
      values.rows.push_back({rdf::Term(rdf::TermView::literal(text))});
      values.rows.push_back({rdf::Term(rdf::TermView::lang_literal(text, "en"))});
    }
    put_before(within_graphs(*filter.inner), Pattern(std::move(values)));
    return true;
  }

  // Engines that ask each graph in turn look up only what is bound inside of GRAPH.
  static Pattern& within_graphs(Pattern& pattern) {
    Pattern* at = &pattern;
    while (auto* graph = std::get_if<sparql::Graph>(&at->node)) at = &*graph->inner;
    return *at;
  }

  static std::vector<std::string> spellings(const std::string& text) {
    std::vector<std::string> all;
    const auto add = [&all](const std::string& spelling) {
      if (std::find(all.begin(), all.end(), spelling) == all.end()) all.push_back(spelling);
    };
    const std::string lower = to_lower_case(text);
    const char* at = lower.data();
    static_cast<void>(decode_utf8(at, lower.data() + lower.size()));
    const auto first = static_cast<std::size_t>(at - lower.data());
    add(text);
    add(lower);
    add(to_upper_case(lower.substr(0, first)) + lower.substr(first));
    add(to_upper_case(text));
    return all;
  }

  // VALUES may stand for the variable: it is an object, and nothing but that.
  static bool is_object_only(const Pattern& pattern, const std::string& name) {
    bool is_object = false;
    bool is_other = false;
    const auto is_it = [&name](const auto& term) {
      const auto* variable = std::get_if<Variable>(&term);
      return variable != nullptr && variable->name == name;
    };
    sparql::for_each_pattern(pattern, [&](const Pattern& node) {
      const auto* triples = node.if_is<BasicGraphPattern>();
      if (triples == nullptr) return;
      for (const TriplePattern& triple : triples->triples) {
        is_object = is_object || is_it(triple.object);
        is_other = is_other || is_it(triple.subject) || is_it(triple.predicate);
      }
    });
    return is_object && !is_other;
  }

  bool shorten_path() {
    const Place place = burden_.place;
    auto* triples = std::get_if<BasicGraphPattern>(&place.pattern->node);
    auto* path =
        triples != nullptr ? std::get_if<Path>(&triples->triples[place.triple].predicate) : nullptr;
    if (path == nullptr) return false;
    if (burden_.is_any_path) return take_two_steps(*path);
    name_blank_nodes(*place.pattern);
    const auto* start = std::get_if<Variable>(&triples->triples[place.triple].subject);
    if (start == nullptr) return false;
    Select select;
    select.duplicates = sparql::Duplicates::Distinct;
    select.items.push_back({*start, std::nullopt});
    TriplePattern first{
        *start, as_predicate(first_step(*path)), Variable{names_.take("next"), {}}, {}};
    select.body.where = Pattern(BasicGraphPattern{{std::move(first)}});
    select.body.limit = kStartsSampled;
    put_before(*place.pattern, Pattern(sparql::SubSelect(std::move(select))));
    return true;
  }

  static Path first_step(const Path& path) {
    switch (path.kind) {
      case Path::Kind::ZeroOrMore:
      case Path::Kind::OneOrMore:
      case Path::Kind::ZeroOrOne:
      case Path::Kind::Sequence:
        return first_step(path.parts.front());
      case Path::Kind::Inverse:
        return {Path::Kind::Inverse, {}, {first_step(path.parts.front())}, {}};
      case Path::Kind::Alternative: {
        Path first{Path::Kind::Alternative, {}, {}, {}};
        for (const Path& part : path.parts) first.parts.push_back(first_step(part));
        return first;
      }
      default:
        return path;
    }
  }

  static sparql::PredicatePattern as_predicate(Path path) {
    if (path.kind != Path::Kind::Iri) return path;
    return Constant{rdf::Term(rdf::TermView::iri(path.iri)), {}};
  }

  // Any number of steps along anything: one or two are left of it.
  static bool take_two_steps(Path& path) {
    const bool is_closure = path.kind == Path::Kind::ZeroOrMore ||
                            path.kind == Path::Kind::OneOrMore ||
                            path.kind == Path::Kind::ZeroOrOne;
    if (is_closure) {
      const Path step = std::move(path.parts.front());
      const Path twice{Path::Kind::Sequence, {}, {step, step}, {}};
      path = Path{Path::Kind::Alternative, {}, {step, twice}, {}};
      return true;
    }
    bool is_changed = false;
    for (Path& part : path.parts) is_changed = take_two_steps(part) || is_changed;
    return is_changed;
  }

  sparql::Query& query_;
  const Burden& burden_;
  FreshNames names_;
};

}  // namespace

bool lighten(sparql::Query& query, const Burden& burden) { return Lightener(query, burden).run(); }

}  // namespace helve::toolkit
