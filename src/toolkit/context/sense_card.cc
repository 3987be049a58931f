#include "toolkit/context/sense_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "toolkit/context/layer_parts.h"
#include "toolkit/context/shown_names.h"

namespace helve::context {

namespace {

constexpr std::uint64_t kLargeTriples = 10'000'000;
constexpr std::size_t kTitleChars = 100;
constexpr std::size_t kVersionChars = 40;
constexpr std::size_t kNoteChars = 160;
constexpr std::size_t kSenseLanguageChars = 12;
constexpr std::size_t kLanguagesShown = 4;

std::string plural(std::uint64_t n, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", format_count(n), n == 1 ? one : more);
}

class SenseCard {
 public:
  SenseCard(const GraphFacts& facts, std::size_t budget)
      : facts_(facts), names_(facts.prefixes), builder_(budget), budget_(budget) {}

  // The first parts are short and take what they need.
  LayerText make() && {
    add_title();
    add_scale();
    add_size();
    add_texts();
    add_limits();
    const bool is_described =
        !facts_.main.description.empty() || !facts_.source_description.empty();
    LayerParts parts;
    parts.add(22, is_described, [&](std::size_t) { add_description(); });
    parts.add(20, !facts_.namespaces.first.empty(), [&](std::size_t) { add_namespaces(); });
    parts.add(22, !facts_.modules.empty(), [&](std::size_t) { add_modules(); });
    parts.add(18, !facts_.imports.empty(), [&](std::size_t) { add_imports(); });
    parts.add(18, true, [&](std::size_t) { add_formalism(); });
    parts.add(6, !facts_.main.references.empty(), [&](std::size_t) { add_references(); });
    parts.add(6, !facts_.gaps.empty(), [&](std::size_t) { add_gaps(); });
    parts.fill(builder_);
    return std::move(builder_).finish();
  }

 private:
  void add_title() {
    const OntologyFacts& main = facts_.main;
    std::string line = quoted_text(main.title.empty() ? facts_.name : main.title, kTitleChars);
    if (line.empty()) line = "\"\"";
    if (!main.iri.empty()) {
      const std::string type = main.type.empty() ? std::string() : names_.show(main.type) + " ";
      const std::string whole = line + fmt::format(" ({}{})", type, show_whole(main.iri));
      line = whole.size() < budget_ / 2 ? whole : line;
    }
    const std::string version = quoted_text(main.version, kVersionChars);
    if (!version.empty()) line += ", version " + version;
    builder_.add_line("title", line);
  }

  void add_scale() {
    if (facts_.triples > kLargeTriples) {
      builder_.add_line(
          "scale", fmt::format("Large: {} triples. Bind a class, property or IRI in every pattern, "
                               "and set LIMIT.",
                               format_count(facts_.triples)));
    }
    if (facts_.is_remote) {
      builder_.add_line("endpoints",
                        "An endpoint; more are found with federated_endpoints, endpoints_list.");
    }
  }

  void add_size() {
    std::string line = plural(facts_.triples, "triple", "triples");
    if (facts_.has_declared_classes) {
      line +=
          fmt::format("; {} declared ({} named)", plural(facts_.class_count, "class", "classes"),
                      format_count(facts_.named_class_count));
    } else {
      line += fmt::format("; {} with instances", plural(facts_.class_count, "class", "classes"));
    }
    line += fmt::format("; {} {}", plural(facts_.property_count, "property", "properties"),
                        facts_.has_declared_properties ? "declared" : "used");
    if (facts_.annotation_only_count > 0) {
      line +=
          fmt::format(", {} more for annotation only", format_count(facts_.annotation_only_count));
    }
    if (facts_.graph_count > 0) {
      line += "; " + plural(facts_.graph_count, "named graph", "named graphs");
    }
    builder_.add_line("size", line + ".");
    if (!facts_.origin.empty()) {
      builder_.add_line("size", "Figures: " + cut_text(facts_.origin, kNoteChars));
    }
  }

  std::string languages() const {
    std::string text;
    std::size_t shown = 0;
    for (const auto& [tag, n] : facts_.labels.languages) {
      if (shown++ == kLanguagesShown) return text + ", …";
      text += shown > 1 ? ", " : "";
      text += tag.empty() ? "no tag" : "@" + clean_text(tag.substr(0, kSenseLanguageChars));
    }
    return text;
  }

  void add_texts() {
    if (facts_.labels.property.empty() && facts_.descriptions.property.empty()) return;
    std::string line = "Labels: ";
    if (facts_.labels.property.empty()) {
      line += "none of the known properties";
    } else {
      line += fmt::format("{} ({} triples{}{})", names_.show(facts_.labels.property),
                          format_count(facts_.labels.triples),
                          facts_.labels.languages.empty() ? "" : "; ", languages());
    }
    if (!facts_.descriptions.property.empty()) {
      line += fmt::format("; descriptions: {} ({})", names_.show(facts_.descriptions.property),
                          format_count(facts_.descriptions.triples));
    }
    builder_.add_line("labels", line + ".");
  }

  void add_limits() {
    if (!facts_.traits) return;
    const EndpointTraits& traits = *facts_.traits;
    std::vector<std::string> limits;
    if (traits.query_time_max > Duration::zero()) {
      limits.push_back(format_duration(traits.query_time_max) + " for a query");
    }
    if (traits.rows_max > 0) limits.push_back(format_count(traits.rows_max) + " rows");
    if (!traits.engine.empty())
      limits.push_back("engine " + cut_text(traits.engine, kVersionChars));
    if (!limits.empty()) builder_.add_list("limits", "Its limits: ", limits);
    builder_.set_share(budget_ / 4);
    for (const std::string& note : traits.notes) {
      builder_.add_line("limits", "Note: " + cut_text(note, kNoteChars));
    }
    builder_.set_share(SIZE_MAX);
  }

  void add_description() {
    const std::string& own = facts_.main.description;
    const std::string& text = own.empty() ? facts_.source_description : own;
    constexpr std::string_view kHead = "About: ";
    if (builder_.room() < 2 * kHead.size()) return;
    const std::string shown = quoted_text(text, builder_.room() - kHead.size() - 1);
    if (!shown.empty()) builder_.add_line("description", std::string(kHead) + shown);
  }

  void add_formalism() {
    const Formalism& formalism = facts_.formalism;
    std::string kinds;
    const auto add = [&](bool is_there, std::string_view name) {
      if (is_there) kinds += (kinds.empty() ? "" : " + ") + std::string(name);
    };
    add(formalism.is_owl, "OWL");
    add(formalism.is_rdfs, "RDFS");
    add(formalism.is_schema_org, "schema.org");
    add(formalism.is_skos, "SKOS");
    add(formalism.is_shacl, "SHACL");
    if (kinds.empty()) kinds = "plain RDF data";
    if (formalism.constructs.empty()) {
      builder_.add_line("formalism", "Written as " + kinds + ".");
      return;
    }
    add_shown(builder_, "formalism", "Written in " + kinds + ": ", formalism.constructs,
              formalism.constructs.size(), [&](const auto& one) {
                return fmt::format("{} {}", names_.show(one.first), format_count(one.second));
              });
  }

  void add_namespaces() {
    const Leading<NamespaceInfo>& list = facts_.namespaces;
    add_shown(builder_, "namespaces", "Namespaces: ", list.first, list.total,
              [&](const NamespaceInfo& one) {
                const bool is_named = !one.prefix.empty() || names_.has_empty_prefix(one.iri);
                return (is_named ? one.prefix + ": " : "") + show_whole(one.iri);
              });
  }

  void add_modules() {
    add_shown(builder_, "modules", "Modules (terms): ", facts_.modules, facts_.modules.size(),
              [&](const auto& one) {
                const std::string shown = show_whole(one.first);
                return one.second == 0 ? shown
                                       : fmt::format("{} {}", shown, format_count(one.second));
              });
  }

  void add_imports() {
    add_shown(builder_, "imports", "Imports: ", facts_.imports, facts_.imports.size(), show_whole);
  }

  void add_references() {
    const std::vector<std::string>& references = facts_.main.references;
    add_shown(builder_, "references", "See: ", references, references.size(), show_whole);
  }

  void add_gaps() { builder_.add_list("gaps", "Not found out: ", facts_.gaps); }

  const GraphFacts& facts_;
  ShownNames names_;
  LayerBuilder builder_;
  std::size_t budget_;
};

}  // namespace

LayerText pack_sense_card(const GraphFacts& facts, std::size_t budget) {
  return SenseCard(facts, budget).make();
}

}  // namespace helve::context
