#include "toolkit/context/anti_patterns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "sources/rdf/vocabulary.h"
#include "toolkit/context/known_terms.h"

namespace helve::context {

namespace {

constexpr std::size_t kExamples = 3;
constexpr std::size_t kLanguageChars = 12;

// The first so many of a list.
template <typename List, typename Show>
std::string some_of(const List& list, const Show& show) {
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), kExamples); ++i) {
    if (i > 0) text += ", ";
    text += show(list[i]);
  }
  if (list.size() > kExamples) text += " and others";
  return text;
}

class AntiPatterns {
 public:
  AntiPatterns(const GraphFacts& facts, const ShownNames& names) : facts_(facts), names_(names) {}

  std::vector<std::string> find() && {
    add_instances();
    add_scheme("https://schema.org/", "http://schema.org/");
    add_scheme("http://schema.org/", "https://schema.org/");
    add_opaque_names();
    add_labels();
    add_unions();
    add_inverses();
    add_deprecated();
    add_blank_classes();
    add_hinted_ends();
    add_unused();
    return std::move(lines_);
  }

 private:
  bool is_only_vocabulary() const {
    return facts_.has_declared_classes && facts_.classes.total > 0 &&
           facts_.classes_with_instances == 0 && facts_.is_complete;
  }

  bool is_mostly_vocabulary() const {
    return facts_.has_declared_classes && facts_.is_complete && facts_.classes_with_instances > 0 &&
           facts_.classes_with_instances * 4 <= facts_.classes.total;
  }

  void add_bare_classes(std::string_view head) {
    lines_.push_back(fmt::format("{} instances of their own: {} of {} declared classes.", head,
                                 format_count(facts_.classes.total - facts_.classes_with_instances),
                                 format_count(facts_.classes.total)));
  }

  bool is_construct(std::string_view iri) const {
    return std::any_of(facts_.formalism.constructs.begin(), facts_.formalism.constructs.end(),
                       [&](const auto& one) { return one.first == iri; });
  }

  void add_instances() {
    if (is_only_vocabulary()) {
      std::vector<std::string_view> asked;
      for (const std::string_view iri :
           {kSubClassOf, kDomain, kRange, kDomains[1], kRanges[1], kDomains[2], kRanges[2]}) {
        if (is_construct(iri)) asked.push_back(iri);
      }
      std::string line = "No class has instances (a vocabulary): ";
      if (!asked.empty()) line += fmt::format("ask for {}, ", names_.show_all(asked, ", "));
      lines_.push_back(
          line + fmt::format("not for ?x a {}.", names_.show(facts_.classes.first.front().iri)));
    }
    if (is_mostly_vocabulary()) add_bare_classes("Mostly a vocabulary; without");
    if (!facts_.only_by_subclass.empty()) {
      lines_.push_back(
          fmt::format("Only their subclasses have instances: {}. Ask ?x a/{}* {}.",
                      some_of(facts_.only_by_subclass,
                              [&](const std::string& iri) { return names_.show(iri); }),
                      names_.show(kSubClassOf), names_.show(facts_.only_by_subclass.front())));
    }
  }

  bool has_namespace(std::string_view iri) const {
    return std::any_of(facts_.namespaces.first.begin(), facts_.namespaces.first.end(),
                       [&](const NamespaceInfo& one) { return one.iri == iri; });
  }

  // The two spellings of schema.org are different names.
  void add_scheme(std::string_view there, std::string_view missing) {
    if (facts_.namespaces.first.size() < facts_.namespaces.total) return;
    if (!has_namespace(there) || has_namespace(missing)) return;
    lines_.push_back(fmt::format("schema.org names begin with {}, not with {}.", there, missing));
  }

  void add_opaque_names() {
    if (!has_opaque_names(facts_) || facts_.labels.property.empty()) return;
    lines_.push_back(fmt::format("Names are codes: find terms by {}, never guess an IRI.",
                                 names_.show(facts_.labels.property)));
  }

  void add_labels() {
    const TextSample& labels = facts_.labels;
    if (labels.property.empty()) return;
    if (!facts_.has_rdfs_label && facts_.is_complete) {
      lines_.push_back(fmt::format("There is no {}: labels are {}.",
                                   names_.show(kLabelProperties.front()),
                                   names_.show(labels.property)));
    }
    if (labels.looked_at == 0) return;
    std::uint64_t tagged = 0;
    std::string example;
    for (const auto& [tag, n] : labels.languages) {
      if (tag.empty()) continue;
      tagged += n;
      if (example.empty()) example = clean_text(tag.substr(0, kLanguageChars));
    }
    const std::string which = labels.looked_at == labels.triples
                                  ? std::string()
                                  : fmt::format(" ({} looked at)", format_count(labels.looked_at));
    if (tagged == labels.looked_at) {
      lines_.push_back(fmt::format(
          "All labels{} have language tags: match \"...\"@{} or STR(?label).", which, example));
    } else if (tagged == 0) {
      lines_.push_back(fmt::format(
          "No label{} has a language tag: \"...\"@en and LANG(?label) = \"en\" match none.",
          which));
    } else {
      lines_.push_back(fmt::format(
          "Some labels{} have language tags (@{}), some none: match STR(?label).", which, example));
    }
  }

  void add_unions() {
    if (!facts_.has_union_ends) return;
    lines_.push_back(fmt::format("Some domains or ranges are unions: {}/({}/{}*/{})?.",
                                 names_.show(kDomain), names_.show(kOwlUnionOf),
                                 names_.show(rdf::kRdfRest), names_.show(rdf::kRdfFirst)));
  }

  void add_inverses() {
    if (facts_.one_way.empty() || facts_.classes_with_instances == 0) return;
    if (is_mostly_vocabulary()) return;  // what is used there tells of terms
    lines_.push_back("Never used, ask the inverse: " +
                     some_of(facts_.one_way,
                             [&](const auto& pair) {
                               return names_.show(pair.second) + " (^" + names_.show(pair.first) +
                                      ")";
                             }) +
                     ".");
  }

  void add_deprecated() {
    if (facts_.deprecated_count == 0) return;
    lines_.push_back(fmt::format("{} have {}: do not build on them.",
                                 facts_.deprecated_count == 1
                                     ? std::string("1 term")
                                     : format_count(facts_.deprecated_count) + " terms",
                                 names_.show(facts_.deprecated_by)));
  }

  void add_blank_classes() {
    if (!facts_.has_declared_classes || facts_.class_count <= facts_.named_class_count) return;
    lines_.push_back(fmt::format("{} of {} classes are blank nodes: FILTER(isIRI(?class)).",
                                 format_count(facts_.class_count - facts_.named_class_count),
                                 format_count(facts_.class_count)));
  }

  void add_hinted_ends() {
    if (!facts_.has_hinted_ends) return;
    const std::string_view iri = is_construct(kDomains[2]) ? kDomains[2] : kDomains[1];
    lines_.push_back(fmt::format("{} suggests and does not restrict: several mean any of them.",
                                 names_.show(iri)));
  }

  void add_unused() {
    if (facts_.classes_with_instances == 0 || !facts_.is_complete) return;
    const bool has_bare = facts_.classes_with_instances < facts_.classes.total;
    if (facts_.has_declared_classes && has_bare && !is_mostly_vocabulary()) {
      add_bare_classes("Without");
    }
    if (facts_.has_declared_properties && facts_.declared_and_used < facts_.property_count) {
      lines_.push_back(fmt::format("Without triples: {} of {} declared properties.",
                                   format_count(facts_.property_count - facts_.declared_and_used),
                                   format_count(facts_.property_count)));
    }
  }

  const GraphFacts& facts_;
  const ShownNames& names_;
  std::vector<std::string> lines_;
};

// SIO_000008, GO_0008150, Q42: mostly digits behind some letters.
bool is_code(std::string_view iri) {
  const std::string_view name = iri.substr(namespace_part(iri).size());
  const auto digits = std::count_if(name.begin(), name.end(), is_digit);
  return digits >= 2 && static_cast<std::size_t>(digits) * 2 >= name.size();
}

}  // namespace

bool has_opaque_names(const GraphFacts& facts) {
  std::size_t codes = 0;
  for (const ClassFacts& one : facts.classes.first) codes += is_code(one.iri) ? 1 : 0;
  return codes > 0 && codes * 2 >= facts.classes.first.size();
}

std::vector<std::string> anti_patterns(const GraphFacts& facts, const ShownNames& names) {
  return AntiPatterns(facts, names).find();
}

}  // namespace helve::context
