#include "toolkit/context/schema_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "base/text.h"
#include "base/utf8.h"
#include "toolkit/context/anti_patterns.h"
#include "toolkit/context/known_terms.h"
#include "toolkit/context/layer_parts.h"

namespace helve::context {

namespace {

constexpr std::size_t kEndsShown = 3;      // classes of one domain or range
constexpr std::size_t kDisjointShown = 4;  // classes of one set
constexpr std::size_t kLabelChars = 40;
constexpr std::size_t kLeastChars = 20;  // of a line with a property and its ends

constexpr std::array<std::string_view, 7> kTraitWords = {
    "Functional", "Inverse functional", "Transitive", "Symmetric",
    "Asymmetric", "Reflexive",          "Irreflexive"};

// Properties with the same ends; in the order of the first of them.
using SameEnds = std::vector<const PropertyFacts*>;

class ConstraintCard {
 public:
  ConstraintCard(const GraphFacts& facts, const ConstraintFile* own, std::size_t budget)
      : facts_(facts),
        own_(own),
        names_(facts.prefixes),
        has_codes_(has_opaque_names(facts)),
        builder_(budget) {
    if (!has_codes_) return;
    for (const ClassFacts& one : facts.classes.first) labels_.emplace(one.iri, one.label);
  }

  LayerText make() && {
    LayerParts parts;
    parts.add(40, true, [&](std::size_t) { add_avoid(); });
    parts.add(10, facts_.classes_with_instances > 0, [&](std::size_t) { add_largest_classes(); });
    parts.add(24, has(facts_.object_properties), [&](std::size_t share) {
      add_properties(share, "objects",
                     "Object properties (domain > range): ", facts_.object_properties);
    });
    parts.add(24, has(facts_.other_properties), [&](std::size_t share) {
      add_properties(share, "properties", "Properties (domain > range): ", facts_.other_properties);
    });
    parts.add(12, has(facts_.datatype_properties), [&](std::size_t share) {
      add_properties(share, "datatypes", "Datatype properties: ", facts_.datatype_properties);
    });
    parts.add(12, !facts_.enumerations.empty(),
              [&](std::size_t share) { add_enumerations(share); });
    parts.add(8, !facts_.traits_of.empty(), [&](std::size_t) { add_traits(); });
    parts.add(6, !facts_.inverses.empty(), [&](std::size_t) { add_inverses(); });
    parts.add(6, !facts_.disjoint.empty(), [&](std::size_t) { add_disjoint(); });
    parts.add(6, !facts_.cardinalities.empty(), [&](std::size_t) { add_cardinalities(); });
    parts.add(4, facts_.annotation_properties.total > 0, [&](std::size_t) { add_annotations(); });
    parts.add(own_ != nullptr && !own_->hints.empty() ? 10 : 2, true,
              [&](std::size_t) { add_hints(); });
    parts.fill(builder_);
    return std::move(builder_).finish();
  }

 private:
  static bool has(const Leading<PropertyFacts>& list) { return !list.first.empty(); }

  void add_avoid() {
    if (own_ != nullptr) {
      for (const std::string& line : own_->avoid) builder_.add_line("avoid", "! " + line);
    }
    for (const std::string& line : anti_patterns(facts_, names_)) {
      builder_.add_line("avoid", "! " + line);
    }
  }

  // A name, with its label where the name itself says nothing.
  std::string named(const std::string& iri, const std::string& label) const {
    const std::string name = names_.show(iri);
    const std::string text = has_codes_ ? quoted_text(label, kLabelChars) : std::string();
    return text.empty() ? name : name + " " + text;
  }

  std::string ends(const std::vector<std::string>& classes) const {
    if (classes.empty()) return "any";
    std::string text;
    for (std::size_t i = 0; i < std::min(classes.size(), kEndsShown); ++i) {
      const auto label = labels_.find(classes[i]);
      text +=
          (i > 0 ? "|" : "") +
          named(classes[i], label == labels_.end() ? std::string() : std::string(label->second));
    }
    return classes.size() > kEndsShown ? text + "|…" : text;
  }

  static std::string key_of(const PropertyFacts& one) {
    std::string key;
    for (const std::string& iri : one.domains) key += iri + " ";
    key += "> ";
    for (const std::string& iri : one.ranges) key += iri + " ";
    return key;
  }

  static std::vector<SameEnds> by_ends(const std::vector<PropertyFacts>& properties) {
    std::vector<SameEnds> groups;
    std::unordered_map<std::string, std::size_t> places;
    for (const PropertyFacts& one : properties) {
      const auto [place, is_new] = places.emplace(key_of(one), groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(&one);
    }
    return groups;
  }

  // Those that fit and an ellipsis: how many more there are is not known.
  void add_some(std::string_view part, const std::string& head, const SameEnds& properties) {
    std::string line = head;
    std::string best;
    for (const PropertyFacts* one : properties) {
      if (line.size() > head.size()) line += ", ";
      line += named(one->iri, one->label);
      if (utf8_length(line) + 4 > builder_.room()) break;
      best = line + ", …";
    }
    if (!best.empty()) builder_.add_line(part, best);
  }

  void add_properties(std::size_t share, std::string_view part, std::string_view head,
                      const Leading<PropertyFacts>& list) {
    const bool is_whole = list.first.size() == list.total;
    std::string before(head);
    std::size_t left = share;
    for (const SameEnds& group : by_ends(list.first)) {
      if (left < kLeastChars) break;
      // The first groups leave some room for other ends.
      builder_.set_share(std::min(left, std::max<std::size_t>(share * 2 / 3, 100)));
      const std::size_t room = builder_.room();
      const std::string line =
          before + ends(group[0]->domains) + " > " + ends(group[0]->ranges) + ": ";
      if (is_whole) {
        add_shown(builder_, part, line, group, group.size(),
                  [&](const PropertyFacts* one) { return named(one->iri, one->label); });
      } else {
        add_some(part, line, group);
      }
      const std::size_t taken = room - builder_.room();
      if (taken > 0) before = "  ";
      left -= std::min(left, taken);
    }
  }

  void add_enumerations(std::size_t share) {
    std::size_t left = share;
    for (const Enumeration& one : facts_.enumerations) {
      if (left < kLeastChars) break;
      builder_.set_share(left);
      const std::size_t room = builder_.room();
      add_shown(builder_, "enumerations",
                fmt::format("{} {} ({}): ", one.is_closed ? "One of" : "Instances of",
                            names_.show(one.class_iri), one.members.size()),
                one.members, one.members.size(),
                [&](const std::string& iri) { return names_.show(iri); });
      left -= std::min(left, room - builder_.room());
    }
  }

  void add_traits() {
    for (const auto& [trait, properties] : facts_.traits_of) {
      add_shown(builder_, "traits",
                fmt::format("{}: ", kTraitWords.at(static_cast<std::size_t>(trait))), properties,
                properties.size(), [&](const std::string& iri) { return names_.show(iri); });
    }
  }

  void add_inverses() {
    add_shown(builder_, "inverses", "Inverse: ", facts_.inverses, facts_.inverses.size(),
              [&](const auto& pair) {
                return names_.show(pair.first) + " = ^" + names_.show(pair.second);
              });
  }

  std::string show_disjoint(const std::vector<std::string>& set) const {
    std::string word;
    for (std::size_t i = 0; i < std::min(set.size(), kDisjointShown); ++i) {
      word += (i > 0 ? " | " : "") + names_.show(set[i]);
    }
    if (set.size() > kDisjointShown) word += fmt::format(" | +{}", set.size() - kDisjointShown);
    return word;
  }

  void add_disjoint() {
    add_shown(builder_, "disjoint", "Disjoint: ", facts_.disjoint, facts_.disjoint.size(),
              [&](const std::vector<std::string>& set) { return show_disjoint(set); });
  }

  static std::string range_of(const Cardinality& one) {
    if (one.least && one.most) {
      return *one.least == *one.most ? fmt::format("exactly {}", *one.least)
                                     : fmt::format("{} to {}", *one.least, *one.most);
    }
    return one.least ? fmt::format("at least {}", *one.least)
                     : fmt::format("at most {}", *one.most);
  }

  std::string show_cardinality(const Cardinality& one) const {
    std::string word = fmt::format("{} {} {}", names_.show(one.class_iri),
                                   names_.show(one.property), range_of(one));
    if (!one.on_class.empty()) word += " " + names_.show(one.on_class);
    return word;
  }

  void add_cardinalities() {
    add_shown(builder_, "cardinalities", "Cardinality: ", facts_.cardinalities,
              facts_.cardinalities.size(),
              [&](const Cardinality& one) { return show_cardinality(one); });
  }

  void add_annotations() {
    const Leading<PropertyFacts>& list = facts_.annotation_properties;
    add_shown(builder_, "annotations", "Annotation properties: ", list.first, list.total,
              [&](const PropertyFacts& one) { return named(one.iri, one.label); });
  }

  void add_hints() {
    if (own_ != nullptr) {
      for (const std::string& line : own_->hints) builder_.add_line("hints", line);
    }
    if (facts_.traits && !facts_.traits->text_search.empty()) {
      builder_.add_line("hints", "Text search: " + cut_text(facts_.traits->text_search, 160));
    }
    if (facts_.graph_count > 0 && !facts_.is_remote) {
      builder_.add_line("hints", "Without GRAPH a query sees all named graphs as one.");
    }
    if (!facts_.labels.property.empty()) {
      builder_.add_line(
          "hints", fmt::format("Find by label: ?x {} ?l FILTER(CONTAINS(LCASE(STR(?l)), \"...\"))",
                               names_.show(facts_.labels.property)));
    }
  }

  // Those without instances come last in the list.
  void add_largest_classes() {
    const std::uint64_t filled = facts_.classes_with_instances;
    const std::span<const ClassFacts> all(facts_.classes.first);
    add_shown(builder_, "classes",
              "Instances: ", all.first(std::min<std::size_t>(all.size(), filled)), filled,
              [&](const ClassFacts& one) {
                return named(one.iri, one.label) + " " + format_count(one.instances);
              });
  }

  const GraphFacts& facts_;
  const ConstraintFile* own_;
  ShownNames names_;
  bool has_codes_;
  std::unordered_map<std::string_view, std::string_view> labels_;  // of classes that are codes
  LayerBuilder builder_;
};

}  // namespace

LayerText pack_schema_constraints(const GraphFacts& facts, const ConstraintFile* own,
                                  std::size_t budget) {
  return ConstraintCard(facts, own, budget).make();
}

}  // namespace helve::context
